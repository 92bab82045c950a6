package pipeline

import (
	"context"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/serving/callable"
)

// Tool is the pipeline of a graph file. It is not changed after New and safe for concurrent use.
type Tool struct {
	// Graph stands for all requests: it has one call for each tool that a step may call, a tool of a
	// server as its pattern. It is what lists, drawings and capabilities show. A run of it calls nothing.
	Graph *graph.Graph

	file     *config.File
	graphs   []*graph.Graph
	callable *callable.Set
}

// New makes the pipeline of a file, and returns what is wrong with it, sorted. The tool is nil when
// the file has no pipeline, or a finding of the file or the pipeline is an error: graphs are then
// nil. The error is the cause of ctx's end.
func New(ctx context.Context, file *config.File, graphs []*graph.Graph) (*Tool, config.Diagnostics, error) {
	p := file.Pipeline
	if p == nil {
		return nil, nil, nil
	}
	var found config.Diagnostics
	t := &Tool{file: file, graphs: graphs}
	t.checkName(&found)
	t.callable = callable.New(file, "the pipeline", "pipeline-tools", p.Tools, p.Calls, &found)
	if t.callable.IsEmpty() && found.Err() == nil {
		found.Warn(p.Pos, "pipeline-tools", "steps of the pipeline can call no tool", "name tools of this file in tools, or tools of servers in calls")
	}
	found.Sort()
	if graphs == nil || found.Err() != nil {
		return nil, found, nil
	}
	def, err := newDefinition(p, t.callable.Tools)
	if err != nil {
		return nil, nil, err
	}
	g, wrong, err := t.callable.Graph(ctx, graphs, def)
	if err != nil || wrong != nil {
		return nil, append(found, wrong...), err
	}
	t.Graph = g
	return t, found, nil
}

func (t *Tool) name() string { return t.file.Pipeline.Name.Value }

// checkName reports a name that another tool has.
func (t *Tool) checkName(found *config.Diagnostics) {
	p := t.file.Pipeline
	callable.CheckName(t.file, "the pipeline", p.Name, p.Pos, "add name: NAME to pipeline, or rename the tool", found)
	if t.name() == "read_result" && found.Err() == nil { // whether or not there is one now: adding a limit must not break the file
		pos := p.Pos
		if p.Name.Pos.IsValid() {
			pos = p.Name.Pos
		}
		found.Add(pos, "name-taken", "the pipeline has the name of the tool by which clients read results over executionLimits.maxResultBytes", "choose another name")
	}
}
