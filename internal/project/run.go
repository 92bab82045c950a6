package project

import (
	"context"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/serving/pipeline"
	"toolgraph/internal/serving/plan"
)

// Servers is what is known of the servers of a file while it is used.
type Servers interface {
	// Offers reports whether a server offers a tool, and whether that is known.
	Offers(ctx context.Context, server, tool string) (offers, known bool)
	plan.Servers
}

// ForRun returns the graph that a run of a tool with these arguments runs, and the arguments that
// the run gets: of the pipeline and of plans those of the request, of other tools the same as given. servers may be nil:
// nothing is known of them then. The error is a *pipeline.Refusal, a *plan.Refusal, or the cause of
// ctx's end.
func (p *Project) ForRun(ctx context.Context, g *graph.Graph, args value.Value, servers Servers) (*graph.Graph, value.Value, error) {
	switch {
	case p.Pipeline != nil && g == p.Pipeline.Graph:
		if servers == nil {
			return p.Pipeline.Compile(ctx, args, nil)
		}
		return p.Pipeline.Compile(ctx, args, servers.Offers)
	case p.Plan != nil && g == p.Plan.Graph:
		var listing plan.Servers
		if servers != nil {
			listing = servers
		}
		g, err := p.Plan.Compile(ctx, args, listing)
		return g, args, err
	}
	return g, args, nil
}

// Recorded returns the graph of a tool as a recorded run with these arguments runs it. A run of
// the pipeline, or of a plan, that a flag has added needs no flag.
func (p *Project) Recorded(ctx context.Context, tool string, args value.Value) (*graph.Graph, error) {
	g, err := p.Tool(ctx, tool)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		added, ended := p.added(ctx, tool)
		if ended != nil {
			return nil, ended
		}
		if added == nil {
			return nil, err
		}
		p, g = added, added.Requested()[0]
	}
	g, _, err = p.ForRun(ctx, g, args, nil)
	return g, err
}

// added returns the project with the tool for requests that a flag adds, and no other; nil for another tool, and when
// the file has one. The error is the cause of ctx's end.
func (p *Project) added(ctx context.Context, tool string) (*Project, error) {
	file := *p.File
	added := &Project{File: &file, Graphs: p.Graphs}
	var err error
	switch {
	case tool == config.DefaultPipeline && file.Pipeline == nil:
		file.Pipeline = config.NewPipeline()
		added.Pipeline, _, err = pipeline.New(ctx, &file, p.Graphs)
	case tool == config.RunPlan && file.Plan == nil:
		file.Plan = config.NewPlan()
		added.Plan, _, err = plan.New(ctx, &file, p.Graphs)
	}
	if err != nil || len(added.Requested()) == 0 {
		return nil, err
	}
	return added, nil
}
