package behaviours

var limits = []*Behaviour{{
	Name: "node-executions", Says: "a loop ends at maxNodeExecutions",
	Limits: "{maxNodeExecutions: 10}",
	Nodes: `
- {id: call, type: mcp, server: up, tool: echo, args: {x: 1}, next: again}
- {id: again, type: switch, conditions: [{rule: {"==": [{var: $.call.x}, 2]}, next: exit}], next: call}
`,
	Want: Want{Fails: "limit", Says: "maxNodeExecutions is 10", Calls: "echo 5"},
}, {
	Name: "parts-are-executions", Says: "a forEach whose items exceed maxNodeExecutions calls nothing",
	Limits: "{maxNodeExecutions: 10}",
	Nodes:  `- {id: each, type: mcp, server: up, tool: echo, forEach: {items: '[1..9]'}, next: exit}`,
	Want:   Want{Fails: "limit", Says: "forEach has 9 items"},
}, {
	Name: "run-time", Says: "maxExecutionTimeMs ends a call in flight, upstream too",
	Limits: "{maxExecutionTimeMs: 1000}",
	Nodes:  `- {id: call, type: mcp, server: up, tool: hang, next: exit}`,
	Want:   Want{Fails: "limit", Says: "maxExecutionTimeMs is 1000", Calls: "hang 1, cancelled 1"},
}, {
	Name: "run-time-parts", Says: "maxExecutionTimeMs ends all parts of a forEach",
	Limits: "{maxExecutionTimeMs: 1000}",
	Nodes:  `- {id: each, type: mcp, server: up, tool: hang, forEach: {items: '[1..3]', maxParallel: 3}, onError: {}, next: exit}`,
	Want:   Want{Fails: "limit", Says: "maxExecutionTimeMs is 1000", Calls: "hang 3, cancelled 3"},
}, {
	Name: "run-time-wait", Says: "maxExecutionTimeMs ends the wait before an attempt",
	Limits: "{maxExecutionTimeMs: 1000}",
	Nodes:  `- {id: call, type: mcp, server: up, tool: fail, retry: {delayMs: 60000, maxDelayMs: 60000, codes: [tool-error]}, next: exit}`,
	Want:   Want{Fails: "limit", Says: "maxExecutionTimeMs is 1000", Calls: "fail 1"},
}, {
	Name: "calls", Says: "a loop ends at maxCalls, and onError is not asked",
	Limits: "{maxCalls: 2}",
	Nodes: `
- {id: call, type: mcp, server: up, tool: echo, args: {x: 1}, onError: {}, next: again}
- {id: again, type: switch, conditions: [{rule: {"==": [{var: $.call.x}, 2]}, next: exit}], next: call}
`,
	Want: Want{Fails: "limit", Says: "maxCalls is 2", Calls: "echo 2"},
}, {
	Name: "attempts-are-calls", Says: "attempts count for maxCalls",
	Limits: "{maxCalls: 2}",
	Nodes:  `- {id: call, type: mcp, server: up, tool: fail, retry: {attempts: 5, delayMs: 1, codes: [tool-error]}, next: exit}`,
	Want:   Want{Fails: "limit", Says: "maxCalls is 2", Calls: "fail 2"},
}, {
	Name: "items-over-calls", Says: "a forEach with more items than maxCalls leaves calls nothing",
	Limits: "{maxCalls: 3}",
	Nodes:  `- {id: each, type: mcp, server: up, tool: echo, forEach: {items: '[1..4]'}, next: exit}`,
	Want:   Want{Fails: "limit", Says: "maxCalls leaves 3 of 3"},
}, {
	Name: "calls-after-crash", Says: "calls before a crash count for maxCalls",
	Limits: "{maxCalls: 2}",
	Nodes: `
- {id: one, type: mcp, server: up, tool: echo, next: two}
- {id: two, type: mcp, server: up, tool: echo, next: three}
- {id: three, type: mcp, server: up, tool: echo, next: exit}
`,
	Steps: []Step{Crash("step-finished 2"), GoOn()},
	Want:  Want{Fails: "limit", Says: "maxCalls is 2", Calls: "echo 2"},
}, {
	Name: "depth", Says: "an endless recursion ends at maxDepth",
	Limits: "{maxDepth: 3}",
	Nodes:  `- {id: down, type: graph, tool: walk, args: {n: 1}, next: exit}`,
	Tools: `
walk:
- {id: ends, type: switch, conditions: [{rule: {"==": [{var: $.entry.n}, 0]}, next: exit}], next: call}
- {id: call, type: mcp, server: up, tool: echo, next: down}
- {id: down, type: graph, tool: walk, args: {n: 1}, onError: {}, next: exit}
`,
	Want: Want{Fails: "limit", Says: "maxDepth is 3", Calls: "echo 2"},
}, {
	Name: "output-bytes", Says: "a value over maxNodeOutputBytes fails its node",
	Limits: "{maxNodeOutputBytes: 1000}",
	Nodes:  `- {id: call, type: mcp, server: up, tool: large, args: {n: 2000}, next: exit}`,
	Want:   Want{Fails: "limit", Says: "maxNodeOutputBytes is 1000", Calls: "large 1"},
}, {
	Name: "history-bytes", Says: "values that exceed maxHistoryBytes together end the run",
	Limits: "{maxHistoryBytes: 5000}",
	Nodes:  `- {id: each, type: mcp, server: up, tool: large, forEach: {items: '[1..4]'}, args: {n: 2000}, next: exit}`,
	Want:   Want{Fails: "limit", Says: "maxHistoryBytes is 5000", Calls: "large 3"},
}, {
	Name: "result-bytes", Says: "a result over maxResultBytes is recorded whole",
	Limits: "{maxResultBytes: 1000}",
	Nodes:  `- {id: call, type: mcp, server: up, tool: large, args: {n: 2000}, next: exit}`,
	Want:   Want{Calls: "large 1"},
}, {
	Name: "expression-bound", Says: "an endless expression fails its node, and onError takes it",
	Nodes: `- {id: endless, type: transform, transform: {expr: '($f := function($x){1 + $f($x)}; $f(1))'}, onError: {value: bounded}, next: exit}`,
	Want:  Want{Result: `"bounded"`},
}}

var values = []*Behaviour{{
	Name: "arguments", Says: "arguments that do not match the inputSchema start no run",
	Input: "{type: object, properties: {n: {type: integer}}, required: [n]}",
	Nodes: `- {id: call, type: mcp, server: up, tool: echo, next: exit}`,
	Args:  `{"n":"one"}`,
	Want:  Want{Refused: "n"},
}, {
	Name: "defaults", Says: "defaults of the inputSchema are added, and recorded",
	Input: "{type: object, properties: {n: {type: integer, default: 7}}}",
	Nodes: `- {id: call, type: mcp, server: up, tool: echo, args: {n: {expr: $.entry.n}}, next: exit}`,
	Want:  Want{Result: `{"n":7}`, Calls: "echo 1"},
}, {
	Name: "output-schema", Says: "a result that does not match the outputSchema is a failure, recorded as one",
	Output: "{type: object, required: [total]}",
	Nodes:  `- {id: call, type: mcp, server: up, tool: echo, args: {x: 1}, next: exit}`,
	Want:   Want{Fails: "output-mismatch", Says: "total", Calls: "echo 1"},
}, {
	Name: "digits", Says: "the order of keys and the digits of large numbers survive a crash",
	Nodes: `
- {id: call, type: mcp, server: up, tool: echo, args: {z: 1, numbers: {expr: $.entry}}, next: next}
- {id: next, type: transform, transform: {expr: $.call}, next: exit}
`,
	Args:  `{"b":9007199254740993,"a":"\u0000é"}`,
	Steps: []Step{Crash("step-finished 1"), GoOn()},
	Want:  Want{Result: `{"z":1,"numbers":{"b":9007199254740993,"a":"\u0000é"}}`, Calls: "echo 1"},
}, {
	Name: "nothing", Says: "a node without a value has none after a crash either, and null leaves the run",
	Nodes: `
- {id: call, type: mcp, server: up, tool: nothing, next: seen}
- {id: seen, type: transform, transform: {expr: '$exists($.call) ? "a value" : $.call'}, next: exit}
`,
	Steps: []Step{Crash("step-finished 1"), GoOn()},
	Want:  Want{Result: `null`, Calls: "nothing 1"},
}, {
	Name: "functions-of-the-past", Says: "functions over the history see the steps before a crash",
	Nodes: `
- {id: call, type: mcp, server: up, tool: job, next: again}
- {id: again, type: switch, conditions: [{rule: {"<": [{var: $.call.n}, 3]}, next: call}], next: sum}
- {id: sum, type: transform, transform: {expr: '[$executionCount("call"), $nodeExecution("call", 0).n, $nodeExecutions("call").n, $previousNode()]'}, next: exit}
`,
	Steps: []Step{Crash("step-finished 4"), GoOn()},
	Want:  Want{Result: `[3,1,1,2,3,"sum"]`, Calls: "job 3"},
}}
