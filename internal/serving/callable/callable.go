// Package callable is what requests of a client may call: tools of a graph file, and of its servers. What the file
// says goes in; a Set comes out, or findings. The tool that takes such requests is listed and drawn as a graph that
// stands for all of them. The package calls nothing.
package callable

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// Set is what requests may call. It is not changed after New and safe for concurrent use.
type Set struct {
	File  *config.File
	Tools []string    // of the file
	Calls graph.Allow // of servers: patterns
}

// New returns what requests may call: tools of the file, nil for all that clients see, and calls of servers; it adds what is
// wrong with them, with a code. who is whose these are, in messages: the pipeline.
func New(file *config.File, who, code string, tools, calls []config.Text, found *config.Diagnostics) *Set {
	s := &Set{File: file, Calls: graph.Allow{Calls: []string{}}}
	s.addTools(who, code, tools, found)
	s.addCalls(who, code, calls, found)
	return s
}

// IsEmpty reports whether requests can call nothing.
func (s *Set) IsEmpty() bool { return len(s.Tools) == 0 && len(s.Calls.Calls) == 0 }

// addTools adds the tools of the file.
func (s *Set) addTools(who, code string, tools []config.Text, found *config.Diagnostics) {
	var listed []string
	hidden := map[string]bool{}
	for _, tool := range s.File.Tools {
		if hidden[tool.Name.Value] = tool.Hidden; !tool.Hidden {
			listed = append(listed, tool.Name.Value)
		}
	}
	if tools == nil {
		s.Tools = listed
		return
	}
	for _, text := range tools {
		switch name := text.Value; {
		case hidden[name]:
			found.Add(text.Pos, code, fmt.Sprintf("tools of %s has %q, which is hidden from clients", who, name), "remove it, or remove hidden from the tool").Over(text).Fixed(config.RemoveItem(text.Pos))
		case !slices.Contains(listed, name):
			near := wording.Nearest(name, listed)
			found.Add(text.Pos, code, fmt.Sprintf("tools of %s has %s, which is not in this file", who, wording.Quote(name)), wording.Meant(near)).Meant(text, near)
		case !slices.Contains(s.Tools, name):
			s.Tools = append(s.Tools, name)
		}
	}
}

// addCalls adds the patterns of tools of servers.
func (s *Set) addCalls(who, code string, calls []config.Text, found *config.Diagnostics) {
	var servers []string
	for _, u := range s.File.Servers {
		servers = append(servers, u.Name.Value)
	}
	for _, text := range calls {
		if len(s.Named(text.Value)) > 0 {
			s.Calls.Calls = append(s.Calls.Calls, text.Value)
			continue
		}
		server, _, dotted := strings.Cut(text.Value, ".")
		near := wording.Nearest(server, servers)
		message, hint := fmt.Sprintf("calls of %s has %s, which names a tool of no server of mcpServers", who, wording.Quote(text.Value)), wording.Meant(near)
		if !dotted && hint == "" {
			hint = "write server.tool, or server.* for all tools of a server"
		}
		found.Add(text.Pos, code, message, hint).Over(text).Fixed(config.ReplaceWord(text, 0, len(server), near))
	}
}

// Call is a tool, or a pattern of tools, of a server.
type Call struct{ Server, Tool string }

// Named returns the calls that a pattern names: one for each server that it can mean.
func (s *Set) Named(pattern string) (all []Call) {
	prefix, open := strings.CutSuffix(pattern, "*")
	for _, u := range s.File.Servers {
		server := u.Name.Value
		rest, isOf := strings.CutPrefix(prefix, server+".")
		switch {
		case isOf && open:
			all = append(all, Call{server, rest + "*"})
		case isOf && rest != "":
			all = append(all, Call{server, rest})
		case open && strings.HasPrefix(server+".", prefix):
			all = append(all, Call{server, "*"})
		}
	}
	return all
}

// Servers returns the servers that patterns name, in the order of the file.
func (s *Set) Servers() (all []*config.Upstream) {
	named := map[string]bool{}
	for _, pattern := range s.Calls.Calls {
		for _, c := range s.Named(pattern) {
			named[c.Server] = true
		}
	}
	for _, u := range s.File.Servers {
		if named[u.Name.Value] {
			all = append(all, u)
		}
	}
	return all
}

// CheckName reports a name of the tool that takes requests, or of one that belongs to it, that another tool of the
// file has. at is the place to report it when the file does not give the name.
func CheckName(file *config.File, who string, name config.Text, at config.Pos, remedy string, found *config.Diagnostics) {
	pos := at
	if name.Pos.IsValid() {
		pos = name.Pos
	}
	for _, tool := range file.Tools {
		if tool.Name.Value == name.Value {
			if !pos.IsValid() {
				pos = tool.Name.Pos
			}
			found.Add(pos, "name-taken", fmt.Sprintf("%s has the name of tool %q (%s)", who, name.Value, tool.Name.Pos), cmp.Or(remedy, "rename the tool"))
			return
		}
	}
}
