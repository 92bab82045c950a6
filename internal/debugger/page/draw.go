package page

import (
	"context"
	"math/big"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
)

// drawing is a graph as the page draws it. The steps of a tool are its nodes, with an arrow for each read.
type drawing struct {
	Tool  string       `json:"tool"`
	Hash  string       `json:"hash"`
	Line  int          `json:"line,omitempty"` // of the tool in the graph file; 0: it is not there
	Nodes []drawnNode  `json:"nodes"`
	Edges []graph.Edge `json:"edges"`
}

// drawnNode is a node, or a step. The id of a step is its path, as users.lookup.
type drawnNode struct {
	graph.DrawnNode
	Name    string       `json:"name,omitempty"`    // of a step: its own id
	Changes bool         `json:"changes,omitempty"` // of a step: it may change something, as the file or the run says
	Steps   []drawnNode  `json:"steps,omitempty"`   // of a block
	Edges   []graph.Edge `json:"edges,omitempty"`   // of a block: between its steps
}

// The kinds of edges between steps.
const (
	readEdge  graph.EdgeKind = "read"  // the value of a step is read
	afterEdge graph.EdgeKind = "after" // a step starts after another without reading it
	orderEdge graph.EdgeKind = "order" // likewise, because one of them changes something; from the entry, and to the exit
)

// draw returns the drawing of a graph of this version of the file, or of a text of it.
func (l *loaded) draw(ctx context.Context, g *graph.Graph, redact func(string) string) drawing {
	return l.drawOrdered(g, execution.DeclaredChanges(ctx, g), redact)
}

// drawOrdered is draw for steps of which those that may change something are known, see execution.Start.
func (l *loaded) drawOrdered(g *graph.Graph, changing []string, redact func(string) string) drawing {
	drawn := graph.Draw(g)
	out := drawing{Tool: drawn.Tool, Hash: drawn.Hash, Line: l.shown(g.Tool.Pos).Line, Edges: drawn.Edges}
	d := drawer{loaded: l, redact: redact}
	for i, node := range g.Nodes {
		if steps, isSteps := node.(*graph.Steps); isSteps {
			d.order = execution.OrderOf(g, changing, nil)
			block := d.block("", steps, &drawn.Nodes[i])
			out.Nodes = append(out.Nodes, block.Steps...)
			out.Edges = slices.Concat(block.Edges, frameEdges(block))
			continue
		}
		out.Nodes = append(out.Nodes, drawnNode{DrawnNode: d.node(node, drawn.Nodes[i])})
	}
	for i := range out.Edges {
		out.Edges[i].Label = redact(out.Edges[i].Label)
	}
	return out
}

// drawer draws the nodes of a graph.
type drawer struct {
	*loaded
	order  *execution.Order // of the steps of the tool; nil: it has nodes
	redact func(string) string
}

// node completes the drawing of a node or a step.
func (d *drawer) node(node graph.Node, drawn graph.DrawnNode) graph.DrawnNode {
	at := d.shown(node.Pos())
	drawn.Line, drawn.Column = at.Line, at.Column
	drawn.Message, drawn.If = d.redact(drawn.Message), d.redact(drawn.If)
	switch node := node.(type) {
	case *graph.Transform:
		drawn.Expr = d.redact(node.Expr.Source())
	case *graph.Switch:
		drawn.Rules = len(node.Conditions)
	case *graph.Entry, *graph.MCP, *graph.SubGraph, *graph.Parallel, *graph.Ask, *graph.Steps, *graph.Exit:
	}
	return drawn
}

// block draws the steps of a tool or of a block, whose paths begin with prefix.
func (d *drawer) block(prefix string, n *graph.Steps, drawn *graph.DrawnNode) (out drawnNode) {
	out.DrawnNode = d.node(n, *drawn)
	for i, s := range n.Block {
		step := drawnNode{DrawnNode: d.node(s.Node, drawn.Steps[i])}
		if inner, isBlock := s.Node.(*graph.Steps); isBlock {
			step = d.block(prefix+s.ID+".", inner, &drawn.Steps[i])
		}
		step.ID, step.Name, step.Changes = prefix+s.ID, s.ID, d.order.Changes(s)
		out.Steps = append(out.Steps, step)
	}
	out.Edges = d.edges(prefix, n)
	return out
}

// edges returns an arrow for each read of a step of a block, and for each step in its after; then those that the order
// needs besides, without what follows from others.
func (d *drawer) edges(prefix string, n *graph.Steps) (edges []graph.Edge) {
	before := make([]big.Int, len(n.Block)) // a bit for each step that ends before one, by the arrows
	for i, needs := range d.order.Needs(n) {
		add := func(from int, kind graph.EdgeKind) {
			edges = append(edges, graph.Edge{From: prefix + n.Block[from].ID, To: prefix + n.Block[i].ID, Kind: kind})
			before[i].SetBit(before[i].Or(&before[i], &before[from]), from, 1)
		}
		for _, from := range n.Block[i].Needs {
			if n.Block[i].Reads(from) {
				add(from, readEdge)
			} else {
				add(from, afterEdge)
			}
		}
		for _, from := range slices.Backward(needs) {
			if before[i].Bit(from) == 0 {
				add(from, orderEdge)
			}
		}
	}
	return edges
}

// frameEdges returns the arrows from the entry to the steps of a tool and from these to its exit.
func frameEdges(block drawnNode) (edges []graph.Edge) {
	hasAbove, hasBelow := map[string]bool{}, map[string]bool{}
	for _, e := range block.Edges {
		hasAbove[e.To], hasBelow[e.From] = true, true
	}
	for _, s := range block.Steps {
		if !hasAbove[s.ID] {
			edges = append(edges, graph.Edge{From: config.StepsEntry, To: s.ID, Kind: orderEdge})
		}
	}
	for _, s := range block.Steps {
		switch {
		case slices.Contains(block.Returns, s.ID):
			edges = append(edges, graph.Edge{From: s.ID, To: config.StepsExit, Kind: readEdge})
		case !hasBelow[s.ID]:
			edges = append(edges, graph.Edge{From: s.ID, To: config.StepsExit, Kind: orderEdge})
		}
	}
	return edges
}
