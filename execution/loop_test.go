package execution_test

import (
	"testing"

	"toolgraph/execution"
	"toolgraph/internal/base/cost"
)

// addingLoop is the loop of the benchmarks: two steps a number, a transform that reads the history and a switch.
const addingLoop = `
executionLimits: {maxNodeExecutions: 100000, maxExecutionTimeMs: 600000}
tools:
  - name: sum
    description: Adds up 1 to n, two steps a number.
    inputSchema: {type: object, properties: {n: {type: number}, k: {type: number}}, required: [n, k]}
    nodes:
      - {id: entry, type: entry, next: add}
      - id: add
        type: transform
        transform:
          expr: |
            $executionCount("add") = 0
              ? {"i": 1, "sum": 1}
              : {
                  "i": $nodeExecution("add", -1).i + 1,
                  "sum": $nodeExecution("add", -1).sum + $nodeExecution("add", -1).i + 1
                }
        next: more
      - id: more
        type: switch
        conditions:
          - rule: {"<": [{var: $.add.i}, {var: $.entry.n}]}
            next: add
          - next: result
      - id: result
        type: transform
        transform: {expr: '{"sum": $.add.sum, "k": $.entry.k}'}
        next: exit
      - {id: exit, type: exit}
`

// A step allocates its record, and the value that it makes: an object of two numbers, or the name of a node.
func TestLoopAllocatesItsHistory(t *testing.T) {
	g, args := build(t, addingLoop), decode(t, `{"n": 2000, "k": 1}`)
	engine := execution.New(nil)
	run := func() {
		result, err := engine.Run(t.Context(), g, args)
		if got := encode(t, result.Value); err != nil || got != `{"sum":2001000,"k":1}` {
			t.Fatal(got, err)
		}
	}
	run()
	used := cost.Of(run)
	for range 4 {
		again := cost.Of(run)
		used = cost.Cost{Bytes: min(used.Bytes, again.Bytes), Objects: min(used.Objects, again.Objects)}
	}
	const steps = 4000
	if used.Objects > 4*steps || used.Bytes > 500*steps {
		t.Errorf("a step allocates %d bytes in %.1f objects, want at most 500 in 4", used.Bytes/steps, float64(used.Objects)/steps)
	}
}

func BenchmarkLoop4000(b *testing.B) {
	g, args := build(b, addingLoop), decode(b, `{"n": 2000, "k": 1}`)
	engine := execution.New(nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := engine.Run(b.Context(), g, args); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4000, "ns/step")
}
