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
