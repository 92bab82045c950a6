package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/lock"
	"toolgraph/internal/view"
)

// Metadata is what a graph file says about itself.
type Metadata struct {
	File         string     `json:"file"` // absolute
	Version      string     `json:"version"`
	Name         string     `json:"name"`
	Title        string     `json:"title"`
	Instructions string     `json:"instructions,omitempty"`
	OlderForm    bool       `json:"olderForm,omitempty"` // toolgraph upgrade rewrites it
	Limits       Limits     `json:"executionLimits"`
	Servers      []Upstream `json:"mcpServers"`
	Tools        []string   `json:"tools"`
	Warnings     []Finding  `json:"warnings"`
	Toolgraph    string     `json:"toolgraph"` // the version of the program
}

// Limits bound one run.
type Limits struct {
	Executions   int   `json:"maxNodeExecutions"`
	Time         int64 `json:"maxExecutionTimeMs"`
	OutputBytes  int   `json:"maxNodeOutputBytes"`
	HistoryBytes int   `json:"maxHistoryBytes"`
}

// Upstream is a server that the graphs call, without its secrets.
type Upstream struct {
	Name      string           `json:"name"`
	Transport config.Transport `json:"type"`
	Identity  string           `json:"identity"`          // its command and arguments, or its URL; variables by name
	Settings  []string         `json:"settings"`          // the names of its env or headers
	Trusted   bool             `json:"trusted,omitempty"` // the annotations of its tools are trusted
}

// Finding is a warning about the file.
type Finding struct {
	Severity string     `json:"severity"`
	Code     string     `json:"code"`
	Message  string     `json:"message"`
	Hint     string     `json:"hint,omitempty"`
	Pos      config.Pos `json:"pos,omitzero"`
}

// Metadata returns what the file says about itself, and the warnings about it.
func (i *Inspector) Metadata(ctx context.Context) (*Metadata, error) {
	p, err := i.load(ctx)
	if err != nil {
		return nil, err
	}
	f := p.File
	out := &Metadata{
		File: f.Path, Version: f.Server.Version.Value, Name: f.Server.Name.Value, Title: f.Server.Title.Value,
		Instructions: f.Server.Instructions.Value, OlderForm: f.Older, Toolgraph: i.Version,
		Servers: []Upstream{}, Tools: []string{}, Warnings: []Finding{},
		Limits: Limits{
			Executions: f.Limits.MaxNodeExecutions, Time: f.Limits.MaxExecutionTime.Milliseconds(),
			OutputBytes: f.Limits.MaxNodeOutputBytes, HistoryBytes: f.Limits.MaxHistoryBytes,
		},
	}
	if full, err := filepath.Abs(f.Path); err == nil {
		out.File = full
	}
	for _, u := range f.Servers {
		server := Upstream{Name: u.Name.Value, Transport: u.Transport, Identity: f.Secrets.Redact(u.Identity), Settings: []string{}, Trusted: u.Trusted}
		for _, s := range slices.Concat(u.Env, u.Headers) {
			server.Settings = append(server.Settings, s.Name.Value)
		}
		out.Servers = append(out.Servers, server)
	}
	for _, t := range f.Tools {
		out.Tools = append(out.Tools, t.Name.Value)
	}
	for _, d := range p.Warnings {
		out.Warnings = append(out.Warnings, Finding{Severity: d.Severity.String(), Code: d.Code, Message: d.Message, Hint: d.Hint, Pos: d.Pos})
	}
	return out, nil
}

// Tools are the tools that a file defines.
type Tools struct {
	Tools []Tool `json:"tools"`
}

// Tool is a tool that a file defines.
type Tool struct {
	Name         string       `json:"name"`
	Title        string       `json:"title,omitempty"`
	Description  string       `json:"description"`
	Line         int          `json:"line"`
	Nodes        int          `json:"nodes"`
	Calls        []Call       `json:"calls"`
	InputSchema  *config.Data `json:"inputSchema"`
	OutputSchema *config.Data `json:"outputSchema,omitempty"`
	Hash         string       `json:"hash"` // of the graph; texts and order do not matter
}

// Call is an upstream tool that a graph calls.
type Call struct {
	Server   string `json:"server"`
	Tool     string `json:"tool"`
	ReadOnly *bool  `json:"readOnly,omitempty"` // as its server says, only in an Explanation; nil when it is unknown
}

// ListTools returns the tools of the file.
func (i *Inspector) ListTools(ctx context.Context) (*Tools, error) {
	p, err := i.load(ctx)
	if err != nil {
		return nil, err
	}
	out := &Tools{Tools: []Tool{}}
	for _, g := range p.Graphs {
		out.Tools = append(out.Tools, Tool{
			Name: g.Tool.Name.Value, Title: g.Tool.Title.Value, Description: g.Tool.Description.Value, Line: g.Tool.Pos.Line,
			Nodes: len(g.Nodes), Calls: callsOf(g, nil), InputSchema: g.Tool.InputSchema, OutputSchema: g.Tool.OutputSchema, Hash: g.Hash,
		})
	}
	return out, nil
}

func callsOf(g *graph.Graph, up flow.Upstreams) []Call {
	calls := []Call{}
	for _, c := range g.Calls() {
		call := Call{Server: c.Server, Tool: c.Tool}
		if up != nil {
			if tool, known := up.Tool(c.Server, c.Tool); known {
				call.ReadOnly = tool.ReadOnly
			}
		}
		calls = append(calls, call)
	}
	return calls
}

// Graph returns the drawing of a tool's graph, as toolgraph graph --format json prints it.
func (i *Inspector) Graph(ctx context.Context, tool string) (json.RawMessage, error) {
	_, g, err := i.tool(ctx, tool)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(graph.JSON(g)), nil
}

// Explanation is a tool, as a drawing and node by node.
type Explanation struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Mermaid     string          `json:"mermaid"`
	Result      string          `json:"result"` // its shape, as far as it is known
	Nodes       []ExplainedNode `json:"nodes"`
	Calls       []Call          `json:"calls"`
}

// ExplainedNode is a node: what it does, reads and writes, and its edges.
type ExplainedNode struct {
	ID      string          `json:"id"`
	Type    config.NodeType `json:"type"`
	Line    int             `json:"line,omitempty"`
	Does    string          `json:"does"`
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

// ExplainTool explains a tool of the file. The lock beside the file, if there is one, says
// what the tools that it calls return.
func (i *Inspector) ExplainTool(ctx context.Context, tool string) (*Explanation, error) {
	p, g, err := i.tool(ctx, tool)
	if err != nil {
		return nil, err
	}
	locked, _ := lock.Load(lock.Path(p.File.Path)) // check and doctor report its errors; nil knows no tool
	return Explain(ctx, g, locked)
}

// Explain explains a graph, with what is known about the tools that it calls. The error is
// the cause of ctx's end.
func Explain(ctx context.Context, g *graph.Graph, up flow.Upstreams) (*Explanation, error) {
	analysis, err := flow.Of(ctx, g, up)
	if err != nil {
		return nil, err
	}
	out := &Explanation{
		Name: g.Tool.Name.Value, Description: g.Tool.Description.Value, Mermaid: graph.Mermaid(g),
		Calls: callsOf(g, up), Result: shape.Any().String(),
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
		return fmt.Sprintf("calls %s of server %s", n.Tool, n.Server)
	case *graph.Transform:
		return "evaluates an expression"
	case *graph.Switch:
		return "goes to the first node whose rule holds, else to the default; returns the id of that node"
	case *graph.Exit:
		return "ends the run with the output of the node before it"
	}
	return ""
}
