package runtime

import (
	"context"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/serving/server"
)

// viewURI is the address of the view of runs, for all tools.
const viewURI = "ui://toolgraph/run.html"

// app returns the view that hosts show beside results; nil for none.
func (s *Session) app() *server.App {
	if s.given.Views == nil {
		return nil
	}
	return &server.App{
		URI: viewURI, Name: "run", Title: "Run of a tool", HTML: s.given.Views.HTML,
		Description: "The graph of a tool with what ran in it, and the calls of a plan.",
	}
}

// view returns the address of the view of a tool; empty for none.
func (s *Session) view() string {
	if s.given.Views == nil {
		return ""
	}
	return viewURI
}

// shown returns what makes the view of a call, when its client has one.
func (l *Loaded) shown(g *graph.Graph, args value.Value, run *execution.Result, err error) func(context.Context) []byte {
	if l.given.Views == nil {
		return nil
	}
	return func(ctx context.Context) []byte {
		return l.given.Views.Show(ctx, l, ShownCall{Tool: g.Tool.Name.Value, Args: args, Run: run, Err: err, Values: l.given.ViewValues})
	}
}
