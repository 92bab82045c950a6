package shape

import (
	"fmt"
	"testing"

	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
)

func TestInferRule(t *testing.T) {
	for _, c := range []struct {
		rule, holds string
		findings    []string
	}{
		{`true`, "always", nil},
		{`false`, "never", nil},
		{`{"==": [1, 1]}`, "always", nil},
		{`{"==": [{"var": "$.entry.mode"}, "fast"]}`, "maybe", nil},
		{`{"var": "entry.direktory"}`, "maybe", []string{"[var] 6-15 undeclared-field"}},
		{`{"and": [{"var": "list.entires"}, true]}`, "maybe", []string{"[and 0 var] 5-12 unknown-field"}},
		{`{"<": [{"var": "$count($.list.entires)"}, 3]}`, "maybe", []string{"[< 0 var] 14-21 unknown-field"}},
		{`{"var": ["nobody.x", 1]}`, "maybe", []string{"[var 0] 0-6 unknown-name"}},
		{`{"var": "later.n"}`, "maybe", []string{"[var] 0-5 never-ran"}},
		{`{">": [{"var": "sum.n"}, 3]}`, "maybe", []string{"[> 0 var] 0-3 may-be-missing"}},
		{`{">": [{"var": ["$.sum.n"]}, 3]}`, "maybe", []string{"[> 0 var 0] 2-5 may-be-missing"}},
		{`{">": [{"var": ["sum.n", 0]}, 3]}`, "maybe", nil},
		{`{"==": [{"var": "sum.n"}, 3]}`, "maybe", nil},
		{`{"and": [{"!!": {"var": "sum"}}, {">": [{"var": "sum.n"}, 3]}]}`, "maybe", nil},
		{`{"var": "list.entries.0.nmae"}`, "maybe", nil}, // with an index it is JSON Logic's own path
		{`{"some": [{"var": "list.entries"}, {"==": [{"var": "titel"}, "a"]}]}`, "maybe", []string{"[some 1 == 0 var] 0-5 unknown-field"}},
		{`{"all": [{"var": "list.entries"}, {">": [{"var": "$.size"}, {"var": "num"}]}]}`, "maybe", []string{"[all 1 > 1 var] 0-3 unknown-field"}},
		{`{"none": [{"var": "$.list.entries"}, {"var": "tags"}]}`, "maybe", nil},
		{`{"filter": [{"var": ["list.entries", []]}, {"var": ["typ", "file"]}]}`, "maybe", []string{"[filter 1 var 0] 0-3 unknown-field"}},
		{`{"map": [{"filter": [{"var": "list.entries"}, {"var": "size"}]}, {"var": "tag"}]}`, "maybe", []string{"[map 1 var] 0-3 unknown-field"}},
		{`{"some": [{"map": [{"var": "list.entries"}, {"var": "type"}]}, {"var": "type"}]}`, "maybe", []string{"[some 1 var] 0-4 no-fields"}},
		{`{"some": [{"merge": [{"var": "list.entries"}, {"var": "list.entries"}]}, {"var": "typ"}]}`, "maybe", []string{"[some 1 var] 0-3 unknown-field"}},
		{`{"some": [{"if": [{"var": "text"}, {"var": "list.entries"}, []]}, {"var": "typ"}]}`, "maybe", []string{"[some 1 var] 0-3 unknown-field"}},
		{`{"some": [{"if": [{"var": "text"}, {"var": "list.entries"}, {"var": "any"}]}, {"var": "typ"}]}`, "maybe", nil},
		{`{"some": [{"var": "any"}, {"var": "typ"}]}`, "maybe", nil},
		{`{"some": [{"var": "list.entries"}, {"some": [{"var": "tags"}, {"==": [{"var": "name"}, 1]}]}]}`, "maybe", []string{"[some 1 some 1 == 0 var] 0-4 no-fields"}},
		{`{"some": [{"var": "list.entries"}, {"var": {"if": [{"var": "size"}, "typ", "name"]}}]}`, "maybe", []string{"[some 1 var if 1] 0-3 unknown-field"}},
		{`{"some": [{"var": "list.entries"}, {"==": [{"var": ""}, 1]}]}`, "maybe", nil},
		{`{"some": [[{"var": "entry"}], {"var": "shade"}]}`, "maybe", nil}, // declared, and it is asked whether it is there
		{`{"some": [[{"var": "entry"}], {">": [{"var": "shade"}, 1]}]}`, "maybe", []string{"[some 1 > 0 var] 0-5 undeclared-field"}},
		{`{"some": [[{"var": "entry"}], {">": [{"var": ["shade", 0]}, 1]}]}`, "maybe", nil},
		{`{"some": [[{"var": "entry"}], {"!=": [{"var": "shade"}, null]}]}`, "maybe", nil},
		{`{"some": [[], {"var": "typ"}]}`, "never", nil},
		{`{"reduce": [{"var": "list.entries"}, {"+": [{"var": "acumulator"}, {"var": "current.size"}]}, 0]}`, "maybe", []string{"[reduce 1 + 0 var] 0-10 unknown-field"}},
		{`{"reduce": [{"var": "list.entries"}, {"+": [{"var": "accumulator"}, {"var": "current.seize"}]}, 0]}`, "maybe", []string{"[reduce 1 + 1 var] 8-13 unknown-field"}},
		{`{"reduce": [{"var": "list.entries"}, {"merge": [{"var": "accumulator"}, {"var": "current.tags"}]}, []]}`, "maybe", nil},
		{`{"reduce": [{"var": "list.entries"}, {"var": "current"}]}`, "maybe", nil},
		{`{"some": [{"var": "list.entries"}, {"missing": ["typ"]}]}`, "maybe", nil}, // that is what it asks
		{`{"some": [{"var": "list.entries"}, {"==": [{"var": "$ctx.list.entires"}, "a"]}]}`, "maybe", []string{"[some 1 == 0 var] 10-17 unknown-field"}},
		{`{"some": [{"var": "list.entries"}, {"var": "$x"}]}`, "maybe", []string{"[some 1 var] 0-2 unbound-variable"}},
		{`{"==": [{"var": "$executionCount('smu')"}, 1]}`, "maybe", []string{"[== 0 var] 16-21 unknown-name"}},
		{`{"var": "$.text + 1"}`, "maybe", []string{"[var] 0-6 wrong-operand"}},
	} {
		rule, err := jsonlogic.Compile(t.Context(), value.Plain(mustDecode(t, c.rule)))
		if err != nil {
			t.Fatalf("%s: %v", c.rule, err)
		}
		findings := InferRule(t.Context(), rule, value.Plain(mustDecode(t, c.rule)), tableEnv())
		holds := "maybe"
		if always, constant := rule.Constant(); constant {
			holds = map[bool]string{true: "always", false: "never"}[always]
		}
		if holds != c.holds {
			t.Errorf("%s holds %s, want %s", c.rule, holds, c.holds)
		}
		var got []string
		for _, f := range findings {
			got = append(got, fmt.Sprintf("%v %d-%d %s", f.Path, f.Offset, f.End, f.Code))
		}
		if fmt.Sprint(got) != fmt.Sprint(c.findings) {
			t.Errorf("%s has %v, want %v", c.rule, got, c.findings)
		}
	}
}
