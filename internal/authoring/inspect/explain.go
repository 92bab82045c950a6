package inspect

import (
	"context"

	"toolgraph/config"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/authoring/view"
	"toolgraph/internal/project/capabilities"
	"toolgraph/internal/project/lock"
)

// Explanation is a tool, as a drawing and node by node.
type Explanation struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Hidden      bool            `json:"hidden,omitempty"`          // clients do not see it; graphs call it
	Limits      *Limits         `json:"executionLimits,omitempty"` // of a run, when the tool has limits of its own
	Allow       string          `json:"allow,omitempty"`           // what allow leaves of it, in words; left out: no allow holds for it
	Mermaid     string          `json:"mermaid"`
	Result      string          `json:"result"` // its shape, as far as it is known
	Nodes       []ExplainedNode `json:"nodes"`
	Calls       []Call          `json:"calls"`
	Graphs      []string        `json:"graphs,omitempty"` // the tools of the file whose graphs it calls, directly or not
}

// ExplainedNode is a node or a step: what it does, reads and writes, and its edges, for a step to those that wait for it.
type ExplainedNode struct {
	ID      string          `json:"id"` // of a step its path, as users.lookup
	Type    config.NodeType `json:"type"`
	Line    int             `json:"line,omitempty"`
	Does    string          `json:"does"`
	Parts   []string        `json:"branches,omitempty"` // of a parallel node: what each branch does
	Reads   []Read          `json:"reads"`
	Writes  string          `json:"writes"` // the shape of its output
	Next    []ExplainedEdge `json:"next"`
	Reached bool            `json:"reached"` // by some run
}

// Read is a path that an expression of a node reads.
type Read struct {
	Path  string `json:"path"`
	In    string `json:"in"`              // the expression
	Maybe bool   `json:"maybe,omitempty"` // the node that writes it may not have run
}

// ExplainedEdge is an edge from a node.
type ExplainedEdge struct {
	To   string `json:"to"`
	When string `json:"when,omitempty"` // short text of the rule, or default
}

// ExplainTool explains a tool of the file. The lock beside the file, if there is one, and what servers
// from registries listed when they were synced say what the tools that it calls return.
func (i *Inspector) ExplainTool(ctx context.Context, tool string) (*Explanation, error) {
	p, g, err := i.tool(ctx, tool)
	if err != nil {
		return nil, err
	}
	locked, _ := lock.Load(lock.Path(p.File.Path)) // check and doctor report its errors; nil knows no tool
	offline, _ := lock.NewOffline(locked, p.File, p.Graphs)
	return Explain(ctx, g, offline, locked.Effect)
}

// Explain explains a graph, with what is known about the tools that it calls, and what is believed
// of the effects of calls. The error is the cause of ctx's end.
func Explain(ctx context.Context, g *graph.Graph, up flow.Upstreams, known capabilities.Known) (*Explanation, error) {
	analysis, err := flow.Of(ctx, g, up)
	if err != nil {
		return nil, err
	}
	out := &Explanation{
		Name: g.Tool.Name.Value, Description: g.Tool.Description.Value, Hidden: g.Tool.Hidden, Allow: allowed(g, known), Mermaid: graph.Mermaid(g),
		Calls: callsOf(g, up), Graphs: calledGraphs(g), Result: shape.Any().String(),
	}
	if g.Tool.Limits != (config.Limits{}) {
		limits := limitsOf(g.Limits)
		out.Limits = &limits
	}
	for _, n := range analysis.Nodes {
		if n.Node.Type() == config.ExitNode {
			out.Result = n.Output.String()
		}
		if g.Steps() == nil {
			out.Nodes = append(out.Nodes, explain(g, n))
		}
	}
	if g.Steps() != nil {
		out.Nodes = explainSteps(analysis, "")
	}
	return out, nil
}

func explain(g *graph.Graph, n *flow.Node) ExplainedNode {
	e := described(n, purpose(n.Node), view.Expressions(n.Node))
	for _, edge := range g.Edges() {
		if edge.From == e.ID {
			e.Next = append(e.Next, ExplainedEdge{To: edge.To, When: edge.Label})
		}
	}
	if p, isParallel := n.Node.(*graph.Parallel); isParallel {
		for _, b := range p.Branches {
			e.Parts = append(e.Parts, b.Name+": "+purpose(b.Node))
		}
	}
	return e
}

// described explains a node by what it does and its expressions.
func described(n *flow.Node, does string, expressions []view.Expression) ExplainedNode {
	e := ExplainedNode{
		ID: n.Node.ID(), Type: n.Node.Type(), Line: n.Node.Pos().Line, Does: does, Reads: []Read{},
		Writes: n.Output.String(), Reached: n.Reached, Next: []ExplainedEdge{},
	}
	for _, expr := range expressions {
		for _, r := range expr.Reads {
			read := Read{Path: view.ReferenceText(r), In: expr.Source}
			if len(r.Path) > 0 && r.Function == "" {
				binding, runs := n.Before[r.Path[0]]
				read.Maybe = runs && binding.Presence == shape.Maybe
			}
			e.Reads = append(e.Reads, read)
		}
	}
	return e
}
