package jsonata

import (
	"context"
	"testing"

	"toolgraph/expressions/value"
)

// countingHistory counts how it is asked.
type countingHistory struct {
	outputs

	single, all int
}

func (h *countingHistory) Execution(id string, i int) (value.Value, bool) {
	h.single++
	return h.outputs.Execution(id, i)
}

func (h *countingHistory) Executions(id string) []value.Value {
	h.all++
	return h.outputs.Executions(id)
}

// TestNodeExecutionLooksOnce holds that a look at one execution asks for one only,
// however long the history is, and that other expressions ask for none.
func TestNodeExecutionLooksOnce(t *testing.T) {
	h := &countingHistory{}
	for i := range 50_000 {
		h.add("x", float64(i))
	}
	scope := NewScope(map[string]any{"x": 1.0}, h)
	for _, c := range []struct {
		source      string
		single, all int
	}{{`$nodeExecution("x", -1)`, 1, 0}, {`x + 1`, 0, 0}, {`$executionCount("x")`, 0, 0}, {`$count($nodeExecutions("x"))`, 0, 1}} {
		h.single, h.all = 0, 0
		if _, err := mustCompile(t, c.source).Eval(context.Background(), scope); err != nil {
			t.Fatal(err)
		}
		if h.single != c.single || h.all != c.all {
			t.Errorf("%s asks for one %d times and for all %d times", c.source, h.single, h.all)
		}
	}
}
