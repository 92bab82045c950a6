package dryrun

import (
	"context"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
)

// ForkPlan is what a fork of a recorded run takes over and makes again.
type ForkPlan struct {
	Run    string            `json:"run"`             // the recorded one
	At     execution.Address `json:"at"`              // the first step that runs again
	Copied int               `json:"copied"`          // steps and parts
	Calls  int               `json:"calls"`           // of these steps; they are not made again
	Steps  []EditableStep    `json:"steps,omitempty"` // whose values can be edited, of a fork at a step
	Again  []CallsAgain      `json:"again"`           // made by the recorded run from the step on, in the order of their addresses
}

// EditableStep is a step whose value can be edited before a fork.
type EditableStep struct {
	Node string `json:"node"` // its path of ids
	Part string `json:"part"`
}

// CallsAgain are calls of one node.
type CallsAgain struct {
	Node    string        `json:"node"` // its name
	Server  string        `json:"server"`
	Tool    string        `json:"tool"`
	Effect  config.Effect `json:"effect,omitempty"` // empty: unknown
	Calls   int           `json:"calls"`
	InDoubt int           `json:"inDoubt,omitempty"` // of these, calls whose outcome is unknown
}

// ForkOf returns the plan of a fork of a run with these events. effect returns what a call of a tool
// does where the file does not say it.
func ForkOf(ctx context.Context, g *graph.Graph, events []execution.Event, at execution.Address,
	effect func(ctx context.Context, server, tool string) config.Effect,
) (*ForkPlan, error) {
	cut, err := execution.CutAt(events, at)
	if err != nil {
		return nil, err
	}
	plan := &ForkPlan{Run: events[0].Run, At: at, Again: []CallsAgain{}}
	for _, e := range cut.Before {
		if e.Kind == execution.StepFinished {
			plan.Copied++
		}
		if e.Kind == execution.CallStarted && e.Step.Task == "" {
			plan.Calls++
		}
	}
	for _, step := range cut.Editable(g) {
		_, _, part := step.Split()
		plan.Steps = append(plan.Steps, EditableStep{Node: strings.Join(config.StepIDs(part), "."), Part: part})
	}
	open := map[execution.Address]bool{}
	for _, v := range execution.InDoubt(events) {
		open[v.At()] = true
	}
	var made []*execution.Visit
	for _, e := range cut.After {
		if e.Kind == execution.CallStarted && e.Step.Task == "" {
			made = append(made, e.Step)
		}
	}
	slices.SortStableFunc(made, func(a, b *execution.Visit) int { return a.At().Compare(b.At()) })
	for _, v := range made {
		i := slices.IndexFunc(plan.Again, func(c CallsAgain) bool { return c.Node == v.Name() && c.Server == v.Server && c.Tool == v.Tool })
		if i < 0 {
			i = len(plan.Again)
			plan.Again = append(plan.Again, CallsAgain{Node: v.Name(), Server: v.Server, Tool: v.Tool, Effect: effectOf(ctx, g, v, effect)})
		}
		plan.Again[i].Calls++
		if open[v.At()] {
			plan.Again[i].InDoubt++
			delete(open, v.At()) // of several attempts, one
		}
	}
	return plan, nil
}

// effectOf returns what a recorded call does.
func effectOf(ctx context.Context, g *graph.Graph, v *execution.Visit, effect func(ctx context.Context, server, tool string) config.Effect) config.Effect {
	if n, isCall := g.ReachedTool(v.Graph).NodeAt(v.NodeID, v.Part).(*graph.MCP); isCall && n.Effect != "" {
		return n.Effect
	}
	return effect(ctx, v.Server, v.Tool)
}
