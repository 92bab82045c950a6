package lock

import (
	"fmt"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/project/registry"
	"toolgraph/mcpclient"
)

// Offline is what is known of upstream tools without starting a server: those of the lock, then
// those that servers from registries listed when they were last synced. It is immutable, and a
// flow.Upstreams.
type Offline struct {
	locked, synced *Lock
	from           map[string]string // for messages, by server
	trusts         func(server string) bool
}

// NewOffline reads what the servers of a file that come from registries listed; locked may be nil.
// The findings are warnings of calls of tools that they did not list and the lock does not have. Lists
// that cannot be read are unknown; toolgraph mcp list reports their errors.
func NewOffline(locked *Lock, file *config.File, graphs []*graph.Graph) (*Offline, config.Diagnostics) {
	o := &Offline{locked: locked, synced: &Lock{}, from: map[string]string{}, trusts: file.Trusts}
	var found config.Diagnostics
	wanted := Called(graphs)
	for _, u := range file.Servers {
		name := u.Name.Value
		if u.Transport == config.Exec && len(wanted[name]) > 0 {
			o.from[name] = fmt.Sprintf("the programs of server %q", name)
			entries, invalid := pinned(file, graphs, nil, u, mcpclient.Programs(u))
			o.synced, found = Of("", append(o.synced.Entries, entries...)...), append(found, invalid...)
		}
		if !u.Registry || len(wanted[name]) == 0 {
			continue
		}
		s, err := registry.StoredTools(u)
		if err != nil || s == nil {
			continue
		}
		o.from[name] = fmt.Sprintf("the list of server %q of %s", name, s.At.Format("2006-01-02"))
		entries, invalid := pinned(file, graphs, nil, u, s.Tools)
		o.synced = Of("", append(o.synced.Entries, entries...)...)
		for _, d := range invalid {
			if d.Code == "unknown-upstream-tool" {
				if o.isLocked(graphs, name, d.Pos) {
					continue
				}
				d.Severity = config.Warning
				d.Message += ", when it was synced on " + s.At.Format("2006-01-02")
				if d.Hint == "" {
					d.Hint = "if it is a new tool, run: toolgraph mcp sync"
				}
			}
			found = append(found, d)
		}
	}
	return o, found
}

// isLocked reports whether the call of a server at a place has an entry in the lock.
func (o *Offline) isLocked(graphs []*graph.Graph, server string, at config.Pos) bool {
	for _, g := range graphs {
		for _, call := range g.Calls() {
			if call.Server == server && call.Pos == at {
				_, known := o.locked.Entry(server, call.Tool)
				return known
			}
		}
	}
	return false
}

// Tool returns a tool as it is locked, else as its server listed it. The annotations of a list count
// where the file trusts the server.
func (o *Offline) Tool(server, tool string) (flow.Tool, bool) {
	if t, known := o.locked.Tool(server, tool); known {
		return t, true
	}
	t, known := o.synced.Tool(server, tool)
	t.From, t.Believed = o.from[server], o.trusts(server)
	return t, known
}

// Synced reports whether the tools of a server are known because it was synced.
func (o *Offline) Synced(server string) bool { return o.from[server] != "" }
