package inspect

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/graph/flow"
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
	Hidden       []string   `json:"hiddenTools,omitempty"` // those of the tools that clients do not see
	Warnings     []Finding  `json:"warnings"`
	Toolgraph    string     `json:"toolgraph"` // the version of the program
}

// Limits bound one run.
type Limits struct {
	Executions   int   `json:"maxNodeExecutions"`
	Time         int64 `json:"maxExecutionTimeMs"`
	OutputBytes  int   `json:"maxNodeOutputBytes"`
	HistoryBytes int   `json:"maxHistoryBytes"`
	Depth        int   `json:"maxDepth,omitempty"`
	Calls        int   `json:"maxCalls,omitempty"` // left out: no limit
}

func limitsOf(l config.Limits) Limits {
	return Limits{
		Executions: l.MaxNodeExecutions, Time: l.MaxExecutionTime.Milliseconds(),
		OutputBytes: l.MaxNodeOutputBytes, HistoryBytes: l.MaxHistoryBytes, Depth: l.MaxDepth, Calls: l.MaxCalls,
	}
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
		Limits: limitsOf(f.Limits),
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
		if t.Hidden {
			out.Hidden = append(out.Hidden, t.Name.Value)
		}
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
	Hidden       bool         `json:"hidden,omitempty"` // clients do not see it; graphs call it
	Nodes        int          `json:"nodes"`
	Calls        []Call       `json:"calls"`
	Graphs       []string     `json:"graphs,omitempty"` // the tools of the file whose graphs it calls, directly or not
	InputSchema  *config.Data `json:"inputSchema"`
	OutputSchema *config.Data `json:"outputSchema,omitempty"`
	Hash         string       `json:"hash"` // of the graph; texts and order do not matter
}

// Call is an upstream tool that a graph calls.
type Call struct {
	Server   string        `json:"server"`
	Tool     string        `json:"tool"`
	Graph    string        `json:"graph,omitempty"`    // the called tool of the file that makes the call; empty for the tool itself
	Effect   config.Effect `json:"effect,omitempty"`   // as the file says
	ReadOnly *bool         `json:"readOnly,omitempty"` // as its server says, only in an Explanation; nil when it is unknown
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
			Hidden: g.Tool.Hidden, Graphs: calledGraphs(g), Nodes: len(g.Nodes), Calls: callsOf(g, nil), InputSchema: g.Tool.InputSchema, OutputSchema: g.Tool.OutputSchema, Hash: g.Hash,
		})
	}
	return out, nil
}

// callsOf returns the upstream tools that a run of a graph can call, each once for each effect.
func callsOf(g *graph.Graph, up flow.Upstreams) []Call {
	calls := []Call{}
	for _, of := range g.Reached() {
		for _, n := range of.CallNodes() {
			m, isMCP := n.(*graph.MCP)
			if !isMCP {
				continue
			}
			call := Call{Server: m.Server, Tool: m.Tool, Effect: m.Effect}
			if slices.ContainsFunc(calls, func(c Call) bool { return c.Server == call.Server && c.Tool == call.Tool && c.Effect == call.Effect }) {
				continue
			}
			if of != g {
				call.Graph = of.Tool.Name.Value
			}
			if up != nil {
				if tool, known := up.Tool(m.Server, m.Tool); known {
					call.ReadOnly = tool.ReadOnly
				}
			}
			calls = append(calls, call)
		}
	}
	return calls
}

// calledGraphs returns the tools of the file whose graphs a graph calls, directly or not.
func calledGraphs(g *graph.Graph) []string {
	var names []string
	for _, of := range g.Reached()[1:] {
		names = append(names, of.Tool.Name.Value)
	}
	return names
}

// Graph returns the drawing of a tool's graph, as toolgraph graph --format json prints it.
func (i *Inspector) Graph(ctx context.Context, tool string) (json.RawMessage, error) {
	_, g, err := i.tool(ctx, tool)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(graph.JSON(g)), nil
}
