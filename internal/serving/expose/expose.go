// Package expose lists tools, prompts and resources of servers beside the tools of a graph file. What the file says and
// what servers list go in; for each tool a graph of one call comes out, which the engine runs like any other, and its
// definition for clients; for prompts and resources their entries. The package calls nothing and starts no server.
package expose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/callable"
)

// Set is what a graph file exposes. It is not changed after New and safe for concurrent use.
type Set struct {
	// Drawn stands for all exposed tools: it has one call for each, or for a pattern. It is what the lock and
	// capabilities show.
	Drawn *graph.Graph

	file     *config.File
	graphs   []*graph.Graph
	callable *callable.Set
	allow    []*graph.Allow
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
	s := &Set{file: file, graphs: graphs, allow: allowOf(file), taken: map[string]bool{}}
	var ignored config.Diagnostics // checkText has better remedies
	s.callable = callable.New(file, "expose", "expose-tools", []config.Text{}, file.Expose, &ignored)
	for _, tool := range file.Tools {
		s.taken[tool.Name.Value] = true
	}
	for _, name := range append(others, "read_result") {
		s.taken[name] = true
	}
	for _, text := range file.Expose {
		if s.checkText(text, &found) {
			s.checkNamed(text, &found)
		}
	}
	s.checkPassed(&found)
	s.checkPrompts(&found)
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

// checkNamed reports what keeps a tool that the file names from being exposed.
func (s *Set) checkNamed(text config.Text, found *config.Diagnostics) {
	for _, call := range s.callable.Named(text.Value) {
		if !s.named(call.Server, call.Tool) {
			continue
		}
		if problem, code, remedy := s.problem(call.Server, call.Tool); problem != "" {
			found.Add(text.Pos, code, problem, remedy).Over(text)
		}
		for _, a := range s.allow {
			if !a.Permits(call.Server, call.Tool) {
				found.Add(text.Pos, "not-allowed", a.Refusal(config.ExposedName(call.Server, call.Tool), call.Server, call.Tool), "add it to calls, or remove it here").Over(text)
			}
		}
	}
}

// checkPassed reports servers whose prompts or resources are exposed and that the file does not have.
func (s *Set) checkPassed(found *config.Diagnostics) {
	var servers []string
	for _, u := range s.file.Servers {
		servers = append(servers, u.Name.Value)
	}
	for _, p := range s.file.Passes {
		if name := p.Server.Value; name != "" && !slices.Contains(servers, name) {
			near := wording.Nearest(name, servers)
			found.Add(p.Server.Pos, "expose-tools", "server of expose is "+wording.Quote(name)+", which mcpServers does not have", wording.Meant(near)).Meant(p.Server, near)
		}
	}
}

// checkPrompts reports prompts of the file whose names prompts of servers can have.
func (s *Set) checkPrompts(found *config.Diagnostics) {
	for _, tool := range s.file.Tools {
		for _, p := range s.file.Passes {
			begin := config.ExposedName(p.Server.Value, "")
			if tool.Prompt && p.Prompts && p.Server.Value != "" && strings.HasPrefix(tool.Name.Value, begin) {
				found.Add(tool.Name.Pos, "name-taken", fmt.Sprintf("prompt %q begins with %q, as all prompts of server %q do for clients, so they may have its name", tool.Name.Value, begin, p.Server.Value), "rename it").
					Over(tool.Name).Fixed(config.AnotherName(tool.Name))
				break
			}
		}
	}
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

// Servers returns the servers of which tools are exposed, in the order of the file.
func (s *Set) Servers() []*config.Upstream { return s.callable.Servers() }

// Permits reports whether a tool of a server is exposed, if its name for clients can be used.
func (s *Set) Permits(server, tool string) bool {
	if !s.callable.Calls.Permits(server, tool) {
		return false
	}
	for _, a := range s.allow {
		if !a.Permits(server, tool) {
			return false
		}
	}
	return true
}

// Graph returns the graph of the exposed tool of this name, as a run of it is recorded; nil when there is none. The
// error is the cause of ctx's end.
func (s *Set) Graph(ctx context.Context, name string) (*graph.Graph, error) {
	of := s.owner(name)
	if of.Server == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	g, _, err := s.compile(ctx, s.definition(of.Server, of.Tool))
	return g, err
}
