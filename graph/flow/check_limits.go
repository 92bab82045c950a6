package flow

import (
	"fmt"

	"toolgraph/config"
	"toolgraph/graph"
)

// limits reports limits below what every run of a tool needs that reaches its exit, or what the runs need that come to one of
// its nodes; each limit once, for the tool that needs most.
func limits(graphs []*graph.Graph) (found config.Diagnostics) {
	worst := map[config.Pos]config.Diagnostic{}
	most := map[config.Pos]int{}
	inExecutions, inCalls := graph.NewCosts(false), graph.NewCosts(true)
	for _, g := range graphs {
		if g.Tool.Hidden { // its limits are those of its callers' runs
			continue
		}
		for _, n := range []struct {
			key, what string
			limit     int
			costs     *graph.Costs
		}{
			{"maxNodeExecutions", "executes at least %d nodes", g.Limits.MaxNodeExecutions, inExecutions},
			{"maxCalls", "makes at least %d calls", g.Limits.MaxCalls, inCalls},
		} {
			at, tool := g.LimitsAt[n.key], g.Tool.Name.Value
			least, runs, severity := n.costs.Least(g), fmt.Sprintf("every run of tool %q that reaches its exit", tool), config.Error
			if least <= n.limit {
				var dearest graph.Node
				if dearest, least = n.costs.Dearest(g); dearest == nil {
					continue
				}
				runs, severity = fmt.Sprintf("a run of tool %q that reaches its exit by node %q", tool, dearest.ID()), config.Warning
			}
			if !at.IsValid() || n.limit == 0 || least <= n.limit || least <= most[at] {
				continue
			}
			most[at] = least
			worst[at] = config.Diagnostic{
				Pos: at, Severity: severity, Code: "limit-too-low", Hint: fmt.Sprintf("raise %s to %d or more", n.key, least),
				Message: fmt.Sprintf("%s is %d, but %s "+n.what, n.key, n.limit, runs, least),
			}
		}
	}
	for _, d := range worst {
		found = append(found, d)
	}
	return found
}
