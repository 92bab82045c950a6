package flow

import (
	"fmt"
	"strconv"

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
	first, path := rangeOf(m.ForEach.Items.Tree())
	if len(path) < 2 || path[0] != c.graph.Entry.ID() || c.switchAsks(path) {
		return
	}
	part := c.graph.Tool.InputSchema
	for _, name := range path[1:] {
		part = part.Get("properties").Get(name)
	}
	limit := part.Get("maximum")
	if limit == nil {
		return
	}
	if last, isNumber := value.FromPlain(limit.Scalar).(float64); isNumber && last-first+1 > float64(most) {
		c.found.Warn(limit.Pos, "limit-too-low",
			fmt.Sprintf("with %s = %s, node %q makes %s calls, and maxCalls is %d", pathText(path[1:]), value.NumberText(last), m.ID(), value.NumberText(last-first+1), most),
			"lower the maximum, or raise executionLimits.maxCalls")
	}
}

// rangeOf returns the first number and the path of the last one of [a..path]; no path for any other expression.
func rangeOf(t *jsonata.Tree) (first float64, path []string) {
	for (t.Kind == "array" || t.Kind == "block") && len(t.Parts) == 1 {
		t = &t.Parts[0]
	}
	if t.Kind != "operator" || t.Text != ".." || t.Parts[0].Kind != "number" {
		return 0, nil
	}
	first, err := strconv.ParseFloat(t.Parts[0].Text, 64)
	if err != nil {
		return 0, nil
	}
	return first, names(&t.Parts[1])
}
