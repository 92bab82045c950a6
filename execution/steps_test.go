package execution_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// stepsOf makes the graph of a tool with these steps.
func stepsOf(t testing.TB, steps string) *graph.Graph {
	t.Helper()
	return build(t, "tools:\n- name: tool\n  description: a tool\n  inputSchema: {type: object}\n"+indent(steps))
}

// reading says that every tool but save only reads.
var reading = execution.WithReads(func(_ context.Context, _, tool string) bool { return tool != "save" })

// W03. What is independent runs at once, and a step that may change something keeps its place, also when it
// is not run.
func TestStepsOrder(t *testing.T) {
	const wait = 100 * time.Millisecond
	for _, test := range []struct {
		name, steps string
		waits       int
	}{
		{"two reads", `steps: [{id: a, call: up.get}, {id: b, call: up.get}]`, 1},
		{"two chains", `steps: [{id: a, call: up.get}, {id: b, call: up.get}, {id: c, call: up.get, args: {x: {expr: a}}}, {id: d, call: up.get, args: {x: {expr: b}}}]`, 2},
		{"a write between", `steps: [{id: a, call: up.get}, {id: w, call: up.save}, {id: b, call: up.get}]`, 3},
		{"a write that is not run", `steps: [{id: a, call: up.get}, {id: w, call: up.save, if: "false"}, {id: b, call: up.get}]`, 2},
		{"after", `steps: [{id: a, call: up.get}, {id: b, call: up.get, after: [a]}]`, 2},
		{"the whole context", `steps: [{id: a, call: up.get}, {id: b, call: up.get, args: {x: {expr: $keys($$)}}}]`, 2},
		{"items", `steps: [{id: a, each: "[1..16]", call: up.get}]`, 2},
		{"items that write", `steps: [{id: a, each: "[1..3]", call: up.save}]`, 3},
		{"more at once", `steps: [{id: a, each: "[1..100]", maxParallel: 256, call: up.get}]`, 2}, // 64 in flight
		{"blocks", `steps: [{id: a, steps: [{id: x, call: up.get}, {id: y, call: up.get, args: {x: {expr: x}}}]}, {id: b, call: up.get}]`, 2},
		{"a block waits for what is read in it", `steps: [{id: a, call: up.get}, {id: b, steps: [{id: x, call: up.get}, {id: y, call: up.get, args: {x: {expr: a}}}]}]`, 2},
		{"waits of repeat hold no place", `steps: [{id: a, each: "[1..128]", maxParallel: 128, call: up.get, repeat: {until: $n = 2, times: 2, delayMs: 100}}]`, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := stepsOf(t, test.steps)
			synctest.Test(t, func(t *testing.T) {
				caller := callerFunc(func(ctx context.Context, _, _ string, _ value.Value) (value.Value, error) {
					time.Sleep(wait)
					return "x", ctx.Err()
				})
				start := time.Now()
				if _, err := execution.New(caller).Run(t.Context(), g, decode(t, `{}`), reading); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != time.Duration(test.waits)*wait {
					t.Errorf("took %v, want %d waits", took, test.waits)
				}
			})
		})
	}
}

// W03, W12. In every order in which calls can end, a write comes after all above and before all below; the
// order of keys of a step has no meaning.
func TestWritesKeepTheirPlaces(t *testing.T) {
	for _, steps := range []string{
		`steps: [{id: a, call: up.get}, {id: b, call: up.get}, {id: w, call: up.save, args: {n: 1}}, {id: c, call: up.get}, {id: d, call: up.get, args: {x: {expr: a}}}, {id: v, call: up.save, args: {n: 2}}]`,
		`steps: [{call: up.get, id: a}, {call: up.get, id: b}, {args: {n: 1}, call: up.save, id: w}, {call: up.get, id: c}, {args: {x: {expr: a}}, call: up.get, id: d}, {args: {n: 2}, call: up.save, id: v}]`,
	} {
		g := stepsOf(t, steps)
		for seed := range uint64(200) {
			synctest.Test(t, func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 3))
				var mu sync.Mutex
				var order []string
				caller := callerOf(func(c execution.Call) (value.Value, error) {
					mu.Lock()
					order = append(order, "+"+string(c.At()))
					wait := time.Duration(r.IntN(50)) * time.Millisecond
					mu.Unlock()
					time.Sleep(wait)
					mu.Lock()
					defer mu.Unlock()
					order = append(order, "-"+string(c.At()))
					return "x", nil
				})
				if _, err := execution.New(caller).Run(t.Context(), g, decode(t, `{}`), reading); err != nil {
					t.Fatal(err)
				}
				at := func(what string) int { return slices.Index(order, what) }
				for _, above := range []string{"-1.a", "-1.b"} {
					if at(above) > at("+1.w") {
						t.Fatalf("%q", order)
					}
				}
				for _, below := range []string{"+1.c", "+1.d"} {
					if at(below) < at("-1.w") || at("-1"+below[2:]) > at("+1.v") {
						t.Fatalf("%q", order)
					}
				}
			})
		}
	}
}

// W04. What each is over, what it yields, and where it ends.
func TestEachOfSteps(t *testing.T) {
	var calls int
	count := callerFunc(func(_ context.Context, _, tool string, args value.Value) (value.Value, error) {
		calls++
		x, _ := args.(value.Object).Get("x")
		switch {
		case tool == "fail" && x == 2.0:
			return nil, errors.New("two")
		case tool == "nothing":
			return nil, nil
		case x == nil:
			return value.Null, nil
		}
		return x, nil
	})
	call := "call: up.get, args: {x: {expr: $item}}"
	for _, test := range []struct {
		name, steps, want string
		calls             int
	}{
		{"nothing", "{id: a, each: args.none, " + call + "}", "[]", 0},
		{"null", "{id: a, each: \"null\", " + call + "}", "[]", 0},
		{"an empty list", "{id: a, each: \"[]\", " + call + "}", "[]", 0},
		{"one value", "{id: a, each: \"7\", " + call + "}", "[7]", 1},
		{"lists", "{id: a, each: \"[[1],[2]]\", " + call + "}", "[[1],[2]]", 2},
		{"nulls", "{id: a, each: \"[null, 1]\", " + call + "}", "[null,1]", 2},
		{"results that are nothing", "{id: a, each: \"[1, 2]\", call: up.nothing, args: {x: 1}}", "[null,null]", 2},
		{"a list of one stays a list", "{id: a, each: \"7\", " + call + "}\n  - {id: b, expr: a}", "[7]", 1},
		{"skip", "{id: a, each: \"[1, 2, 3]\", call: up.fail, args: {x: {expr: $item}}, onError: skip}", "[1,3]", 3},
		{"skip and nothing else", "{id: a, call: up.fail, args: {x: 2}, onError: skip}\n  - {id: b, expr: '[$exists(a)]'}", "[false]", 1},
		{"key", "{id: a, each: \"['p', 'q']\", key: $item & 'x', " + call + "}", `{"px":"p","qx":"q"}`, 2},
		{"no items with key", "{id: a, each: \"[]\", key: $item, " + call + "}", `{}`, 0},
		{"keys of numbers and booleans", "{id: a, each: \"[1, true]\", key: $item, " + call + "}", `{"1":1,"true":true}`, 2},
		{"skip with key", "{id: a, each: \"[1, 2, 3]\", key: $string($item), call: up.fail, args: {x: {expr: $item}}, onError: skip}", `{"1":1,"3":3}`, 3},
		{"until at once", "{id: a, each: \"[5, 6, 7]\", until: $result = 5, " + call + "}", "[5]", 1},
		{"until later", "{id: a, each: \"[5, 6, 7]\", until: $result = 6, " + call + "}", "[5,6]", 2},
		{"until never", "{id: a, each: \"[5, 6, 7]\", until: $result = 8, " + call + "}", "[5,6,7]", 3},
		{"until is not asked about a skipped item", "{id: a, each: \"[2, 3]\", until: $not($exists($result)), call: up.fail, args: {x: {expr: $item}}, onError: skip}", "[3]", 2},
		{"expr", "{id: a, each: \"[1, 2, 3]\", as: n, expr: $n * 2}", "[2,4,6]", 0},
		{"expr with until", "{id: a, each: \"[1, 2, 3]\", until: $result > 2, expr: $item * 2}", "[2,4]", 0},
		{"an inner item hides the outer", "{id: a, each: \"[1, 2]\", steps: [{id: b, each: \"[8, 9]\", expr: $item}]}", "[[8,9],[8,9]]", 0},
		{"an outer item by its name", "{id: a, each: \"[1, 2]\", as: o, steps: [{id: b, each: \"[8, 9]\", expr: $o}]}", "[[1,1],[2,2]]", 0},
		{"a step that is not run", "{id: a, if: \"[]\", expr: \"1\"}\n  - {id: b, expr: '[a]'}", "[]", 0},
		{"the last step is not run", "{id: a, expr: \"1\"}\n  - {id: b, if: \"false\", expr: \"2\"}", "null", 0},
		{"collected turns", "{id: a, call: up.get, args: {x: {expr: $n}}, repeat: {until: $n = 3, collect: true}}", "[1,2,3]", 3},
		{"the last turn", "{id: a, call: up.get, args: {x: {expr: '[$previous, $n]'}}, repeat: {until: $n = 3, delayMs: 0}}", "[1,2,3]", 3},
		{"turns used up", "{id: a, call: up.get, args: {x: {expr: $n}}, repeat: {until: \"false\", times: 2, collect: true}, onError: {codes: [not-yet], value: {expr: $failure.result}}}", "[1,2]", 2},
		{"a block that fails", "{id: a, steps: [{id: b, call: up.fail, args: {x: 2}}, {id: c, call: up.save}], onError: {value: {expr: $failure.message}}}", `"two"`, 1},
		{"where a block failed", "{id: a, each: \"[1]\", steps: [{id: b, each: \"[2]\", call: up.fail, args: {x: 2}}], onError: {value: {expr: '$failure.node & \" \" & $failure.tool'}}}", `["a.b fail"]`, 1},
		{"where a repeated block failed", "{id: a, repeat: {until: \"true\"}, steps: [{id: b, call: up.fail, args: {x: 2}}], onError: {value: {expr: '$failure.node & \" \" & $failure.tool'}}}", `"a.b fail"`, 1},
		{"no value of onError", "{id: a, call: up.fail, args: {x: 2}, onError: {}}\n  - {id: b, expr: a.error.code}", `"tool-error"`, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			calls = 0
			g := stepsOf(t, "steps:\n  - "+test.steps)
			result, err := execution.New(count).Run(t.Context(), g, decode(t, `{}`), reading, execution.WithSequentialParts())
			if err != nil {
				t.Fatal(err)
			}
			if got := encode(t, orNull(result.Value)); got != test.want || calls != test.calls {
				t.Errorf("%s in %d calls, want %s in %d", got, calls, test.want, test.calls)
			}
		})
	}
	for steps, want := range map[string]string{
		"{id: a, each: \"['x', 'y', 'x']\", key: $item, " + call + "}":                                              `items 0 and 2 have the key "x"`,
		"{id: a, each: \"[{}]\", key: $item, " + call + "}":                                                         "key of item 0 is no text",
		"{id: a, call: up.get, repeat: {until: \"false\", times: 3, delayMs: 0}}":                                   "repeat.until did not hold in 3 turns",
		"{id: a, each: \"[1, 2]\", steps: [{id: b, call: up.fail, args: {x: {expr: $item}}}]}":                      `step "a.b" at a.1.b of tool "tool": two`,
		"{id: a, expr: '$error(\"no files\")'}":                                                                     "no files",
		"{id: a, each: \"[1..3]\", call: up.get, args: {x: {expr: '$error(\"no\")'}}, onError: {codes: [timeout]}}": "no",
	} {
		calls = 0
		_, err := execution.New(count).Run(t.Context(), stepsOf(t, "steps:\n  - "+steps), decode(t, `{}`), reading, execution.WithSequentialParts())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", steps, err, want)
		}
	}
}

// W07. What is too large ends at a named limit, before the calls.
func TestLimitsOfSteps(t *testing.T) {
	var calls atomic.Int64
	size := 0
	count := callerFunc(func(context.Context, string, string, value.Value) (value.Value, error) {
		calls.Add(1)
		return strings.Repeat("x", size), nil
	})
	for steps, want := range map[string]string{
		`steps: [{id: a, each: "[1..1000000]", call: up.get}]`:                                                                                                   `step "a" has 1000000 items and executionLimits.maxNodeExecutions leaves`,
		`steps: [{id: a, each: "[1..400]", steps: [{id: b, call: up.get}, {id: c, call: up.get}]}]`:                                                              `step "a" has 400 items, which take 1200 executions or more,`,
		`steps: [{id: a, steps: [{id: b, call: up.get, repeat: {until: "false", times: 1000, delayMs: 0}}], repeat: {until: "false", times: 1000, delayMs: 0}}]`: "executionLimits.maxNodeExecutions is 1000, and that many nodes have run",
		"executionLimits: {maxHistoryBytes: 65536}\nsteps: [{id: a, each: \"[1..600]\", maxParallel: 64, call: up.get}]":                                         "maxHistoryBytes",
		`steps: [{id: a, expr: '"xxxxxxxxxxxxxxxx"'}, {id: b, expr: '$join([1..10000].($$.a & $$.a & $$.a & $$.a))'}, {id: c, expr: '[1..10000].$$.b'}]`:         "the result has more than 256 MiB as JSON",
	} {
		calls.Store(0)
		size = 1
		if want == "maxHistoryBytes" {
			size = 1 << 10
		}
		_, err := execution.New(count).Run(t.Context(), stepsOf(t, steps), decode(t, `{}`), reading)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", steps, err, want)
		}
		if strings.Contains(want, " items") && calls.Load() > 0 {
			t.Errorf("%s: %d calls", steps, calls.Load())
		}
	}
}

// Of items that end with until, only the first has to be within the limits when they begin.
func TestLimitsOfItemsUntil(t *testing.T) {
	var calls atomic.Int64
	count := callerFunc(func(context.Context, string, string, value.Value) (value.Value, error) {
		calls.Add(1)
		return true, nil
	})
	for limit, want := range map[string]string{
		"maxCalls: 2, maxNodeExecutions: 10":  "",
		"maxCalls: 1, maxNodeExecutions: 10":  `executionLimits.maxCalls leaves 0 of 1`,
		"maxCalls: 20, maxNodeExecutions: 12": "",
		"maxCalls: 20, maxNodeExecutions: 4":  `step "b" has 1000 items and executionLimits.maxNodeExecutions leaves 0 of 4`,
	} {
		calls.Store(0)
		_, err := execution.New(count).Run(t.Context(), stepsOf(t, "executionLimits: {"+limit+"}\n"+
			`steps: [{id: a, call: up.get}, {id: b, each: "[1..1000]", until: $index = 0, call: up.get, after: [a]}]`), decode(t, `{}`), reading)
		switch {
		case want == "" && (err != nil || calls.Load() != 2):
			t.Errorf("%s: %d calls, %v", limit, calls.Load(), err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", limit, err, want)
		}
	}
}

// A failure ends the calls in flight of its block and starts no others; a write that has not started never is.
func TestFailureOfSteps(t *testing.T) {
	g := stepsOf(t, `steps: [{id: a, call: up.slow}, {id: b, call: up.fail}, {id: w, call: up.save}]`)
	ended := make(chan struct{})
	var wrote, cancelled bool
	caller := callerFunc(func(ctx context.Context, _, tool string, _ value.Value) (value.Value, error) {
		switch tool {
		case "slow":
			defer close(ended)
			<-ctx.Done()
			cancelled = true
			return nil, ctx.Err()
		case "save":
			wrote = true
		}
		return nil, fmt.Errorf("%s failed", tool)
	})
	_, err := execution.New(caller).Run(t.Context(), g, decode(t, `{}`), reading)
	<-ended
	if err == nil || !strings.Contains(err.Error(), `step "b" of tool "tool": fail failed`) || !cancelled || wrote {
		t.Errorf("%v, cancelled: %t, wrote: %t", err, cancelled, wrote)
	}
}
