package cli

import (
	"context"
	"errors"
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
// only, when it is not empty, names those that are asked. odd are the calls of tools that
// their servers do not list, as errors, or list twice, as warnings; the error says which
// servers could not be asked.
func askTools(ctx context.Context, pool *mcpclient.Pool, p *project.Project, wanted map[string][]string, only []string) (entries []lock.Entry, odd config.Diagnostics, err error) {
	var asking sync.WaitGroup
	told := make([][]mcpclient.Tool, len(p.File.Servers))
	asked := make([]bool, len(p.File.Servers))
	failures := make([]error, len(p.File.Servers))
	for i, u := range p.File.Servers {
		tools := wanted[u.Name.Value]
		if len(tools) == 0 || len(only) > 0 && !slices.Contains(only, u.Name.Value) {
			continue
		}
		asked[i] = true
		asking.Go(func() { told[i], failures[i] = pool.ListTools(ctx, u.Name.Value) })
	}
	asking.Wait()
	for i, u := range p.File.Servers {
		if !asked[i] || failures[i] != nil {
			continue
		}
		found, unknown := pinned(p, u, told[i], wanted[u.Name.Value])
		entries, odd = append(entries, found...), append(odd, unknown...)
	}
	return entries, odd, errors.Join(failures...)
}

// pinned are the entries of the wanted tools among those that a server tells, and the
// calls of tools that it does not list, or lists twice.
func pinned(p *project.Project, u *config.Upstream, told []mcpclient.Tool, wanted []string) ([]lock.Entry, config.Diagnostics) {
	names := make([]string, len(told))
	for i, t := range told {
		names[i] = t.Name
	}
	var entries []lock.Entry
	for _, name := range wanted {
		if i := slices.Index(names, name); i >= 0 { // the first of a name is the one that is used
			entries = append(entries, lock.Pin(u, told[i], p.File.Secrets))
		}
	}
	var odd config.Diagnostics
	for _, g := range p.Graphs {
		for _, call := range g.Calls() {
			switch first := slices.Index(names, call.Tool); {
			case call.Server != u.Name.Value:
			case first < 0:
				odd = append(odd, lock.UnknownTool(call, names))
			default:
				for i := first + 1; i < len(told); i++ {
					if names[i] == call.Tool {
						odd = append(odd, lock.ListedTwice(call, lock.Pin(u, told[first], p.File.Secrets), lock.Pin(u, told[i], p.File.Secrets))...)
					}
				}
			}
		}
	}
	return entries, odd
}
