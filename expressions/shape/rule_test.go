package shape

import (
	"fmt"
	"testing"

	"toolgraph/expressions"
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
		{`{">": [{"var": "sum.n"}, 3]}`, "maybe", nil},
		{`{"var": "list.entries.0.nmae"}`, "maybe", nil}, // with an index it is JSON Logic's own path
		{`{"some": [{"var": "list.entries"}, {"==": [{"var": "titel"}, "a"]}]}`, "maybe", nil},
		{`{"some": [{"var": "list.entries"}, {"==": [{"var": "$ctx.list.entires"}, "a"]}]}`, "maybe", []string{"[some 1 == 0 var] 10-17 unknown-field"}},
		{`{"some": [{"var": "list.entries"}, {"var": "$x"}]}`, "maybe", []string{"[some 1 var] 0-2 unbound-variable"}},
		{`{"==": [{"var": "$executionCount('smu')"}, 1]}`, "maybe", []string{"[== 0 var] 16-21 unknown-name"}},
		{`{"var": "$.text + 1"}`, "maybe", []string{"[var] 0-6 wrong-operand"}},
	} {
		rule, err := expressions.CompileRule(t.Context(), expressions.Plain(mustDecode(t, c.rule)))
		if err != nil {
			t.Fatalf("%s: %v", c.rule, err)
		}
		got, findings := InferRule(t.Context(), rule, tableEnv())
		if holds := map[Presence]string{Always: "always", Never: "never", Maybe: "maybe"}[got.Holds]; holds != c.holds {
			t.Errorf("%s holds %s, want %s", c.rule, holds, c.holds)
		}
		var told []string
		for _, f := range findings {
			told = append(told, fmt.Sprintf("%v %d-%d %s", f.Path, f.Offset, f.End, f.Code))
		}
		if fmt.Sprint(told) != fmt.Sprint(c.findings) {
			t.Errorf("%s has %v, want %v", c.rule, told, c.findings)
		}
	}
}
