package inspect

import (
	"slices"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/authoring/view"
)

// explainSteps explains the steps of a tool, or of a block whose paths begin with prefix: the arguments, each step with
// those in it, and return.
func explainSteps(block *flow.Flow, prefix string) (all []ExplainedNode) {
	var steps []*graph.Step
	for _, n := range block.Nodes {
		if s := block.Graph.StepOf(n.Node); s != nil {
			steps = append(steps, s)
		}
	}
	for _, n := range block.Nodes {
		switch step := block.Graph.StepOf(n.Node); {
		case step != nil:
			own := slices.DeleteFunc(view.StepExpressions(step), func(e view.Expression) bool { return e.Key == "return" })
			e := described(n, purposeOf(step), own)
			e.ID, e.Next = prefix+step.ID, waiting(steps, step, prefix)
			if all = append(all, e); n.Block != nil {
				all = append(all, explainSteps(n.Block, e.ID+".")...)
			}
		case n == block.Return:
			e := described(n, "is the value", view.Expressions(n.Node))
			e.ID = prefix + "return"
			all = append(all, e)
		case prefix == "" && n.Node.Type() == config.EntryNode:
			all = append(all, described(n, "has the tool's arguments", nil))
		}
	}
	return all
}

// waiting returns the edges to the steps of a block that read a step, or name it in after.
func waiting(steps []*graph.Step, of *graph.Step, prefix string) []ExplainedEdge {
	all := []ExplainedEdge{}
	place := slices.Index(steps, of)
	for _, s := range steps {
		switch {
		case s.Reads(place):
			all = append(all, ExplainedEdge{To: prefix + s.ID, When: "reads it"})
		case slices.Contains(s.After, place):
			all = append(all, ExplainedEdge{To: prefix + s.ID, When: "after it"})
		}
	}
	return all
}
