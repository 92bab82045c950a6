//go:build unix

package fleet

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"toolgraph/tests/issuer"
)

// taskFile has the tool work, which looks at a gate, pays, asks and looks again, and the tool hold.
const taskFile = `version: "1.0"
server: {name: shop, version: 1.0.0, taskAfterMs: 1}
mcpServers:
  up: {type: http, url: "%s/mcp"}
tools:
- name: work
  inputSchema: {type: object, properties: {id: {type: integer}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: look}
  - {id: look, type: mcp, server: up, tool: look, effect: read, args: {id: {expr: $.entry.id}}, next: pay}
  - {id: pay, type: mcp, server: up, tool: pay, args: {id: {expr: $.entry.id}}, next: sure}
  - {id: sure, type: ask, message: "Whose name?", schema: {type: object, properties: {name: {type: string}}, required: [name]}, next: again}
  - {id: again, type: mcp, server: up, tool: look, effect: read, args: {id: {expr: $.entry.id + 1}}, next: value}
  - {id: value, type: transform, transform: {expr: '{"id": $.look, "paid": $.pay, "name": $.sure.name}'}, next: exit}
  - {id: exit, type: exit}
- name: long
  nodes:
  - {id: entry, type: entry, next: look}
  - {id: look, type: mcp, server: up, tool: look, effect: read, args: {id: 77}, next: value}
  - {id: value, type: transform, transform: {expr: '$pad("", 50000, "long ")'}, next: exit}
  - {id: exit, type: exit}
- name: hold
  nodes:
  - {id: entry, type: entry, next: hold}
  - {id: hold, type: mcp, server: up, tool: hold, next: exit}
  - {id: exit, type: exit}
`

const (
	resource = "http://localhost/mcp"
	withTask = `"io.modelcontextprotocol/protocolVersion":"` + modern + `","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
)

// taskClient is a subject that calls tools and looks at tasks.
type taskClient struct {
	t     *testing.T
	token string
}

// send sends a request, on a connection of its own that is cut after the answer.
func (c taskClient) send(p *process, method, name, params string) (status int, body string) {
	c.t.Helper()
	status, body, err := p.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,"_meta":{%s}}}`, method, params, withTask), c.headers(method, name))
	if err != nil {
		c.t.Fatal(err)
	}
	return status, body
}

func (c taskClient) headers(method, name string) http.Header {
	h := http.Header{"Mcp-Protocol-Version": {modern}, "Mcp-Method": {method}, "Mcp-Name": {name}, "Connection": {"close"}}
	if c.token != "" {
		h.Set("Authorization", "Bearer "+c.token)
	}
	return h
}

// task is the result of a request about a task.
type task struct {
	ResultType, TaskID, Status, StatusMessage string
	CreatedAt, LastUpdatedAt                  string
	TTLMs, PollIntervalMs                     *int

	InputRequests map[string]struct {
		Method string
		Params json.RawMessage
	}
	Result json.RawMessage
}

func (c taskClient) start(p *process, tool, arguments string) task {
	c.t.Helper()
	_, body := c.send(p, "tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments))
	of := c.read(body)
	if of.ResultType != "task" || of.TaskID == "" || of.Status != "working" || of.CreatedAt == "" || of.LastUpdatedAt == "" {
		c.t.Fatalf("no task: %s", body)
	}
	return of
}

func (c taskClient) read(body string) task {
	c.t.Helper()
	var m struct{ Result *task }
	if err := json.Unmarshal([]byte(body), &m); err != nil || m.Result == nil {
		c.t.Fatalf("%v: %s", err, body)
	}
	return *m.Result
}

func (c taskClient) get(p *process, id string) task {
	c.t.Helper()
	_, body := c.send(p, "tasks/get", id, fmt.Sprintf(`"taskId":%q`, id))
	return c.read(body)
}

func (c taskClient) update(p *process, id, key, answer string) string {
	c.t.Helper()
	_, body := c.send(p, "tasks/update", id, fmt.Sprintf(`"taskId":%q,"inputResponses":{%q:%s}`, id, key, answer))
	return body
}

// until waits until a task has a status.
func (c taskClient) until(f *fleet, p *process, id, status string) (of task) {
	c.t.Helper()
	f.wait("the task is "+status, func() bool {
		of = c.get(p, id)
		return of.Status == status
	})
	return of
}

const acknowledged = `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":`

// A task outlives its connection and its processes. One process is killed in a call, and one while the task asks; the
// others find the task in the store, ask, take the answer, and give the result. What was paid is paid once. Nothing
// resumes runs in the background here: those who look at the task do.
func TestTask(t *testing.T) {
	t.Parallel()
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, tokens := newFleetOf(t, taskFile, place(t), 0), issuer.New(t)
			run := func() *process {
				return f.run(true, "--resume=false", "--oauth-issuer", tokens.URL, "--oauth-resource", resource)
			}
			alice, bob := taskClient{t, tokens.Token("alice", resource, "")}, taskClient{t, tokens.Token("bob", resource, "")}
			const id = 11
			open := f.up.gate(id)
			first, second := run(), run()
			made := alice.start(first, "work", fmt.Sprintf(`{"id":%d}`, id))
			const month = 30 * 24 * 3600 * 1000
			if made.TTLMs == nil || *made.TTLMs != month || made.PollIntervalMs == nil || *made.PollIntervalMs != 1000 {
				t.Errorf("%+v", made)
			}
			if of := alice.get(second, made.TaskID); of.Status != "working" || of.CreatedAt != made.CreatedAt {
				t.Errorf("in another process: %+v", of)
			}
			run1, secret, _ := strings.Cut(made.TaskID, "-")
			guesses := []string{run1 + "-" + strings.ToLower(secret), run1, run1 + "-", made.TaskID + "A", "-" + secret}
			strangers(t, bob, second, append(guesses, made.TaskID)...)
			strangers(t, alice, second, guesses...)
			f.wait("the call is made", func() bool { return f.up.looks(id) == 1 })
			first.kill(t)
			open()
			asks := alice.until(f, second, made.TaskID, "input_required")
			key := asks.key(t)
			if n := f.up.count(id); n != 1 || f.up.looks(id) != 2 {
				t.Errorf("paid %d times, looked %d times", n, f.up.looks(id))
			}
			strangers(t, bob, second, append(guesses, made.TaskID)...)
			second.kill(t)
			third := run()
			if got := alice.get(third, made.TaskID); got.Status != "input_required" || got.key(t) != key {
				t.Errorf("in a process that does not have the run: %+v", got)
			}
			if got := alice.update(third, made.TaskID, key, `{"action":"accept","content":{"name":5}}`); !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, "does not match requestedSchema") {
				t.Errorf("an answer that does not fit: %s", got)
			}
			if got := alice.update(third, made.TaskID, "other", `{"action":"accept"}`); !strings.HasPrefix(got, acknowledged) || alice.get(third, made.TaskID).Status != "input_required" {
				t.Errorf("an answer to another question: %s", got)
			}
			again := f.up.gate(id + 1)
			if got := alice.update(third, made.TaskID, key, `{"action":"accept","content":{"name":"Ann"}}`); !strings.HasPrefix(got, acknowledged) {
				t.Errorf("the answer: %s", got)
			}
			f.wait("the run goes on", func() bool { return f.up.looks(id+1) == 1 })
			events := alice.listen(third, made.TaskID)
			again()
			done := alice.until(f, third, made.TaskID, "completed")
			const want = `"structuredContent":{"id":11,"paid":1,"name":"Ann"}`
			if !strings.Contains(string(done.Result), want) || !strings.Contains(string(done.Result), `"resultType":"complete"`) {
				t.Errorf("%s", done.Result)
			}
			if last := run(); string(alice.get(last, made.TaskID).Result) != string(done.Result) {
				t.Errorf("in one more process: %.400s\nwant %.400s", alice.get(last, made.TaskID).Result, done.Result)
			}
			if n := f.up.count(id); n != 1 {
				t.Errorf("paid %d times", n)
			}
			if got := <-events; !strings.HasPrefix(got, "working") || !strings.HasSuffix(got, "completed "+string(done.Result)) {
				t.Errorf("notified of %s", got)
			}
		})
	}
}

// key returns the name of the only question of a task.
func (of task) key(t *testing.T) string {
	t.Helper()
	for key, q := range of.InputRequests {
		if q.Method != "elicitation/create" || !strings.Contains(string(q.Params), `"message":"Whose name?"`) || !strings.Contains(string(q.Params), `"required":["name"]`) || len(of.InputRequests) != 1 {
			break
		}
		return key
	}
	t.Fatalf("no question: %+v", of)
	return ""
}

// strangers tries 40 times to reach a task with ids that are not the client's: each answer is what an unknown id gets.
func strangers(t *testing.T, c taskClient, p *process, ids ...string) {
	t.Helper()
	for i := range 40 {
		method, try := []string{"tasks/get", "tasks/update", "tasks/cancel"}[i%3], ids[i%len(ids)]
		status, got := c.send(p, method, try, fmt.Sprintf(`"taskId":%q,"inputResponses":{"sure":{"action":"decline"}}`, try))
		unknown, want := c.send(p, method, "none-such", `"taskId":"none-such","inputResponses":{"sure":{"action":"decline"}}`)
		if status != unknown || got != want || !strings.Contains(got, `"code":-32602`) {
			t.Errorf("%s of %s: %d %s\nwant %d %s", method, try, status, got, unknown, want)
		}
	}
}

// listen subscribes to a task, and returns the statuses that it is notified of, with the result, when the server ends the
// subscription.
func (c taskClient) listen(p *process, id string) <-chan string {
	c.t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://"+p.addr+"/mcp", strings.NewReader(
		fmt.Sprintf(`{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"taskIds":[%q,"none-such"]},"_meta":{%s}}}`, id, withTask)))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header = c.headers("subscriptions/listen", "")
	r.Header.Del("Mcp-Name")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := client.Do(r) //nolint:bodyclose // the goroutine below closes it
	if err != nil {
		c.t.Fatal(err)
	}
	heard := make(chan string, 1)
	begun := make(chan struct{})
	go func() {
		defer resp.Body.Close()
		var all []string
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			line, is := strings.CutPrefix(lines.Text(), "data: ")
			var m struct {
				Method string
				Params task
			}
			switch {
			case !is || json.Unmarshal([]byte(line), &m) != nil:
			case m.Method == "notifications/subscriptions/acknowledged" && strings.Contains(line, fmt.Sprintf(`"notifications":{"taskIds":[%q]}`, id)):
			case m.Method == "notifications/tasks":
				all = append(all, strings.TrimSpace(m.Params.Status+" "+string(m.Params.Result)))
				if len(all) == 1 {
					close(begun)
				}
			case m.Method != "":
				all = append(all, line)
			}
		}
		heard <- strings.Join(all, " ")
	}()
	<-begun
	return heard
}

// A task that is cancelled in another process cancels the call of its run.
func TestTaskCancelled(t *testing.T) {
	t.Parallel()
	f := newFleetOf(t, taskFile, t.TempDir(), 2)
	all, c := f.all(), taskClient{t: t}
	made := c.start(all[0], "hold", "{}")
	f.wait("the call is made", func() bool { held, _ := f.up.holds(); return held == 1 })
	cancel := func() string {
		_, body := c.send(all[1], "tasks/cancel", made.TaskID, fmt.Sprintf(`"taskId":%q`, made.TaskID))
		return body
	}
	if got := cancel(); !strings.HasPrefix(got, acknowledged) {
		t.Error(got)
	}
	if of := c.until(f, all[1], made.TaskID, "cancelled"); of.Result != nil {
		t.Errorf("%s", of.Result)
	}
	f.wait("the call is cancelled", func() bool { _, cancelled := f.up.holds(); return cancelled == 1 })
	if got := cancel(); !strings.HasPrefix(got, acknowledged) || c.get(all[0], made.TaskID).Status != "cancelled" {
		t.Errorf("cancelled again: %s", got)
	}
}

// A task that asks, and whose process is dead, is cancelled too; nothing is called any more.
func TestTaskCancelledWithoutProcess(t *testing.T) {
	t.Parallel()
	f := newFleetOf(t, taskFile, t.TempDir(), 0)
	first, second, c := f.run(true, "--resume=false"), f.run(true, "--resume=false"), taskClient{t: t}
	made := c.start(first, "work", `{"id":21}`)
	c.until(f, first, made.TaskID, "input_required")
	first.kill(t)
	_, body := c.send(second, "tasks/cancel", made.TaskID, fmt.Sprintf(`"taskId":%q`, made.TaskID))
	if of := c.get(second, made.TaskID); !strings.HasPrefix(body, acknowledged) || of.Status != "cancelled" || f.up.looks(22) != 0 {
		t.Errorf("%s, %+v", body, of)
	}
}

// The result of a task that was too long for the store is an error, in every process, not a result without content.
func TestTaskWithoutResult(t *testing.T) {
	t.Parallel()
	f := newFleetOf(t, taskFile, t.TempDir(), 0)
	p, c := f.run(true, "--history-max-value", "20000"), taskClient{t: t}
	open := f.up.gate(77)
	made := c.start(p, "long", "{}")
	open()
	c.until(f, p, made.TaskID, "failed")
	_, body := c.send(p, "tasks/get", made.TaskID, fmt.Sprintf(`"taskId":%q`, made.TaskID))
	if !strings.Contains(body, `"error":{"code":-32603,"message":"`) || strings.Contains(body, `"result":{"content"`) {
		t.Error(body)
	}
}

// When the input of a process of stdio ends, the run of a task is suspended, not cancelled: another process goes on with it.
func TestTaskOverStdio(t *testing.T) {
	t.Parallel()
	f, c := newFleetOf(t, taskFile, t.TempDir(), 0), taskClient{t: t}
	open := f.up.gate(31)
	answer := f.stdioOf(t, taskFile, call("work", `{"id":31}`, withTask, "")) // returns when the process has ended
	made := c.read(answer)
	open()
	p := f.run(true, "--resume=false")
	if of := c.until(f, p, made.TaskID, "input_required"); made.Status != "working" || f.up.looks(31) != 2 {
		t.Errorf("looked %d times: %+v", f.up.looks(31), of)
	}
}

// Without recorded runs there are no tasks, and the client waits for the result.
func TestNoTaskWithoutHistory(t *testing.T) {
	t.Parallel()
	f := newFleetOf(t, taskFile, t.TempDir(), 0)
	p, c := f.run(true, "--no-history", "--resume=false"), taskClient{t: t}
	open := f.up.gate(3)
	answered := make(chan string, 1)
	go func() {
		_, body, _ := p.post(call("work", `{"id":3}`, withTask, ""), c.headers("tools/call", "work"))
		answered <- body
	}()
	f.wait("the call is made", func() bool { return f.up.looks(3) == 1 })
	if status, body := c.send(p, "tasks/get", "a", `"taskId":"a"`); status != http.StatusNotFound || !strings.Contains(body, `"code":-32601`) {
		t.Errorf("%d %s", status, body)
	}
	if _, body := c.send(p, "server/discover", "", `"x":1`); strings.Contains(body, "extensions") {
		t.Error(body)
	}
	open()
	if body := <-answered; !strings.Contains(body, `"resultType":"input_required"`) {
		t.Error(body)
	}
}
