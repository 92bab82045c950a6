package jsonata

import (
	"context"
	"errors"
	"testing"

	"toolgraph/expressions/value"
)

// outputs is a History made of lists of outputs, one per node, and their sequence.
type outputs struct {
	sequence []value.Value
	byNode   map[string][]value.Value
}

func (o *outputs) add(id string, v value.Value) {
	o.sequence = append(o.sequence, v)
	if o.byNode == nil {
		o.byNode = map[string][]value.Value{}
	}
	o.byNode[id] = append(o.byNode[id], v)
}

func (o *outputs) Previous(n int) (value.Value, bool) {
	if n < 1 || n > len(o.sequence) {
		return nil, false
	}
	return o.sequence[len(o.sequence)-n], true
}

func (o *outputs) Count(id string) int { return len(o.byNode[id]) }

func (o *outputs) Execution(id string, i int) (value.Value, bool) {
	all := o.byNode[id]
	if i < 0 {
		i += len(all)
	}
	if i < 0 || i >= len(all) {
		return nil, false
	}
	return all[i], true
}

func (o *outputs) Executions(id string) []value.Value { return o.byNode[id] }

// contextOf is a run's context: a plain map of decoded outputs.
func contextOf(t testing.TB, text string) map[string]any {
	t.Helper()
	object := mustDecode(t, text).(value.Object)
	m := map[string]any{}
	for _, key := range object.Keys() {
		m[key], _ = object.Get(key)
	}
	return m
}

func mustCompile(t testing.TB, source string) *Expression {
	t.Helper()
	e, err := Compile(t.Context(), source)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return e
}

// evalText is the value of source over the scope as JSON, "undefined" for nothing,
// or "error CODE".
func evalText(t testing.TB, source string, scope *Scope) string {
	t.Helper()
	v, err := mustCompile(t, source).Eval(context.Background(), scope)
	var eval *Error
	if errors.As(err, &eval) {
		return "error " + eval.Code
	}
	if err != nil {
		t.Fatalf("%s: %v is no *EvalError", source, err)
	}
	if v == nil {
		return "undefined"
	}
	return mustEncode(t, v)
}

func TestHistoryFunctions(t *testing.T) {
	h := &outputs{}
	h.add("entry", mustDecode(t, `{"n":3}`))
	h.add("loop", 1.0)
	h.add("loop", 2.0)
	h.add("nothing", nil)
	scope := NewScope(contextOf(t, `{"entry":{"n":3},"loop":2}`), h)
	for source, want := range map[string]string{
		`$previousNode()`:                                         `undefined`,
		`$exists($previousNode())`:                                `false`,
		`$executionCount("nothing")`:                              `1`,
		`$nodeExecution("nothing",0)`:                             `undefined`,
		`$nodeExecution("nothing",-1) ?? "none"`:                  `"none"`,
		`$previousNode(2)`:                                        `2`,
		`$previousNode(4).n`:                                      `3`,
		`$previousNode(5)`:                                        `undefined`,
		`$previousNode(0)`:                                        `undefined`,
		`$executionCount("loop")`:                                 `2`,
		`$executionCount("none")`:                                 `0`,
		`$executionCount(missing)`:                                `0`,
		`$nodeExecutions(missing)`:                                `[]`,
		`$nodeExecution(missing,0)`:                               `undefined`,
		`$nodeExecution("loop",missing)`:                          `undefined`,
		`$previousNode(missing) ?? "none"`:                        `"none"`,
		`$executionCount(missing) = 0`:                            `true`,
		`$nodeExecution("loop",0)`:                                `1`,
		`$nodeExecution("loop",-1)`:                               `2`,
		`$nodeExecution("loop",2)`:                                `undefined`,
		`$nodeExecution("loop",-3)`:                               `undefined`,
		`$nodeExecution("none",0)`:                                `undefined`,
		`$nodeExecutions("loop")`:                                 `[1,2]`,
		`$nodeExecutions("none")`:                                 `[]`,
		`$nodeExecutions("entry")`:                                `[{"n":3}]`,
		`$sum($nodeExecutions("loop"))`:                           `3`,
		`$executionCount(1)`:                                      `error T0410`,
		`$nodeExecution("loop",1.5)`:                              `error T0410`,
		`$nodeExecution("loop")`:                                  `error T0410`,
		`$previousNode("x")`:                                      `error T0410`,
		`["loop"].$executionCount($)`:                             `2`,
		`$map(["loop","none"], $executionCount)`:                  `[2,0]`,
		`$nodeExecution("loop", $executionCount("loop") - 1) + 1`: `3`,
	} {
		if got := evalText(t, source, scope); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
	if got := evalText(t, `$executionCount("x")`, NewScope(nil, nil)); got != "0" {
		t.Errorf("without a history: %s", got)
	}
}
