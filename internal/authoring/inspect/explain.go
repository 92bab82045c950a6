package inspect

import (
	"context"
	"fmt"

	"toolgraph/config"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/authoring/view"
	"toolgraph/internal/base/wording"
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

// ExplainedNode is a node: what it does, reads and writes, and its edges.
type ExplainedNode struct {
	ID      string          `json:"id"`
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
		out.Nodes = append(out.Nodes, explain(g, n))
		if n.Node.Type() == config.ExitNode {
			out.Result = n.Output.String()
		}
	}
	return out, nil
}

func explain(g *graph.Graph, n *flow.Node) ExplainedNode {
	e := ExplainedNode{
		ID: n.Node.ID(), Type: n.Node.Type(), Line: n.Node.Pos().Line, Does: purpose(n.Node), Reads: []Read{},
		Writes: n.Output.String(), Reached: n.Reached, Next: []ExplainedEdge{},
	}
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
	for _, expr := range view.Expressions(n.Node) {
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

// purpose returns what a node does.
func purpose(n graph.Node) string {
	switch n := n.(type) {
	case *graph.Entry:
		return "returns the tool's arguments"
	case *graph.MCP:
		return calling(&n.Calling, fmt.Sprintf("calls %s of server %s", n.Tool, n.Server)) + retrying(n.Retry) + onError(n.OnError)
	case *graph.SubGraph:
		return calling(&n.Calling, fmt.Sprintf("calls the tool %s of this file in a frame of its own", n.Tool)) + onError(n.OnError)
	case *graph.Parallel:
		return fmt.Sprintf("makes %s at once; returns an object with the value of each branch", wording.Count(len(n.Branches), "call"))
	case *graph.Ask:
		if n.Form == nil {
			return "asks the user for consent; returns an empty object" + onError(n.OnError)
		}
		return "asks the user to fill in a form; returns what was filled in" + onError(n.OnError)
	case *graph.Transform:
		return "evaluates an expression" + onError(n.OnError)
	case *graph.Switch:
		return "goes to the first node whose rule holds, else to the default; returns the id of that node"
	case *graph.Steps:
		return "runs " + wording.Count(len(n.Block), "step") + " in the order of what they read" + onError(n.OnError)
	case *graph.Exit:
		return "ends the run with the output of the node before it"
	}
	return ""
}

// calling adds to what a call does how often it is made.
func calling(c *graph.Calling, does string) string {
	if each := c.ForEach; each != nil {
		does += " for each item of " + wording.Shorten(each.Items.Source())
		if each.MaxParallel > 1 {
			does += fmt.Sprintf(", at most %d at the same time", each.MaxParallel)
		}
		does += "; returns the list of the values"
	}
	if c.Timeout > 0 {
		does += fmt.Sprintf("; fails after %v", c.Timeout)
	}
	return does
}

func retrying(r *graph.Retry) string {
	switch {
	case r == nil:
		return ""
	case r.Until != nil:
		return fmt.Sprintf("; repeats the call until %s, at most %d attempts", wording.Shorten(r.Until.Source()), r.Attempts)
	case len(r.Codes) == 0:
		return fmt.Sprintf("; repeats a failed call when that is safe, at most %d attempts", r.Attempts)
	}
	return fmt.Sprintf("; repeats a call that failed with %s, at most %d attempts", wording.Or(r.Codes), r.Attempts)
}

func onError(o *graph.OnError) string {
	if o == nil {
		return ""
	}
	text := "; after a failure"
	if len(o.Codes) > 0 {
		text += " with " + wording.Or(o.Codes)
	}
	if o.Value == nil {
		text += " returns {error: …}"
	} else {
		text += " returns the value of onError"
	}
	if o.Next != nil {
		text += " and goes to " + o.Next.ID()
	}
	return text
}
