package mcpgraph

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/graph"
)

// allRules are the names of all rules.
func allRules() []string {
	found := map[string]bool{listsHold: true, conditionNoRule: true, defaults: true, contentRule: true}
	for _, r := range ofAnswers {
		found[r.name] = true
	}
	for _, forms := range grammar {
		for _, f := range forms {
			if f.rule != "" {
				found[f.rule] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// enough checks that the graphs reach what they are for, and that each difference is still there.
func (sum *tally) enough(t *testing.T, old bool) {
	t.Helper()
	seen := map[string]bool{}
	for rules := range sum.rules {
		for rule := range strings.SplitSeq(rules, "+") {
			seen[rule] = true
		}
	}
	for _, rule := range allRules() {
		if !seen[rule] && (!old || rule != conditionNoRule) {
			t.Errorf("no difference by %s came up; remove the rule and its row in docs/coming-from.md, or write more such graphs", rule)
		}
	}
	for _, r := range reasons {
		if sum.failures[r.name] < 5 {
			t.Errorf("%d graphs failed in both programs because of a %s, want 5", sum.failures[r.name], r.name)
		}
	}
	if sum.equal < defaultCount/2 {
		t.Errorf("%d of %d graphs are equal as they are written, want half", sum.equal, defaultCount)
	}
}

func TestEachRuleHasARow(t *testing.T) {
	page, err := os.ReadFile("../../docs/coming-from.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range allRules() {
		if !strings.Contains(string(page), "\n| `"+rule+"` |") {
			t.Errorf("docs/coming-from.md has no row for `%s`; add one that begins with the name", rule)
		}
	}
}

// The same seed makes the same graphs, which load in all their readings.
func TestGraphsLoad(t *testing.T) {
	for _, old := range []bool{false, true} {
		f := file{old: old, limit: 10, server: "server"}
		var tools []tool
		for i := range uint64(100) {
			s := makeSample(defaultSeed, i, old)
			plain := tool{name: s.name(), of: s}
			again := makeSample(defaultSeed, i, old)
			if f.tool(plain) != f.tool(tool{name: s.name(), of: again}) || s.arguments != again.arguments {
				t.Fatalf("graph %d differs from itself", i)
			}
			readings := plain.readings()
			tools = append(tools, plain)
			if len(readings) > 0 {
				tools = append(tools, readings[len(readings)-1])
			}
		}
		parsed, err := config.Parse("graph.yaml", []byte(f.write(tools)), config.Options{})
		if err != nil {
			t.Fatal(err)
		}
		graphs, found, err := graph.Build(t.Context(), parsed)
		if err != nil || found.Err() != nil || len(graphs) != len(tools) {
			t.Errorf("%d of %d graphs load: %v %v", len(graphs), len(tools), err, found.Err())
		}
	}
}
