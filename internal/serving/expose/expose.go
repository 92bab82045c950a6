// Package expose lists tools of servers beside those of a graph file. What the file says and the definition of a tool
// go in; a graph of one call comes out, which the engine runs like any other, and the definition for clients. The
// package calls nothing and starts no server.
package expose

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/graph"
	"toolgraph/internal/serving/callable"
	"toolgraph/internal/serving/server"
	"toolgraph/mcpclient"
)

// Set is what a graph file exposes. It is not changed after New and safe for concurrent use.
type Set struct {
	// Drawn stands for all exposed tools: it has one call for each, or for a pattern. It is what the lock and
	// capabilities show.
	Drawn *graph.Graph

	file     *config.File
	graphs   []*graph.Graph
	callable *callable.Set
	taken    map[string]bool // names of other tools
}

// New returns what a file exposes, and what is wrong with it, sorted; nil when it exposes nothing, or a finding is an
// error: graphs are then nil. others are the names of tools that clients get beside those of the file. The error is the
// cause of ctx's end.
func New(ctx context.Context, file *config.File, graphs []*graph.Graph, others []string) (*Set, config.Diagnostics, error) {
	if file.Expose == nil {
		return nil, nil, nil
	}
	var found config.Diagnostics
	s := &Set{file: file, graphs: graphs, taken: map[string]bool{}}
	s.callable = callable.New(file, "expose", "expose-tools", []config.Text{}, file.Expose, &found)
	for _, tool := range file.Tools {
		s.taken[tool.Name.Value] = true
	}
	for _, name := range append(others, "read_result") {
		s.taken[name] = true
	}
	for _, text := range file.Expose {
		for _, call := range s.callable.Named(text.Value) {
			if strings.HasSuffix(call.Tool, "*") {
				continue
			}
			if problem, code := s.problem(call.Server, call.Tool); problem != "" {
				found.Add(text.Pos, code, problem, "leave it out, or rename the server").Over(text)
			}
			for _, a := range allowOf(file) {
				if !a.Permits(call.Server, call.Tool) {
					found.Add(text.Pos, "not-allowed", a.Refusal(config.ExposedName(call.Server, call.Tool), call.Server, call.Tool), "add it to calls, or remove it here").Over(text)
				}
			}
		}
	}
	found.Sort()
	if graphs == nil || found.Err() != nil {
		return nil, found, nil
	}
	all := s.definition("", "")
	all.Name.Value = "expose"
	g, wrong, err := s.callable.Graph(ctx, graphs, all)
	if err != nil || wrong != nil {
		return nil, append(found, wrong...), err
	}
	s.Drawn = g
	return s, found, nil
}

func allowOf(file *config.File) []*graph.Allow {
	if file.Allow == nil || file.Allow.Calls == nil {
		return nil
	}
	a := &graph.Allow{Pos: file.Allow.Pos, Calls: []string{}}
	for _, text := range file.Allow.Calls {
		a.Calls = append(a.Calls, text.Value)
	}
	return []*graph.Allow{a}
}

// problem returns why a tool cannot be exposed, and the code of that; empty when it can.
func (s *Set) problem(server, tool string) (message, code string) {
	name := config.ExposedName(server, tool)
	switch {
	case s.taken[name]:
		return fmt.Sprintf("%s.%s has the name of another tool for clients, %q", server, tool, name), "name-taken"
	case utf8.RuneCountInString(name) > config.LongestExposed:
		return fmt.Sprintf("the name %q of %s.%s for clients has %d characters, at most %d are allowed", name, server, tool, utf8.RuneCountInString(name), config.LongestExposed), "name-too-long"
	}
	return "", ""
}

// Servers returns the servers of which tools are exposed, in the order of the file.
func (s *Set) Servers() []*config.Upstream { return s.callable.Servers() }

// permits reports whether a tool is exposed.
func (s *Set) permits(server, tool string) bool {
	if !s.callable.Calls.Permits(server, tool) {
		return false
	}
	for _, a := range allowOf(s.file) {
		if !a.Permits(server, tool) {
			return false
		}
	}
	return true
}

// Graph returns the graph of the exposed tool of this name, as a run of it is recorded; nil when there is none. The
// error is the cause of ctx's end.
func (s *Set) Graph(ctx context.Context, name string) (*graph.Graph, error) {
	for _, u := range s.Servers() {
		server := u.Name.Value
		if tool, isOf := strings.CutPrefix(name, config.ExposedName(server, "")); isOf && s.permits(server, tool) {
			g, _, err := s.compile(ctx, s.definition(server, tool))
			return g, err
		}
	}
	return nil, nil //nolint:nilnil // there is none
}

// definition is the tool for clients, with a schema that takes any arguments.
func (s *Set) definition(server, tool string) *config.Tool {
	pos := config.Pos{}
	if len(s.file.Expose) > 0 {
		pos = s.file.Expose[0].Pos
	}
	return &config.Tool{
		Pos: pos, Name: config.Text{Value: config.ExposedName(server, tool), Pos: pos}, Result: config.JSONResult, InputSchema: anyArguments(pos),
		Nodes: []*config.Node{
			callable.Node(pos, entryID, config.EntryNode, tool), callNode(pos, server, tool), callable.Node(pos, exitID, config.ExitNode, ""),
		},
	}
}

// The ids of the nodes beside the call; it has the name of its tool.
const (
	entryID = "_arguments"
	exitID  = "_result"
)

func callNode(pos config.Pos, server, tool string) *config.Node {
	n := callable.Node(pos, tool, config.MCPNode, exitID)
	n.Server, n.Tool = config.Text{Value: server, Pos: pos}, config.Text{Value: tool, Pos: pos}
	n.Args = &config.Data{Pos: pos, Kind: config.KindExpression, Expr: config.Text{Value: "$.`" + entryID + "`", Pos: pos}}
	return n
}

func anyArguments(pos config.Pos) *config.Data {
	return &config.Data{
		Pos: pos, Kind: config.KindObject, Keys: []config.Text{{Value: "type", Pos: pos}},
		Items: []*config.Data{{Pos: pos, Scalar: "object", Text: config.Text{Value: "object", Pos: pos}}},
	}
}

// compile compiles a definition. A finding that is an error is about its schemas.
func (s *Set) compile(ctx context.Context, def *config.Tool) (*graph.Graph, config.Diagnostics, error) {
	return graph.Extend(ctx, s.file, s.graphs, def, graph.References{}, nil)
}

// Exposed is a tool as clients get it, without what runs it.
type Exposed struct {
	Graph  *graph.Graph
	Tool   server.Tool
	Server string
}

// Tool returns an exposed tool as its server lists it; nil, and why, for one that cannot be exposed. The error is the
// cause of ctx's end.
func (s *Set) Tool(ctx context.Context, from string, listed *mcpclient.Tool) (e *Exposed, why string, err error) {
	if !s.permits(from, listed.Name) {
		return nil, "", nil
	}
	if problem, _ := s.problem(from, listed.Name); problem != "" {
		return nil, problem, nil
	}
	def := s.definition(from, listed.Name)
	def.Title, def.Description = config.Text{Value: listed.Title}, config.Text{Value: listed.Description}
	part := func(raw []byte) *config.Data {
		if len(raw) == 0 {
			return nil
		}
		data, err := config.ParseData(def.Name.Value, raw)
		if err != nil {
			why = fmt.Sprintf("a part of its definition cannot be read: %v", err)
			return nil
		}
		return data
	}
	if input := part(listed.InputSchema); input != nil {
		def.InputSchema = input
	}
	g, found, err := s.compile(ctx, def)
	if err != nil {
		return nil, "", err
	}
	if g == nil { // of a schema that cannot be checked here: the server checks the arguments
		why = fmt.Sprintf("its arguments are not checked, because of its inputSchema: %v", found.Err())
		def.InputSchema = anyArguments(def.Pos)
		if g, _, err = s.compile(ctx, def); g == nil || err != nil {
			return nil, fmt.Sprintf("its name cannot be that of a tool: %v", found.Err()), err
		}
	}
	def.Annotations, def.Icons = part(listed.Annotations), part(listed.Icons())
	e = &Exposed{Graph: g, Server: from, Tool: server.Tool{Def: def, Input: g.Input, Calls: []server.Upstream{{Server: from, Tool: listed.Name}}}}
	if output := part(listed.OutputSchema); output != nil {
		var wrong config.Diagnostics
		if compiled := schema.Output(ctx, output, &wrong); wrong.Err() == nil && !compiled.Wrapped() {
			e.Tool.Output = compiled
		}
	}
	return e, why, nil
}
