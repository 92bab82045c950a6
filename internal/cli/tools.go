package cli

import (
	"context"

	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/graph"
	"toolgraph/internal/server"
)

// tools are graphs as the server offers them.
func tools(graphs []*graph.Graph, engine *execution.Engine) []server.Tool {
	offered := make([]server.Tool, len(graphs))
	for i, g := range graphs {
		offered[i] = server.Tool{Def: g.Tool, Run: runner(engine, g)}
		for _, call := range g.Calls() {
			offered[i].Calls = append(offered[i].Calls, server.Upstream{Server: call.Server, Tool: call.Tool})
		}
	}
	return offered
}

// runner runs one graph on the engine.
func runner(engine *execution.Engine, g *graph.Graph) server.Run {
	return func(ctx context.Context, args expressions.Value, observe func(string, int)) (expressions.Value, error) {
		var opts []execution.Option
		if observe != nil {
			opts = append(opts, execution.WithObserver(execution.ObserverFunc(func(e execution.Event) {
				if e.Kind == execution.StepFinished {
					observe(e.Record.NodeID, e.Record.Index)
				}
			})))
		}
		result, err := engine.Run(ctx, g, args, opts...)
		return result.Value, err
	}
}
