package behaviours

import (
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// everyEvent has each kind of event.
const everyEvent = `
- {id: call, type: mcp, server: up, tool: busy, args: {x: 1}, effect: read, retry: {delayMs: 1, attempts: 3}, next: each}
- {id: each, type: mcp, server: up, tool: read, effect: read, forEach: {items: '[1, 2]'}, args: {x: {expr: $item}}, next: sub}
- {id: sub, type: graph, tool: inner, args: {x: 3}, next: ask}
- {id: ask, type: ask, message: 'Go on?', next: sum}
- {id: sum, type: transform, transform: {expr: '[$.call.x, $.each.x, $.sub.x]'}, next: exit}
`

// killed is a run of everyEvent whose process is killed after an event.
func killed(name, at string, steps ...Step) *Behaviour {
	return &Behaviour{
		Name: "killed-" + name, Says: "killed after " + at + ": every recorded step counts, every other one is made once",
		Nodes: everyEvent, Tools: `
inner:
- {id: put, type: mcp, server: up, tool: put, onCrash: rerun, args: {x: {expr: $.entry.x}}, next: exit}
`,
		Steps: steps, Want: Want{Result: `[1,1,2,3]`, Calls: "busy 3, put 1, read 2", Answers: 1},
	}
}

var answered = Reply("question-asked 4", execution.Accept, "")

var resumes = []*Behaviour{
	killed("start", "run-started", Crash("run-started"), GoOn(), answered),
	killed("entry", "step-finished 0", Crash("step-finished 0"), GoOn(), answered),
	killed("call", "call-started 1", Crash("call-started 1"), GoOn(), answered),
	killed("attempt", "attempt-failed 1", Crash("attempt-failed 1"), GoOn(), answered),
	killed("again", "call-started 1#3", Crash("call-started 1#3"), GoOn(), answered),
	killed("step", "step-finished 1", Crash("step-finished 1"), GoOn(), answered),
	killed("parts", "parts-started 2", Crash("parts-started 2"), GoOn(), answered),
	killed("part", "step-finished 2.0", Crash("step-finished 2.0"), GoOn(), answered),
	killed("list", "step-finished 2", Crash("step-finished 2"), GoOn(), answered),
	killed("frame", "step-finished 3/1", Crash("step-finished 3/1"), GoOn(), answered),
	killed("question", "question-asked 4", Crash("question-asked 4"), GoOn(), answered),
	killed("answer", "answered 4", answered, Crash("answered 4"), GoOn()),
	killed("last", "step-finished 6", answered, Crash("step-finished 6"), GoOn()),
	killed("twice", "step-finished 1 and then step-finished 3", Crash("step-finished 1"), GoOn(), Crash("step-finished 3"), GoOn(), answered),
	{
		Name: "stopped", Says: "stopped during a call: the call ends, the run is suspended before its next node, and goes on elsewhere",
		Nodes: `
- {id: one, type: mcp, server: up, tool: slow, args: {ms: 1000}, next: two}
- {id: two, type: mcp, server: up, tool: echo, args: {x: {expr: $.one.ms}}, next: exit}
`,
		Steps: []Step{Stop("slow 1"), GoOn()},
		Want:  Want{Result: `{"x":1000}`, Calls: "echo 1, slow 1"},
	},
	{
		Name: "stopped-parts", Says: "stopped in a forEach: parts that have ended are not made again",
		Nodes: `- {id: each, type: mcp, server: up, tool: slow, forEach: {items: '[1000, 1, 2]'}, args: {ms: {expr: $item}}, next: exit}`,
		Steps: []Step{Stop("slow 1"), GoOn()},
		Want:  Want{Result: `[{"ms":1000},{"ms":1},{"ms":2}]`, Calls: "slow 3", Keys: "1.0, 1.1, 1.2"},
	},
	{
		Name: "stopped-wait", Says: "stopped in the wait before an attempt: the attempt is made elsewhere",
		Nodes: `- {id: call, type: mcp, server: up, tool: busy, retry: {delayMs: 600, maxDelayMs: 600, codes: [tool-error]}, next: exit}`,
		Steps: []Step{Stop("attempt-failed 1"), GoOn()},
		Want:  Want{Result: `{}`, Calls: "busy 3", Keys: "1, 1#2, 1#3"},
	},
	{
		Name: "stopped-question", Says: "stopped while the user is asked: the question is put again elsewhere",
		Nodes: `- {id: ask, type: ask, message: 'Go on?', next: exit}`,
		Steps: []Step{Stop("question-asked 1"), GoOn(), Reply("question-asked 1", execution.Accept, "")},
		Want:  Want{Result: `{}`, Answers: 1},
	},
	{
		Name: "interrupted-time", Says: "time in which a run is interrupted does not count for maxExecutionTimeMs",
		Limits: "{maxExecutionTimeMs: 2000}",
		Nodes: `
- {id: one, type: mcp, server: up, tool: echo, next: two}
- {id: two, type: mcp, server: up, tool: echo, next: exit}
`,
		Steps: []Step{Pause("run-started", 2100*time.Millisecond), Crash("step-finished 1"), GoOn()},
		Want:  Want{Result: `{}`, Calls: "echo 2"},
	},
	{
		Name: "taken", Says: "a run whose process is alive cannot be continued by another one",
		Nodes: `
- {id: ask, type: ask, message: 'Go on?', next: call}
- {id: call, type: mcp, server: up, tool: echo, next: exit}
`,
		Steps: []Step{Take("question-asked 1"), Reply("question-asked 1", execution.Accept, "")},
		Want:  Want{Result: `{}`, Answers: 1, Calls: "echo 1"},
	},
	{
		Name: "ended", Says: "a run that has ended is not continued",
		Nodes: `- {id: call, type: mcp, server: up, tool: fail, next: exit}`,
		Steps: []Step{Pause("run-finished", 0), GoOn()},
		Want:  Want{Refused: "has ended", Status: "error", Calls: "fail 1"},
	},
	{
		Name: "changed", Says: "a run of a graph that has changed since is not continued",
		Nodes: `
- {id: one, type: mcp, server: up, tool: echo, next: two}
- {id: two, type: mcp, server: up, tool: echo, next: exit}
`,
		Changed: `
- {id: one, type: mcp, server: up, tool: echo, next: two}
- {id: two, type: mcp, server: up, tool: put, next: exit}
`,
		Steps: []Step{Crash("step-finished 1"), GoOn()},
		Want:  Want{Refused: "the graph has changed", Status: "interrupted", Calls: "echo 1"},
	},
	{
		Name: "mended", Says: "retry, timeoutMs and onCrash may be added after a crash",
		Nodes:   `- {id: one, type: mcp, server: up, tool: stick, args: {x: 1}, next: exit}`,
		Changed: `- {id: one, type: mcp, server: up, tool: stick, args: {x: 1}, timeoutMs: 50000, retry: {}, onCrash: rerun, next: exit}`,
		Steps:   []Step{Crash("stick 1"), GoOn()},
		Want:    Want{Result: `{"x":1}`, Calls: "stick 2", Keys: "1, 1"},
	},
	{
		Name: "secret-resumed", Says: "a run that needs a value with a secret is not continued, because secrets are not recorded",
		Server: `headers: {Authorization: "Bearer ${BEHAVIOURS_SECRET}"}`,
		Nodes: `
- {id: leak, type: mcp, server: up, tool: leak, next: use}
- {id: use, type: mcp, server: up, tool: echo, args: {x: {expr: $.leak.token}}, next: exit}
`,
		Steps: []Step{Crash("step-finished 1"), GoOn()},
		Want:  Want{Refused: "secret", Status: "interrupted", Calls: "leak 1", Without: Secret},
	},
}

var doubts = []*Behaviour{{
	Name: "doubt", Says: "killed during a call that is not safe to repeat: its outcome is unknown, and it is not repeated",
	Nodes: `- {id: call, type: mcp, server: up, tool: stick, onError: {}, next: exit}`,
	Steps: []Step{Crash("stick 1"), GoOn()},
	Want:  Want{Fails: "outcome-unknown", Says: "doubt/1", Calls: "stick 1"},
}, {
	Name: "doubt-not-sent", Says: "killed right before such a call is sent: the same, because that cannot be known",
	Nodes: `- {id: call, type: mcp, server: up, tool: echo, next: exit}`,
	Steps: []Step{Crash("call-started 1"), GoOn()},
	Want:  Want{Fails: "outcome-unknown"},
}, {
	Name: "doubt-rerun", Says: "with onCrash: rerun it is repeated, with the same key",
	Nodes: `- {id: call, type: mcp, server: up, tool: stick, args: {x: 1}, onCrash: rerun, next: exit}`,
	Steps: []Step{Crash("stick 1"), GoOn()},
	Want:  Want{Result: `{"x":1}`, Calls: "stick 2", Keys: "1, 1"},
}, {
	Name: "doubt-stop", Says: "with onCrash: stop a call that only reads is not repeated",
	Nodes: `- {id: call, type: mcp, server: up, tool: stick, effect: read, onCrash: stop, next: exit}`,
	Steps: []Step{Crash("stick 1"), GoOn()},
	Want:  Want{Fails: "outcome-unknown", Calls: "stick 1"},
}, {
	Name: "doubt-read", Says: "a call with effect: read is repeated",
	Nodes: `- {id: call, type: mcp, server: up, tool: stick, effect: read, next: exit}`,
	Steps: []Step{Crash("stick 1"), GoOn()},
	Want:  Want{Result: `{}`, Calls: "stick 2"},
}, {
	Name: "doubt-trusted-read", Says: "a read-only tool of a trusted server is repeated",
	Server: "trusted: true",
	Nodes:  `- {id: call, type: mcp, server: up, tool: look, next: exit}`,
	Steps:  []Step{Crash("look 1"), GoOn()},
	Want:   Want{Result: `{}`, Calls: "look 2"},
}, {
	Name: "doubt-trusted-set", Says: "an idempotent tool of a trusted server is repeated",
	Server: "trusted: true",
	Nodes:  `- {id: call, type: mcp, server: up, tool: set, next: exit}`,
	Steps:  []Step{Crash("set 1"), GoOn()},
	Want:   Want{Result: `{}`, Calls: "set 2"},
}, {
	Name: "doubt-untrusted", Says: "the hints of a server that is not trusted are not believed",
	Nodes: `- {id: call, type: mcp, server: up, tool: set, next: exit}`,
	Steps: []Step{Crash("set 1"), GoOn()},
	Want:  Want{Fails: "outcome-unknown", Calls: "set 1"},
}, {
	Name: "doubt-repeat", Says: "the operator has it repeated",
	Nodes: `- {id: call, type: mcp, server: up, tool: stick, args: {x: 1}, next: exit}`,
	Steps: []Step{Crash("stick 1"), GoOn(), Resolve(execution.Resolution{Repeat: true})},
	Want:  Want{Result: `{"x":1}`, Calls: "stick 2", Keys: "1, 1"},
}, {
	Name: "doubt-value", Says: "the operator gives the value that it returned",
	Nodes: `- {id: call, type: mcp, server: up, tool: stick, next: exit}`,
	Steps: []Step{Crash("stick 1"), GoOn(), Resolve(execution.Resolution{Value: value.Value("17")})},
	Want:  Want{Result: `"17"`, Calls: "stick 1"},
}, {
	Name: "doubt-nothing", Says: "the operator says that it returned nothing",
	Nodes: `- {id: call, type: mcp, server: up, tool: stick, next: exit}`,
	Steps: []Step{Crash("stick 1"), GoOn(), Resolve(execution.Resolution{Nothing: true})},
	Want:  Want{Result: `null`, Calls: "stick 1"},
}, {
	Name: "doubt-parts", Says: "several calls of a forEach are in doubt: the first is named, none is repeated",
	Nodes: `- {id: each, type: mcp, server: up, tool: hang, forEach: {items: '[1..3]', maxParallel: 3}, args: {x: {expr: $item}}, next: exit}`,
	Steps: []Step{Crash("hang 3"), GoOn()},
	Want:  Want{Fails: "outcome-unknown", Says: "doubt-parts/1.0", Calls: "hang 3"},
}, {
	Name: "doubt-parts-all", Says: "the operator has all of them repeated",
	Nodes: `- {id: each, type: mcp, server: up, tool: stick, forEach: {items: '[1..3]', maxParallel: 3}, args: {x: {expr: $item}}, next: exit}`,
	Steps: []Step{Crash("stick 3"), GoOn(), Resolve(execution.Resolution{RepeatAll: true})},
	Want:  Want{Result: `[{"x":1},{"x":2},{"x":3}]`, Calls: "stick 6"},
}, {
	Name: "doubt-twice", Says: "killed again while it is repeated: it is in doubt again",
	Nodes: `- {id: call, type: mcp, server: up, tool: hang, next: exit}`,
	Steps: []Step{Crash("hang 1"), GoOn(), Resolve(execution.Resolution{Repeat: true}), Crash("hang 2"), GoOn()},
	Want:  Want{Fails: "outcome-unknown", Calls: "hang 2", Keys: "1, 1"},
}, {
	Name: "doubt-handled", Says: "a call below a step that is recorded is in doubt no more",
	Nodes: `
- {id: both, type: graph, tool: inner, onError: {value: taken}, next: more}
- {id: more, type: transform, transform: {expr: $.both}, next: exit}
`,
	Tools: `
inner:
- {id: both, type: parallel, branches: {a: {type: mcp, server: up, tool: trip}, b: {type: mcp, server: up, tool: hang}}, next: exit}
`,
	Steps: []Step{Crash("step-finished 1"), GoOn()},
	Want:  Want{Result: `"taken"`, Calls: "hang 1, trip 1, cancelled 1"},
}}
