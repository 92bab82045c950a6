package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"toolgraph/config"
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
	"toolgraph/mcpclient"
)

// toolsOf are the upstream tools that the graphs of a file call, by server.
func toolsOf(p *project.Project) map[string][]string {
	wanted := map[string][]string{}
	for _, g := range p.Graphs {
		for _, call := range g.Calls() {
			if !slices.Contains(wanted[call.Server], call.Tool) {
				wanted[call.Server] = append(wanted[call.Server], call.Tool)
			}
		}
	}
	return wanted
}

// askTools asks the servers for the tools that are wanted of them, all servers at once.
// only, when it is not empty, names those that are asked. The error tells everything
// that could not be had.
func askTools(ctx context.Context, pool *mcpclient.Pool, p *project.Project, wanted map[string][]string, only []string) ([]lock.Entry, error) {
	var asking sync.WaitGroup
	entries := make([][]lock.Entry, len(p.File.Servers))
	failures := make([]error, len(p.File.Servers))
	for i, u := range p.File.Servers {
		tools := wanted[u.Name.Value]
		if len(tools) == 0 || len(only) > 0 && !slices.Contains(only, u.Name.Value) {
			continue
		}
		asking.Go(func() {
			told, err := pool.ListTools(ctx, u.Name.Value)
			if err != nil {
				failures[i] = err
				return
			}
			entries[i], failures[i] = pinned(p, u, told, tools)
		})
	}
	asking.Wait()
	return slices.Concat(entries...), errors.Join(failures...)
}

// pinned are the entries of the wanted tools among those that a server tells.
func pinned(p *project.Project, u *config.Upstream, told []mcpclient.Tool, wanted []string) ([]lock.Entry, error) {
	names := make([]string, len(told))
	for i, t := range told {
		names[i] = t.Name
	}
	var entries []lock.Entry
	var missing []error
	for _, name := range wanted {
		i := slices.Index(names, name) // the first of a name is the one that is called
		if i >= 0 {
			entries = append(entries, lock.Pin(u, told[i], p.File.Secrets))
			continue
		}
		hint := ""
		if near := config.DidYouMean(name, names); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		missing = append(missing, fmt.Errorf("%s: server %q has no tool %q, expected one of its %d%s",
			placeOfCall(p, u.Name.Value, name), u.Name.Value, name, len(names), hint))
	}
	return entries, errors.Join(missing...)
}

// placeOfCall is where a tool is first called.
func placeOfCall(p *project.Project, server, tool string) config.Pos {
	for _, g := range p.Graphs {
		for _, call := range g.Calls() {
			if call.Server == server && call.Tool == tool {
				return call.Pos
			}
		}
	}
	return config.Pos{File: p.File.Path}
}
