package authoring

import (
	"context"
	"fmt"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/graph/flow"
)

// explained is a tool, as a drawing and node by node.
type explained struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Mermaid     string          `json:"mermaid"`
	Result      string          `json:"result"` // what it gives, as far as that is known
	Nodes       []explainedNode `json:"nodes"`
	Calls       []explainedCall `json:"calls"`
}

type explainedNode struct {
	ID      string          `json:"id"`
	Type    config.NodeType `json:"type"`
	Line    int             `json:"line,omitempty"`
	Does    string          `json:"does"`
	Reads   []read          `json:"reads"`
	Writes  string          `json:"writes"` // the shape of its output
	Next    []explainedEdge `json:"next"`
	Reached bool            `json:"reached"`
}

// read is something that a node's expressions read.
type read struct {
	Path  string `json:"path"`
	In    string `json:"in"`              // the expression
	Maybe bool   `json:"maybe,omitempty"` // the node that writes it may not have run
}

type explainedEdge struct {
	To   string `json:"to"`
	When string `json:"when,omitempty"` // short text of the rule, or default
}

type explainedCall struct {
	Server   string `json:"server"`
	Tool     string `json:"tool"`
	ReadOnly *bool  `json:"readOnly,omitempty"` // as its server says; nothing when that is not known
}

func explainGraphTool(_ context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	held, name, err := v.subject(a)
	if err != nil {
		return nil, notStarted(v, err)
	}
	p, err := held.checked()
	if err != nil {
		return nil, fmt.Errorf("the tool cannot be explained before it is right; checkGraphTool tells what is wrong: %w", err)
	}
	g, err := graphOf(p, name)
	if err != nil {
		return nil, err
	}
	known := k.knownTools()
	told := explained{Name: name, Description: g.Tool.Description.Value, Mermaid: graph.Mermaid(g), Calls: []explainedCall{}, Result: shape.Any().String()}
	for _, c := range g.Calls() {
		tool, _ := known.Tool(c.Server, c.Tool)
		told.Calls = append(told.Calls, explainedCall{Server: c.Server, Tool: c.Tool, ReadOnly: tool.ReadOnly})
	}
	for _, n := range flow.Of(g, known).Nodes {
		told.Nodes = append(told.Nodes, explain(g, n))
		if n.Node.Type() == config.ExitNode {
			told.Result = n.Output.String()
		}
	}
	return told, nil
}

func explain(g *graph.Graph, n *flow.Node) explainedNode {
	e := explainedNode{
		ID: n.Node.ID(), Type: n.Node.Type(), Line: n.Node.Pos().Line, Does: deed(n.Node), Reads: []read{},
		Writes: n.Output.String(), Reached: n.Reached, Next: []explainedEdge{},
	}
	for _, edge := range g.Edges() {
		if edge.From == e.ID {
			e.Next = append(e.Next, explainedEdge{To: edge.To, When: edge.Label})
		}
	}
	note := func(refs []expressions.Reference, in string) {
		for _, r := range refs {
			told := read{Path: referenceText(r), In: in}
			if len(r.Path) > 0 && r.Function == "" {
				binding, runs := n.Before[r.Path[0]]
				told.Maybe = runs && binding.Presence == shape.Maybe
			}
			e.Reads = append(e.Reads, told)
		}
	}
	switch n := n.Node.(type) {
	case *graph.Transform:
		note(n.Expr.References(), n.Expr.Source())
	case *graph.MCP:
		for _, expr := range n.Args.Expressions() {
			note(expr.References(), expr.Source())
		}
	case *graph.Switch:
		for _, c := range n.Conditions {
			var refs []expressions.Reference
			for _, r := range c.Rule.References() {
				if !r.Body {
					refs = append(refs, r.Reference)
				}
			}
			note(refs, string(c.Rule.Data.JSON()))
		}
	case *graph.Entry, *graph.Exit:
	}
	return e
}

// deed is what a node does, in words.
func deed(n graph.Node) string {
	switch n := n.(type) {
	case *graph.Entry:
		return "gives the tool's arguments"
	case *graph.MCP:
		return fmt.Sprintf("calls %s of server %s", n.Tool, n.Server)
	case *graph.Transform:
		return "evaluates an expression"
	case *graph.Switch:
		return "goes to the first node whose rule holds, else to the default; gives that node's id"
	case *graph.Exit:
		return "ends the run with the output of the node before it"
	}
	return ""
}
