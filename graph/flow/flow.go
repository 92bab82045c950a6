package flow

import (
	"context"

	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// Flow is a graph with what is known of its runs. It is not changed once made.
type Flow struct {
	Graph *graph.Graph
	Nodes []*Node // in the graph's order

	byID map[string]*Node
}

// Node is what is known of one node in all runs together.
type Node struct {
	Node    graph.Node
	Reached bool // a run can come to it

	// Before is what its expressions are evaluated over: each other node, and itself,
	// that may have run when its turn comes or never has. A binding's shape is that of
	// the node's latest output.
	Before map[string]shape.Binding
	// Previous is the output of the node executed before it; Nothing for the entry.
	Previous shape.Shape
	// Output is what it can give. An exit gives Previous as JSON: nothing is null there.
	Output shape.Shape
}

// Node is the node with this id, or nil.
func (f *Flow) Node(id string) *Node { return f.byID[id] }

// Of follows all runs that a graph can have. Upstreams may be nil: nothing is known then. The
// error is the cause of ctx's end.
func Of(ctx context.Context, g *graph.Graph, up Upstreams) (*Flow, error) {
	f, err := newFollower(ctx, g, up)
	if err != nil {
		return nil, err
	}
	return f.flow(), nil
}

func (f *follower) flow() *Flow {
	made := &Flow{Graph: f.graph, byID: make(map[string]*Node, len(f.graph.Nodes))}
	for i, node := range f.graph.Nodes {
		n := &Node{Node: node, Reached: f.reached(i), Before: f.before(i), Output: f.outputs[i]}
		n.Previous, _ = f.previous(i)
		made.Nodes = append(made.Nodes, n)
		made.byID[node.ID()] = n
	}
	return made
}

// mostRounds bounds how often a loop is gone through; what has not settled by then is
// taken for anything.
const mostRounds = 12

// follower finds the shapes of all outputs: what goes into a node depends on what came
// out of others, so it goes through the graph until nothing changes any more.
type follower struct {
	*explorer
	up      Upstreams
	outputs []shape.Shape
	settled []bool // outputs[i] holds something
	learned bool   // an output is only known from answers: nothing that follows is certain
}

// newFollower follows a graph; the error is the cause of ctx's end.
func newFollower(ctx context.Context, g *graph.Graph, up Upstreams) (*follower, error) {
	f := &follower{explorer: newExplorer(ctx, g), up: up, outputs: make([]shape.Shape, len(g.Nodes)), settled: make([]bool, len(g.Nodes))}
	f.explore(ctx)
	f.follow(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return f, nil
}

func (f *follower) reached(node int) bool { return len(f.worlds[node].list) > 0 }

func (f *follower) follow(ctx context.Context) {
	changed := true
	for round := 0; changed && round < 2*mostRounds; round++ {
		changed = false
		for i := range f.graph.Nodes {
			if ctx.Err() != nil {
				return
			}
			if !f.reached(i) {
				continue
			}
			out, known := f.output(ctx, i)
			if !known {
				continue
			}
			if f.settled[i] {
				out = shape.Union(f.outputs[i], out)
				if out.Equal(f.outputs[i]) {
					continue
				}
				if round >= mostRounds {
					out = shape.Any()
				}
			}
			f.outputs[i], f.settled[i], changed = out, true, true
		}
	}
	for i := range f.outputs {
		if !f.settled[i] {
			f.outputs[i] = shape.Any()
		}
	}
}

// output is what a node gives, as far as is known; not known while none of the nodes
// that it depends on has been looked at.
func (f *follower) output(ctx context.Context, node int) (out shape.Shape, known bool) {
	switch n := f.graph.Nodes[node].(type) {
	case *graph.Entry:
		return shape.OfSchema(f.graph.Input.JSON()), true
	case *graph.MCP:
		t := knownTool(f.up, n.Server, n.Tool)
		if len(t.OutputSchema) == 0 {
			return shape.Any(), true
		}
		f.learned = f.learned || t.Learned
		return shape.OfSchema(t.OutputSchema), true
	case *graph.Transform:
		var all []shape.Shape
		for _, w := range f.distinct(node, 0) {
			if env, ready := f.env(w, 0); ready {
				one, _ := shape.Infer(ctx, n.Expr.Expression, env)
				all = append(all, one)
			}
		}
		return shape.Union(all...), len(all) > 0
	case *graph.Switch:
		var all []shape.Shape
		for _, to := range f.departures[node] {
			all = append(all, shape.Constant(f.graph.Nodes[to].ID()))
		}
		return shape.Union(all...), true
	case *graph.Exit:
		out, known := f.previous(node)
		return out.NothingAsNull(), known
	}
	return shape.Any(), true
}

// previous is the output of the node before a node.
func (f *follower) previous(node int) (out shape.Shape, known bool) {
	var all []shape.Shape
	for _, before := range f.arrivals[node] {
		if f.settled[before] {
			all = append(all, f.outputs[before])
		}
	}
	return shape.Union(all...), len(all) > 0
}

// distinct are the worlds of a node that differ in what has run of the nodes which its
// expression with this number reads.
func (f *follower) distinct(node, expr int) []*world {
	var list []*world
	seen := map[string]bool{}
	for _, w := range f.worlds[node].list {
		key := w.presences(f.reads[node][expr].nodes)
		if !seen[key] {
			seen[key] = true
			list = append(list, w)
		}
	}
	return list
}

// env is what the expression with this number is evaluated over in a world; not ready
// while the shape of something that has run is not known.
func (f *follower) env(w *world, expr int) (env shape.Env, ready bool) {
	env = shape.Env{Context: map[string]shape.Binding{}, Open: true}
	for _, node := range f.reads[w.node][expr].nodes {
		b := shape.Binding{Shape: f.outputs[node], Presence: w.presence(node)}
		switch {
		case b.Presence == shape.Never:
			b.Shape = shape.Nothing()
		case !f.settled[node] && b.Presence == shape.Always:
			return env, false
		case !f.settled[node]:
			b = shape.Binding{Shape: shape.Nothing(), Presence: shape.Never}
		}
		env.Context[f.graph.Nodes[node].ID()] = b
	}
	previous, known := f.previous(w.node)
	if !known {
		previous = shape.Nothing()
	}
	env.Previous = previous
	return env, true
}

// envOfAll is what the expression with this number is evaluated over in any world of
// its node: what has run in some of them only may be missing.
func (f *follower) envOfAll(node, expr int) shape.Env {
	env := shape.Env{Context: map[string]shape.Binding{}, Open: true}
	for _, read := range f.reads[node][expr].nodes {
		env.Context[f.graph.Nodes[read].ID()] = f.binding(node, read)
	}
	env.Previous, _ = f.previous(node)
	return env
}

// binding is what is known of another node's output when a node's turn comes.
func (f *follower) binding(node, other int) shape.Binding {
	b := shape.Binding{Shape: f.outputs[other], Presence: shape.Never}
	for i, w := range f.worlds[node].list {
		switch p := w.presence(other); {
		case i == 0:
			b.Presence = p
		case p != b.Presence:
			b.Presence = shape.Maybe
		}
	}
	if b.Presence == shape.Never {
		b.Shape = shape.Nothing()
	}
	return b
}

// before is what any expression of a node is evaluated over, all its worlds together.
func (f *follower) before(node int) map[string]shape.Binding {
	context := make(map[string]shape.Binding, len(f.graph.Nodes))
	for i, other := range f.graph.Nodes {
		context[other.ID()] = f.binding(node, i)
	}
	return context
}

// Upstreams tells what is known of the tools that a graph calls.
type Upstreams interface {
	// Tool is the tool of a server; false when nothing is known of it.
	Tool(server, tool string) (Tool, bool)
}

// Tool is what is known of an upstream tool.
type Tool struct {
	InputSchema  []byte // JSON Schema; empty: unknown
	OutputSchema []byte // JSON Schema of the call's value; empty: unknown
	ReadOnly     *bool  // what its annotations say; nil: nothing
	Learned      bool   // OutputSchema was made of answers, and not declared
	From         string // where this is known from, for people: "graph.lock.yaml"; may be empty
}

// knownTool is the tool, empty when nothing is known of it; up may be nil.
func knownTool(up Upstreams, server, tool string) Tool {
	if up == nil {
		return Tool{}
	}
	t, _ := up.Tool(server, tool)
	return t
}
