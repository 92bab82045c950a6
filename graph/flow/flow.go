package flow

import (
	"context"
	"maps"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// Flow is a graph with what is known of its runs. It is immutable and safe for concurrent use.
type Flow struct {
	Graph *graph.Graph
	Nodes []*Node // in the graph's order
	// Return is what makes the value of steps from what they yield; nil where they have no return, and for nodes.
	Return *Node

	byID map[string]*Node
}

// Node is what is known of one node in all runs together.
type Node struct {
	Node    graph.Node
	Reached bool // a run can come to the node

	// Before has each node of the graph by id: whether it has run before this node, and the
	// shape of its latest output.
	Before map[string]shape.Binding
	// Previous is the shape of the output of the node executed before; Nothing for the entry.
	Previous shape.Shape
	// Output is the shape of the node's output. An exit gives Previous as JSON, in which a missing
	// value is null.
	Output shape.Shape
	// Variables are the variables of the language that an expression of the node has, by the key where the
	// node has it: args, forEach.items, retry.when, retry.until, onError.value, transform.expr, message or
	// conditions; in a branch of a parallel node after the branch's name, as in weather.args. Of a step: if,
	// each, key, until, repeat.until, expr, args, message, retry.when or onError.value.
	Variables map[string]map[string]shape.Shape
	// Block is what is known of the steps of a step that is a block; nil for others.
	Block *Flow
}

// Node returns the node with this id, or nil.
func (f *Flow) Node(id string) *Node { return f.byID[id] }

// Of follows all runs that a graph can have. up may be nil; the tools that the graph calls are
// unknown then. The error is the cause of ctx's end.
func Of(ctx context.Context, g *graph.Graph, up Upstreams) (*Flow, error) {
	f, err := newFlows(up).of(ctx, g)
	if err != nil {
		return nil, err
	}
	return f.flow(ctx), nil
}

func (f *follower) flow(ctx context.Context) *Flow {
	made := &Flow{Graph: f.graph, byID: make(map[string]*Node, len(f.graph.Nodes))}
	for i, node := range f.graph.Nodes {
		n := &Node{Node: node, Reached: f.reached(i), Before: f.before(i), Output: f.outputs[i].by(done | handled)}
		n.Previous, _ = f.previous(i)
		n.Variables = f.variablesOf(ctx, i)
		if inner := f.blocks[i]; inner != nil {
			n.Block = inner.flow(ctx)
		}
		made.Nodes = append(made.Nodes, n)
		made.byID[node.ID()] = n
		if f.steps != nil && f.steps.Return != nil && node.Pos() == f.steps.Return.Text.Pos && node.Type() == config.TransformNode {
			made.Return = n
		}
	}
	return made
}

// mostRounds bounds the rounds of follow. An output whose shape still changes after them has
// any shape.
const mostRounds = 12

// follower finds the shapes of all outputs. The output of a node depends on those of others,
// so it goes through the graph until no shape changes.
type follower struct {
	*explorer
	all     *flows
	outputs []output
	items   map[graph.Node]shape.Shape // $item of nodes with forEach, as far as it has been asked for
	settled []bool                     // outputs[i] is known
	learned bool                       // the shape of an output comes from recorded calls, so that no finding is certain

	constants map[string]shape.Shape // see constantsOf

	of     *graph.Graph      // of which graph is a chain; graph itself for one of nodes
	steps  *graph.Steps      // that the chain has; nil for nodes
	around *around           // of a block
	blocks map[int]*follower // of the steps that are blocks
}

// newFollower follows a graph. The error is the cause of ctx's end.
func newFollower(ctx context.Context, g *graph.Graph, all *flows, of *graph.Graph, steps *graph.Steps, outer *around) (*follower, error) {
	with := defaults{g, all.defaults}
	f := &follower{
		of: of, steps: steps, around: outer, blocks: map[int]*follower{},

		explorer: newExplorer(ctx, g, with), all: all, outputs: make([]output, len(g.Nodes)), settled: make([]bool, len(g.Nodes)),
		constants: constantsOf(with),
	}
	f.explore(ctx)
	f.follow(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return f, nil
}

func (f *follower) reached(node int) bool { return len(f.states[node].list) > 0 }

func (f *follower) follow(ctx context.Context) {
	changed := true
	f.items = map[graph.Node]shape.Shape{}
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
				was := f.outputs[i]
				out = output{shape.Union(was.done, out.done), shape.Union(was.handled, out.handled)}
				if out.done.Equal(was.done) && out.handled.Equal(was.handled) {
					continue
				}
				if round >= mostRounds {
					out = output{shape.Any(), shape.Any()}
				}
			}
			f.outputs[i], f.settled[i], changed = out, true, true
			clear(f.items)
		}
	}
	for i := range f.outputs {
		if !f.settled[i] {
			f.outputs[i] = output{shape.Any(), shape.Any()}
		}
	}
	clear(f.items)
}

// output returns the shape of a node's output. It is not known while the outputs that it
// depends on are not.
func (f *follower) output(ctx context.Context, node int) (out output, known bool) {
	out.handled = shape.Union()
	if s := f.stepOf(f.graph.Nodes[node]); s != nil {
		return f.step(ctx, node, s)
	}
	switch n := f.graph.Nodes[node].(type) {
	case *graph.Entry:
		out.done = shape.OfSchema(f.graph.Input.JSON())
	case *graph.MCP, *graph.SubGraph, *graph.Parallel:
		return f.calls(ctx, node), true
	case *graph.Ask:
		return f.add(ctx, node, n, f.value(ctx, n)), true
	case *graph.Transform:
		value, known := f.valueOf(ctx, node, 0, n.Expr)
		if !known {
			return output{}, false
		}
		return f.add(ctx, node, n, value), true
	case *graph.Switch:
		var all []shape.Shape
		for _, to := range f.departures[node] {
			all = append(all, shape.Constant(f.graph.Nodes[to].ID()))
		}
		out.done = shape.Union(all...)
	case *graph.Steps: // follows as a chain
	case *graph.Exit:
		value, known := f.previous(node)
		out.done = value.NothingAsNull()
		return out, known
	}
	return out, true
}

// valueOf returns the shape of the value of a node's expression of this number. It is not
// known while that of a node that certainly ran before is not.
func (f *follower) valueOf(ctx context.Context, node, number int, e *graph.Expr) (out shape.Shape, known bool) {
	if v, constant := f.defaults.valueOf(ctx, e.Expression); constant {
		return shape.Constant(v), true
	}
	var all []shape.Shape
	for _, s := range f.distinct(node, number) {
		if env, ready := f.env(ctx, s, number); ready {
			one, _ := shape.Infer(ctx, e.Expression, env)
			all = append(all, one)
		}
	}
	return shape.Union(all...), len(all) > 0
}

// previous returns the shape of the output of the node executed before a node.
func (f *follower) previous(node int) (out shape.Shape, known bool) {
	var all []shape.Shape
	for _, before := range f.arrivals[node] {
		if f.settled[before] {
			all = append(all, f.outputs[before].by(f.taken[[2]int{before, node}]))
		}
	}
	return shape.Union(all...), len(all) > 0
}

// distinct returns states of a node that differ in the presence of the nodes which its
// expression with this number reads.
func (f *follower) distinct(node, expr int) []*state {
	var list []*state
	seen := map[string]bool{}
	for _, w := range f.states[node].list {
		key := w.presences(f.reads[node][expr].nodes)
		if !seen[key] {
			seen[key] = true
			list = append(list, w)
		}
	}
	return list
}

// env returns what the expression with this number reads in a state. It is not ready while the
// output of a node that has certainly run is not known.
func (f *follower) env(ctx context.Context, w *state, expr int) (env shape.Env, ready bool) {
	env = f.emptyEnv(ctx, w.node, expr)
	for _, node := range f.reads[w.node][expr].nodes {
		b := shape.Binding{Shape: f.outputs[node].by(f.endings(w, expr, node)), Presence: w.presence(node)}
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

// emptyEnv returns what the expression with this number reads besides outputs.
func (f *follower) emptyEnv(ctx context.Context, node, expr int) shape.Env {
	env := shape.Env{Context: map[string]shape.Binding{}, Open: true}
	maps.Copy(env.Context, f.around.context)
	env.Variables = f.stepVariables(ctx, node, nil, use{})
	if expr < len(f.uses[node]) {
		env.Variables = f.variables(ctx, node, f.uses[node][expr])
	}
	return env
}

// endings returns how the executions of a node that the expression with this number reads may
// have ended: all of them, when it reads the node's history.
func (f *follower) endings(w *state, expr, node int) ending {
	if slices.Contains(f.reads[w.node][expr].past, node) {
		return done | handled
	}
	return w.ending(node)
}

// envOfAll returns what the expression with this number reads in all states of its node
// together.
func (f *follower) envOfAll(ctx context.Context, node, expr int) shape.Env {
	env := f.emptyEnv(ctx, node, expr)
	for _, read := range f.reads[node][expr].nodes {
		if !f.connected.has(read) {
			continue // package graph reports it
		}
		b := f.binding(node, read)
		if slices.Contains(f.reads[node][expr].past, read) && b.Presence != shape.Never {
			b.Shape = f.outputs[read].by(done | handled)
		}
		env.Context[f.graph.Nodes[read].ID()] = b
	}
	env.Previous, _ = f.previous(node)
	return env
}

// binding returns whether another node has run before a node, and the shape of its latest output.
func (f *follower) binding(node, other int) shape.Binding {
	b := shape.Binding{Presence: shape.Never}
	var ended ending
	for i, w := range f.states[node].list {
		ended |= w.ending(other)
		switch p := w.presence(other); {
		case i == 0:
			b.Presence = p
		case p != b.Presence:
			b.Presence = shape.Maybe
		}
	}
	b.Shape = f.outputs[other].by(ended)
	if b.Presence == shape.Never {
		b.Shape = shape.Nothing()
	}
	return b
}

// before returns the bindings of all nodes before a node; of a step, of args and the steps above it and around it.
func (f *follower) before(node int) map[string]shape.Binding {
	context := make(map[string]shape.Binding, len(f.graph.Nodes))
	maps.Copy(context, f.around.context)
	for i, other := range f.graph.Nodes {
		if f.steps == nil || i == 0 || i < node && f.stepOf(other) != nil { // steps read what is above them
			context[other.ID()] = f.binding(node, i)
		}
	}
	return context
}

// Upstreams describes the tools that a graph calls.
type Upstreams interface {
	// Tool returns the description of a server's tool; false when it is unknown.
	Tool(server, tool string) (Tool, bool)
}

// Tool describes an upstream tool.
type Tool struct {
	InputSchema  []byte // JSON Schema; empty: unknown
	OutputSchema []byte // JSON Schema of the call's value; empty: unknown
	ReadOnly     *bool  // readOnlyHint of its annotations; nil when it has none
	Destructive  *bool  // destructiveHint, likewise
	Idempotent   *bool  // idempotentHint, likewise
	Believed     bool   // what the annotations say counts: they are of a lock, or of a trusted server
	Learned      bool   // OutputSchema was inferred from recorded calls, not declared
	From         string // the source of this description, for messages: "graph.lock.yaml"; may be empty
}

// Effect returns what calls of the tool do, as far as its annotations are believed; empty when
// unknown.
func (t *Tool) Effect() config.Effect {
	if !t.Believed {
		return ""
	}
	return graph.HintedEffect(t.ReadOnly, t.Destructive)
}

// knownTool returns the tool, or the zero Tool when it is unknown; up may be nil.
func knownTool(up Upstreams, server, tool string) Tool {
	if up == nil {
		return Tool{}
	}
	t, _ := up.Tool(server, tool)
	return t
}
