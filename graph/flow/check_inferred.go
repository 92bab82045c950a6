package flow

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"toolgraph/config"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// minor is a finding that is reported where a node has no other.
type minor struct {
	node    int
	finding config.Diagnostic
}

// addMinor reports the minor findings of nodes without others.
func (c *checker) addMinor() {
	more := c.found[:len(c.found):len(c.found)]
	for _, m := range c.minor {
		from, to := c.graph.Tool.Nodes[m.node].Pos.Line, math.MaxInt
		if m.node+1 < len(c.graph.Tool.Nodes) {
			to = c.graph.Tool.Nodes[m.node+1].Pos.Line
		}
		if !slices.ContainsFunc(c.found, func(d config.Diagnostic) bool { return from <= d.Pos.Line && d.Pos.Line < max(to, from+1) }) {
			more = append(more, m.finding)
		}
	}
	c.found = more
}

// inferred reports the findings of infer. text returns the expression that a path leads to, and
// whether findings in it are to be reported.
func (c *checker) inferred(ctx context.Context, node, number int, env shape.Env, infer func(shape.Env) []shape.RuleFinding, text func(path []any) (piece, bool)) {
	type place struct {
		path   string
		offset int
	}
	// For each place that reads what may be missing, a state in which it is missing there. A
	// place has none when the conditions on the way to it are also those of the expression.
	missing := sync.OnceValue(func() map[place]*state {
		in := map[place]*state{}
		for _, s := range c.distinct(node, number) {
			env, _ := c.env(ctx, s, number)
			env.Needed, env.OneState = true, true
			for _, f := range infer(env) {
				at := place{fmt.Sprint(f.Path), f.Offset}
				if in[at] == nil && (f.Code == shape.CodeMayBeMissing || f.Code == shape.CodeNeverRan) {
					in[at] = s
				}
			}
		}
		return in
	})
	for _, f := range infer(env) {
		at, report := text(f.Path)
		if !report {
			continue
		}
		if f.Code == shape.CodeMayBeMissing {
			s := missing()[place{fmt.Sprint(f.Path), f.Offset}]
			if s == nil || c.isChain() && isLastResort(at.tree, f.Offset) {
				continue
			}
			f.Message += c.onPath(s)
		}
		code, severity := c.classify(f.Finding)
		if c.choosesElsewhere(code, at.text, f.Finding) {
			c.faulty[node] = c.faulty[node] || code == "impossible-path"
			continue
		}
		pos := c.place(at.text, f.Offset)
		if c.fields[pos] != "" {
			continue
		}
		d := &config.Diagnostic{Pos: pos, Severity: severity, Code: code, Message: f.Message, Hint: f.Hint}
		d.Until(c.endOf(at.text, f.Finding)).Fixed(graph.Fixes(at.text, f.Fixes...)...)
		if code == "maybe-missing" {
			d.Fixed(piece{at.text, partAt(at.tree, f.Offset)}.guards(len(f.Path) > 0)...)
		}
		if f.Minor {
			c.minor = append(c.minor, minor{node, *d})
			continue
		}
		c.faulty[node] = true
		c.found = append(c.found, *d)
	}
}
