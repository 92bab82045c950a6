package fold

import (
	"context"
	"fmt"
	"maps"
	"strconv"

	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// Before returns the records that the expressions of the step or part at an address see: those of
// its frame before it. A part sees what its execution sees.
func (h *History) Before(at execution.Address) ([]execution.Record, error) {
	frame, index, _ := at.Split()
	records := h.Records(frame)
	switch {
	case frame != "" && !h.Has(frame):
		return nil, fmt.Errorf("the run has no frame %s", frame)
	case index < 0, index > len(records):
		return nil, fmt.Errorf("the run has not come to step %s; its frame has %s", at, wording.Count(len(records), "step"))
	}
	return records[:index], nil
}

// Scope returns the scope of the expressions of a step or part of a run of g. For an item, it has
// $item and $index, for which the list is evaluated again.
func (h *History) Scope(ctx context.Context, g *graph.Graph, at execution.Address) (*expressions.Scope, error) {
	records, err := h.Before(at)
	if err != nil {
		return nil, err
	}
	frame, _, part := at.Split()
	of := g.ReachedTool(h.Tool(frame))
	if steps, isSteps := of.NodeAt(h.NodeID(at), "").(*graph.Steps); isSteps {
		return h.stepScope(of, steps, at, byList(ctx))
	}
	scope := h.ScopeIn(of, records)
	calling := graph.CallingOf(of.NodeAt(h.NodeID(at), ""))
	if part == "" || calling == nil || calling.ForEach == nil {
		return scope, nil
	}
	i, err := strconv.Atoi(part)
	if err != nil {
		return nil, fmt.Errorf("node %q has no part %q; its parts are numbers", h.NodeID(at), part)
	}
	items, err := calling.ForEach.List(ctx, scope)
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= len(items) {
		return nil, fmt.Errorf("step %s is item %d of a list of %d", at, i, len(items))
	}
	variables := map[string]value.Value{expressions.VarItem: items[i], expressions.VarIndex: float64(i)}
	maps.Copy(variables, scope.Variables)
	scope.Variables = variables
	return scope, nil
}

// ScopeIn returns the scope of expressions of a graph over records of one of its frames, with the
// constants of the run. The graph is nil when it is unknown.
func (h *History) ScopeIn(g *graph.Graph, records []execution.Record) *expressions.Scope {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return execution.ScopeIn(g, h.vars, records)
}

// NodeID returns the id of the node of a step or part; empty when it is unknown.
func (h *History) NodeID(at execution.Address) string {
	frame, index, _ := at.Split()
	for _, at := range []execution.Address{at, execution.AddressOf(frame, index, "")} {
		if r, ok := h.Record(at); ok {
			return r.NodeID
		}
	}
	if open := h.Open(frame); open != nil && open.Index == index {
		return open.NodeID
	}
	return ""
}
