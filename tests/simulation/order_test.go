package simulation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	address "toolgraph/execution/call"
	"toolgraph/graph"
)

// checkOrder checks the places of the steps that an event is in: what they need has ended before.
func (w *world) checkOrder(e *execution.Event) {
	at := e.At()
	if at == "" {
		return
	}
	ended, toolOf := records(w.events), map[execution.Address]string{} // of a frame
	for i := range w.events {
		switch e := &w.events[i]; {
		case e.Record != nil:
			toolOf[e.Record.Frame] = e.Record.Tool
		case e.Step != nil:
			toolOf[e.Step.Frame] = e.Step.Graph
		}
	}
	for ; at != ""; at = at.Around() {
		frame, _, part := at.Split()
		tool := w.s.graph.ReachedTool(toolOf[frame])
		if tool.Steps() == nil || part == "" {
			continue
		}
		step := tool.Steps().Step(part)
		number, _ := strconv.Atoi(at.Name())
		switch inOrder := step.MaxParallel < 2 && (step.Until != nil || changes(step)); {
		case !address.IsItem(at.Name()):
			w.checkStep(at, tool.Steps(), step, ended)
		case at[len(at.Outer())] == '@':
			w.checkBefore(at, number > 1, fmt.Sprintf("@%d", number-1), ended)
		default:
			w.checkBefore(at, number > 0 && inOrder, fmt.Sprintf(".%d", number-1), ended)
		}
	}
}

// checkStep checks that the steps of its block that a step needs have ended: those that it reads, and around what changes
// something all others.
func (w *world) checkStep(at execution.Address, tool *graph.Steps, step *graph.Step, ended map[execution.Address]*execution.Record) {
	_, _, part := at.Split()
	block := tool
	if ids := config.StepIDs(part); len(ids) > 1 {
		block, _ = tool.Step(strings.Join(ids[:len(ids)-1], ".")).Node.(*graph.Steps)
	}
	own := slices.Index(block.Block, step)
	for i, above := range block.Block[:own] {
		needed := slices.Contains(step.Needs, i) || changes(step) || changes(above)
		w.checkBefore(at, needed, "."+above.ID, ended)
	}
}

// checkBefore checks that the item or turn before one has ended, where they run one after the other.
func (w *world) checkBefore(at execution.Address, needed bool, name string, ended map[execution.Address]*execution.Record) {
	if before := execution.Address(string(at.Outer()) + name); needed && ended[before] == nil {
		w.violate("%s has begun, and %s has not ended", at, before)
	}
}

// changes reports whether a step may change something, as its run decides when it starts.
func changes(step *graph.Step) bool {
	switch n := step.Node.(type) {
	case *graph.Ask:
		return true
	case *graph.Steps:
		return slices.ContainsFunc(n.Block, changes)
	case *graph.MCP:
		return writes(n)
	case *graph.SubGraph:
		return slices.ContainsFunc(n.Graph.Reached(), func(g *graph.Graph) bool {
			return slices.ContainsFunc(g.CallNodes(), func(n graph.Node) bool {
				call, isCall := n.(*graph.MCP)
				return isCall && writes(call)
			})
		})
	case *graph.Entry, *graph.Parallel, *graph.Transform, *graph.Switch, *graph.Exit:
	}
	return false
}

func writes(n *graph.MCP) bool {
	if n.Effect != "" {
		return n.Effect != config.ReadEffect
	}
	return !mayRepeat("", n.Tool, "")
}
