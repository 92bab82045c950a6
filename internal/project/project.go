// Package project loads a graph file for the commands: a path goes in, a checked File with
// its compiled graphs comes out, or all its errors at once.
//
// It combines the findings of config, graph, the flow of data and the names and headers of
// tools, so that every command rejects the same files with the same words. It runs nothing
// and starts no server.
package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/registry"
	"toolgraph/internal/serving/expose"
	"toolgraph/internal/serving/pipeline"
	"toolgraph/internal/serving/plan"
)

// Project is a graph file, loaded, built and checked. It is not changed after Load and may
// be used by several goroutines.
type Project struct {
	File     *config.File
	Graphs   []*graph.Graph     // in file order; nil beside errors of graphs
	Sound    []*graph.Graph     // Graphs, or beside errors those of the tools without one: to be checked, not to be run
	Pipeline *pipeline.Tool     // nil: the file has none
	Plan     *plan.Tool         // nil: the file has none
	Expose   *expose.Set        // nil: the file exposes nothing
	Warnings config.Diagnostics // sorted; never errors
}

// Load reads and builds a graph file. Without registries in the options, servers with registry: true
// are looked up in those of the project and the user. Findings that are errors are returned as
// config.Diagnostics, with the warnings among them: those of the file and, as far as it was
// understood, those of its graphs. Other errors are those of reading, and the cause of
// ctx's end. When the file was understood well enough to find more errors in it, the
// Project is returned with the Diagnostics; it must not be run.
func Load(ctx context.Context, path string, opts config.Options) (*Project, error) {
	file, err := config.Load(path, withRegistries(path, opts))
	return build(ctx, file, err)
}

// Parse is Load for the content of a file; path is its name in messages.
func Parse(ctx context.Context, path string, src []byte, opts config.Options) (*Project, error) {
	file, err := config.Parse(path, src, withRegistries(path, opts))
	return build(ctx, file, err)
}

// withRegistries adds the registries of the project and the user, unless the options name some.
func withRegistries(path string, opts config.Options) config.Options {
	if opts.Registries == nil {
		opts.Registries = registry.Paths(path)
	}
	return opts
}

func build(ctx context.Context, file *config.File, err error) (*Project, error) {
	var found config.Diagnostics
	if err != nil && !errors.As(err, &found) || file == nil {
		return nil, err
	}
	if err == nil {
		found = append(found, file.Warnings...)
	}
	graphs, more, ended := graph.Build(ctx, file)
	if ended != nil {
		return nil, ended
	}
	found = append(found, more...)
	sound := graphs
	if more.Err() != nil {
		graphs = nil
	}
	piped, more, ended := pipeline.New(ctx, file, graphs)
	if ended != nil {
		return nil, ended
	}
	found = append(found, more...)
	planned, more, ended := plan.New(ctx, file, graphs)
	if ended != nil {
		return nil, ended
	}
	found = append(found, more...)
	exposed, more, ended := expose.New(ctx, file, graphs, requestNames(file))
	if ended != nil {
		return nil, ended
	}
	found = append(found, more...)
	for _, tool := range file.Tools {
		if tool.Hidden { // no client sees it
			continue
		}
		checkHeaders(&found, tool)
		checkPortability(&found, tool, file.Server.Name.Value)
	}
	found.Sort()
	p := &Project{File: file, Graphs: graphs, Sound: sound, Pipeline: piped, Plan: planned, Expose: exposed, Warnings: found}
	if found.Err() != nil {
		p.Sound = withoutErrors(file, sound, found)
		_, p.Warnings = found.Split()
		return p, found
	}
	return p, nil
}

// requestNames returns the names of the tools that take requests.
func requestNames(file *config.File) (names []string) {
	if file.Pipeline != nil {
		names = append(names, file.Pipeline.Name.Value)
	}
	if file.Plan != nil {
		names = append(names, config.RunPlan, config.SearchTools)
	}
	return names
}

// checkHeaders reports arguments that clients cannot mirror into HTTP headers, though the
// tool asks for it.
func checkHeaders(found *config.Diagnostics, tool *config.Tool) {
	mark := schema.Find(tool.InputSchema, "x-mcp-header")
	if mark == nil {
		return
	}
	if err := mcp.ValidateParamHeaderAnnotations(&mcp.Tool{Name: tool.Name.Value, RawInputSchema: tool.InputSchema.JSON()}); err != nil {
		found.Add(mark.Pos, "schema-header", "inputSchema: "+err.Error(), "clients skip a tool with an invalid x-mcp-header")
	}
}

// The names that hosts accept. Claude Desktop rejects a server with any other tool name,
// and Claude Code leaves out a tool whose full name, mcp__SERVER__TOOL, is too long.
const (
	longestPortable = 64
	longestFullName = 128
)

// checkPortability warns of a name that the protocol allows and some hosts reject. Names
// that the protocol does not allow are reported by the checks of the graph.
func checkPortability(found *config.Diagnostics, tool *config.Tool, server string) {
	const code = "tool-name-portability"
	name, full := tool.Name.Value, "mcp__"+server+"__"+tool.Name.Value
	switch {
	case !config.IsPortable(strings.ReplaceAll(name, ".", "_")) || len(name) > longestFullName:
	case !config.IsPortable(name) || len(name) > longestPortable:
		found.Warn(tool.Name.Pos, code, fmt.Sprintf("some hosts reject the tool name %s, expected at most 64 letters, digits, _ or -", wording.Quote(name)),
			"choose another name, or use only hosts that accept it").Over(tool.Name).Fixed(config.PlainName(tool.Name))
	case len(full) > longestFullName:
		found.Warn(tool.Name.Pos, code, fmt.Sprintf("the full tool name %s has %d characters, and some hosts leave out a tool with more than %d", wording.Quote(full), len(full), longestFullName),
			"shorten the name of the tool or the server")
	}
}

// Check returns all findings of the file, sorted: its warnings, and those about the flow of
// data in its graphs, given the known tools that they call. Upstreams may be nil. An error
// among them is one that every run is certain to meet; only checks ask for them. The error
// is the cause of ctx's end.
func (p *Project) Check(ctx context.Context, up flow.Upstreams) (config.Diagnostics, error) {
	return p.CheckSince(ctx, up, nil)
}

// CheckSince is Check that remembers in which graphs nothing was found, for the next version of the file; nil: it
// remembers nothing.
func (p *Project) CheckSince(ctx context.Context, up flow.Upstreams, clean *flow.Clean) (config.Diagnostics, error) {
	return p.check(ctx, p.Warnings, up, clean)
}

// CheckWith returns other findings about the file and those of the flow of data, sorted. The
// other findings stay as they are; for the rest, see Check.
func (p *Project) CheckWith(ctx context.Context, others config.Diagnostics, up flow.Upstreams) (config.Diagnostics, error) {
	return p.check(ctx, others, up, nil)
}

func (p *Project) check(ctx context.Context, others config.Diagnostics, up flow.Upstreams, clean *flow.Clean) (config.Diagnostics, error) {
	found, err := clean.CheckAll(ctx, p.File, p.Graphs, up)
	if err != nil {
		return nil, err
	}
	found = slices.Concat(others, found)
	found.Sort()
	return found, nil
}

// Requested returns the graphs that stand for all requests: those of the pipeline and of plans. See ForRun.
func (p *Project) Requested() (graphs []*graph.Graph) {
	if p.Pipeline != nil {
		graphs = append(graphs, p.Pipeline.Graph)
	}
	if p.Plan != nil {
		graphs = append(graphs, p.Plan.Graph)
	}
	return graphs
}

// Offering returns the graphs that stand for what clients can call beside the tools of the file: Requested, and that of
// exposed tools.
func (p *Project) Offering() []*graph.Graph {
	graphs := p.Requested()
	if p.Expose != nil {
		graphs = append(graphs, p.Expose.Drawn)
	}
	return graphs
}

// Listed returns the graphs of the tools that clients see and call: those that are not hidden, and
// those that stand for all requests.
func (p *Project) Listed() []*graph.Graph {
	listed := slices.DeleteFunc(slices.Clone(p.Graphs), func(g *graph.Graph) bool { return g.Tool.Hidden })
	return append(listed, p.Requested()...)
}

// Served returns the graphs whose runs clients start: Listed, and those of prompts that are no tools for clients.
func (p *Project) Served() []*graph.Graph {
	served := p.Listed()
	for _, g := range p.Graphs {
		if g.Tool.Hidden && g.Tool.Prompt {
			served = append(served, g)
		}
	}
	return served
}

// Capable returns the graphs of all that clients can call: Served, and that of exposed tools.
func (p *Project) Capable() []*graph.Graph {
	graphs := p.Served()
	if p.Expose != nil {
		graphs = append(graphs, p.Expose.Drawn)
	}
	return graphs
}

// Tool is Graph, also for the name of an exposed tool. It is not known whether its server has the tool. The error may also
// be the cause of ctx's end.
func (p *Project) Tool(ctx context.Context, name string) (*graph.Graph, error) {
	g, err := p.Graph(name)
	if err == nil || p.Expose == nil {
		return g, err
	}
	exposed, ended := p.Expose.Graph(ctx, name)
	if exposed != nil || ended != nil {
		return exposed, ended
	}
	return nil, err
}

// Graph returns the graph of the tool of this name, hidden or not; of the pipeline and of plans that which
// stands for all requests. See ForRun. The error lists the tools of the file and marks the hidden ones.
func (p *Project) Graph(tool string) (*graph.Graph, error) {
	var names, marked []string
	for _, g := range slices.Concat(p.Graphs, p.Requested()) {
		name := g.Tool.Name.Value
		if name == tool {
			return g, nil
		}
		names = append(names, name)
		if g.Tool.Hidden {
			name += " (hidden)"
		}
		marked = append(marked, name)
	}
	if p.Expose != nil {
		for _, call := range p.Expose.Named() {
			name := config.ExposedName(call.Server, call.Tool)
			names, marked = append(names, name), append(marked, name)
		}
	}
	has := cmp.Or(wording.List(marked), "none")
	if tool == "" {
		return nil, fmt.Errorf("no tool given; %s has %s", p.File.Path, has)
	}
	return nil, fmt.Errorf("%s has no tool %q (it has %s)%s", p.File.Path, tool, has, wording.Suggest(tool, names))
}
