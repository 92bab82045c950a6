package tests

import (
	"fmt"
	"strings"
	"testing"
)

// The tests here are of F14 to F16: a call that needs to be confirmed is made after a yes to it, and a node
// that asks goes on with an answer to its question alone. The ledger of the server says what was called.

const userGraph = `version: "1.0"
server: {name: test, version: 1.0.0}
allow: {confirm: [destroy]}
mcpServers: {up: {command: $FAKE, args: ["$LEDGER"]}}
tools:
- name: remove
  description: removes something, if the user agrees
  inputSchema: {type: object, properties: {n: {}}}
  nodes:
  - {id: entry, type: entry, next: go}
  - {id: go, type: mcp, server: up, tool: enter, effect: destroy, args: {n: {expr: $.entry.n}}, next: exit}
  - {id: exit, type: exit}
- name: each
  description: removes several things, one after the other
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: go}
  - {id: go, type: mcp, server: up, tool: enter, effect: destroy, args: {n: {expr: '$executionCount("go")'}}, onError: {codes: [declined]}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("go")'}, 3]}, next: go}], next: end}
  - {id: end, type: transform, transform: {expr: '{"outcomes": [$nodeExecutions("go")]}'}, next: exit}
  - {id: exit, type: exit}
- name: all
  description: removes a list of things
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: go}
  - {id: go, type: mcp, server: up, tool: enter, effect: destroy, forEach: {items: '[1..7]'}, args: {n: {expr: $item}}, next: exit}
  - {id: exit, type: exit}
- name: tidy
  description: asks, then removes
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: sure}
  - id: sure
    type: ask
    message: {expr: '"Remove " & 12 & " files?"'}
    schema: {type: object, properties: {keepNewest: {type: boolean, title: Keep the newest}, name: {type: string, maxLength: 3}}, required: [keepNewest]}
    next: go
  - {id: go, type: mcp, server: up, tool: enter, effect: destroy, confirm: false, args: {n: 1}, next: end}
  - {id: end, type: transform, transform: {expr: $.sure}, next: exit}
  - {id: exit, type: exit}
- name: hurry
  description: asks twice, and does not wait long for the first answer
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: sure}
  - {id: sure, type: ask, message: "Sure?", timeoutMs: 2000, onError: {codes: [timeout], value: late}, next: really}
  - {id: really, type: ask, message: "Really?", onError: {codes: [no-user], value: no user}, next: end}
  - {id: end, type: transform, transform: {expr: '{"sure": $.sure, "really": $.really}'}, next: exit}
  - {id: exit, type: exit}
- name: brief
  description: asks, does not wait long for the answer, and removes then
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: sure}
  - {id: sure, type: ask, message: "Sure?", timeoutMs: 2000, next: go}
  - {id: go, type: mcp, server: up, tool: enter, effect: destroy, confirm: false, args: {n: 1}, next: exit}
  - {id: exit, type: exit}
`

const (
	yes     = `{"action":"accept","content":{}}`
	no      = `{"action":"decline"}`
	dismiss = `{"action":"cancel"}`
)

// F14 (T06), X20: a host that cannot ask its user, and a call that needs to be confirmed.
func TestF14T06X20HostThatCannotAsk(t *testing.T) {
	t.Parallel()
	atEachDoor(t, userGraph, `{}`, func(t *testing.T, h *userHost) {
		const why = "the host cannot ask its user (it has not declared elicitation), and "
		h.begin("remove", `{"n":1}`).cannotAsk(why, "up.enter needs to be confirmed")
		h.begin("all", `{}`).cannotAsk(why, "up.enter needs to be confirmed")
		h.begin("tidy", `{}`).cannotAsk(why, "Remove 12 files?")
		h.called(0)
	})
	atEachDoor(t, userGraph, `{"elicitation":{"url":{}}}`, func(t *testing.T, h *userHost) {
		h.begin("remove", `{"n":1}`).cannotAsk("the host cannot ask its user (it has not declared elicitation.form), and ")
		h.called(0)
	})
}

// A yes makes the call, once, and the question shows what is called.
func TestConfirmedCall(t *testing.T) {
	t.Parallel()
	atEachDoor(t, userGraph, canAsk, func(t *testing.T, h *userHost) {
		c := h.begin("remove", `{"n":41}`)
		q := c.question()
		for _, shown := range []string{`"remove"`, "up.enter", "destroy", `{"n":41}`} {
			if !strings.Contains(q.Message, shown) {
				t.Errorf("the question does not show %s: %s", shown, q.Message)
			}
		}
		if string(q.RequestedSchema) != `{"type":"object","properties":{}}` || h.modern && q.name != "go" {
			t.Errorf("the question %q: %s", q.name, q.RequestedSchema)
		}
		h.called(0)
		c.answer(q, yes)
		if got := c.result().text(t); got != "42" {
			t.Errorf("got %s", got)
		}
		c.refused(q, yes) // answered twice
		h.called(1)
		c = h.begin("all", `{}`)
		q = c.question()
		if !strings.Contains(q.Message, "7 times") || !strings.Contains(q.Message, "and 2 more") {
			t.Errorf("got %s", q.Message)
		}
		c.answer(q, yes)
		if got := c.result().text(t); got != "[2,3,4,5,6,7,8]" {
			t.Errorf("got %s", got)
		}
		h.called(8)
	})
}

// F15 (T07): declined, closed, and answers that come after that.
func TestF15T07DeclinedOrClosed(t *testing.T) {
	t.Parallel()
	atEachDoor(t, userGraph, canAsk, func(t *testing.T, h *userHost) {
		for answer, want := range map[string]string{no: "the user declined: ", dismiss: "the user closed the question: "} {
			for _, tool := range []string{"remove", "all", "tidy"} {
				c := h.begin(tool, `{}`)
				q := c.question()
				c.answer(q, answer)
				c.failed(want)
				c.refused(q, `{"action":"accept","content":{"keepNewest":true}}`)
			}
		}
		h.called(0)
	})
}

// F15 (T07): the time for the answer is over.
func TestF15AfterTheTimeout(t *testing.T) {
	t.Parallel()
	atEachDoor(t, userGraph, canAsk, func(t *testing.T, h *userHost) {
		c := h.begin("brief", `{}`)
		q := c.question()
		if h.modern { // the call has ended with the question, so that the outcome is in the history alone
			h.recorded("brief", "error")
		} else {
			c.withdrawn(q)
			c.failed(`the user did not answer within 2s: "Sure?"`)
		}
		c.refused(q, yes)
		h.called(0)
		// A run that goes on without the answer asks the next question, where a call can carry it.
		c = h.begin("hurry", `{}`)
		q = c.question()
		if h.modern {
			h.recorded("hurry", "finished")
			c.refused(q, yes)
			return
		}
		c.withdrawn(q)
		next := c.question()
		c.refused(q, no)
		c.answer(next, yes)
		if got := c.result().text(t); got != `{"sure":"late","really":{}}` {
			t.Errorf("got %s", got)
		}
	})
}

// recorded waits until a run of a tool is recorded with this status.
func (h *userHost) recorded(tool, status string) {
	h.t.Helper()
	eventually(h.t, "a run of "+tool+" with status "+status, func() bool {
		return strings.Contains(h.toolgraph("runs", "list", "--tool", tool, "--status", status, "--format", "json"), `"`+tool+`"`)
	})
}

// F15 (T07): the answer to the question of one run is no answer to that of another.
func TestF15AnotherRunsState(t *testing.T) {
	t.Parallel()
	atEachDoor(t, userGraph, canAsk, func(t *testing.T, h *userHost) {
		one, other := h.begin("remove", `{"n":1}`), h.begin("remove", `{"n":2}`)
		first := one.question()
		if !h.modern { // one question at a time goes to a client; which of the runs is first is not decided
			one.answer(first, no)
			second := one.nextQuestion()
			one.refused(first, yes)
			h.called(0)
			one.answer(second, yes)
			results := one.result().text(t) + other.result().text(t)
			if !strings.Contains(results, "the user declined: ") || first.Message == second.Message {
				t.Errorf("got %s after %s and %s", results, first.Message, second.Message)
			}
			h.called(1)
			return
		}
		second := other.question()
		one.refused(second, yes) // the arguments of one, the state of the other
		(&conversation{userHost: h, tool: "tidy", args: "{}"}).refused(first, yes)
		h.called(0)
		other.answer(second, no)
		other.failed("the user declined: ")
		one.refused(second, yes)
		h.called(0)
		one.answer(first, yes)
		if got := one.result().text(t); got != "2" {
			t.Errorf("got %s", got)
		}
		h.called(1)
	})
}

// F16 (T08): each turn of a loop asks with its own arguments, and an answer holds for one turn.
func TestF16T08OtherArgumentsInALoop(t *testing.T) {
	t.Parallel()
	atEachDoor(t, userGraph, canAsk, func(t *testing.T, h *userHost) {
		c := h.begin("each", `{}`)
		var first hostQuestion
		for i, answer := range []string{yes, no, yes} {
			q := c.question()
			if !strings.Contains(q.Message, fmt.Sprintf(`{"n":%d}`, i)) {
				t.Errorf("question %d: %s", i, q.Message)
			}
			if i == 0 {
				first = q
			} else {
				c.refused(first, yes)
			}
			h.called(min(i, 1))
			c.answer(q, answer)
		}
		got := c.result()
		if got.IsError || !strings.Contains(got.text(t), `"outcomes":[1,{"error":{"code":"declined"`) {
			t.Errorf("got %+v", got)
		}
		h.called(2)
	})
}

// A host that lies: what does not fit the form is no answer, and the node does not go on with it.
func TestF15AnswersThatDoNotFit(t *testing.T) {
	t.Parallel()
	atEachDoor(t, userGraph, canAsk, func(t *testing.T, h *userHost) {
		for answer, want := range map[string]string{
			`{"action":"accept"}`:                                                 "keepNewest|content is missing|answer",
			`{"action":"accept","content":{}}`:                                    "keepNewest",
			`{"action":"accept","content":{"keepNewest":"yes"}}`:                  "keepNewest",
			`{"action":"accept","content":{"keepNewest":true,"name":"too long"}}`: "name",
			`{"action":"accept","content":[]}`:                                    "object",
			`{"action":"perhaps"}`:                                                "accept, decline or cancel",
			`{"ACTION":"accept","content":{"keepNewest":true}}`:                   "accept, decline or cancel",
			`{}`: "accept, decline or cancel",
		} {
			c := h.begin("tidy", `{}`)
			q := c.question()
			c.answer(q, answer)
			var said string
			if h.modern { // the host can correct it
				r := c.await(c.answered)
				if r.Error == nil || r.Error.Code != -32602 {
					t.Fatalf("%s: %s %+v", answer, r.Result, r.Error)
				}
				said = r.Error.Message
				c.answer(q, no)
				c.failed("the user declined")
			} else {
				got := c.result()
				if said = got.text(t); !got.IsError {
					t.Errorf("%s: %s", answer, said)
				}
			}
			if !containsOne(said, want) {
				t.Errorf("%s: %s, want %s", answer, said, want)
			}
		}
		h.called(0)
		c := h.begin("tidy", `{}`)
		q := c.question()
		if want := `{"type":"object","properties":{"keepNewest":{"type":"boolean","title":"Keep the newest"},"name":{"type":"string","maxLength":3}},"required":["keepNewest"]}`; string(q.RequestedSchema) != want || q.Message != "Remove 12 files?" {
			t.Errorf("asked %q with %s", q.Message, q.RequestedSchema)
		}
		c.answer(q, `{"action":"accept","content":{"keepNewest":true}}`)
		if got := c.result().text(t); got != `{"keepNewest":true}` {
			t.Errorf("got %s", got)
		}
		h.called(1)
	})
}

func containsOne(text, alternatives string) bool {
	for _, one := range strings.Split(alternatives, "|") {
		if strings.Contains(text, one) {
			return true
		}
	}
	return false
}

// The servers for agents that run graphs ask the user of their host too: an agent cannot confirm its own call.
func TestAgentsCannotConfirm(t *testing.T) {
	for _, c := range []struct{ command, tool, args string }{
		{"toolkit", "runGraphTool", `{"toolName":"remove","arguments":{"n":1}}`},
		{"inspect", "run_tool", `{"tool":"remove","arguments":{"n":1}}`},
	} {
		for _, d := range []door{{}, {modern: true}} {
			t.Run(c.command+" "+d.String(), func(t *testing.T) {
				t.Parallel()
				shy := newUserHost(t, d, userGraph, `{}`, c.command, "--allow-run")
				if got := shy.begin(c.tool, c.args).result().text(t); !strings.Contains(got, "the host cannot ask its user (it has not declared elicitation), and the call of up.enter needs to be confirmed") {
					t.Errorf("got %s", got)
				}
				shy.called(0)
				h := newUserHost(t, d, userGraph, canAsk, c.command, "--allow-run")
				for i, answer := range []string{no, yes} {
					call := h.begin(c.tool, c.args)
					q := call.question()
					if !strings.Contains(q.Message, "up.enter") {
						t.Errorf("asked %q", q.Message)
					}
					call.answer(q, answer)
					if got := call.result().text(t); i == 0 != strings.Contains(got, "the user declined") {
						t.Errorf("%s: %s", answer, got)
					}
					h.called(i)
				}
			})
		}
	}
}
