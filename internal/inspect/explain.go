package inspect

import (
	"context"
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
)

// Explanation is a tool, as a drawing and node by node.
type Explanation struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Mermaid     string          `json:"mermaid"`
	Result      string          `json:"result"` // the shape of what it gives, as far as that is known
	Nodes       []ExplainedNode `json:"nodes"`
	Calls       []ExplainedCall `json:"calls"`
}

// ExplainedNode is one node: what it does, reads and writes, and where it goes.
type ExplainedNode struct {
	ID      string          `json:"id"`
	Type    config.NodeType `json:"type"`
	Line    int             `json:"line,omitempty"`
	Does    string          `json:"does"`
	Reads   []Read          `json:"reads"`
	Writes  string          `json:"writes"` // the shape of its output
	Next    []ExplainedEdge `json:"next"`
	Reached bool            `json:"reached"` // a run can come to it
}

// Read is something that a node's expressions read.
type Read struct {
	Path  string `json:"path"`
	In    string `json:"in"`              // the expression
	Maybe bool   `json:"maybe,omitempty"` // the node that writes it may not have run
}

// ExplainedEdge is one way out of a node.
type ExplainedEdge struct {
	To   string `json:"to"`
	When string `json:"when,omitempty"` // short text of the rule, or default
}

// ExplainedCall is an upstream tool that is called.
type ExplainedCall struct {
	Server   string `json:"server"`
	Tool     string `json:"tool"`
	ReadOnly *bool  `json:"readOnly,omitempty"` // as its server says; nothing when that is not known
}

// ExplainTool explains a tool of the file. What the tools that it calls give is known
// from the lock beside the file, if there is one.
func (i *Inspector) ExplainTool(ctx context.Context, tool string) (*Explanation, error) {
	p, g, err := i.tool(ctx, tool)
	if err != nil {
		return nil, err
	}
	return Explain(ctx, g, pinned(p))
}

// pinned is what the lock beside a file knows.
func pinned(p *project.Project) flow.Upstreams {
	l, _ := lock.Load(lock.Path(p.File.Path)) // its mistakes are for check and doctor to tell; nil knows nothing
	return l
}

// Explain explains a graph, with what is known of the tools that it calls. The error is
// the cause of ctx's end.
func Explain(ctx context.Context, g *graph.Graph, up flow.Upstreams) (*Explanation, error) {
	followed, err := flow.Of(ctx, g, up)
	if err != nil {
		return nil, err
	}
	told := &Explanation{
		Name: g.Tool.Name.Value, Description: g.Tool.Description.Value, Mermaid: graph.Mermaid(g),
		Calls: []ExplainedCall{}, Result: shape.Any().String(),
	}
	for _, c := range g.Calls() {
		call := ExplainedCall{Server: c.Server, Tool: c.Tool}
		if tool, known := up.Tool(c.Server, c.Tool); known {
			call.ReadOnly = tool.ReadOnly
		}
		told.Calls = append(told.Calls, call)
	}
	for _, n := range followed.Nodes {
		told.Nodes = append(told.Nodes, explain(g, n))
		if n.Node.Type() == config.ExitNode {
			told.Result = n.Output.String()
		}
	}
	return told, nil
}

func explain(g *graph.Graph, n *flow.Node) ExplainedNode {
	e := ExplainedNode{
		ID: n.Node.ID(), Type: n.Node.Type(), Line: n.Node.Pos().Line, Does: deed(n.Node), Reads: []Read{},
		Writes: n.Output.String(), Reached: n.Reached, Next: []ExplainedEdge{},
	}
	for _, edge := range g.Edges() {
		if edge.From == e.ID {
			e.Next = append(e.Next, ExplainedEdge{To: edge.To, When: edge.Label})
		}
	}
	for _, source := range sources(n.Node) {
		for _, r := range source.reads {
			told := Read{Path: ReferenceText(r), In: source.text}
			if len(r.Path) > 0 && r.Function == "" {
				binding, runs := n.Before[r.Path[0]]
				told.Maybe = runs && binding.Presence == shape.Maybe
			}
			e.Reads = append(e.Reads, told)
		}
	}
	return e
}

// source is an expression of a node.
type source struct {
	text  string
	reads []jsonata.Reference
}

func sources(n graph.Node) (all []source) {
	switch n := n.(type) {
	case *graph.Transform:
		all = append(all, source{n.Expr.Source(), n.Expr.References()})
	case *graph.MCP:
		for _, expr := range n.Args.Expressions() {
			all = append(all, source{expr.Source(), expr.References()})
		}
	case *graph.Switch:
		for _, c := range n.Conditions {
			rule := source{text: string(c.Rule.Data.JSON())}
			for _, r := range c.Rule.References() {
				if !r.Body {
					rule.reads = append(rule.reads, r.Reference)
				}
			}
			all = append(all, rule)
		}
	case *graph.Entry, *graph.Exit:
	}
	return all
}

// ReferenceText is what an expression reads, as it would be written.
func ReferenceText(r jsonata.Reference) string {
	path := strings.Join(r.Path, ".")
	if r.Function != "" {
		return fmt.Sprintf("$%s(%q)", r.Function, path)
	}
	return path
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
