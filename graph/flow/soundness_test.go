package flow_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/graph/flow"
)

// randomGraph is a graph of n nodes between entry and exit, with loops, whose nodes read
// each other, guarded or not.
func randomGraph(r *rand.Rand, n int) string {
	id := func() string { return fmt.Sprintf("n%d", r.IntN(n)) }
	next := func() string {
		if r.IntN(n) == 0 {
			return "last"
		}
		return id()
	}
	pick := func(list ...string) string {
		text := list[r.IntN(len(list))]
		for strings.Contains(text, "@") {
			text = strings.Replace(text, "@", id(), 1)
		}
		return strings.ReplaceAll(text, "#", fmt.Sprint(r.IntN(4)))
	}
	expression := func() string {
		return pick(`$.entry.a + #`, `{"x": #, "s": $.entry.s}`, `$.@`, `$.@.x`, `$exists($.@) ? $.@ : #`, `$executionCount("@")`,
			`[$.@, $.@]`, `$nodeExecution("@", -1)`, `$previousNode()`, `{"x": $.@.x ?? #}`, `$append($.@, #)`, `$string($.@)`,
			`$executionCount("@") > # ? $.@ : {"x": $.entry.b}`, `$count($nodeExecutions("@"))`,
			`$.@ + #`, `$sum($.@)`, `$uppercase($.@)`, `$.@.x < #`, `{"x": -$.@.x}`, `$.entry.s & $.@`, `$map([$.@], $string)`, `$.@.(x * #)`)
	}
	rule := func() string {
		return pick(`{">": [{var: entry.a}, #]}`, `{"!!": {var: @}}`, `{"==": [{var: '$executionCount("@")'}, #]}`, `{var: entry.b}`,
			`{and: [{var: @}, {"<": [{var: '$executionCount("@")'}, #]}]}`, `{or: [{"!": {var: @.x}}, {var: entry.b}]}`,
			`{"==": [{var: @}, @]}`, `{in: [{var: entry.s}, [a, b]]}`, `{"<=": [{var: '$executionCount("@")'}, #]}`, `{"!=": [{var: @}, #]}`,
			`{">=": [{var: $.entry.a}, #]}`, `{"===": [{var: $.entry.s}, a]}`)
	}
	var b strings.Builder
	b.WriteString("server: {name: g, version: 1.0.0}\nexecutionLimits: {maxNodeExecutions: 60}\ntools:\n- name: t\n" +
		"  inputSchema: {type: object, properties: {a: {type: integer}, b: {type: boolean}, s: {enum: [a, b, c]}}, required: [a]}\n  nodes:\n" +
		"  - {id: entry, type: entry, next: n0}\n")
	for i := range n {
		if i%2 == 0 {
			fmt.Fprintf(&b, "  - id: n%d\n    type: transform\n    transform:\n      expr: |\n        %s\n    next: %s\n", i, expression(), next())
			continue
		}
		fmt.Fprintf(&b, "  - id: n%d\n    type: switch\n    conditions:\n", i)
		for range 1 + r.IntN(3) {
			fmt.Fprintf(&b, "    - rule: %s\n      next: %s\n", rule(), next())
		}
		fmt.Fprintf(&b, "    next: %s\n", next())
	}
	b.WriteString("  - {id: last, type: transform, transform: {expr: '1'}, next: exit}\n  - {id: exit, type: exit}\n")
	return b.String()
}

// What is said of all runs is so in each: what must have run has, what cannot have run
// has not, outputs have their shapes, and what is said to fail fails.
func TestSoundness(t *testing.T) {
	const graphs, runs = 1500, 8
	built, failed := 0, 0
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // not for secrets
		src := randomGraph(r, 2+r.IntN(9))
		gs, ok := tryBuild(t, []byte(src))
		if !ok {
			continue
		}
		built++
		f := followed(t, gs[0])
		failing := failingNodes(gs[0], checkGraph(t, gs[0], nil))
		failed += len(failing)
		for range runs {
			if problem := contradiction(t, f, failing, randomArguments(r)); problem != "" {
				t.Fatalf("seed %d: %s\n%s", seed, problem, src)
			}
		}
	}
	if built < graphs/3 || failed < 5 {
		t.Errorf("%d of %d graphs were built, and %d nodes said to fail", built, graphs, failed)
	}
}

func randomArguments(r *rand.Rand) value.Value {
	args := map[string]any{"a": float64(r.IntN(5))}
	if r.IntN(2) == 0 {
		args["b"] = r.IntN(2) == 0
	}
	if r.IntN(2) == 0 {
		args["s"] = []string{"a", "b", "c"}[r.IntN(3)]
	}
	return value.FromPlain(args)
}

// failingNodes are the nodes with a finding that is an error: each of their executions
// fails.
func failingNodes(g *graph.Graph, found config.Diagnostics) map[string]bool {
	failing := map[string]bool{}
	errs, _ := found.Split()
	for _, d := range errs {
		last := ""
		for _, n := range g.Nodes {
			if n.Pos().Line <= d.Pos.Line {
				last = n.ID()
			}
		}
		failing[last] = true
	}
	return failing
}

// contradiction is what a run shows to be otherwise than the flow says.
func contradiction(t *testing.T, f *flow.Flow, failing map[string]bool, args value.Value) string {
	t.Helper()
	// A run that fails shows as much, up to there.
	result, _ := execution.New(nil).Run(t.Context(), f.Graph, args)
	ran := map[string]bool{}
	for _, rec := range result.History {
		n := f.Node(rec.NodeID)
		if !n.Reached {
			return fmt.Sprintf("%s was reached", rec.NodeID)
		}
		for id, b := range n.Before {
			if ran[id] && b.Presence == shape.Never || !ran[id] && b.Presence == shape.Always {
				return fmt.Sprintf("at execution %d, before %s, it is said of %s: presence %d", rec.Index, rec.NodeID, id, b.Presence)
			}
		}
		if rec.Error != nil {
			break
		}
		if failing[rec.NodeID] {
			return fmt.Sprintf("at execution %d %s gave a value, and was said to fail", rec.Index, rec.NodeID)
		}
		if !n.Output.Has(rec.Output) {
			return fmt.Sprintf("at execution %d %s gave %v, which is not one of %s", rec.Index, rec.NodeID, value.Plain(rec.Output), n.Output)
		}
		ran[rec.NodeID] = true
	}
	return ""
}
