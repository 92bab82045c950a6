package behaviours

var parts = []*Behaviour{{
	Name: "order", Says: "the list of a forEach is in the order of its items, whichever answers first",
	Nodes: `- {id: each, type: mcp, server: up, tool: slow, forEach: {items: '[40, 20, 0]', maxParallel: 3}, args: {ms: {expr: $item}}, next: exit}`,
	Want:  Want{Result: `[{"ms":40},{"ms":20},{"ms":0}]`, Calls: "slow 3"},
}, {
	Name: "no-items", Says: "a forEach without items calls nothing",
	Nodes: `- {id: each, type: mcp, server: up, tool: echo, forEach: {items: '$.entry.list'}, next: exit}`,
	Want:  Want{Result: `[]`},
}, {
	Name: "one-item", Says: "a value that is no list is one item",
	Nodes: `- {id: each, type: mcp, server: up, tool: echo, forEach: {items: '$.entry.list[x = 2]'}, args: {x: {expr: $item.x}, at: {expr: $index}}, next: exit}`,
	Args:  `{"list":[{"x":1},{"x":2}]}`,
	Want:  Want{Result: `[{"x":2,"at":0}]`, Calls: "echo 1"},
}, {
	Name: "first-failure", Says: "the first failure begins no more parts",
	Nodes: `- {id: each, type: mcp, server: up, tool: odd, forEach: {items: '[2, 3, 4, 6]'}, args: {x: {expr: $item}}, next: exit}`,
	Want:  Want{Fails: "tool-error", Says: "3 is odd", Calls: "odd 2"},
}, {
	Name: "failure-cancels", Says: "the first failure cancels the calls in flight",
	Nodes: `- {id: both, type: parallel, branches: {a: {type: mcp, server: up, tool: trip}, b: {type: mcp, server: up, tool: hang}}, next: exit}`,
	Want:  Want{Fails: "tool-error", Says: "tripped", Calls: "hang 1, trip 1, cancelled 1"},
}, {
	Name: "partial-failure", Says: "onError of a forEach is of each item",
	Nodes: `- {id: each, type: mcp, server: up, tool: odd, forEach: {items: '[2, 3, 4]', maxParallel: 2}, args: {x: {expr: $item}}, onError: {value: {lost: {expr: $index}}}, next: exit}`,
	Want:  Want{Result: `[{"x":2},{"lost":1},{"x":4}]`, Calls: "odd 3"},
}, {
	Name: "branches", Says: "a parallel yields the values of its branches by name, in file order",
	Nodes: `
- id: both
  type: parallel
  branches:
    z: {type: mcp, server: up, tool: slow, args: {ms: 30}}
    none: {type: mcp, server: up, tool: nothing}
    a: {type: graph, tool: inner, args: {x: 2}}
    lost: {type: mcp, server: up, tool: fail, onError: {value: null}}
  next: exit
`,
	Tools: `
inner:
- {id: call, type: mcp, server: up, tool: echo, args: {x: {expr: $.entry.x + 1}}, next: exit}
`,
	Want: Want{Result: `{"z":{"ms":30},"a":{"x":3},"lost":null}`, Calls: "echo 1, fail 1, nothing 1, slow 1"},
}, {
	Name: "graph-arguments", Says: "arguments that a called graph refuses start nothing of it",
	Nodes: `- {id: sub, type: graph, tool: inner, args: {x: one}, onError: {codes: [invalid-arguments], value: refused}, next: exit}`,
	Tools: `
inner {type: object, properties: {x: {type: integer}}, required: [x]}:
- {id: call, type: mcp, server: up, tool: echo, next: exit}
`,
	Want: Want{Result: `"refused"`},
}, {
	Name: "graph-failure", Says: "a failure in a called graph names its node, and onError takes it",
	Nodes: `- {id: sub, type: graph, tool: inner, onError: {value: [{expr: $failure.code}, {expr: $failure.node}]}, next: exit}`,
	Tools: `
inner:
- {id: call, type: mcp, server: up, tool: fail, next: exit}
`,
	Want: Want{Result: `["tool-error","inner:call"]`, Calls: "fail 1"},
}, {
	Name: "recursion", Says: "a graph calls itself; steps have the addresses of their frames",
	Nodes: `- {id: down, type: graph, tool: walk, args: {n: 1}, next: exit}`,
	Tools: `
walk:
- {id: call, type: mcp, server: up, tool: echo, args: {n: {expr: $.entry.n}}, next: ends}
- {id: ends, type: switch, conditions: [{rule: {"==": [{var: $.entry.n}, 0]}, next: up}], next: down}
- {id: down, type: graph, tool: walk, args: {n: {expr: $.entry.n - 1}}, next: up}
- {id: up, type: transform, transform: {expr: '$executionCount("down")'}, next: exit}
`,
	Want: Want{Result: `1`, Calls: "echo 2", Keys: "1/1, 1/3/1"},
}, {
	Name: "parts-crash", Says: "killed in a forEach: parts that are recorded are not made again",
	Nodes: `- {id: each, type: mcp, server: up, tool: slow, effect: read, forEach: {items: '[0..5]'}, args: {x: {expr: $item}}, next: exit}`,
	Steps: []Step{Crash("step-finished 1.2"), GoOn()},
	Want:  Want{Result: `[{"x":0},{"x":1},{"x":2},{"x":3},{"x":4},{"x":5}]`, Calls: "slow 6", Keys: "1.0, 1.1, 1.2, 1.3, 1.4, 1.5"},
}, {
	Name: "frames-crash", Says: "killed in a frame of a part: its steps are not made again",
	Nodes: `- {id: each, type: graph, tool: inner, forEach: {items: '[1..2]'}, args: {x: {expr: $item}}, next: exit}`,
	Tools: `
inner:
- {id: one, type: mcp, server: up, tool: echo, args: {x: {expr: $.entry.x}}, next: two}
- {id: two, type: mcp, server: up, tool: put, args: {y: {expr: $.one.x * 10}}, next: exit}
`,
	Steps: []Step{Crash("step-finished 1.1/1"), GoOn()},
	Want:  Want{Result: `[{"y":10},{"y":20}]`, Calls: "echo 2, put 2"},
}, {
	Name: "branches-crash", Says: "killed in a parallel: the branch that is recorded is not made again, the other one is",
	Nodes: `- {id: both, type: parallel, branches: {a: {type: mcp, server: up, tool: echo, args: {x: 1}}, b: {type: mcp, server: up, tool: stick, onCrash: rerun}}, next: exit}`,
	Steps: []Step{Pause("stick 1", 0), Crash("step-finished 1.a"), GoOn()},
	Want:  Want{Result: `{"a":{"x":1},"b":{}}`, Calls: "echo 1, stick 2"},
}, {
	Name: "items-changed", Says: "a list that is another one after a crash is refused",
	Nodes: `- {id: each, type: mcp, server: up, tool: echo, forEach: {items: '[$millis(), 2]'}, args: {x: {expr: $item}}, next: exit}`,
	Steps: []Step{Crash("step-finished 1.0"), GoOn()},
	Want:  Want{Refused: "items-changed", Calls: "echo 1", Status: "interrupted"},
}, {
	Name: "failed-part-crash", Says: "killed after a part failed: that failure is the end, without a call",
	Nodes: `- {id: each, type: mcp, server: up, tool: odd, forEach: {items: '[2, 3, 4]'}, args: {x: {expr: $item}}, next: exit}`,
	Steps: []Step{Crash("step-finished 1.1"), GoOn()},
	Want:  Want{Fails: "tool-error", Says: "3 is odd", Calls: "odd 2"},
}}

var cancels = []*Behaviour{{
	Name: "cancel-call", Says: "cancelled during a call: the call is cancelled upstream, and onError is not asked",
	Nodes: `- {id: call, type: mcp, server: up, tool: hang, onError: {}, retry: {codes: [transport, timeout]}, next: exit}`,
	Steps: []Step{Cancel("hang 1")},
	Want:  Want{Fails: "cancelled", Calls: "hang 1, cancelled 1", Events: "run-started, step-finished 0, call-started 1, … run-finished"},
}, {
	Name: "cancel-turn", Says: "cancelled while a call waits for its turn at the server: it is not sent",
	Server: "rate: {calls: 1, perMs: 600000}",
	Nodes: `
- {id: one, type: mcp, server: up, tool: echo, next: two}
- {id: two, type: mcp, server: up, tool: echo, next: exit}
`,
	Steps: []Step{Cancel("call-started 2")},
	Want:  Want{Fails: "cancelled", Calls: "echo 1"},
}, {
	Name: "cancel-wait", Says: "cancelled in the wait before an attempt: no attempt follows",
	Nodes: `- {id: call, type: mcp, server: up, tool: fail, retry: {delayMs: 60000, maxDelayMs: 60000, codes: [tool-error]}, onError: {}, next: exit}`,
	Steps: []Step{Cancel("attempt-failed 1")},
	Want:  Want{Fails: "cancelled", Calls: "fail 1"},
}, {
	Name: "cancel-parts", Says: "cancelled in a forEach: all calls in flight are cancelled, none begins",
	Nodes: `- {id: each, type: mcp, server: up, tool: hang, forEach: {items: '[1..9]', maxParallel: 3}, onError: {}, next: exit}`,
	Steps: []Step{Cancel("hang 3")},
	Want:  Want{Fails: "cancelled", Calls: "hang 3, cancelled 3"},
}, {
	Name: "cancel-graph", Says: "cancelled in a called graph: all frames end",
	Nodes: `- {id: sub, type: graph, tool: inner, onError: {}, next: exit}`,
	Tools: `
inner:
- {id: call, type: mcp, server: up, tool: hang, onError: {}, next: exit}
`,
	Steps: []Step{Cancel("hang 1")},
	Want:  Want{Fails: "cancelled", Calls: "hang 1, cancelled 1"},
}, {
	Name: "cancel-question", Says: "cancelled while the user is asked",
	Nodes: `- {id: sure, type: ask, message: 'Go on?', onError: {}, next: exit}`,
	Steps: []Step{Cancel("question-asked 1")},
	Want:  Want{Fails: "cancelled"},
}, {
	Name: "cancel-resumed", Says: "cancelled after it was resumed",
	Nodes: `- {id: call, type: mcp, server: up, tool: hang, effect: read, next: exit}`,
	Steps: []Step{Crash("hang 1"), GoOn(), Cancel("hang 2")},
	Want:  Want{Fails: "cancelled", Calls: "hang 2, cancelled 1"},
}}
