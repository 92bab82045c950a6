package page

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
)

// tidyFile asks with a form, asks for a yes, and makes calls that are to be confirmed.
const tidyFile = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: up, env: {TOKEN: "${TOKEN}"}}}
tools:
- name: tidy
  description: tidies
  inputSchema: {type: object, properties: {say: {type: string, default: hello}}}
  nodes:
  - {id: entry, type: entry, next: sure}
  - {id: sure, type: ask, message: {expr: '"Remove, " & $.entry.say & "?"'}, schema: {type: object, properties: {keep: {type: integer, minimum: 1}}, required: [keep]}, onError: {codes: [declined], value: {keep: 7}}, next: remove}
  - {id: remove, type: mcp, server: up, tool: inc, effect: destroy, confirm: true, forEach: {items: '[$.sure.keep, 2]'}, args: {n: {expr: $item}}, next: exit}
  - {id: exit, type: exit}
- name: really
  description: asks in a called graph
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: graph, tool: yes_or_no, next: exit}
  - {id: exit, type: exit}
- name: yes_or_no
  hidden: true
  description: a yes
  nodes:
  - {id: entry, type: entry, next: agree}
  - {id: agree, type: ask, message: 'Really?', next: exit}
  - {id: exit, type: exit}
`

// waits starts a run and waits until the page shows its question.
func (c *client) waits(body string) (id string, q question) {
	c.t.Helper()
	id = c.start(body)
	c.until(id, "waiting")
	return id, c.questionOf(id)
}

// questionOf returns the open question of a run, which a run that waits is about to have.
func (c *client) questionOf(id string) question {
	c.t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		for _, q := range c.questions() {
			if q.Run == id {
				return q
			}
		}
	}
	c.t.Fatal("the page shows no question of the run")
	return question{}
}

// A run that asks waits, with its question, until the user of the page fills in what fits the form
// and agrees to the calls.
func TestRunAsksOnThePage(t *testing.T) {
	c := openFile(t, tidyFile, nil)
	id, q := c.waits(`{"tool": "tidy", "args": {}}`)
	if q.Message != "Remove, hello?" || q.Tool != "tidy" || q.Node != "sure" || q.At != "1" || q.Server != "" || q.Confirms != nil || !strings.Contains(string(q.Schema), `"keep"`) {
		t.Errorf("the page shows %+v, %s", q, q.Schema)
	}
	now := good[info](c, "GET", "/api/runs/"+id, "")
	if now.Question == nil || now.Question.Message != "Remove, hello?" || now.Next == nil || now.Next.Node != "sure" || !now.Live {
		t.Errorf("the run has %+v at %+v", now.Question, now.Next)
	}
	if step := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/1", ""); !step.Pending || step.Input == nil || step.Input.Text != "Remove, hello?" || step.Expressions[0].Label != "Message" {
		t.Errorf("the step is %+v", step)
	}
	if list := good[runsJSON](c, "GET", "/api/runs?status=waiting", ""); len(list.Runs) != 1 {
		t.Errorf("%d runs are listed as waiting", len(list.Runs))
	}
	if status, body := c.ask("POST", "/api/runs/"+id+"/control", `{"action": "step"}`); status != http.StatusConflict || !strings.Contains(body, "waits for an answer") {
		t.Errorf("a step: %d %s", status, body)
	}
	at := "/api/questions/" + q.ID
	for _, body := range []string{`{"action":"accept","content":{}}`, `{"action":"accept","content":{"keep":0}}`, `{"action":"accept"}`} {
		if status, answer := c.ask("POST", at, body); status/100 != 4 {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	good[struct{}](c, "POST", at, `{"action":"accept","content":{"keep":5}}`)

	confirm := c.questionOf(id)
	if confirm.ID == q.ID || confirm.Schema != nil || confirm.Confirms == nil || *confirm.Confirms != (confirmsJSON{Server: "up", Tool: "inc", Effect: config.DestroyEffect, Calls: 2}) ||
		!strings.Contains(confirm.Message, `{"n":5}`) || confirm.At != "2" || confirm.Node != "remove" {
		t.Errorf("the page shows %+v", confirm)
	}
	if status, _ := c.ask("POST", at, `{"action":"accept","content":{"keep":5}}`); status != http.StatusConflict {
		t.Errorf("the first question is answered again: %d", status)
	}
	good[struct{}](c, "POST", "/api/questions/"+confirm.ID, `{"action":"accept"}`)
	if now = c.until(id, "finished"); now.Question != nil || len(c.questions()) != 0 {
		t.Errorf("open still: %+v, %+v", now.Question, c.questions())
	}
	steps := good[stepsJSON](c, "GET", "/api/runs/"+id+"/steps", "").Steps
	if steps[1].Type != config.AskNode || steps[1].Preview != `{"keep":5}` || steps[1].Confirmed {
		t.Errorf("the ask is %+v", steps[1])
	}
	if part := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/2?part=1", ""); !part.Confirmed {
		t.Errorf("the call is %+v", part.stepJSON)
	}
}

// A user can decline and close the questions of runs, each of which ends with its run.
func TestRunIsNotAnswered(t *testing.T) {
	c := openFile(t, tidyFile, nil)
	id, q := c.waits(`{"tool": "tidy", "args": {}}`)
	good[struct{}](c, "POST", "/api/questions/"+q.ID, `{"action":"decline"}`)
	confirm := c.questionOf(id)
	if !strings.Contains(confirm.Message, `{"n":7}`) {
		t.Errorf("what onError gives is not used: %+v", confirm)
	}
	good[struct{}](c, "POST", "/api/questions/"+confirm.ID, `{"action":"cancel"}`)
	if now := c.until(id, "error"); now.Error == nil || now.Error.Detail != string(config.FailDismissed) {
		t.Errorf("the run failed with %+v", now.Error)
	}
	id, q = c.waits(`{"tool": "really", "args": {}}`)
	if q.Schema != nil || q.At != "1/1" || q.Node != "yes_or_no:agree" {
		t.Errorf("the page shows %+v", q)
	}
	if _, other := c.waits(`{"tool": "really", "args": {}}`); other.ID == q.ID || len(c.questions()) != 2 {
		t.Errorf("open: %+v", c.questions())
	}
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "stop"}`)
	c.until(id, "cancelled")
	if open := c.questions(); len(open) != 1 || open[0].Run == id {
		t.Errorf("open: %+v", open)
	}
	if status, _ := c.ask("POST", "/api/questions/"+q.ID, `{"action":"accept"}`); status != http.StatusConflict {
		t.Errorf("the question of a run that has ended: %d", status)
	}
}

// What a run asks is shown without secrets and control characters.
func TestQuestionOfRunHasNoSecret(t *testing.T) {
	c := openFile(t, strings.Replace(tidyFile, "keep: {type: integer, minimum: 1}", "keep: {type: integer, minimum: 1, description: "+token+"}", 1), nil)
	id, q := c.waits(`{"tool": "tidy", "args": {"say": "` + token + `\u202e\u001b[2J"}}`)
	now := good[info](c, "GET", "/api/runs/"+id, "")
	if shown := q.Message + string(q.Schema) + now.Question.Message; strings.Contains(shown, token) || strings.ContainsAny(shown, "\x1b\u202e") {
		t.Errorf("the page shows %q", shown)
	}
}

// A run that waits in another process is listed as such, with its question, and is not answered
// here.
func TestRunWaitsElsewhere(t *testing.T) {
	store, err := sqlite.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	c := openFile(t, tidyFile, store)
	id, _ := c.waits(`{"tool": "really", "args": {}}`)
	other := openFile(t, tidyFile, store)
	now := other.until(id, "waiting")
	if now.Live || now.Question == nil || now.Question.Message != "Really?" || now.Question.Node != "yes_or_no:agree" || now.Question.At != "1/1" {
		t.Errorf("the run is %+v with %+v", now, now.Question)
	}
	if list := good[runsJSON](other, "GET", "/api/runs?status=waiting", ""); len(list.Runs) != 1 || list.Runs[0].Question == nil {
		t.Errorf("listed as waiting: %+v", list.Runs)
	}
	if open := other.questions(); len(open) != 0 {
		t.Errorf("open here: %+v", open)
	}
}
