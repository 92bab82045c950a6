package flow

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// asksForField reports whether a switch of the graph reads a field of an output, a part of
// it, or what it is a part of: the nodes after the switch may rely on that. So may those after a call that chooses which fields there are.
func (c *checker) asksForField(path []string) bool {
	return c.readsField(path, true) || len(path) == 2 && c.choosesAnswer(c.index[path[0]])
}

// testsField is asksForField without comparisons by size: these rely on the field themselves.
func (c *checker) testsField(path []string) bool { return c.readsField(path, false) }

func (c *checker) readsField(path []string, bySize bool) bool {
	for _, node := range c.graph.Nodes {
		s, isSwitch := node.(*graph.Switch)
		if !isSwitch {
			continue
		}
		for _, condition := range s.Conditions {
			for _, ref := range condition.Rule.References() {
				n := min(len(ref.Path), len(path))
				if n > 0 && !ref.Body && (bySize || !ref.Ordered) && slices.Equal(ref.Path[:n], path[:n]) {
					return true
				}
			}
		}
	}
	return c.hasDefault(path) || slices.ContainsFunc(c.around.asked, func(asked []string) bool {
		n := min(len(asked), len(path))
		return slices.Equal(asked[:n], path[:n])
	})
}

// asksHere returns a function that reports whether a switch has asked for a field before a node, other than one that lets runs come to the node only
// where the field has no value.
func (c *checker) asksHere(node int) func(path []string) bool {
	var without []string
	if before := c.arrivals[node]; len(before) == 1 {
		if s, isSwitch := c.graph.Nodes[before[0]].(*graph.Switch); isSwitch {
			without = c.falseOn(before[0], s, c.graph.Nodes[node])
		}
	}
	return func(path []string) bool {
		return !slices.Contains(without, strings.Join(path, ".")) && (c.asksForField(path) || c.distinguishes(node, path))
	}
}

// distinguishes reports whether a switch that has always run before a node compares another field of the same answer with a text, as in
// status = "found": the answers of a server that differ in such a text have different fields.
func (c *checker) distinguishes(node int, path []string) bool {
	if _, isCall := c.graph.Node(path[0]).(*graph.MCP); !isCall || len(path) != 2 {
		return false
	}
	for at, terms := range c.terms {
		if len(terms) == 0 || slices.ContainsFunc(c.states[node].list, func(s *state) bool { return s.presence(at) != shape.Always }) {
			continue
		}
		for _, t := range terms {
			if slices.ContainsFunc(t.leaves(), func(leaf *term) bool {
				_, isText := leaf.constant.(string)
				field, ofSame := strings.CutPrefix(plainPath(sideText(leaf.left)), path[0]+".")
				return leaf.op == "equal" && isText && ofSame && isPlainPath(field) && !strings.Contains(field, ".")
			}) {
				return true
			}
		}
	}
	return false
}

// falseOn returns the paths that a switch has tested and found false when it goes to a node.
func (c *checker) falseOn(at int, s *graph.Switch, to graph.Node) (paths []string) {
	ways := 0
	for i, condition := range s.Conditions {
		t := c.terms[at][i]
		if condition.Next == to {
			ways++
			if t.op == "not" && t.parts[0].op == "holds" {
				paths = append(paths, plainPath(sideText(t.parts[0].left)))
			}
		} else if s.Default == to && t.op == "holds" {
			paths = append(paths, plainPath(sideText(t.left)))
		}
	}
	if s.Default == to {
		ways++
	}
	if ways != 1 {
		return nil
	}
	return paths
}

// lackedByItem warns of a required argument that is a field of $item which the items of a list may lack by its schema.
func (a *argsChecker) lackedByItem(d *config.Data, s map[string]any, given shape.Shape, path []string) {
	e := a.trees[d.Expr.Pos]
	if e == nil || e.Tree() == nil || a.handled || a.needs[d.Expr.Pos] != needed || !given.MayBeNothing() || a.fills(s) {
		return
	}
	steps := e.Tree().Parts
	if first := firstOf(e.Tree()); len(steps) != 2 || first.Kind != "variable" || first.Text != expressions.VarItem || steps[1].Kind != "name" {
		return
	}
	list := a.givenItems(e)
	if field := below(list, steps[1].Text); len(list) == 0 || !a.isOptionalBelow(field, len(list)) || a.hasDefault(field) {
		return
	}
	a.found.Warn(a.place(e.Text, e.Tree().Offset), "maybe-missing", fmt.Sprintf("argument %q of tool %q is required, and %s may be missing", pathText(path), a.tool, sourceOf(e, e.Tree())),
		"give a default: … ?? value; or require it in the schema of the items")
}
