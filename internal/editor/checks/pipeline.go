package checks

import (
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/project/registry"
	"toolgraph/mcpclient"
)

// Requests reports tools of servers that steps of the pipeline, or of plans, may call, or that clients see, and that are in none of the lists: what
// servers list now, else the lock, else what a registry's server listed when it was synced. For a server
// without any of these nothing is known.
func Requests(file *config.File, locked *lock.Lock, listed map[string][]mcpclient.Tool) (found config.Diagnostics) {
	if file.Pipeline != nil {
		found = named(file, "calls of the pipeline", "pipeline-tools", file.Pipeline.Calls, locked, listed)
	}
	if file.Plan != nil {
		found = append(found, named(file, "calls of plan", "plan-tools", file.Plan.Calls, locked, listed)...)
	}
	return append(found, named(file, "expose", "expose-tools", file.Expose, locked, listed)...)
}

// named is Requests for those of one owner.
func named(file *config.File, who, code string, calls []config.Text, locked *lock.Lock, listed map[string][]mcpclient.Tool) (found config.Diagnostics) {
	for _, text := range calls {
		for _, u := range file.Servers {
			server := u.Name.Value
			tool, isOf := strings.CutPrefix(text.Value, server+".")
			if !isOf {
				continue
			}
			names, from, severity := namesOf(u, locked, listed)
			if from == "" || hasTool(names, tool) {
				continue
			}
			near := wording.Nearest(tool, names)
			hint := wording.Meant(near)
			if hint == "" && locked != nil && severity == config.Warning {
				hint = "run: toolgraph lock " + file.Path
			}
			d := found.Add(text.Pos, code, fmt.Sprintf("%s has %s, which names no tool of %s", who, wording.Quote(text.Value), from), hint)
			d.Severity = severity
			d.Over(text).Fixed(config.ReplaceWord(text, len(server)+1, len(text.Value), near))
		}
	}
	return found
}

// namesOf returns the names of the tools of a server and where they are from; "" when nothing is known of them.
// Only what the server lists now is certain.
func namesOf(u *config.Upstream, locked *lock.Lock, listed map[string][]mcpclient.Tool) (names []string, from string, severity config.Severity) {
	server := u.Name.Value
	add := func(tools []mcpclient.Tool) {
		for _, t := range tools {
			names = append(names, t.Name)
		}
	}
	if tools, is := listed[server]; is {
		add(tools)
		return names, fmt.Sprintf("server %q", server), config.Error
	}
	if u.Transport == config.Exec {
		add(mcpclient.Programs(u))
		return names, fmt.Sprintf("server %q", server), config.Error
	}
	if u.Registry {
		if s, err := registry.StoredTools(u); err == nil && s != nil {
			add(s.Tools)
			from = fmt.Sprintf("server %q, when it was synced on %s", server, s.At.Format("2006-01-02"))
		}
	}
	if locked != nil {
		for _, e := range locked.Entries {
			if e.Server == server {
				names = append(names, e.Tool)
			}
		}
		if from == "" {
			from = fmt.Sprintf("server %q in %s", server, locked.Name)
		}
	}
	return names, from, config.Warning
}

// hasTool reports whether a pattern names one of the tools.
func hasTool(names []string, pattern string) bool {
	prefix, open := strings.CutSuffix(pattern, "*")
	for _, name := range names {
		if name == pattern || open && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
