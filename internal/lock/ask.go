package lock

import (
	"context"
	"errors"
	"slices"
	"sync"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/mcpclient"
)

// Called returns the upstream tools that graphs call, and those of the graphs that they call, by
// server.
func Called(graphs []*graph.Graph) map[string][]string {
	wanted := map[string][]string{}
	for _, g := range graphs {
		for _, call := range g.Calls() {
			if !slices.Contains(wanted[call.Server], call.Tool) {
				wanted[call.Server] = append(wanted[call.Server], call.Tool)
			}
		}
	}
	return wanted
}

// Ask lists the tools of servers, all at once, and returns an entry for each tool that the graphs
// of a file call; only, when it is not empty, names the servers that are asked. invalid are the
// calls of tools that their servers do not list, as errors, or list twice, as warnings. The error
// says which servers failed.
func Ask(
	ctx context.Context, pool *mcpclient.Pool, file *config.File, graphs []*graph.Graph, only []string,
) (entries []Entry, invalid config.Diagnostics, err error) {
	wanted := Called(graphs)
	var asking sync.WaitGroup
	servers := slices.DeleteFunc(slices.Clone(file.Servers), func(u *config.Upstream) bool {
		return len(wanted[u.Name.Value]) == 0 || len(only) > 0 && !slices.Contains(only, u.Name.Value)
	})
	listed := make([][]mcpclient.Tool, len(servers))
	failures := make([]error, len(servers))
	for i, u := range servers {
		asking.Go(func() { listed[i], failures[i] = pool.ListTools(ctx, u.Name.Value) })
	}
	asking.Wait()
	for i, u := range servers {
		if failures[i] == nil {
			found, unknown := pinned(file, graphs, u, listed[i], wanted[u.Name.Value])
			entries, invalid = append(entries, found...), append(invalid, unknown...)
		}
	}
	return entries, invalid, errors.Join(failures...)
}

// pinned returns the entries of the wanted tools of a server, and the calls of tools that it does
// not list, or lists twice.
func pinned(
	file *config.File, graphs []*graph.Graph, u *config.Upstream, listed []mcpclient.Tool, wanted []string,
) ([]Entry, config.Diagnostics) {
	names := make([]string, len(listed))
	for i, t := range listed {
		names[i] = t.Name
	}
	var entries []Entry
	for _, name := range wanted {
		if i := slices.Index(names, name); i >= 0 { // of several with a name, the first is called
			entries = append(entries, Pin(u, listed[i], file.Secrets))
		}
	}
	var invalid config.Diagnostics
	for _, g := range graphs {
		for _, call := range g.Calls() {
			switch first := slices.Index(names, call.Tool); {
			case call.Server != u.Name.Value || call.Graph != "": // the called graph is one of graphs
			case first < 0:
				invalid = append(invalid, UnknownTool(call, names))
			default:
				for i := first + 1; i < len(listed); i++ {
					if names[i] == call.Tool {
						invalid = append(invalid, ListedTwice(call, Pin(u, listed[first], file.Secrets), Pin(u, listed[i], file.Secrets))...)
					}
				}
			}
		}
	}
	return entries, invalid
}
