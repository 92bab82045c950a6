package execution

import (
	"slices"
	"strings"

	"toolgraph/graph"
)

// Change is what calls of one tool have changed in the run of a plan.
type Change struct {
	Tool  string // SERVER.TOOL, or a tool of the file
	Calls int
}

// changed returns the calls of a plan that have succeeded, of steps that may change something, in the order of their tools;
// nil for a graph of a file.
func (l *live) changed(records []*Record) (all []Change) {
	g := l.root.graph
	if g.Plan == nil {
		return nil
	}
	for _, rec := range records {
		step := g.StepAt(rec.NodeID, rec.Part)
		if rec.Frame != "" || step == nil || rec.Error != nil || rec.Handled != nil || rec.Skipped || !isOneCall(step, rec.Part) || !l.order.Changes(step) {
			continue
		}
		name := calledName(step.Node)
		i, known := slices.BinarySearchFunc(all, name, func(c Change, name string) int { return strings.Compare(c.Tool, name) })
		if !known {
			all = slices.Insert(all, i, Change{Tool: name})
		}
		all[i].Calls++
	}
	return all
}

// isOneCall reports whether a part of a step is a call, and not the whole of several.
func isOneCall(s *graph.Step, part string) bool {
	if graph.CallingOf(s.Node) == nil {
		return false
	}
	last := part[strings.LastIndexByte(part, '.')+1:]
	switch {
	case s.Repeat != nil:
		return strings.Contains(last, "@")
	case s.Each != nil:
		return last != s.ID
	}
	return true
}
