package behaviours

import "toolgraph/execution"

var failures = []*Behaviour{{
	Name: "tool-error", Says: "a failed tool fails the run",
	Nodes: `- {id: call, type: mcp, server: up, tool: fail, next: exit}`,
	Want:  Want{Fails: "tool-error", Says: "no such file", Calls: "fail 1", Events: "run-started, step-finished 0, call-started 1, step-finished 1, run-finished"},
}, {
	Name: "rpc-error", Says: "a JSON-RPC error fails the run",
	Nodes: `- {id: call, type: mcp, server: up, tool: refuse, next: exit}`,
	Want:  Want{Fails: "rpc-error", Says: "refused", Calls: "refuse 1"},
}, {
	Name: "transport", Says: "a connection that ends fails the run",
	Nodes: `- {id: call, type: mcp, server: up, tool: drop, next: exit}`,
	Want:  Want{Fails: "transport", Calls: "drop 1"},
}, {
	Name: "timeout", Says: "timeoutMs ends a call, upstream too",
	Nodes: `- {id: call, type: mcp, server: up, tool: hang, timeoutMs: 500, next: exit}`,
	Want:  Want{Fails: "timeout", Calls: "hang 1, cancelled 1"},
}, {
	Name: "graph-timeout", Says: "timeoutMs of a graph ends what runs in it, and onError takes it",
	Nodes: `
- {id: sub, type: graph, tool: inner, timeoutMs: 700, onError: {value: {expr: $failure.code}}, next: exit}
`,
	Tools: `
inner:
- {id: call, type: mcp, server: up, tool: hang, onError: {}, next: exit}
`,
	Want: Want{Result: `"timeout"`, Calls: "hang 1, cancelled 1"},
}, {
	Name: "server-start", Says: "a server that cannot be reached fails the run",
	Nodes: `- {id: call, type: mcp, server: down, tool: echo, next: exit}`,
	Want:  Want{Fails: "server-start"},
}, {
	Name: "unknown-tool", Says: "a tool that the server does not have is not called",
	Nodes: `- {id: call, type: mcp, server: up, tool: absent, onError: {}, next: exit}`,
	Want:  Want{Fails: "unknown-tool", Says: "absent"},
}, {
	Name: "invalid-arguments", Says: "arguments that the tool refuses are not sent",
	Nodes: `- {id: call, type: mcp, server: up, tool: need, args: {y: 1}, onError: {}, next: exit}`,
	Want:  Want{Fails: "invalid-arguments", Says: "x"},
}, {
	Name: "not-allowed", Says: "a call with an effect that allow excludes is not sent",
	Server: "trusted: true", Top: "allow: {effects: [read]}",
	Nodes: `- {id: call, type: mcp, server: up, tool: remove, onError: {}, next: exit}`,
	Want:  Want{Fails: "not-allowed", Says: "remove"},
}, {
	Name: "expression", Says: "an expression that fails names its node",
	Nodes: `- {id: bad, type: transform, transform: {expr: '$number("n/a")'}, next: exit}`,
	Want:  Want{Fails: "expression"},
}, {
	Name: "raised", Says: "$error fails the run with the author's message",
	Nodes: `- {id: bad, type: transform, transform: {expr: '$error("no stock")'}, onError: {codes: [tool-error]}, next: exit}`,
	Want:  Want{Fails: "raised", Says: "no stock"},
}, {
	Name: "on-error", Says: "onError without a value goes on with the failure",
	Nodes: `
- {id: call, type: mcp, server: up, tool: fail, onError: {}, next: seen}
- {id: seen, type: transform, transform: {expr: '$.call.error.code & $string($executionCount("call"))'}, next: exit}
`,
	Want: Want{Result: `"tool-error1"`, Calls: "fail 1"},
}, {
	Name: "on-error-next", Says: "onError leads to the node that undoes",
	Nodes: `
- {id: call, type: mcp, server: up, tool: fail, onError: {value: {x: 1}, next: undo}, next: other}
- {id: other, type: mcp, server: up, tool: echo, next: exit}
- {id: undo, type: mcp, server: up, tool: put, args: {x: {expr: $.call.x}}, next: exit}
`,
	Want: Want{Result: `{"x":1}`, Calls: "fail 1, put 1"},
}, {
	Name: "on-error-codes", Says: "onError does not take a failure that it does not name",
	Nodes: `- {id: call, type: mcp, server: up, tool: fail, onError: {codes: [timeout]}, next: exit}`,
	Want:  Want{Fails: "tool-error", Calls: "fail 1"},
}, {
	Name: "on-error-after-crash", Says: "a failure that onError has taken stays taken after a crash",
	Nodes: `
- {id: call, type: mcp, server: up, tool: fail, onError: {value: {expr: $failure.code}}, next: more}
- {id: more, type: transform, transform: {expr: $.call}, next: exit}
`,
	Steps: []Step{Crash("step-finished 1"), GoOn()},
	Want:  Want{Result: `"tool-error"`, Calls: "fail 1"},
}, {
	Name: "failure-after-crash", Says: "a recorded failure is the end after a crash, without a call",
	Nodes: `- {id: call, type: mcp, server: up, tool: fail, next: exit}`,
	Steps: []Step{Crash("step-finished 1"), GoOn()},
	Want:  Want{Fails: "tool-error", Says: "no such file", Calls: "fail 1"},
}}

var retries = []*Behaviour{{
	Name: "retry", Says: "a call is attempted again, with a key of its own after an answer",
	Nodes: `- {id: call, type: mcp, server: up, tool: busy, args: {x: 1}, retry: {delayMs: 5, codes: [tool-error]}, next: exit}`,
	Want: Want{
		Result: `{"x":1}`, Calls: "busy 3", Keys: "1, 1#2, 1#3",
		Events: "run-started, step-finished 0, call-started 1, attempt-failed 1, call-started 1#2, attempt-failed 1#2, call-started 1#3, step-finished 1, step-finished 2, run-finished",
	},
}, {
	Name: "retry-used-up", Says: "attempts are used up before onError is asked",
	Nodes: `- {id: call, type: mcp, server: up, tool: fail, retry: {attempts: 4, delayMs: 1, codes: [tool-error]}, onError: {value: {expr: $attempt}}, next: exit}`,
	Want:  Want{Result: `4`, Calls: "fail 4"},
}, {
	Name: "retry-key", Says: "an attempt after a timeout has the key of the one before",
	Nodes: `- {id: call, type: mcp, server: up, tool: stick, args: {x: 1}, timeoutMs: 500, retry: {delayMs: 1, codes: [timeout]}, next: exit}`,
	Want:  Want{Result: `{"x":1}`, Calls: "stick 2, cancelled 1", Keys: "1, 1"},
}, {
	Name: "retry-unsafe", Says: "a call that is not safe to repeat is not attempted again",
	Nodes: `- {id: call, type: mcp, server: up, tool: fail, retry: {delayMs: 1}, next: exit}`,
	Want:  Want{Fails: "tool-error", Says: "not repeated", Calls: "fail 1"},
}, {
	Name: "retry-safe", Says: "a call that only reads is attempted again",
	Nodes: `- {id: call, type: mcp, server: up, tool: busy, effect: read, retry: {delayMs: 1}, next: exit}`,
	Want:  Want{Result: `{}`, Calls: "busy 3"},
}, {
	Name: "retry-when", Says: "retry.when ends the attempts",
	Nodes: `- {id: call, type: mcp, server: up, tool: busy, retry: {delayMs: 1, codes: [tool-error], when: '$attempt < 2'}, next: exit}`,
	Want:  Want{Fails: "tool-error", Calls: "busy 2"},
}, {
	Name: "poll", Says: "retry.until polls until it holds",
	Nodes: `- {id: call, type: mcp, server: up, tool: job, retry: {until: '$result.n >= 3', delayMs: 1}, next: exit}`,
	Want:  Want{Result: `{"n":3}`, Calls: "job 3", Keys: "1, 1#2, 1#3"},
}, {
	Name: "poll-used-up", Says: "a poll that never holds fails with the last value",
	Nodes: `- {id: call, type: mcp, server: up, tool: job, retry: {until: 'false', attempts: 3, delayMs: 1}, onError: {value: [{expr: $failure.code}, {expr: $failure.result.n}]}, next: exit}`,
	Want:  Want{Result: `["not-yet",3]`, Calls: "job 3"},
}, {
	Name: "retry-crash-in-wait", Says: "killed in the wait before an attempt: the next attempt follows, none is made twice",
	Nodes: `- {id: call, type: mcp, server: up, tool: busy, args: {x: 1}, retry: {attempts: 3, delayMs: 100, codes: [tool-error]}, next: exit}`,
	Steps: []Step{Crash("attempt-failed 1#2"), GoOn()},
	Want:  Want{Result: `{"x":1}`, Calls: "busy 3", Keys: "1, 1#2, 1#3"},
}, {
	Name: "poll-crash", Says: "killed during a poll: it is made again, with the same key",
	Nodes: `- {id: call, type: mcp, server: up, tool: stick, args: {n: 1}, retry: {until: '$result.n = 1', delayMs: 1}, next: exit}`,
	Steps: []Step{Crash("stick 1"), GoOn()},
	Want:  Want{Result: `{"n":1}`, Calls: "stick 2", Keys: "1, 1"},
}, {
	Name: "retry-in-doubt", Says: "killed during attempt 3 of a call that is not safe to repeat: the operator's word counts for that attempt",
	Nodes: `
- {id: call, type: mcp, server: up, tool: busy, retry: {attempts: 3, delayMs: 1, codes: [tool-error]}, next: more}
- {id: more, type: transform, transform: {expr: $.call}, next: exit}
`,
	Steps: []Step{Crash("call-started 1#3"), GoOn(), Resolve(execution.Resolution{Repeat: true})},
	Want:  Want{Result: `{}`, Calls: "busy 3", Keys: "1, 1#2, 1#3"},
}}
