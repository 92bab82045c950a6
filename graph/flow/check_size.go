package flow

import (
	"context"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// large warns of a result that has the whole results of any number of calls, which clients may
// truncate. A single call, and what an expression takes out of results, is no evidence of that.
func (c *checker) large(ctx context.Context, exit int) {
	if graph.BoundsResult(c.graph.Tool, c.graph.Limits) {
		return
	}
	for _, before := range c.arrivals[exit] {
		switch node := c.graph.Nodes[before].(type) {
		case *graph.MCP:
			if node.ForEach != nil && c.collects(ctx, node) {
				c.warnLarge(c.graph.Tool.Nodes[before].ForEach.Pos, node.ID())
			}
		case *graph.Transform:
			for _, r := range returned(node.Expr.Tree(), nil) {
				called, isMCP := c.graph.Node(r.node).(*graph.MCP)
				if isMCP && (called.ForEach != nil || r.all) && c.collects(ctx, called) {
					c.warnLarge(c.place(node.Expr.Text, r.at), r.node)
				}
			}
		case *graph.SubGraph, *graph.Parallel, *graph.Ask, *graph.Switch, *graph.Entry, *graph.Steps, *graph.Exit:
		}
	}
}

func (c *checker) warnLarge(at config.Pos, node string) {
	c.found.Warn(at, "large-result",
		fmt.Sprintf("the result of tool %q has the whole results of all calls of node %q, and clients may truncate a result above %d characters", c.graph.Tool.Name.Value, node, graph.HostKeeps),
		"set executionLimits.maxResultBytes, return a part of each by a transform, or raise the client's limit with _meta: {"+graph.HostSizeKey+": …}")
}

// collects reports whether the results of all calls of a node can become large: there is no bound to
// their number, and each has a text or a list by its schema, or is what a call that only reads has read.
// A call that changes something answers little.
func (c *checker) collects(ctx context.Context, m *graph.MCP) bool {
	effect := c.all.effect(m)
	if effect == config.WriteEffect || effect == config.DestroyEffect || m.ForEach != nil && c.fewItems(m.ForEach.Items.Tree()) {
		return false
	}
	each := c.value(ctx, m)
	if each.IsAny() {
		return effect == config.ReadEffect
	}
	return grows(each)
}

// fewItems reports whether a list has a number of items that the file gives: it is written out, or an
// argument with maxItems.
func (c *checker) fewItems(t *jsonata.Tree) bool {
	if t.Kind == jsonata.ArrayKind {
		return !slices.ContainsFunc(t.Parts, func(item jsonata.Tree) bool { return item.Kind == jsonata.OperatorKind }) // such as [1..n]
	}
	path := names(t)
	if len(path) < 2 || path[0] != c.graph.Entry.ID() {
		return false
	}
	part := c.argumentSchema(path[1:])
	return part.Get("maxItems") != nil
}

// grows reports whether values of a shape can have any length.
func grows(s shape.Shape) bool {
	maybe := func(other shape.Shape) bool {
		_, never := s.Conflict(other)
		return !never
	}
	switch {
	case s.IsAny(), maybe(shape.Array(shape.Any())), maybe(shape.String()) && len(s.Words()) == 0:
		return true
	case len(s.Fields()) == 0:
		return maybe(shape.Object(nil, true))
	}
	return slices.ContainsFunc(s.Fields(), func(f shape.Field) bool { return grows(f.Shape) })
}

// part is a node whose output an expression returns whole.
type part struct {
	node string
	all  bool // the outputs of all its executions
	at   int  // where the expression says so
}

// returned appends what an expression returns whole, alone or in an object or a list.
func returned(t *jsonata.Tree, found []part) []part {
	var values []jsonata.Tree
	switch t.Kind {
	case jsonata.ObjectKind:
		for i := 1; i < len(t.Parts); i += 2 {
			values = append(values, t.Parts[i])
		}
	case jsonata.ArrayKind, jsonata.KeepKind:
		values = t.Parts
	case jsonata.BlockKind:
		values = t.Parts[max(0, len(t.Parts)-1):]
	case jsonata.ConditionalKind:
		values = t.Parts[min(1, len(t.Parts)):]
	case jsonata.CallKind:
		if len(t.Parts) == 2 && t.Parts[0].Text == "nodeExecutions" && t.Parts[1].Kind == jsonata.StringKind {
			return append(found, part{t.Parts[1].Text, true, t.Offset})
		}
	default:
		if path := names(t); len(path) == 1 {
			return append(found, part{path[0], false, t.Offset})
		}
	}
	for i := range values {
		found = returned(&values[i], found)
	}
	return found
}

// names returns the names of a path that consists of names; nil for any other expression.
func names(t *jsonata.Tree) []string {
	switch t.Kind {
	case jsonata.NameKind:
		return []string{t.Text}
	case jsonata.PathKind:
		var all []string
		for i, step := range t.Parts {
			switch {
			case step.Kind == jsonata.NameKind:
				all = append(all, step.Text)
			case i > 0 || step.Kind != jsonata.ContextKind:
				return nil
			}
		}
		return all
	}
	return nil
}
