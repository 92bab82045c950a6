package jsonlogic

import (
	"fmt"
	"slices"
	"testing"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

func describe(refs []Reference) []string {
	var lines []string
	for _, r := range refs {
		where := ""
		if r.Body {
			where = " of the element"
		}
		lines = append(lines, fmt.Sprintf("%v at %d in %v%s", r.Path, r.Offset, r.Var, where))
	}
	slices.Sort(lines)
	return lines
}

func TestReferences(t *testing.T) {
	for _, c := range []struct {
		rule string
		want []string
	}{
		{`{"==":[{"var":"entry.a"},{"var":["$.list.total",0]}]}`, []string{
			"[entry a] at 0 in [== 0 var]",
			"[list total] at 2 in [== 1 var 0]",
		}},
		{`{"some":[{"var":"list.items"},{">":[{"var":"size"},{"var":"$ctx.entry.limit"}]}]}`, []string{
			"[entry limit] at 5 in [some 1 > 1 var]",
			"[list items] at 0 in [some 0 var]",
			"[size] at 0 in [some 1 > 0 var] of the element",
		}},
		{`{"missing":["entry.a",["x"]]}`, []string{"[entry a] at 0 in [missing 0]", "[x] at 0 in [missing 1 0]"}},
		{`{"missing_some":[1,["entry.a"]]}`, []string{"[entry a] at 0 in [missing_some 1 0]"}},
		{`{"missing":{"merge":["a",{"if":[{"var":"b"},["c.d"],[]]}]}}`, []string{
			"[a] at 0 in [missing merge 0]",
			"[b] at 0 in [missing merge 1 if 0 var]",
			"[c d] at 0 in [missing merge 1 if 1 0]",
		}},
		{`{"var":{"if":[{"var":"a"},"b","c.0.d"]}}`, []string{
			"[a] at 0 in [var if 0 var]", "[b] at 0 in [var if 1]", "[c] at 0 in [var if 2]",
		}},
		{`{"var":["a",{"var":"b"}]}`, []string{"[a] at 0 in [var 0]", "[b] at 0 in [var 1 var]"}},
		{`{"==":[1,{"var":""}]}`, nil},
	} {
		if got := describe(compiled(t, c.rule).References()); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.rule, got, c.want)
		}
	}
}

func TestReferencesOfAnExpressionInABody(t *testing.T) {
	refs := compiled(t, `{"map":[[1],{"var":"x[n > $ctx.entry.limit].m"}]}`).References()
	outer := 0
	for _, r := range refs {
		if r.Path[0] != "entry" {
			continue
		}
		if outer++; r.Body || r.Offset != len("x[n > $ctx.") {
			t.Errorf("entry: %+v", r)
		}
	}
	if outer != 1 {
		t.Errorf("%d references to entry: %+v", outer, refs)
	}
}

// pastRuns is a history in which every node has finished twice.
type pastRuns struct{}

func (pastRuns) Previous(n int) (value.Value, bool)             { return float64(n), true }
func (pastRuns) Count(string) int                               { return 2 }
func (pastRuns) Execution(id string, i int) (value.Value, bool) { return id, i < 2 }
func (pastRuns) Executions(id string) []value.Value             { return []value.Value{id, id} }

func TestHistoryFunctionsInVars(t *testing.T) {
	scope := jsonata.NewScope(map[string]any{"l": []any{1.0, 2.0}}, pastRuns{})
	for _, rule := range []string{
		`{"==":[{"var":"$executionCount('x')"},2]}`,
		`{"all":[{"var":"l"},{"<=":[{"var":""},{"var":"$executionCount('x')"}]}]}`,
		`{"some":[{"var":"$nodeExecutions('x')"},{"==":[{"var":""},"x"]}]}`,
		`{"==":[{"var":["$nodeExecution('x', 7)","gone"]},"gone"]}`,
		`{"==":[{"var":"$previousNode(3)"},3]}`,
	} {
		r := compiled(t, rule)
		if _, constant := r.Constant(); constant {
			t.Errorf("%s: constant", rule)
		}
		if ok, err := r.Holds(t.Context(), scope); !ok || err != nil {
			t.Errorf("%s: %v %v", rule, ok, err)
		}
	}
}
