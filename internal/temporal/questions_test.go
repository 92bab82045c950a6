package temporal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"toolgraph/execution/journal"
)

// asking is a graph file whose tool asks between two calls, one of them beside another call.
const asking = `version: "1.0"
server: {name: test, version: 1.0.0}
executionLimits: {maxExecutionTimeMs: 600000}
mcpServers:
  up: {type: http, url: "$UP"}
tools:
- name: ask
  inputSchema: {type: object, properties: {id: {type: string}, ms: {type: integer}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: before}
  - {id: before, type: mcp, server: up, tool: step, onCrash: stop, args: {key: {expr: '$.entry.id & "/before"'}}, next: sure}
  - {id: sure, type: ask, message: {expr: '"Go on with " & $.entry.id & "?"'}, schema: {type: object, properties: {name: {type: string}}, required: [name]}, timeoutMs: 86400000, next: after}
  - {id: after, type: mcp, server: up, tool: step, onCrash: stop, confirm: true, args: {key: {expr: '$.entry.id & "/after"'}}, next: said}
  - {id: said, type: transform, transform: {expr: '{"said": $.sure.name}'}, next: exit}
  - {id: exit, type: exit}
`

func askingFile(t *testing.T, u *upstream) string {
	t.Helper()
	return write(t, t.TempDir(), "graph.yaml", strings.ReplaceAll(asking, "$UP", u.URL))
}

// A question ends the activity, so its answer may come after the worker that asked was killed, and no
// other was alive; it reaches clients of both eras. What was called before is not called again.
func TestAnswerAfterKill(t *testing.T) {
	places(t, answerAfterKill)
}

func answerAfterKill(t *testing.T, p *place) {
	u := newUpstream(t)
	file := askingFile(t, u)
	first := p.worker(t, file)
	c := p.serve(t, file)

	old := c.call("ask", `{"id":"old"}`)
	question := c.asked("elicitation/create")
	if !strings.Contains(string(question.Params), "Go on with old?") || !strings.Contains(string(question.Params), `"name"`) {
		t.Fatalf("question: %s", question.Params)
	}
	modern := func(more string) message {
		return c.wait(c.send("tools/call", `{"name":"ask","arguments":{"id":"new"},`+more+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}`))
	}
	asked := modern("")
	large := strings.Repeat("Ada ", 3<<18) // more than Temporal takes
	first.kill()
	p.worker(t, file)

	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"name":%q}}}`, question.ID, large))
	confirm := c.asked("elicitation/create")
	if !strings.Contains(string(confirm.Params), "about to call up.step") {
		t.Errorf("confirmation: %s", confirm.Params)
	}
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{}}}`, confirm.ID))
	if got := c.wait(old); got.text() != `{"said":"`+large+`"}` {
		t.Errorf("legacy: %.200s %s", got.Result, got.Error)
	}

	for _, content := range []string{`{"name":"Bo"}`, `{}`} {
		var q struct {
			State    string                     `json:"requestState"`
			Requests map[string]json.RawMessage `json:"inputRequests"`
		}
		if err := json.Unmarshal(asked.Result, &q); err != nil || q.State == "" || len(q.Requests) != 1 {
			t.Fatalf("modern: %s %s", asked.Result, asked.Error)
		}
		for name := range q.Requests {
			asked = modern(fmt.Sprintf(`"requestState":%q,"inputResponses":{%q:{"action":"accept","content":%s}},`, q.State, name, content))
		}
	}
	if got := asked.text(); got != `{"said":"Bo"}` {
		t.Errorf("modern: %s %s", asked.Result, asked.Error)
	}
	p.until(t, "the runs have finished", func(runs []journal.Run) bool {
		for _, r := range runs {
			if src := p.history(t, r.ID); bytes.Contains(src, []byte("Ada")) || bytes.Contains(src, []byte("Bo\"")) {
				t.Error("an answer is in the history of the workflow")
			}
		}
		return len(runs) == 2
	})
	for _, key := range []string{"old/before", "old/after", "new/before", "new/after"} {
		if n := u.count(key); n != 1 {
			t.Errorf("%s was called %d times", key, n)
		}
	}
}

// A user who declines, and a client that cannot ask, end the run as in the product.
func TestDeclined(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	file := askingFile(t, u)
	p.worker(t, file)
	c := p.serve(t, file)
	id := c.call("ask", `{"id":"no"}`)
	question := c.asked("elicitation/create")
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"decline"}}`, question.ID))
	if got := c.wait(id); !strings.Contains(got.text(), `the user declined: "Go on with no?"`) {
		t.Errorf("%s %s", got.Result, got.Error)
	}
	silent := c.wait(c.send("tools/call", `{"name":"ask","arguments":{"id":"dumb"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`))
	if !strings.Contains(silent.text(), "the host cannot ask its user (it has not declared elicitation)") {
		t.Errorf("%s %s", silent.Result, silent.Error)
	}
}
