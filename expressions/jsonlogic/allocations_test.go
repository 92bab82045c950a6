package jsonlogic

import (
	"testing"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// A rule that makes no values allocates nothing, nor does its body for each item.
func TestRulesAllocateNothing(t *testing.T) {
	items := make([]any, 1000)
	for i := range items {
		items[i] = value.NewObject([]string{"size"}, []value.Value{float64(i)})
	}
	scope := jsonata.NewScope(map[string]any{"n": 5.0, "most": 7.0, "mode": "fast", "items": items}, nil)
	for source, most := range map[string]float64{
		`{"<": [{"var": "n"}, {"var": "most"}]}`: 0,
		`{">=": [{"var": "n"}, 3]}`:              0,
		`{"and": [{"==": [{"var": "mode"}, "fast"]}, {"!": [{"==": [{"var": "n"}, 6]}]}]}`:                         0,
		`{"some": [{"var": "items"}, {">": [{"var": "size"}, 5000]}]}`:                                             2,
		`{"all": [{"var": "items"}, {"and": [{"<=": [0, {"var": "size"}]}, {"!==": [{"var": "size"}, "text"]}]}]}`: 2,
	} {
		r := compiled(t, source)
		if got := testing.AllocsPerRun(100, func() { _, _ = r.Holds(t.Context(), scope) }); got > most {
			t.Errorf("%s allocates %v objects, want at most %v", source, got, most)
		}
	}
}

// Rules within each other, and one that fails in the middle of its operators, leave nothing to the next one.
func TestRunsShareNothing(t *testing.T) {
	scope := jsonata.NewScope(map[string]any{"n": 5.0, "list": []any{1.0, 2.0, 3.0}}, nil)
	failing := compiled(t, `{"+": [1, {"*": [2, {"var": "$error(\"stop\")"}]}]}`)
	adding := compiled(t, `{"+": [{"var": "n"}, {"*": [{"var": "n"}, {"+": [1, {"-": [{"var": "n"}, 2]}]}]}, {"reduce": [{"var": "list"}, {"+": [{"var": "current"}, {"*": [1, {"var": "accumulator"}]}]}, 0]}]}`)
	for range 100 {
		if _, err := failing.Eval(t.Context(), scope); err == nil {
			t.Fatal("the rule does not fail")
		}
		if v, err := adding.Eval(t.Context(), scope); v != 31.0 || err != nil {
			t.Fatal(v, err)
		}
	}
	run := newRuleRun(t.Context(), scope, &ruleLimits)
	args := run.stack.Reserve(1)[:1]
	args[0], run.odd = "argument", true
	run.end()
	if run.scope != nil || run.odd || args[0] != nil {
		t.Errorf("it still refers to %v, %v", run.scope, args)
	}
}
