package flow_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/tests/thorough"
)

// randomGraph is a file with a tool t of n nodes between entry and exit, with loops, whose nodes
// read each other, guarded or not; with calls, also a hidden tool u of a few nodes.
func randomGraph(r *rand.Rand, n int, calls bool) string {
	var b strings.Builder
	b.WriteString("server: {name: g, version: 1.0.0}\nexecutionLimits: {maxNodeExecutions: 60, maxDepth: 4}\nmcpServers: {s: {command: s}}\ntools:\n")
	b.WriteString("- name: t\n" + (&randomTool{Rand: r, n: n, calls: calls}).String())
	if calls {
		b.WriteString("- name: u\n  hidden: true\n" + (&randomTool{Rand: r, n: 1 + r.IntN(4), calls: calls}).String())
	}
	return b.String()
}

// randomTool makes the nodes of a tool.
type randomTool struct {
	*rand.Rand

	n     int
	calls bool
}

func (r *randomTool) id() string { return fmt.Sprintf("n%d", r.IntN(r.n)) }

func (r *randomTool) next() string {
	if r.IntN(r.n) == 0 {
		return "last"
	}
	return r.id()
}

func (r *randomTool) pick(list ...string) string {
	text := list[r.IntN(len(list))]
	for strings.Contains(text, "@") {
		text = strings.Replace(text, "@", r.id(), 1)
	}
	return strings.ReplaceAll(text, "#", fmt.Sprint(r.IntN(4)))
}

func (r *randomTool) expression(more ...string) string {
	return r.pick(append(more, `$.entry.a + #`, `{"x": #, "s": $.entry.s}`, `$.@`, `$.@.x`, `$exists($.@) ? $.@ : #`, `$executionCount("@")`,
		`[$.@, $.@]`, `$nodeExecution("@", -1)`, `$previousNode()`, `{"x": $.@.x ?? #}`, `$append($.@, #)`, `$string($.@)`,
		`$executionCount("@") > # ? $.@ : {"x": $.entry.b}`, `$count($nodeExecutions("@"))`,
		`$.@ + #`, `$sum($.@)`, `$uppercase($.@)`, `$.@.x < #`, `{"x": -$.@.x}`, `$.entry.s & $.@`, `$map([$.@], $string)`, `$.@.(x * #)`)...)
}

func (r *randomTool) rule() string {
	return r.pick(`{">": [{var: entry.a}, #]}`, `{"!!": {var: @}}`, `{"==": [{var: '$executionCount("@")'}, #]}`, `{var: entry.b}`,
		`{and: [{var: @}, {"<": [{var: '$executionCount("@")'}, #]}]}`, `{or: [{"!": {var: @.x}}, {var: entry.b}]}`,
		`{"==": [{var: @}, @]}`, `{in: [{var: entry.s}, [a, b]]}`, `{"<=": [{var: '$executionCount("@")'}, #]}`, `{"!=": [{var: @}, #]}`,
		`{">=": [{var: $.entry.a}, #]}`, `{"===": [{var: $.entry.s}, a]}`)
}

func (r *randomTool) String() string {
	var b strings.Builder
	b.WriteString("  inputSchema: {type: object, properties: {a: {type: integer}, b: {type: boolean}, s: {enum: [a, b, c]}}, required: [a]}\n  nodes:\n" +
		"  - {id: entry, type: entry, next: n0}\n")
	for i := range r.n {
		switch {
		case r.calls && r.IntN(8) == 0:
			fmt.Fprintf(&b, "  - id: n%d\n%s    next: %s\n", i, r.askNode(), r.next())
		case r.calls && r.IntN(2) == 0:
			fmt.Fprintf(&b, "  - id: n%d\n%s    next: %s\n", i, r.callNode(), r.next())
		case i%2 == 0:
			fmt.Fprintf(&b, "  - id: n%d\n    type: transform\n    transform:\n      expr: |\n        %s\n", i, r.expression())
			if r.calls {
				b.WriteString(r.onError("    ", true, false))
			}
			fmt.Fprintf(&b, "    next: %s\n", r.next())
		default:
			fmt.Fprintf(&b, "  - id: n%d\n    type: switch\n    conditions:\n", i)
			for range 1 + r.IntN(3) {
				fmt.Fprintf(&b, "    - rule: %s\n      next: %s\n", r.rule(), r.next())
			}
			fmt.Fprintf(&b, "    next: %s\n", r.next())
		}
	}
	b.WriteString("  - {id: last, type: transform, transform: {expr: '1'}, next: exit}\n  - {id: exit, type: exit}\n")
	return b.String()
}

// What is said of all runs is so in each: what must have run has, what cannot have run
// has not, outputs have their shapes, and what is said to fail fails.
func TestSoundness(t *testing.T) {
	for _, calls := range []bool{false, true} {
		t.Run(fmt.Sprintf("calls=%t", calls), func(t *testing.T) { testSoundness(t, calls) })
	}
}

func testSoundness(t *testing.T, calls bool) {
	const runs = 8
	graphs := thorough.Times(150, 1500)
	built, failed := 0, 0
	seen := sights{}
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // not for secrets
		src := randomGraph(r, 2+r.IntN(9), calls)
		gs, ok := tryBuild(t, []byte(src))
		if !ok {
			continue
		}
		built++
		tools := map[string]*tool{}
		for _, g := range gs {
			f, err := flow.Of(t.Context(), g, giving)
			if err != nil {
				t.Fatal(err)
			}
			tools[g.Tool.Name.Value] = &tool{f, failingNodes(src, g, checkGraph(t, g, giving))}
			failed += len(tools[g.Tool.Name.Value].failing)
		}
		for range runs {
			if problem := contradiction(t, gs[0], tools, randomArguments(r), seen); problem != "" {
				t.Fatalf("seed %d: %s\n%s", seed, problem, src)
			}
		}
	}
	t.Logf("%d of %d graphs were built, %d nodes said to fail; seen: %v", built, graphs, failed, seen)
	if built < graphs/5 || failed < graphs/300 {
		t.Errorf("%d of %d graphs were built, and %d nodes said to fail", built, graphs, failed)
	}
	for _, what := range []string{"frame", "part", "handled", "attempt", "wentOnError", "asked", "refused"} {
		if calls && seen[what] < graphs/30 {
			t.Errorf("%s was seen %d times only", what, seen[what])
		}
	}
}

// tool is what is known of a tool.
type tool struct {
	*flow.Flow

	failing map[string]bool
}

// sights are how often the runs have shown something.
type sights map[string]int

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
// fails. Those in lines that not every execution evaluates are left out.
func failingNodes(src string, g *graph.Graph, found config.Diagnostics) map[string]bool {
	failing := map[string]bool{}
	lines := strings.Split(src, "\n")
	errs, _ := found.Split()
	for _, d := range errs {
		if strings.Contains(lines[d.Pos.Line-1], sometimes) {
			continue
		}
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
func contradiction(t *testing.T, g *graph.Graph, tools map[string]*tool, args value.Value, seen sights) string {
	t.Helper()
	user := execution.WithUser(fickle{})
	noWait := execution.WithSleep(func(context.Context, time.Duration) error { return nil })
	// A run that fails shows as much, up to there.
	result, _ := execution.New(execution.CallerFunc(give), noWait, user).Run(t.Context(), g, args)
	outputs := map[execution.Address]map[string]value.Value{} // by frame and node: the latest
	for _, rec := range result.History() {
		name := cmp.Or(rec.Tool, "t")
		tool, at := tools[name], fmt.Sprintf("at execution %s of %s, %s", rec.At(), name, rec.NodeID)
		seen.add(&rec)
		n := tool.Node(rec.NodeID)
		if rec.Part != "" {
			if rec.Error == nil && rec.Handled == nil && tool.failing[rec.NodeID] && n.Node.Type() != config.ParallelNode {
				return at + " gave a value for a part, and was said to fail"
			}
			continue
		}
		if !n.Reached {
			return at + " was reached"
		}
		before := outputs[rec.Frame]
		if last, ran := before[""]; ran && !n.Previous.Has(last) {
			return fmt.Sprintf("%s: the output before it is %v, which is not one of %s", at, value.Plain(last), n.Previous)
		}
		for id, b := range n.Before {
			latest, ran := before[id]
			switch {
			case ran && b.Presence == shape.Never || !ran && b.Presence == shape.Always:
				return fmt.Sprintf("%s: it is said of %s: presence %d", at, id, b.Presence)
			case ran && !b.Shape.Has(latest):
				return fmt.Sprintf("%s: the latest output of %s is %v, which is not one of %s", at, id, value.Plain(latest), b.Shape)
			}
		}
		if rec.Error != nil {
			continue // the frame ends
		}
		if tool.failing[rec.NodeID] && rec.Handled == nil && rec.Parts == 0 && graph.CallingOf(n.Node) == nil {
			return at + " gave a value, and was said to fail"
		}
		output := rec.Output
		if rec.NodeType == config.ExitNode && output == nil {
			output = value.Null
		}
		if !n.Output.Has(output) {
			return fmt.Sprintf("%s gave %v, which is not one of %s", at, value.Plain(output), n.Output)
		}
		if before == nil {
			before = map[string]value.Value{}
			outputs[rec.Frame] = before
		}
		before[rec.NodeID], before[""] = rec.Output, rec.Output
	}
	return ""
}
