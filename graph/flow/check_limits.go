package flow

import (
	"fmt"

	"toolgraph/config"
	"toolgraph/graph"
)

// limits reports limits below what every run of a tool needs, each once: at the tool that needs most.
func limits(graphs []*graph.Graph) (found config.Diagnostics) {
	type need struct {
		key, tool, what string
		limit, least    int
	}
	most := map[config.Pos]need{}
	for _, g := range graphs {
		if g.Tool.Hidden { // its limits are those of its callers' runs
			continue
		}
		executions, calls := g.Fewest()
		for _, n := range []need{
			{"maxNodeExecutions", g.Tool.Name.Value, "executes at least %d nodes", g.Limits.MaxNodeExecutions, executions},
			{"maxCalls", g.Tool.Name.Value, "makes at least %d calls", g.Limits.MaxCalls, calls},
		} {
			at := g.LimitsAt[n.key]
			if at.IsValid() && n.limit > 0 && n.least > n.limit && n.least > most[at].least {
				most[at] = n
			}
		}
	}
	for at, n := range most {
		found.Add(at, "limit-too-low", fmt.Sprintf("%s is %d, but every run of tool %q that reaches its exit "+n.what, n.key, n.limit, n.tool, n.least), fmt.Sprintf("raise %s to %d or more", n.key, n.least))
	}
	return found
}
