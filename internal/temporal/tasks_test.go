package temporal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// tasks is a graph file whose tool makes a call, asks, and makes another one; runs of it become tasks at once.
const tasks = `version: "1.0"
server: {name: test, version: 1.0.0, taskAfterMs: 1}
executionLimits: {maxExecutionTimeMs: 600000}
mcpServers:
  up: {type: http, url: "$UP"}
tools:
- name: work
  task: required
  inputSchema: {type: object, properties: {id: {type: string}, ms: {type: integer, default: 0}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: before}
  - {id: before, type: mcp, server: up, tool: step, onCrash: rerun, args: {key: {expr: '$.entry.id & "/before"'}, ms: {expr: $.entry.ms}}, next: sure}
  - {id: sure, type: ask, message: "Whose name?", schema: {type: object, properties: {name: {type: string}}, required: [name]}, next: after}
  - {id: after, type: mcp, server: up, tool: step, onCrash: stop, args: {key: {expr: '$.entry.id & "/after"'}}, next: said}
  - {id: said, type: transform, transform: {expr: '{"said": $.sure.name}'}, next: exit}
  - {id: exit, type: exit}
`

func tasksFile(t *testing.T, u *upstream) string {
	t.Helper()
	return write(t, t.TempDir(), "graph.yaml", strings.ReplaceAll(tasks, "$UP", u.URL))
}

// task is the result of a request about a task.
type task struct {
	TaskID, Status, StatusMessage string
	InputRequests                 map[string]json.RawMessage
	Result                        json.RawMessage
	Error                         *struct{ Message string }
}

// ask sends a request of a client that declares tasks.
func (c *mcp) ask(method, params string) (of task, m message) {
	c.t.Helper()
	m = c.wait(c.send(method, `{`+params+`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}}}`))
	_ = json.Unmarshal(m.Result, &of)
	return of, m
}

// begin calls the tool, whose run is a task.
func (c *mcp) begin(id, more string) string {
	c.t.Helper()
	of, m := c.ask("tools/call", fmt.Sprintf(`"name":"work","arguments":{"id":%q%s}`, id, more))
	if of.TaskID == "" || of.Status != "working" {
		c.t.Fatalf("no task: %s %s", m.Result, m.Error)
	}
	return of.TaskID
}

// until looks at a task until it has a status.
func (c *mcp) until(id, status string) task {
	c.t.Helper()
	for guard := time.Now().Add(hang); ; time.Sleep(50 * time.Millisecond) {
		of, m := c.ask("tasks/get", fmt.Sprintf(`"taskId":%q`, id))
		if of.Status == status {
			return of
		}
		if time.Now().After(guard) || of.Status == "" {
			c.t.Fatalf("the task is not %s: %s %s", status, m.Result, m.Error)
		}
	}
}

// answer answers the open question of a task.
func (c *mcp) answer(id string, of task, answer string) message {
	c.t.Helper()
	for name := range of.InputRequests {
		_, m := c.ask("tasks/update", fmt.Sprintf(`"taskId":%q,"inputResponses":{%q:%s}`, id, name, answer))
		return m
	}
	c.t.Fatal("the task asks nothing")
	return message{}
}

// A task goes on whatever dies: the worker that makes its call, the process that began it, the worker that asked. Another
// process finds it, answers its question and has its result; a wrong answer is refused; no call is made twice.
func TestTaskOutlivesItsProcesses(t *testing.T) {
	places(t, func(t *testing.T, p *place) {
		u := newUpstream(t)
		file := tasksFile(t, u)
		first := p.worker(t, file)
		door := p.serve(t, file)
		id := door.begin("a", `,"ms":2000`)
		u.until(t, "the call is made", func() bool { return u.calls["a/before"] == 1 })
		first.kill() // in the call, which is safe to repeat
		second := p.worker(t, file)
		door.until(id, "input_required")
		door.kill()
		second.kill()

		other := p.serve(t, file)
		asks := other.until(id, "input_required")
		if m := other.answer(id, asks, `{"action":"accept","content":{}}`); !strings.Contains(string(m.Error), "does not match requestedSchema") {
			t.Errorf("a wrong answer: %s %s", m.Result, m.Error)
		}
		if m := other.answer(id, asks, `{"action":"accept","content":{"name":"Ada"}}`); m.Error != nil {
			t.Fatalf("the answer: %s", m.Error)
		}
		if of, m := other.ask("tasks/get", fmt.Sprintf(`"taskId":%q`, id)); of.Status != "working" { // no worker is there
			t.Errorf("an answered question is open: %s %s", m.Result, m.Error)
		}
		if m := other.answer(id, asks, `{"action":"accept","content":{"name":"Bo"}}`); m.Error != nil { // the first answer counts
			t.Errorf("a second answer: %s", m.Error)
		}
		p.worker(t, file)
		if of := other.until(id, "completed"); !strings.Contains(string(of.Result), `{\"said\":\"Ada\"}`) {
			t.Errorf("the result: %s", of.Result)
		}
		for key, want := range map[string]int{"a/before": 2, "a/after": 1} {
			if n := u.count(key); n != want {
				t.Errorf("%s was called %d times, want %d", key, n, want)
			}
		}
		if _, m := other.ask("tasks/get", `"taskId":"`+id[:len(id)-1]+`"`); !strings.Contains(string(m.Error), "has no such task") {
			t.Errorf("an unknown id: %s %s", m.Result, m.Error)
		}
		if got := other.wait(other.call("work", `{"id":"old"}`)); !strings.Contains(string(got.Error), "-32021") {
			t.Errorf("a client without tasks: %s %s", got.Result, got.Error)
		}
	})
}

// A call becomes a task also while no worker is there; the task is cancelled from another process, before and while it asks.
func TestTaskIsCancelled(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	file := tasksFile(t, u)
	door := p.serve(t, file)
	early, late := door.begin("early", ""), door.begin("late", "")
	other := p.serve(t, file)
	cancel := func(id string) {
		if _, m := other.ask("tasks/cancel", fmt.Sprintf(`"taskId":%q`, id)); m.Error != nil {
			t.Fatalf("not cancelled: %s", m.Error)
		}
	}
	cancel(early)
	p.worker(t, file)
	other.until(early, "cancelled")
	other.until(late, "input_required")
	cancel(late)
	other.until(late, "cancelled")
	cancel(late) // it stays as it is
	if u.count("early/before") != 0 || u.count("late/after") != 0 {
		t.Error("a call was made after its run was cancelled")
	}
}

// A task whose workflow an operator has ended does not go on for ever: it has failed, with the reason, and stays as it is.
func TestTaskOfATerminatedWorkflow(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	file := tasksFile(t, u)
	door := p.serve(t, file)
	id := door.begin("a", "")
	p.worker(t, file)
	door.until(id, "input_required")
	run, _, _ := strings.Cut(id, "-")
	if err := p.client.TerminateWorkflow(t.Context(), run, "", "by hand"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if of := door.until(id, "failed"); of.Error == nil || !strings.Contains(of.Error.Message, "is over, and its end is not recorded") {
			t.Errorf("why: %+v", of)
		}
		if _, m := door.ask("tasks/cancel", fmt.Sprintf(`"taskId":%q`, id)); m.Error != nil {
			t.Errorf("cancelled: %s", m.Error)
		}
	}
}
