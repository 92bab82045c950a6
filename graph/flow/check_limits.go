package flow

import (
	"fmt"
	"strings"

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
		if g.Tool.IsInner() { // its limits are those of its callers' runs
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
	calls := chains{}
	for _, g := range graphs {
		at := g.LimitsAt["maxDepth"]
		chain := calls.from(g)
		if g.Tool.IsInner() || !at.IsValid() || len(chain) <= g.Limits.MaxDepth || len(chain) <= most[at] {
			continue
		}
		most[at] = len(chain)
		worst[at] = config.Diagnostic{
			Pos: at, Severity: config.Warning, Code: "limit-too-low", Hint: fmt.Sprintf("raise maxDepth to %d or more", len(chain)),
			Message: fmt.Sprintf("maxDepth is %d, but calls of tools lie %d deep: %s", g.Limits.MaxDepth, len(chain), strings.Join(chain, " → ")),
		}
	}
	for _, d := range worst {
		found = append(found, d)
	}
	return found
}

// chains has for each graph the longest chain of calls that begins with it, as far as no call leads back to a tool of the chain.
type chains map[*graph.Graph][]string

// from returns the names of the tools in the chain of a graph.
func (c chains) from(g *graph.Graph) []string {
	if chain, known := c[g]; known {
		return chain
	}
	c[g] = nil // a call that leads back adds nothing
	var longest []string
	for _, n := range g.CallNodes() {
		if sub, isGraph := n.(*graph.SubGraph); isGraph && sub.Graph != nil {
			if chain := c.from(sub.Graph); len(chain) > len(longest) {
				longest = chain
			}
		}
	}
	c[g] = append([]string{g.Tool.Name.Value}, longest...)
	return c[g]
}
