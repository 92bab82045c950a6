package project

import (
	"context"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/serving/pipeline"
)

// ForRun returns the graph that a run of a tool with these arguments runs, and the arguments that
// the run gets: of the pipeline those of its request, of other tools the same as given. offers
// knows the tools of servers; it may be nil. The error is a *pipeline.Refusal, or the cause of
// ctx's end.
func (p *Project) ForRun(ctx context.Context, g *graph.Graph, args value.Value, offers pipeline.Offers) (*graph.Graph, value.Value, error) {
	if p.Pipeline == nil || g != p.Pipeline.Graph {
		return g, args, nil
	}
	return p.Pipeline.Compile(ctx, args, offers)
}

// Recorded returns the graph of a tool as a recorded run with these arguments runs it. A run of
// the pipeline that a flag has added needs no flag.
func (p *Project) Recorded(ctx context.Context, tool string, args value.Value) (*graph.Graph, error) {
	g, err := p.Graph(tool)
	if err != nil && tool == config.DefaultPipeline && p.File.Pipeline == nil {
		file := *p.File
		file.Pipeline = config.NewPipeline()
		added, _, ended := pipeline.New(ctx, &file, p.Graphs)
		switch {
		case ended != nil:
			return nil, ended
		case added != nil:
			g, _, err = added.Compile(ctx, args, nil)
			return g, err
		}
	}
	if err != nil {
		return nil, err
	}
	g, _, err = p.ForRun(ctx, g, args, nil)
	return g, err
}
