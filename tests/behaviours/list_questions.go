package behaviours

import (
	"time"

	"toolgraph/execution"
)

const form = `- {id: ask, type: ask, message: {expr: '"How many of " & $string($.entry.n) & "?"'}, schema: {type: object, properties: {v: {type: integer}}, required: [v]}`

var questions = []*Behaviour{{
	Name: "ask", Says: "what the user fills in is the output",
	Nodes: form + `, next: exit}`,
	Args:  `{"n":3}`,
	Steps: []Step{Reply("question-asked 1", execution.Accept, `{"v":2}`)},
	Want:  Want{Result: `{"v":2}`, Answers: 1},
}, {
	Name: "ask-plain", Says: "a question without a form yields an empty object",
	Nodes: `- {id: ask, type: ask, message: 'Go on?', next: exit}`,
	Steps: []Step{Reply("question-asked 1", execution.Accept, "")},
	Want:  Want{Result: `{}`, Answers: 1},
}, {
	Name: "ask-mismatch", Says: "an answer that does not match the form is none",
	Nodes: form + `, next: exit}`,
	Args:  `{"n":3}`,
	Steps: []Step{Reply("question-asked 1", execution.Accept, `{"v":"two"}`)},
	Want:  Want{Fails: "dismissed", Says: "does not match", Answers: 1},
}, {
	Name: "ask-declined", Says: "a user who declines fails the run",
	Nodes: `- {id: ask, type: ask, message: 'Go on?', next: exit}`,
	Steps: []Step{Reply("question-asked 1", execution.Decline, "")},
	Want:  Want{Fails: "declined", Answers: 1},
}, {
	Name: "ask-dismissed", Says: "onError takes a question that the user closes",
	Nodes: `- {id: ask, type: ask, message: 'Go on?', onError: {codes: [dismissed], value: closed}, next: exit}`,
	Steps: []Step{Reply("question-asked 1", execution.Dismiss, "")},
	Want:  Want{Result: `"closed"`, Answers: 1},
}, {
	Name: "ask-timeout", Says: "a question ends after timeoutMs",
	Nodes: `- {id: ask, type: ask, message: 'Go on?', timeoutMs: 200, next: exit}`,
	Want:  Want{Fails: "timeout", Answers: 1},
}, {
	Name: "ask-no-user", Says: "without a user a question fails",
	NoUser: true,
	Nodes:  `- {id: ask, type: ask, message: 'Go on?', onError: {value: {expr: $failure.code}}, next: exit}`,
	Want:   Want{Result: `"no-user"`, Answers: 1},
}, {
	Name: "ask-time", Says: "the time of the run stands still while it waits for an answer",
	Limits: "{maxExecutionTimeMs: 2000}",
	Nodes:  `- {id: ask, type: ask, message: 'Go on?', next: exit}`,
	Steps:  []Step{Pause("question-asked 1", 2100*time.Millisecond), Reply("question-asked 1", execution.Accept, "")},
	Want:   Want{Result: `{}`, Answers: 1},
}, {
	Name: "ask-turns", Says: "a run has one question at a time",
	Nodes: `- {id: both, type: parallel, branches: {a: {type: graph, tool: inner}, b: {type: graph, tool: inner}}, next: exit}`,
	Tools: `
inner:
- {id: ask, type: ask, message: 'Go on?', next: exit}
`,
	Steps: []Step{Reply("question-asked 1.a/1", execution.Accept, ""), Reply("question-asked 1.b/1", execution.Accept, "")},
	Want:  Want{Result: `{"a":{},"b":{}}`, Answers: 2, Events: "run-started, step-finished 0, parts-started 1, … question-asked 1.a/1, … answered 1.a/1, … question-asked 1.b/1, … answered 1.b/1, …"},
}, {
	Name: "ask-crash", Says: "killed while the user is asked: the question is put again, and answered elsewhere",
	Nodes: form + `, next: exit}`,
	Args:  `{"n":3}`,
	Steps: []Step{Crash("question-asked 1"), GoOn(), Reply("question-asked 1", execution.Accept, `{"v":5}`)},
	Want:  Want{Result: `{"v":5}`, Answers: 1},
}, {
	Name: "ask-answered-crash", Says: "killed after the answer: it counts, and the user is not asked again",
	Nodes: form + `, next: use}
- {id: use, type: mcp, server: up, tool: echo, args: {x: {expr: $.ask.v}}, next: exit}`,
	Args:  `{"n":3}`,
	Steps: []Step{Reply("question-asked 1", execution.Accept, `{"v":5}`), Crash("answered 1"), GoOn()},
	Want:  Want{Result: `{"x":5}`, Answers: 1, Calls: "echo 1"},
}, {
	Name: "ask-declined-crash", Says: "killed after the user declined: that is the end, and the user is not asked again",
	Nodes: `- {id: ask, type: ask, message: 'Go on?', next: exit}`,
	Steps: []Step{Reply("question-asked 1", execution.Decline, ""), Crash("answered 1"), GoOn()},
	Want:  Want{Fails: "declined", Answers: 1},
}, {
	Name: "confirm", Says: "a call that has to be confirmed is made after the user agrees",
	Nodes: `- {id: call, type: mcp, server: up, tool: echo, args: {x: 1}, confirm: true, next: exit}`,
	Steps: []Step{Reply("question-asked 1", execution.Accept, "")},
	Want:  Want{Result: `{"x":1}`, Answers: 1, Calls: "echo 1", Events: "run-started, step-finished 0, question-asked 1, … answered 1, call-started 1, step-finished 1, step-finished 2, run-finished"},
}, {
	Name: "confirm-declined", Says: "a call that the user declines is not made",
	Nodes: `- {id: call, type: mcp, server: up, tool: echo, confirm: true, next: exit}`,
	Steps: []Step{Reply("question-asked 1", execution.Decline, "")},
	Want:  Want{Fails: "declined", Answers: 1},
}, {
	Name: "confirm-no-user", Says: "without a user a destructive call that allow.confirm names is not made",
	NoUser: true, Server: "trusted: true", Top: "allow: {confirm: [destroy]}",
	Nodes: `- {id: call, type: mcp, server: up, tool: remove, next: exit}`,
	Want:  Want{Fails: "no-user", Answers: 1},
}, {
	Name: "confirm-items", Says: "all items of a forEach are confirmed by one question",
	Nodes: `- {id: each, type: mcp, server: up, tool: echo, confirm: true, forEach: {items: '[1..3]', maxParallel: 2}, args: {x: {expr: $item}}, next: exit}`,
	Steps: []Step{Reply("question-asked 1", execution.Accept, "")},
	Want:  Want{Result: `[{"x":1},{"x":2},{"x":3}]`, Answers: 1, Calls: "echo 3"},
}, {
	Name: "confirm-loop", Says: "other arguments are asked about again",
	Nodes: `
- {id: call, type: mcp, server: up, tool: echo, confirm: true, args: {x: {expr: $executionCount("call")}}, next: again}
- {id: again, type: switch, conditions: [{rule: {"<": [{var: $.call.x}, 1]}, next: call}], next: exit}
`,
	Steps: []Step{Reply("question-asked 1", execution.Accept, ""), Reply("question-asked 3", execution.Decline, "")},
	Want:  Want{Fails: "declined", Answers: 2, Calls: "echo 1"},
}, {
	Name: "confirm-crash", Says: "killed after the user agreed: the call is made, and nothing is asked again",
	Nodes: `- {id: call, type: mcp, server: up, tool: echo, args: {x: 1}, confirm: true, next: exit}`,
	Steps: []Step{Reply("question-asked 1", execution.Accept, ""), Crash("answered 1"), GoOn()},
	Want:  Want{Result: `{"x":1}`, Answers: 1, Calls: "echo 1"},
}}
