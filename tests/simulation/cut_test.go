package simulation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/tests/thorough"
)

// shapes are graphs whose runs have each kind of event. SAFE stands for the end of the names of
// tools that are safe to repeat.
var shapes = map[string]string{
	"retry": `
- {id: entry, type: entry, next: call}
- {id: call, type: mcp, server: up, tool: third SAFE, args: {x: {expr: $.entry.n}}, retry: {attempts: 4, delayMs: 10, codes: [tool-error, timeout]}, next: poll}
- {id: poll, type: mcp, server: up, tool: third SAFE, args: {x: 1}, retry: {until: '$result.n >= 4', delayMs: 10}, onCrash: stop, onError: {}, next: exit}
- {id: exit, type: exit}
`,
	"handled": `
- {id: entry, type: entry, next: call}
- {id: call, type: mcp, server: up, tool: never SAFE, args: {x: 1}, retry: {attempts: 2, delayMs: 10, codes: [tool-error]}, onError: {value: {why: {expr: $failure.code}}, next: other}, next: exit}
- {id: other, type: transform, transform: {expr: '$error("boom")'}, onError: {}, next: more}
- {id: more, type: mcp, server: up, tool: echo SAFE, args: {x: {expr: $.call}}, next: exit}
- {id: exit, type: exit}
`,
	"forEach": `
- {id: entry, type: entry, next: each}
- {id: each, type: mcp, server: up, tool: echo SAFE, forEach: {items: '[1..6]', maxParallel: 3}, args: {x: {expr: $item}, at: {expr: $index}}, next: odd}
- {id: odd, type: mcp, server: up, tool: odd SAFE, forEach: {items: '$.each.x', maxParallel: 2}, args: {x: {expr: $item}}, retry: {attempts: 2, delayMs: 10, codes: [tool-error]}, onError: {value: {lost: {expr: $item}}}, next: none}
- {id: none, type: mcp, server: up, tool: echo SAFE, forEach: {items: '[]'}, next: sum}
- {id: sum, type: transform, transform: {expr: '[$.odd, $count($.none)]'}, next: exit}
- {id: exit, type: exit}
`,
	"questions": `
- name: main
  description: made
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: go}
  - {id: go, type: ask, message: 'Go on?', schema: {type: object, properties: {v: {type: integer}}}, onError: {}, next: each}
  - {id: each, type: mcp, server: up, tool: echo SAFE, confirm: true, forEach: {items: '[1..4]', maxParallel: 3}, args: {x: {expr: $item}}, onError: {}, next: both}
  - id: both
    type: parallel
    branches:
      calls: {type: mcp, server: up, tool: third SAFE, args: {x: 1}, retry: {attempts: 3, delayMs: 10, codes: [tool-error]}}
      sure: {type: mcp, server: up, tool: echo SAFE, confirm: true, args: {x: 7}, onError: {value: {x: 7}}}
      asks: {type: graph, tool: inner, args: {x: 2}, onError: {}}
    next: exit
  - {id: exit, type: exit}
- name: inner
  description: made
  inputSchema: {type: object}
  hidden: true
  nodes:
  - {id: entry, type: entry, next: ask}
  - {id: ask, type: ask, message: {expr: '"Is it " & $string($.entry.x) & "?"'}, next: exit}
  - {id: exit, type: exit}
`,
	"forEach over a graph": `
- name: main
  description: made
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: graph, tool: inner, forEach: {items: '[1..4]', maxParallel: 3}, args: {x: {expr: $item}}, next: exit}
  - {id: exit, type: exit}
- name: inner
  description: made
  inputSchema: {type: object}
  hidden: true
  nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: up, tool: echo SAFE, args: {x: {expr: $.entry.x}}, next: again}
  - {id: again, type: mcp, server: up, tool: third SAFE, args: {x: {expr: $.read.x}}, retry: {attempts: 3, delayMs: 10, codes: [tool-error]}, next: exit}
  - {id: exit, type: exit}
`,
	"parallel": `
- name: main
  description: made
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: facts}
  - id: facts
    type: parallel
    branches:
      weather: {type: mcp, server: up, tool: third SAFE, args: {x: 1}, retry: {attempts: 3, delayMs: 10, codes: [tool-error]}}
      news: {type: graph, tool: inner, args: {x: 2}}
      void: {type: mcp, server: up, tool: nothing SAFE, args: {x: 2}}
      lost: {type: mcp, server: up, tool: never SAFE, args: {x: 3}, onError: {}}
    next: exit
  - {id: exit, type: exit}
- name: inner
  description: made
  inputSchema: {type: object}
  hidden: true
  nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: up, tool: echo SAFE, args: {x: {expr: $.entry.x}}, next: exit}
  - {id: exit, type: exit}
`,
	"failed part": `
- name: main
  description: made
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: both}
  - {id: both, type: graph, tool: inner, onError: {}, next: more}
  - {id: more, type: mcp, server: up, tool: echo SAFE, args: {x: {expr: $.both.error.code}}, next: exit}
  - {id: exit, type: exit}
- name: inner
  description: made
  inputSchema: {type: object}
  hidden: true
  nodes:
  - {id: entry, type: entry, next: both}
  - {id: both, type: parallel, branches: {a: {type: mcp, server: up, tool: never SAFE}, b: {type: mcp, server: up, tool: echo SAFE}}, next: exit}
  - {id: exit, type: exit}
`,
	"nested": `
- name: main
  description: made
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: outer}
  - {id: outer, type: graph, tool: middle, forEach: {items: '[1..2]', maxParallel: 2}, args: {n: {expr: $item}}, next: walk}
  - {id: walk, type: graph, tool: walk, args: {n: 2}, onError: {}, next: exit}
  - {id: exit, type: exit}
- name: middle
  description: made
  inputSchema: {type: object}
  hidden: true
  nodes:
  - {id: entry, type: entry, next: both}
  - id: both
    type: parallel
    branches:
      a: {type: graph, tool: walk, args: {n: {expr: $.entry.n - 1}}}
      b: {type: mcp, server: up, tool: echo SAFE, args: {x: {expr: $.entry.n}}}
    next: exit
  - {id: exit, type: exit}
- name: walk
  description: made
  inputSchema: {type: object}
  hidden: true
  nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: up, tool: echo SAFE, args: {x: {expr: $.entry.n}}, next: more}
  - {id: more, type: switch, conditions: [{rule: {">": [{var: $.entry.n}, 0]}, next: down}], next: exit}
  - {id: down, type: graph, tool: walk, args: {n: {expr: $.entry.n - 1}}, next: exit}
  - {id: exit, type: exit}
`,
	"steps": `
- name: main
  description: made
  inputSchema: {type: object}
  steps:
  - {id: a, call: up.echo SAFE, args: {x: {expr: args.n}}}
  - {id: b, call: up.third SAFE, args: {x: 1}, retry: {attempts: 3, delayMs: 10, codes: [tool-error]}}
  - {id: w, call: up.echo, args: {x: {expr: a.x}}}
  - {id: v, if: 'false', call: up.echo, args: {x: 1}}
  - {id: lost, call: up.never SAFE, args: {x: 2}, onError: skip}
  - {id: c, after: [lost], call: up.nothing SAFE, args: {x: {expr: b.n}}}
  return: '[a, b, w, $exists(v), $exists(lost), $exists(c)]'
`,
	"each of steps": `
- name: main
  description: made
  inputSchema: {type: object}
  steps:
  - {id: go, ask: {message: 'Go on?', schema: {type: object, properties: {v: {type: integer}}}}, onError: {value: {v: 0}}}
  - {id: list, each: 'args.list', as: n, expr: '$n * 2'}
  - {id: reads, each: list, call: up.odd SAFE, args: {x: {expr: $item / 2}}, onError: skip}
  - {id: writes, each: '[1..3]', key: '"k" & $item', call: up.echo, confirm: true, args: {x: {expr: $item}}, onError: {value: {x: {expr: $failure.code}}}}
  - {id: both, each: '[1..4]', maxParallel: 4, call: up.odd, args: {x: {expr: $item}}, onError: {value: {lost: {expr: $item}}}}
  - {id: found, each: '[1..5]', until: $result.x = 3, call: up.echo SAFE, args: {x: {expr: $item}}}
  - {id: pages, call: up.echo, args: {x: {expr: '[$n, $previous.x]'}}, repeat: {until: $n = 3, collect: true}}
  - {id: poll, each: '[1, 2]', call: up.echo SAFE, args: {x: {expr: $n * $item}}, repeat: {until: $result.x > 3, delayMs: 10, times: 3}, onError: {value: {expr: $failure.result}}}
  return: '[reads, writes, both, found, pages, poll]'
`,
	"blocks of steps": `
- name: main
  description: made
  inputSchema: {type: object}
  steps:
  - id: rows
    each: '[1..3]'
    as: i
    maxParallel: 3
    steps:
    - {id: read, call: up.echo SAFE, args: {x: {expr: $i}}}
    - {id: odd, call: up.odd SAFE, args: {x: {expr: read.x}}}
    - {id: save, if: $i = 2, call: up.echo, args: {x: {expr: '[odd.x, $count($keys($$))]'}}}
    return: '{"i": $i, "saved": save.x}'
    onError: {value: {lost: {expr: $i}}}
  - id: twice
    repeat: {until: $n = 2, delayMs: 10}
    steps:
    - {id: one, call: up.echo, args: {x: {expr: $n}}}
    - {id: inner, each: '[1, 2]', steps: [{id: deep, call: up.echo SAFE, args: {x: {expr: one.x + $item}}}], return: deep.x}
  - {id: other, call: called, args: {x: 5}, onError: {}}
  return: '[rows, twice, other]'
- name: called
  description: made
  inputSchema: {type: object}
  hidden: true
  nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: graph, tool: inner, forEach: {items: '[1..3]', maxParallel: 2}, args: {x: {expr: $item}}, onError: {}, next: exit}
  - {id: exit, type: exit}
- name: inner
  description: made
  inputSchema: {type: object}
  hidden: true
  steps:
  - {id: a, call: up.odd SAFE, args: {x: {expr: args.x}}}
  - {id: b, call: up.echo, args: {x: {expr: a}}}
`,
	"failed steps": `
- name: main
  description: made
  inputSchema: {type: object}
  steps:
  - id: rows
    each: '[1..2]'
    steps:
    - {id: read, call: up.echo SAFE, args: {x: {expr: $item}}}
    - {id: both, each: '[1..3]', maxParallel: 3, call: up.odd SAFE, args: {x: {expr: $item}}}
    - {id: never, call: up.echo, args: {x: 1}}
    onError: {value: {lost: {expr: $failure.node}}}
  - {id: more, call: up.echo, args: {x: {expr: rows.lost}}}
`,
}

// shapeValues are the values of the shapes, so that a run is not compared with itself alone.
var shapeValues = map[string]string{
	"retry":                `{"n":4}`,
	"handled":              `{"x":{"why":"tool-error"}}`,
	"forEach":              `[{"lost":1},{"x":2},{"lost":3},{"x":4},{"lost":5},{"x":6},0]`,
	"forEach over a graph": `[{"n":3},{"n":3},{"n":3},{"n":3}]`,
	"questions":            `{"calls":{"n":3},"sure":{"x":7},"asks":{}}`,
	"parallel": `{"weather":{"n":3},"news":{"x":2},"lost":{"error":{"code":"tool-error","message":"trouble",` +
		`"node":"facts.lost","server":"up","tool":"never","attempts":1,"result":"trouble"}}}`,
	"failed part": `{"x":"tool-error"}`,
	"steps":       `[{"x":3},{"n":3},{"x":3},false,false,false]`,
	"each of steps": `[{"x":6},{"x":7},{"k1":{"x":1},"k2":{"x":2},"k3":{"x":3}},{"lost":1},{"x":2},{"lost":3},{"x":4},` +
		`{"x":1},{"x":2},{"x":3},{"x":[1]},{"x":[2,1]},{"x":[3,2,1]},{"x":3},{"x":4}]`,
	"blocks of steps": `[{"lost":1},{"i":2,"saved":[2,3]},{"lost":3},3,4,{"error":{"code":"tool-error","message":"trouble","node":"inner:a","server":"up",` +
		`"tool":"odd","attempts":1,"result":"trouble"}},{"x":{"x":2}},{"error":{"code":"tool-error","message":"trouble","node":"inner:a","server":"up",` +
		`"tool":"odd","attempts":1,"result":"trouble"}}]`,
	"failed steps": `{"x":["rows.both","rows.both"]}`,
	"nested":       `"exit"`,
}

// shapesAnswer are the tools of the shapes.
func shapesAnswer(c *execution.Call) (value.Value, error) {
	kind, _ := cutSafe(c.Tool)
	trouble := &upstreamError{code: config.FailToolError, text: "trouble"}
	args, _ := c.Args.(value.Object)
	x, _ := args.Get("x")
	switch kind {
	case "third":
		if attemptOf(c.Attempt) == 1 && c.Name() == "call" {
			return nil, &upstreamError{code: config.FailTimeout, text: "late"}
		}
		if attemptOf(c.Attempt) < 3 && c.Name() != "poll" {
			return nil, trouble
		}
		return value.Decode(fmt.Appendf(nil, `{"n":%d}`, attemptOf(c.Attempt)))
	case "never":
		return nil, trouble
	case "odd":
		if strings.ContainsAny(text(x), "135") {
			return nil, trouble
		}
	case "nothing":
		return nil, nil
	}
	return c.Args, nil
}

// A run that is cut after any of its events and resumed has the same records and the same value;
// no call whose outcome is recorded is made again, and each in-doubt call that is not safe to
// repeat is asked about once.
func TestF08CutAfterEveryEvent(t *testing.T) {
	for name, shape := range shapes {
		for _, safe := range []string{"", "_safe"} {
			t.Run(name+safe, func(t *testing.T) {
				s := file(t, "", strings.ReplaceAll(shape, " SAFE", safe), shapesAnswer)
				synctest.Test(t, func(t *testing.T) {
					ref, undisturbed := newWorld(s, 0), &life{}
					p := ref.process()
					p.live(t.Context(), undisturbed, ref.starting(p, nil, execution.Resolution{}), writesFirst)
					ref.clean(t)
					if undisturbed.err != nil {
						t.Fatal(undisturbed.err)
					}
					if got := strings.ReplaceAll(text(undisturbed.result.Value), "_safe", ""); got != shapeValues[name] {
						t.Errorf("the value is %s, want %s", got, shapeValues[name])
					}
					for n := 1; n < len(ref.events); n++ {
						ref.checkCut(t, n, n%2 == 0, undisturbed)
					}
				})
			})
		}
	}
}

// So has a random run of steps, whatever servers say of their tools when it is resumed.
func TestStepsCutAfterEveryEvent(t *testing.T) {
	cuts := 0
	for seed := range uint64(thorough.Times(10, 150)) {
		m := &maker{rng: rand.New(rand.NewPCG(seed, 2))}
		m.tools = append(m.tools, m.stepsTool("t1", 2))
		s := m.scenario(m.stepsTool("main", 5), 20*int(seed%2))
		s.compile(t)
		synctest.Test(t, func(t *testing.T) {
			ref, undisturbed := newWorld(s, 0), &life{}
			p := ref.process()
			p.live(t.Context(), undisturbed, ref.starting(p, nil, execution.Resolution{}), writesFirst)
			ref.clean(t)
			for n := 1; n < len(ref.events) && undisturbed.err == nil; n++ {
				ref.checkCut(t, n, n%2 == 0, undisturbed)
				cuts++
			}
		})
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, s.source)
		}
	}
	t.Logf("%d cuts", cuts)
}

// checkCut resumes from the first n events. The in-doubt calls were made, or not.
func (w *world) checkCut(t *testing.T, n int, made bool, undisturbed *life) {
	t.Helper()
	cut := w.from(n, made)
	open := len(cut.unsafeDoubts())
	st := cut.s.disturb(t.Context(), cut, nil, 0, inOrder)
	if st.asked > open || st.asked < open && !raced(records(cut.events)) {
		cut.violated("%d calls are asked about, %d are in doubt", st.asked, open)
	}
	cut.compare(w, undisturbed, st)
	if len(cut.violations) > 0 {
		cut.violated("cut after event %d, %s", n, describe(&w.events[n-1]))
	}
	cut.clean(t)
}
