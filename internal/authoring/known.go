package authoring

import (
	"slices"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/lock"
	"toolgraph/mcpclient"
)

// known is what is known of upstream tools without asking anybody: what the servers
// that run have told, else what the lock beside the graph file says.
type known struct {
	pool *mcpclient.Pool // nil: none has been started
	lock *lock.Lock      // nil: there is none that can be read
}

func (k *Toolkit) knownTools() known {
	locked, _ := lock.Load(lock.Path(k.opts.Graph)) // its mistakes are for toolgraph check to tell
	return known{pool: k.pools.Current(), lock: locked}
}

// Tool is a tool as its server told it last.
func (k known) Tool(server, tool string) (flow.Tool, bool) {
	if k.pool != nil {
		if t, ok := k.pool.Known(server, tool); ok {
			return flow.Tool{
				InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
				ReadOnly: lock.HintsOf(t.Annotations).ReadOnly, From: "server " + server,
			}, true
		}
	}
	return k.lock.Tool(server, tool)
}

// unknownTools are the calls of tools that a server, which has told its tools, does not
// have.
func (k known) unknownTools(g *graph.Graph) config.Diagnostics {
	var found config.Diagnostics
	for _, call := range g.Calls() {
		if k.pool == nil {
			break
		}
		if names := k.pool.KnownTools(call.Server); names != nil && !slices.Contains(names, call.Tool) {
			found = append(found, lock.UnknownTool(call, names))
		}
	}
	return found
}
