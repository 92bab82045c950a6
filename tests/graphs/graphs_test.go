package graphs

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The graphs that are run: 3,600 of this seed.
const (
	defaultSeed  = 20250601
	defaultCount = 3600
	// mostShrunk is how many differences are made small; the rest are counted.
	mostShrunk = 600
)

func fromEnv(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%s: %v", name, text, err)
	}
	return n
}

// tally is what a whole run of the test came to.
type tally struct {
	equal, limits, errors, large, refused int
	steps                                 map[string]int // by node type
	kinds                                 map[string]int
	open                                  []difference
}

func TestRandomGraphs(t *testing.T) {
	r := startReference(t)
	seed, count := fromEnv(t, "GRAPHS_SEED", defaultSeed), fromEnv(t, "GRAPHS_COUNT", defaultCount)
	sum := tally{steps: map[string]int{}, kinds: map[string]int{}}
	for i := range count {
		sum.add(t, r, seed, i)
	}
	t.Logf("%d graphs of seed %d: %d equal, %d of them ended by an error and %d by maxNodeExecutions; %d too large, %d refused by both; executions %v; meant differences %v",
		count, seed, sum.equal, sum.errors, sum.limits, sum.large, sum.refused, sum.steps, sum.kinds)
	sum.report(t)
	if seed == defaultSeed && count == defaultCount {
		sum.enough(t)
	}
}

// add runs one graph here and in the reference.
func (sum *tally) add(t *testing.T, r *reference, seed, i uint64) {
	t.Helper()
	c := &comparer{ctx: t.Context(), r: r, index: i, s: makeSample(seed, i)}
	theirs := r.run(c.s)
	if theirs.Failed == "size" {
		sum.large++
		return
	}
	g, err := build(t.Context(), c.s)
	switch {
	case err != nil && theirs.Failed == "build":
		sum.refused++
	case err != nil:
		c.noted("", "the graph does not build: "+err.Error(), answer{Error: "build"}, answer{})
	default:
		ours, err := runHere(t.Context(), g, c.s)
		if err != nil {
			t.Fatalf("graph %d: %v", i, err)
		}
		c.compare(ours, theirs)
	}
	for _, s := range theirs.Steps {
		sum.steps[c.byID(s.Node).Type]++
	}
	switch {
	case len(c.found) > 0:
	case theirs.Failed == "limit":
		sum.limits++
	case theirs.Failed == "error":
		sum.errors++
	}
	if len(c.found) == 0 {
		sum.equal++
	}
	for _, d := range c.found {
		if d.kind != "" {
			sum.kinds[d.kind]++
			continue
		}
		if d.pair != nil && len(sum.open) < mostShrunk {
			c.shrink(&d)
		}
		sum.open = append(sum.open, d)
	}
}

// enough checks that the graphs reach what they are for, and that each kind of
// difference is still there and has its row.
func (sum *tally) enough(t *testing.T) {
	t.Helper()
	page, err := os.ReadFile("../../docs/expressions.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		if sum.kinds[k.name] == 0 {
			t.Errorf("no difference of the kind %s came up; remove it from kinds_test.go and from docs/expressions.md", k.name)
		}
		if !strings.Contains(string(page), "| `"+k.name+"` |") {
			t.Errorf("docs/expressions.md has no row for `%s`; add one that begins with the name", k.name)
		}
	}
	for _, kind := range []string{"entry", "transform", "mcp", "switch", "exit"} {
		if sum.steps[kind] < 1000 {
			t.Errorf("%d executions of %s nodes, want 1,000", sum.steps[kind], kind)
		}
	}
	if sum.limits < 30 || sum.errors > defaultCount/4 {
		t.Errorf("%d runs reached the limit, want 30; %d failed, want at most a quarter", sum.limits, sum.errors)
	}
}

// report logs the open differences, the smallest first, each once.
func (sum *tally) report(t *testing.T) {
	t.Helper()
	size := func(d difference) int {
		if d.pair == nil {
			return 1 << 20
		}
		return len(d.pair.key()) + sizeOf(d.pair.records)
	}
	slices.SortStableFunc(sum.open, func(a, b difference) int { return cmp.Compare(size(a), size(b)) })
	var b strings.Builder
	seen := map[string]int{}
	for _, d := range sum.open {
		text := d.String()
		if seen[text]++; seen[text] == 1 {
			fmt.Fprintf(&b, "%s  graph   %d\n\n", text, d.sample)
		}
	}
	fmt.Fprintf(&b, "%d differences of no meant kind, %d of them distinct\n", len(sum.open), len(seen))
	if name := os.Getenv("GRAPHS_REPORT"); name != "" {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
	if len(sum.open) > 0 {
		t.Errorf("\n%s", b.String())
	}
}

func (d difference) String() string {
	var b strings.Builder
	if d.pair == nil {
		fmt.Fprintf(&b, "%s: %s\n", d.node, d.note)
	} else {
		what := "expr"
		if d.pair.isRule {
			what = "rule"
		}
		fmt.Fprintf(&b, "%s    %s\n", what, d.pair.key())
		for _, r := range d.pair.records {
			value := string(r.Value)
			if r.Value == nil {
				value = "nothing"
			}
			fmt.Fprintf(&b, "  %-7s %s\n", r.Node, value)
		}
	}
	fmt.Fprintf(&b, "  ours    %.500s\n  theirs  %.500s\n", d.ours, d.theirs)
	return b.String()
}

// The same seed makes the same graphs.
func TestGraphsAreTheSameEachTime(t *testing.T) {
	for i := range uint64(50) {
		a, b := makeSample(defaultSeed, i), makeSample(defaultSeed, i)
		if a.input != b.input || len(a.file.Nodes) != len(b.file.Nodes) {
			t.Fatalf("graph %d differs from itself", i)
		}
	}
}
