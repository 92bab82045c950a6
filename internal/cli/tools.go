package cli

import (
	"context"
	"log/slog"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/server"
	"toolgraph/mcpclient"
)

// tools are the graphs of a file as the server offers them.
func tools(p *project.Project, plugged *plugs, pool execution.Pool, log *slog.Logger) []server.Tool {
	engine := plugged.engine(p, pool)
	offered := make([]server.Tool, len(p.Graphs))
	for i, g := range p.Graphs {
		offered[i] = server.Tool{Def: g.Tool, Run: runner(plugged, engine, g, log), Input: g.Input, Output: g.Output}
		for _, call := range g.Calls() {
			offered[i].Calls = append(offered[i].Calls, server.Upstream{Server: call.Server, Tool: call.Tool})
		}
	}
	return offered
}

// runner runs one graph on the engine.
func runner(plugged *plugs, engine *execution.Engine, g *graph.Graph, log *slog.Logger) server.Run {
	return func(ctx context.Context, args value.Value, watch server.Watch) (value.Value, error) {
		ctx, release := lasting(ctx, plugged.grace)
		defer release()
		var opts []execution.Option
		if watch.Progress != nil {
			ctx = mcpclient.WithProgress(ctx, watch.Progress)
		}
		if watch.Step != nil {
			opts = append(opts, execution.WithObserver(watching(watch)))
		}
		result, err := plugged.run(ctx, engine, g, args, log, opts...)
		if result == nil { // the arguments make no run
			return nil, err
		}
		return result.Value, explained(err)
	}
}

// watching leads the events of a run to its client.
func watching(w server.Watch) execution.Observer {
	return execution.ObserverFunc(func(e execution.Event) {
		switch {
		case e.Kind == execution.StepFinished:
			w.Step(e.Record.NodeID, e.Record.Index)
		case e.Kind == execution.CallStarted && w.Call != nil:
			w.Call(e.Step.NodeID)
		}
	})
}
