package cli

import (
	"context"
	"encoding/json"
	"log/slog"

	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/graph"
	"toolgraph/internal/server"
	"toolgraph/mcpclient"
)

// hints tells what upstream servers have said of their tools so far. pool is the one
// in use at the time of asking.
func hints(pool func() *mcpclient.Pool) func(server, tool string) (server.Hints, bool) {
	return func(upstream, tool string) (server.Hints, bool) {
		known, ok := pool().Known(upstream, tool)
		if !ok {
			return server.Hints{}, false
		}
		var said struct {
			ReadOnly    *bool `json:"readOnlyHint"`
			Destructive *bool `json:"destructiveHint"`
			Idempotent  *bool `json:"idempotentHint"`
			OpenWorld   *bool `json:"openWorldHint"`
		}
		if len(known.Annotations) > 0 && json.Unmarshal(known.Annotations, &said) != nil {
			return server.Hints{}, false // of a wrong kind: it has said nothing that counts
		}
		return server.Hints{
			ReadOnly: said.ReadOnly, Destructive: said.Destructive, Idempotent: said.Idempotent, OpenWorld: said.OpenWorld,
		}, true
	}
}

// tools are graphs as the server offers them.
func tools(graphs []*graph.Graph, plugged *plugs, caller execution.ToolCaller, log *slog.Logger) []server.Tool {
	engine := plugged.engine(caller)
	offered := make([]server.Tool, len(graphs))
	for i, g := range graphs {
		offered[i] = server.Tool{Def: g.Tool, Run: runner(plugged, engine, g, log)}
		for _, call := range g.Calls() {
			offered[i].Calls = append(offered[i].Calls, server.Upstream{Server: call.Server, Tool: call.Tool})
		}
	}
	return offered
}

// runner runs one graph on the engine.
func runner(plugged *plugs, engine *execution.Engine, g *graph.Graph, log *slog.Logger) server.Run {
	return func(ctx context.Context, args expressions.Value, observe func(string, int)) (expressions.Value, error) {
		var opts []execution.Option
		if observe != nil {
			opts = append(opts, execution.WithObserver(execution.ObserverFunc(func(e execution.Event) {
				if e.Kind == execution.StepFinished {
					observe(e.Record.NodeID, e.Record.Index)
				}
			})))
		}
		result, err := plugged.run(ctx, engine, g, args, log, opts...)
		return result.Value, err
	}
}
