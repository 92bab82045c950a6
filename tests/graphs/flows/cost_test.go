package flows

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/cost"
)

// eachStep is each as a step, and eachBlock eachGraph with a block of a step in place of the graph.
const (
	eachStep = `
- name: each
  description: a call for each item
  steps:
  - {id: all, each: args.items, maxParallel: 64, call: up.wait, args: {n: {expr: $item}}}
`
	eachBlock = `
- name: each
  description: a block for each item
  steps:
  - {id: all, each: args.items, maxParallel: 64, steps: [{id: call, call: up.wait, args: {n: {expr: $item}}}]}
`
)

// forms are the ways to make a call for each item.
var forms = map[string]string{"calls": each, "graphs": eachGraph, "steps": eachStep, "blocks": eachBlock}

// Twice the items cost twice the memory, while the run lives and after it.
func TestF05Memory(t *testing.T) {
	for name, tools := range forms {
		t.Run(name, func(t *testing.T) {
			g := build(t, "{maxNodeExecutions: 1000000}", tools)
			answers := execution.CallerFunc(func(_ context.Context, c execution.Call) (value.Value, error) { return c.Args, nil })
			run := func(n int) *execution.Result {
				result, err := execution.New(answers).Run(t.Context(), g, numbers(n))
				if err != nil {
					t.Fatal(err)
				}
				return result
			}
			cost.Linear(t, 2000, func(n int) func() { return func() { run(n) } })

			held := func(n int) float64 {
				before := heap()
				result := run(n)
				after := heap()
				runtime.KeepAlive(result)
				return (after - before) / float64(len(result.History()))
			}
			const most = 1200 // bytes of a record with its value; the record itself has about 400
			if small, large := held(2000), held(8000); large > most || large > 1.5*small+100 {
				t.Errorf("a finished run of 8,000 items holds %.0f bytes a record, one of 2,000 %.0f; want at most %d and as many", large, small, most)
			}
		})
	}
}

// heap is what is reachable now, in bytes.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// The items of a step cost what those of a forEach do, and a block what the frame of a graph does: so they take as long
// beside their waits, which make bench measures.
func TestF05Cost(t *testing.T) {
	const items = 2000
	answers := execution.CallerFunc(func(_ context.Context, c execution.Call) (value.Value, error) { return c.Args, nil })
	objects := func(tools string) float64 {
		g := build(t, "{maxNodeExecutions: 1000000}", tools)
		run := func(n int) func() {
			args := numbers(n)
			return func() {
				if _, err := execution.New(answers).Run(t.Context(), g, args); err != nil {
					t.Fatal(err)
				}
			}
		}
		run(10)()
		return float64(cost.Of(run(items)).Objects) / items
	}
	for _, c := range []struct{ of, like string }{{eachStep, each}, {eachBlock, eachGraph}} {
		if own, like := objects(c.of), objects(c.like); own > 1.2*like {
			t.Errorf("%.1f allocations an item, want at most 1.2 × %.1f, as in\n%s\nof\n%s", own, like, c.like, c.of)
		}
	}
}

// While 64 calls are in flight, each has a goroutine, and one of a block a second one, which waits for it.
func TestF05Goroutines(t *testing.T) {
	const calls = 64
	for name, tools := range forms {
		t.Run(name, func(t *testing.T) {
			g := build(t, "{maxNodeExecutions: 1000000}", tools)
			var begun, running atomic.Int64
			all := make(chan struct{})
			base := runtime.NumGoroutine()
			answers := execution.CallerFunc(func(_ context.Context, c execution.Call) (value.Value, error) {
				if begun.Add(1) == calls {
					running.Store(int64(runtime.NumGoroutine() - base))
					close(all)
				}
				<-all
				return c.Args, nil
			})
			if _, err := execution.New(answers).Run(t.Context(), g, numbers(2*calls)); err != nil {
				t.Fatal(err)
			}
			most := map[string]int64{"blocks": 2 * calls}[name]
			if n := running.Load(); n > max(most, calls)+4 {
				t.Errorf("%d goroutines for %d calls in flight", n, calls)
			}
		})
	}
}
