package lock

import (
	"context"
	"errors"
	"maps"
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

// Lister lists the tools of a server, as a pool does. Safe for concurrent use.
type Lister interface {
	ListTools(ctx context.Context, server string) ([]mcpclient.Tool, error)
}

// Ask lists the tools of servers, all at once, and returns an entry for each tool that the graphs
// of a file or the steps of its pipeline call; only, when it is not empty, names the servers that are
// asked. invalid are the
// calls of tools that their servers do not list, as errors, or list twice, as warnings. The error
// says which servers failed.
func Ask(
	ctx context.Context, pool Lister, file *config.File, graphs []*graph.Graph, steps Steps, only []string,
) (entries []Entry, invalid config.Diagnostics, err error) {
	wanted := Called(graphs)
	servers := slices.DeleteFunc(slices.Clone(file.Servers), func(u *config.Upstream) bool {
		name := u.Name.Value
		return len(wanted[name]) == 0 && !steps.CallServer(name) || len(only) > 0 && !slices.Contains(only, name)
	})
	listed, err := ListAll(ctx, pool, servers)
	entries, invalid = Listed(file, graphs, steps, listed)
	return entries, invalid, err
}

// ListAll lists the tools of servers, all at once, by server. The error says which servers failed; the others are
// listed.
func ListAll(ctx context.Context, pool Lister, servers []*config.Upstream) (map[string][]mcpclient.Tool, error) {
	var asking sync.WaitGroup
	lists := make([][]mcpclient.Tool, len(servers))
	failures := make([]error, len(servers))
	for i, u := range servers {
		asking.Go(func() { lists[i], failures[i] = pool.ListTools(ctx, u.Name.Value) })
	}
	asking.Wait()
	listed := map[string][]mcpclient.Tool{}
	for i, u := range servers {
		if failures[i] == nil {
			listed[u.Name.Value] = lists[i]
		}
	}
	return listed, errors.Join(failures...)
}

// Listed is Ask for servers that have listed their tools; one without a list is left out.
func Listed(file *config.File, graphs []*graph.Graph, steps Steps, listed map[string][]mcpclient.Tool) (entries []Entry, invalid config.Diagnostics) {
	for _, u := range file.Servers {
		if tools, asked := listed[u.Name.Value]; asked {
			found, unknown := pinned(file, graphs, steps, u, tools)
			entries, invalid = append(entries, found...), append(invalid, unknown...)
		}
	}
	return entries, invalid
}

// pinned returns the entries of the tools of a server that graphs and steps call, and the calls of
// tools that it does not list, or lists twice.
func pinned(file *config.File, graphs []*graph.Graph, steps Steps, u *config.Upstream, listed []mcpclient.Tool) ([]Entry, config.Diagnostics) {
	names := make([]string, len(listed))
	for i, t := range listed {
		names[i] = t.Name
	}
	calls := steps.of(u.Name.Value, names)
	for _, g := range graphs {
		for _, call := range g.Calls() {
			if call.Server == u.Name.Value && call.Graph == "" { // a called graph is one of graphs
				calls = append(calls, call)
			}
		}
	}
	entries := map[string]Entry{}
	var invalid config.Diagnostics
	for _, call := range calls {
		first := slices.Index(names, call.Tool) // of several with a name, the first is called
		if first < 0 {
			invalid = append(invalid, UnknownTool(call, names))
			continue
		}
		entries[call.Tool] = Pin(u, listed[first], file.Secrets)
		for i := first + 1; i < len(listed); i++ {
			if names[i] == call.Tool {
				invalid = append(invalid, ListedTwice(call, entries[call.Tool], Pin(u, listed[i], file.Secrets))...)
			}
		}
	}
	return slices.Collect(maps.Values(entries)), invalid
}
