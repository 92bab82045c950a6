package behaviours

import "toolgraph/execution"

const three = `
- {id: one, type: mcp, server: up, tool: echo, args: {x: 1}, next: two}
- {id: two, type: mcp, server: up, tool: put, args: {x: 2}, next: three}
- {id: three, type: transform, transform: {expr: '[$.one.x, $.two.x]'}, next: exit}
`

var past = []*Behaviour{{
	Name: "events", Says: "the events of a run are recorded in their order",
	Nodes: three,
	Want:  Want{Result: `[1,2]`, Calls: "echo 1, put 1", Keys: "1, 2", Events: "run-started, step-finished 0, call-started 1, step-finished 1, call-started 2, step-finished 2, step-finished 3, step-finished 4, run-finished"},
}, {
	Name: "replay", Says: "a replay makes no call and ends alike",
	Nodes: three,
	Steps: []Step{Replay()},
	Want:  Want{Result: `[1,2]`, Calls: "echo 1, put 1"},
}, {
	Name: "replay-failed", Says: "a replay of attempts, a question and a failure ends alike, without a call or a question",
	Nodes: `
- {id: call, type: mcp, server: up, tool: busy, retry: {delayMs: 1, codes: [tool-error]}, next: sure}
- {id: sure, type: ask, message: 'Go on?', next: each}
- {id: each, type: mcp, server: up, tool: odd, forEach: {items: '[2, 3]'}, args: {x: {expr: $item}}, next: exit}
`,
	Steps: []Step{Reply("question-asked 2", execution.Accept, ""), Replay()},
	Want:  Want{Fails: "tool-error", Says: "3 is odd", Calls: "busy 3, odd 2", Answers: 1},
}, {
	Name: "replay-resumed", Says: "a replay of a run that was resumed ends alike",
	Nodes: three,
	Steps: []Step{Crash("step-finished 1"), GoOn(), Replay()},
	Want:  Want{Result: `[1,2]`, Calls: "echo 1, put 1"},
}, {
	Name: "fork", Says: "a fork copies the steps before it and makes the others again",
	Nodes: three,
	Steps: []Step{ForkAt("2")},
	Want:  Want{Result: `[1,2]`, Calls: "echo 1, put 2", Events: "run-started, step-finished 0, call-started 1, step-finished 1, call-started 2, …"},
}, {
	Name: "fork-failed", Says: "a failed run is forked at the step that failed",
	Nodes: `
- {id: one, type: mcp, server: up, tool: echo, args: {x: 1}, next: two}
- {id: two, type: mcp, server: up, tool: busy, args: {x: {expr: $.one.x}}, retry: {attempts: 2, delayMs: 1, codes: [tool-error]}, next: exit}
`,
	Steps: []Step{ForkAt("2")},
	Want:  Want{Result: `{"x":1}`, Calls: "busy 3, echo 1", Keys: "1, 2, 2#2, 2"},
}, {
	Name: "cache", Says: "equal calls of a node with a cache make one call",
	Nodes: `- {id: each, type: mcp, server: up, tool: job, effect: read, cache: {ttlMs: 60000}, forEach: {items: '[1..4]', maxParallel: 4}, args: {x: 1}, next: exit}`,
	Want:  Want{Result: `[{"n":1},{"n":1},{"n":1},{"n":1}]`, Calls: "job 1"},
}, {
	Name: "cache-crash", Says: "killed after a cached answer: it is recorded as any other",
	Nodes: `
- {id: each, type: mcp, server: up, tool: job, effect: read, cache: {ttlMs: 60000}, forEach: {items: '[1..2]'}, args: {x: 1}, next: more}
- {id: more, type: transform, transform: {expr: $.each.n}, next: exit}
`,
	Steps: []Step{Crash("step-finished 1"), GoOn()},
	Want:  Want{Result: `[1,1]`, Calls: "job 1"},
}, {
	Name: "secret", Says: "a secret in a value is not recorded",
	Server: `headers: {Authorization: "Bearer ${BEHAVIOURS_SECRET}"}`,
	Nodes:  `- {id: leak, type: mcp, server: up, tool: leak, next: exit}`,
	Want:   Want{Calls: "leak 1", Without: Secret},
}, {
	Name: "constants", Says: "a run keeps the constants with which it began",
	Top: "vars: {greeting: hello}",
	Nodes: `
- {id: one, type: mcp, server: up, tool: echo, args: {x: {expr: $vars.greeting}}, next: two}
- {id: two, type: transform, transform: {expr: '$.one.x & " " & $vars.greeting'}, next: exit}
`,
	Steps: []Step{Crash("step-finished 1"), GoOn()},
	Want:  Want{Result: `"hello hello"`, Calls: "echo 1"},
}}
