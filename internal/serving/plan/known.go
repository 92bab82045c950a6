package plan

import (
	"context"

	"toolgraph/graph/flow"
)

// known is what is known of the servers that a plan calls: a flow.Upstreams. Servers are asked once for a plan, and only
// those that it calls.
type known struct {
	ctx     context.Context //nolint:containedctx // of one check, for what flow asks
	servers Servers
	tool    *Tool
	lists   map[string][]Listed
	failed  map[string]error
}

func newKnown(ctx context.Context, servers Servers, t *Tool) *known {
	return &known{ctx: ctx, servers: servers, tool: t, lists: map[string][]Listed{}, failed: map[string]error{}}
}

// list returns the tools of a server that plans may call; false when they are not known.
func (k *known) list(server string) ([]Listed, bool) {
	if k.servers == nil || k.failed[server] != nil {
		return nil, false
	}
	if list, asked := k.lists[server]; asked {
		return list, true
	}
	all, err := k.servers.List(k.ctx, server)
	if err != nil {
		k.failed[server] = err
		return nil, false
	}
	list := []Listed{}
	for _, l := range all {
		if k.tool.permits(server, l.Name) {
			list = append(list, l)
		}
	}
	k.lists[server] = list
	return list, true
}

func (k *known) names(server string) (names []string, listed bool) {
	list, listed := k.list(server)
	for _, l := range list {
		names = append(names, l.Name)
	}
	return names, listed
}

// find returns a tool; nil when it is unknown.
func (k *known) find(server, tool string) *Listed {
	list, _ := k.list(server)
	for i := range list {
		if list[i].Name == tool {
			return &list[i]
		}
	}
	return nil
}

// Tool returns the description of a server's tool; false when it is unknown.
func (k *known) Tool(server, tool string) (flow.Tool, bool) {
	if l := k.find(server, tool); l != nil {
		return l.Tool, true
	}
	return flow.Tool{}, false
}
