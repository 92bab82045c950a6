package expose

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/callable"
)

// problem returns why a tool, or a prompt, cannot be exposed, the code of that, and the remedy; empty when it can.
func (s *Set) problem(server, tool string) (message, code, remedy string) {
	name := config.ExposedName(server, tool)
	owner := s.owner(name)
	const leave = "leave it out, or rename the server"
	switch {
	case s.taken[name]:
		return fmt.Sprintf("%s.%s has the name of another tool for clients, %q", server, tool, name), "name-taken", leave
	case !config.IsPortable(server):
		return fmt.Sprintf("the name %q of %s.%s for clients has characters that some hosts reject, expected letters, digits, _ or -", name, server, tool), "bad-tool-name", "rename the server, or leave the tool out"
	case !config.IsPortable(tool):
		return fmt.Sprintf("the name %q of %s.%s for clients has characters that some hosts reject, expected letters, digits, _ or -", name, server, tool), "bad-tool-name", "leave it out, and call it in a tool of the file"
	case utf8.RuneCountInString(name) > config.LongestExposed:
		return fmt.Sprintf("the name %q of %s.%s for clients has %d characters, at most %d are allowed", name, server, tool, utf8.RuneCountInString(name), config.LongestExposed), "name-too-long", leave
	case owner != callable.Call{Server: server, Tool: tool} && owner.Server != "":
		return fmt.Sprintf("%s.%s has the name of %s.%s for clients, %q", server, tool, owner.Server, owner.Tool, name), "name-taken", leave
	}
	return "", "", ""
}

// owner returns the tool that has a name for clients; empty when no exposed tool can have it. It is one that the file
// names, else one of a pattern, and of several that of the first server of the file, whatever the servers list: so a
// name means the same in each process, at any time.
func (s *Set) owner(name string) (of callable.Call) {
	named := false
	for _, u := range s.file.Servers {
		server := u.Name.Value
		tool, isOf := strings.CutPrefix(name, config.ExposedName(server, ""))
		if !isOf || tool == "" || !s.Permits(server, tool) {
			continue
		}
		explicit := s.named(server, tool)
		if of.Server == "" || explicit && !named {
			of, named = callable.Call{Server: server, Tool: tool}, explicit
		}
	}
	return of
}

// named reports whether the file names a tool, not only a pattern of it.
func (s *Set) named(server, tool string) bool {
	return slices.ContainsFunc(s.file.Expose, func(text config.Text) bool {
		return text.Value == server+"."+tool && !strings.HasSuffix(text.Value, "*")
	})
}

// Exposes reports whether clients may see a tool of a server under this name.
func (s *Set) Exposes(name string) bool { return s.owner(name).Server != "" }

// Named returns the tools that the file names, without those of patterns, in its order.
func (s *Set) Named() (all []callable.Call) {
	for _, text := range s.file.Expose {
		for _, call := range s.callable.Named(text.Value) {
			if !strings.HasSuffix(call.Tool, "*") && !slices.Contains(all, call) {
				all = append(all, call)
			}
		}
	}
	return all
}

// checkText reports a text of expose that names no tool of a server, and reports whether it does.
func (s *Set) checkText(text config.Text, found *config.Diagnostics) bool {
	if len(s.callable.Named(text.Value)) > 0 {
		return true
	}
	var servers []string
	for _, u := range s.file.Servers {
		servers = append(servers, u.Name.Value)
	}
	problem := "which names a tool of no server of mcpServers"
	server, tool, dotted := strings.Cut(text.Value, ".")
	near := wording.Nearest(server, servers)
	hint, right := wording.Meant(near), ""
	switch known := slices.Contains(servers, server); {
	case known && dotted && tool == "":
		problem, hint = "which has no tool after the dot", fmt.Sprintf("write %q for all tools of the server, or %q", server+".*", server+".TOOL")
		right = server + ".*"
	case known && !dotted:
		problem, hint = "which has no tool", fmt.Sprintf("write %q for all tools of the server, or %q", server+".*", server+".TOOL")
		right = server + ".*"
	case strings.HasPrefix(server, "*"):
		problem, hint = "where * is not at the end", "write one entry for each server, as in \"SERVER."+wording.Shorten(tool)+"\""
	case !dotted:
		if right = dottedForm(text.Value, servers); right != "" {
			hint = wording.Meant(right)
		} else if hint == "" {
			hint = `write "SERVER.TOOL", or "SERVER.*" for all tools of a server`
		}
	}
	d := found.Add(text.Pos, "expose-tools", fmt.Sprintf("expose has %s, %s, expected server.tool", wording.Quote(text.Value), problem), hint).Over(text)
	switch {
	case right != "":
		d.Fixed(config.ReplaceWord(text, 0, len(text.Value), right))
	case near != "" && strings.HasPrefix(text.Value, server+"."):
		d.Fixed(config.ReplaceWord(text, 0, len(server), near))
	}
	return false
}

// dottedForm returns SERVER.TOOL for the name of a tool as clients see it; "" when it is none.
func dottedForm(name string, servers []string) string {
	for _, server := range servers {
		if tool, isOf := strings.CutPrefix(name, config.ExposedName(server, "")); isOf && tool != "" {
			return server + "." + tool
		}
	}
	return ""
}
