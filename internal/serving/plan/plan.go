package plan

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/serving/callable"
)

// Tool is run_plan of a graph file, and what search_tools searches. It is not changed after New and safe for concurrent
// use.
type Tool struct {
	// Graph stands for all plans: it has one call for each tool that a step may call, a tool of a server as its pattern.
	// It is what lists, drawings and capabilities show. A run of it calls nothing.
	Graph *graph.Graph

	rules    graph.Plan
	maxSteps int
	file     *config.File // with the servers and tools that plans may call, and no others
	graphs   []*graph.Graph
	like     *config.Tool // of the tool that is compiled for a plan
	callable *callable.Set
}

// Servers is what is known of the servers of a file.
type Servers interface {
	// List returns the tools of a server, in its order; it starts the server when that is needed. The error is for the
	// client.
	List(ctx context.Context, server string) ([]Listed, error)
}

// Listed is a tool of a server.
type Listed struct {
	Name, Description string
	flow.Tool
	Seen   []byte // the form of what it has answered to this client, where it has no outputSchema; a JSON Schema of names and types
	Closed bool   // it is known to reach nothing outside its server, or the server is trusted
}

// New makes the tools for plans of a file, and returns what is wrong with its plan, sorted. The tool is nil when the
// file has no plan, or a finding of the file or the plan is an error: graphs are then nil. The error is the cause
// of ctx's end.
func New(ctx context.Context, file *config.File, graphs []*graph.Graph) (*Tool, config.Diagnostics, error) {
	p := file.Plan
	if p == nil {
		return nil, nil, nil
	}
	var found config.Diagnostics
	for _, name := range []string{config.RunPlan, config.SearchTools} {
		callable.CheckName(file, "a tool of plan", config.Text{Value: name}, p.Pos, "", &found)
	}
	if file.Pipeline != nil {
		found.Warn(p.Pos, "two-step-tools", "the file has plan and pipeline: clients get two tools with steps, of different meaning", "keep plan; pipeline has no checks before the first call")
	}
	t := &Tool{graphs: graphs, maxSteps: p.MaxSteps, rules: graph.Plan{Effects: effectsOf(p.Effects), Confirm: effectsOf(p.Confirm), AskFlows: p.AskFlows}}
	t.callable = callable.New(file, "plan", "plan-tools", p.Tools, callsOf(file), &found)
	if t.callable.IsEmpty() && found.Err() == nil && len(file.Expose) == 0 {
		found.Add(p.Pos, "plan-unused", "plans can call nothing: the file exposes no tool of a server, and has none that clients see", "add calls: [\"SERVER.*\"] to plan")
	}
	found.Sort()
	if graphs == nil || found.Err() != nil {
		return nil, found, nil
	}
	t.narrow(file)
	def, err := t.definition(p.Pos)
	if err != nil {
		return nil, nil, err
	}
	g, wrong, err := t.callable.Graph(ctx, graphs, def)
	if err != nil || wrong != nil {
		return nil, append(found, wrong...), err
	}
	t.Graph = g
	like := *def
	like.InputSchema = noArguments()
	t.like = &like
	return t, found, nil
}

// Rules are what holds in the run of any plan.
func (t *Tool) Rules() *graph.Plan { return &t.rules }

// callsOf returns the calls of servers that plans may make: by default those that the file exposes.
func callsOf(file *config.File) []config.Text {
	if file.Plan.Calls != nil {
		return file.Plan.Calls
	}
	known := &callable.Set{File: file}
	return slices.DeleteFunc(slices.Clone(file.Expose), func(text config.Text) bool {
		return len(known.Named(text.Value)) == 0 // which is reported of expose
	})
}

func effectsOf(words []config.Text) (all []config.Effect) {
	for _, w := range words {
		all = append(all, config.Effect(w.Value))
	}
	if words != nil && all == nil {
		all = []config.Effect{} // none, not all
	}
	return all
}

// noArguments is the schema of args in a plan: {}.
var noArguments = sync.OnceValue(func() *config.Data {
	data, err := config.ParseData("plan", []byte(`{"type": "object", "additionalProperties": false}`))
	if err != nil {
		panic(fmt.Sprintf("plan: %v", err)) // it is a constant
	}
	return data
})

// narrow keeps of the file what plans may call, so that no message names anything else.
func (t *Tool) narrow(file *config.File) {
	narrowed := *file
	narrowed.Servers, narrowed.Tools, narrowed.Imports = t.callable.Servers(), nil, nil
	for _, name := range t.callable.Tools {
		for _, tool := range file.Tools {
			if tool.Name.Value == name {
				narrowed.Tools = append(narrowed.Tools, tool)
			}
		}
	}
	t.file = &narrowed
}
