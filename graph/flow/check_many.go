package flow

import (
	"context"
	"fmt"
	"strconv"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// tooMany warns of a forEach over [1..n] where inputSchema allows an argument n with which the run makes more calls than maxCalls.
func (c *checker) tooMany(m *graph.MCP) {
	most := c.graph.Limits.MaxCalls
	if m.ForEach == nil || most == 0 || m.ForEach.Items.Tree() == nil {
		return
	}
	if path := names(m.ForEach.Items.Tree()); path != nil && path[0] == c.graph.Entry.ID() {
		c.tooLong(m, path, most)
		return
	}
	first, path := rangeOf(m.ForEach.Items.Tree())
	if limit, last, declared := c.mostOf(path); declared && last-first+1 > float64(most) {
		c.addMany(limit, pathText(path[1:]), last, fmt.Sprintf("node %q makes %s calls", m.ID(), value.NumberText(last-first+1)), "maxCalls", most)
	}
}

// tooLong warns of a forEach over a list of the arguments that may be longer than maxCalls allows, by its maxItems.
func (c *checker) tooLong(m *graph.MCP, path []string, most int) {
	part := c.argumentSchema(path[1:])
	limit := part.Get("maxItems")
	if limit == nil {
		return
	}
	at := c.graph.LimitsAt["maxCalls"]
	if n, isNumber := value.FromPlain(limit.Scalar).(float64); isNumber && n > float64(most) && at.IsValid() {
		c.found.Warn(at, "limit-too-low", fmt.Sprintf("maxCalls is %d, but node %q makes a call for each of up to %s items of %s", most, m.ID(), value.NumberText(n), pathText(path[1:])),
			"raise maxCalls, or lower maxItems")
	}
}

// tooOften warns of a loop that a switch lets go on while a node has run less often than an argument says, where inputSchema allows an argument
// with which the run exceeds its limits.
func (c *checker) tooOften(ctx context.Context, operands *config.Data) {
	for i, d := range operands.Items {
		node, isNode := c.index[c.countedBy(ctx, sideText(d))]
		e, err := jsonata.Compile(ctx, sideText(operands.Items[1-i]))
		if !isNode || err != nil || e.Tree() == nil || !c.inLoop(node) {
			continue
		}
		path := names(e.Tree())
		limit, last, declared := c.mostOf(path)
		if !declared {
			continue
		}
		times := fmt.Sprintf("node %q runs %s times", c.graph.Nodes[node].ID(), value.NumberText(last))
		_, calls := c.graph.Nodes[node].(*graph.MCP)
		switch limits := c.graph.Limits; {
		case calls && limits.MaxCalls > 0 && last > float64(limits.MaxCalls):
			c.addMany(limit, pathText(path[1:]), last, times, "maxCalls", limits.MaxCalls)
		case 2*last > float64(limits.MaxNodeExecutions): // the switch as well
			c.addMany(limit, pathText(path[1:]), last, times+", and the switch as well", "maxNodeExecutions", limits.MaxNodeExecutions)
		}
	}
}

// mostOf returns the maximum that inputSchema declares for an argument, and its place.
func (c *checker) mostOf(path []string) (limit *config.Data, last float64, declared bool) {
	if len(path) < 2 || path[0] != c.graph.Entry.ID() {
		return nil, 0, false
	}
	part := c.argumentSchema(path[1:])
	if limit = part.Get("maximum"); limit == nil {
		return nil, 0, false
	}
	last, declared = value.FromPlain(limit.Scalar).(float64)
	return limit, last, declared
}

func (c *checker) addMany(limit *config.Data, argument string, last float64, what, key string, most int) {
	c.found.Warn(limit.Pos, "limit-too-low", fmt.Sprintf("with %s = %s, %s, and %s is %d", argument, value.NumberText(last), what, key, most),
		"lower the maximum, or raise executionLimits."+key)
}

// rangeOf returns the first number and the path of the last one of [a..path]; no path for any other expression.
func rangeOf(t *jsonata.Tree) (first float64, path []string) {
	for (t.Kind == jsonata.ArrayKind || t.Kind == jsonata.BlockKind) && len(t.Parts) == 1 {
		t = &t.Parts[0]
	}
	if t.Kind != jsonata.OperatorKind || t.Text != ".." || t.Parts[0].Kind != jsonata.NumberKind {
		return 0, nil
	}
	first, err := strconv.ParseFloat(t.Parts[0].Text, 64)
	if err != nil {
		return 0, nil
	}
	return first, names(&t.Parts[1])
}
