package flow

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// countedItems warns of a forEach over a list whose length the file shows, which makes more calls or executions than the run may make.
func (c *checker) countedItems(ctx context.Context, call graph.Node) {
	of := graph.CallingOf(call)
	if of == nil || of.ForEach == nil || of.ForEach.Items.Tree() == nil {
		return
	}
	n, known := c.lengthOf(ctx, of.ForEach.Items.Tree(), of.ForEach.Items.Expression)
	if !known {
		return
	}
	calls, executions := 1.0, 0.0
	switch node := call.(type) {
	case *graph.SubGraph:
		if node.Graph == nil {
			return
		}
		calls, executions = float64(graph.NewCosts(true).Least(node.Graph)), float64(graph.NewCosts(false).Least(node.Graph))
	case *graph.MCP:
		if node.Cache != 0 {
			return // equal calls are answered
		}
	case *graph.Entry, *graph.Parallel, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	over := fmt.Sprintf("node %q has %s items", call.ID(), value.NumberText(n))
	c.exceeds("maxCalls", c.graph.Limits.MaxCalls, n*calls, over)
	c.exceeds("maxNodeExecutions", c.graph.Limits.MaxNodeExecutions, n*executions, over)
}

// exceeds warns of a limit that is lower than what a run needs.
func (c *checker) exceeds(key string, limit int, needs float64, because string) {
	at := c.graph.LimitsAt[key]
	if limit == 0 || needs <= float64(limit) || !at.IsValid() {
		return
	}
	what := map[string]string{"maxCalls": "calls", "maxNodeExecutions": "executions"}[key]
	c.found.Warn(at, "limit-too-low", fmt.Sprintf("%s is %d, but %s, which takes at least %s %s", key, limit, because, value.NumberText(needs), what), fmt.Sprintf("raise %s, or lower the number", key))
}

// lengthOf returns how many items a list has that is written, is the default of a constant, or is a range or the chunks of one.
func (c *checker) lengthOf(ctx context.Context, t *jsonata.Tree, e *jsonata.Expression) (n float64, known bool) {
	if v, ofDefaults := c.defaults.valueOf(ctx, e); ofDefaults {
		list, isList := v.([]any)
		return float64(len(list)), isList
	}
	if t.Kind == jsonata.CallKind && len(t.Parts) == 3 && t.Parts[0].Text == "chunk" {
		items, knowsItems := c.itemsIn(&t.Parts[1])
		size, knowsSize := c.constantNumber(&t.Parts[2])
		return math.Ceil(items / size), knowsItems && knowsSize && size >= 1
	}
	return c.itemsIn(t)
}

// itemsIn returns how many items a list has that is written, or is a range.
func (c *checker) itemsIn(t *jsonata.Tree) (n float64, known bool) {
	switch {
	case t.Kind == jsonata.ArrayKind && len(t.Parts) == 1 && t.Parts[0].Kind == jsonata.OperatorKind && t.Parts[0].Text == "..":
		first, knowsFirst := c.constantNumber(&t.Parts[0].Parts[0])
		last, knowsLast := c.constantNumber(&t.Parts[0].Parts[1])
		return max(0, last-first+1), knowsFirst && knowsLast
	case t.Kind == jsonata.PathKind && c.defaults.make(t):
		list, isList := c.defaults.at(t).([]any)
		return float64(len(list)), isList
	case t.Kind == jsonata.ArrayKind:
		written := []jsonata.Kind{jsonata.StringKind, jsonata.NumberKind, jsonata.LiteralKind, jsonata.ObjectKind}
		return float64(len(t.Parts)), !slices.ContainsFunc(t.Parts, func(part jsonata.Tree) bool { return !slices.Contains(written, part.Kind) })
	}
	return 0, false
}

// constantNumber returns the number that is written, or that is the default of a constant.
func (c *checker) constantNumber(t *jsonata.Tree) (n float64, known bool) {
	switch {
	case t.Kind == jsonata.NumberKind:
		n, err := strconv.ParseFloat(t.Text, 64)
		return n, err == nil
	case t.Kind == jsonata.PathKind && c.defaults.make(t):
		n, known = c.defaults.at(t).(float64)
	}
	return n, known
}

// countedTurns warns of a loop that a condition lets go on while a node has run less often than a constant says, with which the run exceeds its limits.
func (c *checker) countedTurns(ctx context.Context, at, number int, operator string, operands *config.Data) {
	s, isSwitch := c.graph.Nodes[at].(*graph.Switch)
	if !isSwitch {
		return
	}
	for i, d := range operands.Items {
		node, isNode := c.index[c.countedBy(ctx, sideText(d))]
		last, isNumber := c.defaults.operand(ctx, operands.Items[1-i]).Scalar.(float64)
		if !isNode || !isNumber || !slices.Contains([]string{"<", "<=", ">", ">="}, operator) {
			continue
		}
		turn, fewer := c.shortestLoop(node), (operator[0] == '<') == (i == 0)
		if goesOn := c.reachable(c.index[s.Conditions[number].Next.ID()], at).has(node); turn == 0 || fewer != goesOn {
			continue
		}
		turns := fmt.Sprintf("node %q may run %s times", c.graph.Nodes[node].ID(), value.NumberText(last))
		if m, isMCP := c.graph.Nodes[node].(*graph.MCP); isMCP && m.ForEach == nil && m.Cache == 0 {
			c.exceeds("maxCalls", c.graph.Limits.MaxCalls, last, turns)
		}
		c.exceeds("maxNodeExecutions", c.graph.Limits.MaxNodeExecutions, float64(turn)*last, turns)
	}
}

// shortestLoop returns the number of nodes on the shortest way from a node back to it; 0 without one.
func (c *checker) shortestLoop(node int) int {
	seen := newSet(len(c.graph.Nodes))
	for length, at := 1, []int{node}; len(at) > 0; length++ {
		var next []int
		for _, i := range at {
			for _, to := range c.departures[i] {
				if to == node {
					return length
				}
				if !seen.has(to) {
					seen.add(to)
					next = append(next, to)
				}
			}
		}
		at = next
	}
	return 0
}
