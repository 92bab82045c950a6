package flow

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// output reports each node before the exit whose output the tool's outputSchema does not allow.
// graph.Build reports a switch before the exit.
func (c *checker) output(ctx context.Context, exit int) {
	schema := c.graph.Tool.OutputSchema
	if schema == nil {
		c.promptText(ctx, exit)
		return
	}
	want := shape.OfSchema(schema.JSON())
	for _, before := range c.arrivals[exit] {
		node := c.graph.Nodes[before]
		if _, isSwitch := node.(*graph.Switch); isSwitch || c.faulty[before] {
			continue
		}
		for _, one := range c.yields(ctx, before, c.taken[[2]int{before, exit}]) {
			severity := c.certainly()
			conflict, conflicts := one.shape.NothingAsNull().Conflict(want)
			if !conflicts {
				if conflict, conflicts = one.shape.NothingAsNull().Filled().Conflict(want); !conflicts || len(conflict.Path) == 0 {
					c.lacking(node, one.shape, want)
					c.chance(node, one.shape, want)
					c.sometimes(ctx, node, one, want)
					continue
				}
				severity = config.Warning // an empty array fits
			}
			message, hint, near := c.mismatch(node, conflict)
			at, made := one.place(conflict.Path, want)
			d := c.found.Add(at, "output-mismatch", message, hint)
			if d.Severity = severity; near != "" {
				d.Fixed(made.word(conflict.Path[len(conflict.Path)-1], near))
			}
		}
	}
}

// promptText reports each node before the exit of a prompt whose output is certainly no text.
func (c *checker) promptText(ctx context.Context, exit int) {
	if t := c.graph.Tool; !t.Prompt || t.Result == config.TextResult {
		return
	}
	text := shape.OfSchema([]byte(`{"type":"string"}`))
	for _, before := range c.arrivals[exit] {
		if c.faulty[before] {
			continue
		}
		for _, one := range c.yields(ctx, before, c.taken[[2]int{before, exit}]) {
			if conflict, conflicts := one.shape.NothingAsNull().Conflict(text); conflicts {
				at, _ := one.place(nil, text)
				c.found.Add(at, "prompt-result", fmt.Sprintf("the result of node %q is %s, and tool %q is a prompt, whose result is a text", c.graph.Nodes[before].ID(), conflict.Found, c.graph.Tool.Name.Value),
					"let it yield a text, or add result: text, which sends other values as JSON").Severity = c.certainly()
			}
		}
	}
}

// yield is a shape that a node's output can have, with the place that makes a part of it, and the expression there,
// if any.
type yield struct {
	shape shape.Shape
	place func(path []string, want shape.Shape) (config.Pos, piece)
}

// yields returns what a node yields by itself, and what its onError makes of a failure, as far as
// the run goes on by these endings.
func (c *checker) yields(ctx context.Context, node int, by ending) []yield {
	n := c.graph.Nodes[node]
	own := yield{c.outputs[node].done, func(path []string, want shape.Shape) (config.Pos, piece) { return placeOfOutput(n, path, want) }}
	o := graph.OnErrorOf(n)
	if call := graph.CallingOf(n); o == nil || call != nil && call.ForEach != nil {
		return []yield{own}
	}
	on := c.graph.Tool.Nodes[node].OnError
	caught := yield{c.handledBy(ctx, node, n, o), func(path []string, _ shape.Shape) (config.Pos, piece) {
		if on.Value == nil {
			return on.Pos, piece{}
		}
		return dataAt(on.Value, path), piece{}
	}}
	if o.Next == nil {
		own.shape = c.normal(ctx, node)
		by = done | handled
	}
	var all []yield
	if by&done != 0 {
		all = append(all, own)
	}
	if by&handled != 0 {
		all = append(all, caught)
	}
	return all
}

// normal returns the shape of what a transform or a single call yields when it does not fail.
func (c *checker) normal(ctx context.Context, node int) shape.Shape {
	if t, isTransform := c.graph.Nodes[node].(*graph.Transform); isTransform {
		s, _ := c.valueOf(ctx, node, 0, t.Expr)
		return s
	}
	return c.value(ctx, c.graph.Nodes[node])
}

// mismatch returns the message and the hint for a result that outputSchema does not allow, and the property that was
// meant, or "".
func (c *checker) mismatch(node graph.Node, conflict shape.Conflict) (message, hint, near string) {
	path, tool := pathText(conflict.Path), c.graph.Tool.Name.Value
	hint = "change the expression or outputSchema; such a result fails the run"
	switch {
	case len(path) == 0:
		return fmt.Sprintf("the result of node %q is %s, expected %s by outputSchema of tool %q", node.ID(), conflict.Found, conflict.Expected, tool), hint, ""
	case conflict.Found == "missing":
		return fmt.Sprintf("the result has no %q, which outputSchema of tool %q requires (%s)", path, tool, conflict.Expected), hint, ""
	case conflict.Expected == "missing":
		near = wording.Nearest(conflict.Path[len(conflict.Path)-1], conflict.Allowed)
		return fmt.Sprintf("outputSchema of tool %q does not allow the property %q (allowed: %s)", tool, path, wording.List(conflict.Allowed)), cmp.Or(wording.Meant(near), hint), near
	}
	return fmt.Sprintf("%q of the result is %s, expected %s by outputSchema of tool %q", path, conflict.Found, conflict.Expected, tool), hint, ""
}

// wanted returns the shape of outputSchema for a node that goes to the exit, else any shape.
func (c *checker) wanted(next graph.Node) shape.Shape {
	if _, isExit := next.(*graph.Exit); !isExit || c.graph.Tool.OutputSchema == nil {
		return shape.Any()
	}
	return shape.OfSchema(c.graph.Tool.OutputSchema.JSON())
}

// lacking reports a call, or the entry, whose output is the result and by its schema may lack
// a field that outputSchema requires.
func (c *checker) lacking(node graph.Node, given, want shape.Shape) {
	switch node.(type) {
	case *graph.MCP, *graph.SubGraph, *graph.Ask, *graph.Entry:
	case *graph.Parallel, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
		return // expression and rule check these
	}
	path, lacks := given.Lacks(want)
	if !lacks || c.asksForField(below([]string{node.ID()}, path...)) {
		return
	}
	c.found.Warn(node.Pos(), "maybe-missing",
		fmt.Sprintf("the result of node %q may have no %q, which outputSchema of tool %q requires", node.ID(), pathText(path), c.graph.Tool.Name.Value),
		fmt.Sprintf("add a transform after it that gives a default: $.%s ?? value", pathText(below([]string{node.ID()}, path...))))
}

// pathText returns a path in the notation a.b[].c.
func pathText(path []string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.Join(path, "."), ".[]", "[]"), ".")
}

// placeOfOutput returns the place that makes a part of a node's output, and the expression there.
func placeOfOutput(node graph.Node, path []string, want shape.Shape) (config.Pos, piece) {
	t, isTransform := node.(*graph.Transform)
	if !isTransform {
		return node.Pos(), piece{}
	}
	tree := t.Expr.Tree()
	if tree == nil {
		return t.Expr.Text.At(0), piece{}
	}
	made := piece{t.Expr.Text, partOf(tree, path, want)}
	return made.text.At(made.tree.Offset), made
}

// partOf returns the part of an expression that makes the part of its value at a path; its key, when the wanted shape
// does not have that part. A variable is followed to its value where the path leads to a computed key.
func partOf(tree *jsonata.Tree, path []string, want shape.Shape) *jsonata.Tree {
	return partWithin(tree, tree, path, want)
}

func partWithin(root, tree *jsonata.Tree, path []string, want shape.Shape) *jsonata.Tree {
	tree, path, want = intoItems(tree, path, want)
	if len(path) == 0 {
		return tree
	}
	if value := assignedIn(root, tree); value != nil && path[0] == shape.Other {
		return partWithin(value, value, path, want)
	}
	for i := 0; tree.Kind == jsonata.ObjectKind && i+1 < len(tree.Parts); i += 2 {
		key, value := &tree.Parts[i], &tree.Parts[i+1]
		if key.Kind != jsonata.StringKind || key.Text != path[0] {
			continue
		}
		for _, f := range want.Fields() {
			if f.Name == path[0] {
				return partWithin(root, value, path[1:], f.Shape)
			}
		}
		return key
	}
	if value := computedIn(tree); value != nil {
		return partWithin(root, value, path[1:], want.Others())
	}
	return tree
}

// assignedIn returns the only value that a block at the root of an expression gives to a variable; nil for other parts.
func assignedIn(root, variable *jsonata.Tree) (value *jsonata.Tree) {
	if variable.Kind != jsonata.VariableKind || root.Kind != jsonata.BlockKind {
		return nil
	}
	for i := range root.Parts {
		if t := &root.Parts[i]; t.Kind == jsonata.AssignmentKind && t.Parts[0].Text == variable.Text {
			if value != nil {
				return nil
			}
			value = &t.Parts[1]
		}
	}
	return value
}

// computedIn returns the value that an object constructor or a group has for a computed key; nil without one.
func computedIn(t *jsonata.Tree) *jsonata.Tree {
	first := 0
	switch t.Kind {
	case jsonata.ObjectKind:
	case jsonata.GroupKind:
		first = 1 // behind what is grouped
	default:
		return nil
	}
	for i := first; i+1 < len(t.Parts); i += 2 {
		if t.Parts[i].Kind != jsonata.StringKind {
			return &t.Parts[i+1]
		}
	}
	return nil
}

// sourceOf returns the source of a part of an expression.
func sourceOf(e *graph.Expr, part *jsonata.Tree) string { return e.Text.Value[part.Offset:part.End] }

// intoItems goes from a part of an expression to the part of it that makes its items, where the path leads to them: into the only
// part of an array, the last step of a path and the function of $map. It also goes to the last part of a block.
func intoItems(tree *jsonata.Tree, path []string, want shape.Shape) (*jsonata.Tree, []string, shape.Shape) {
	for inside := false; len(tree.Parts) > 0; {
		last := &tree.Parts[len(tree.Parts)-1]
		items := len(path) > 0 && path[0] == "[]"
		switch {
		case tree.Kind == jsonata.BlockKind:
			tree = last
			continue
		case tree.Kind == jsonata.PathKind && (items || inside) && (last.Kind == jsonata.ObjectKind || last.Kind == jsonata.BlockKind),
			tree.Kind == jsonata.ArrayKind && items && len(tree.Parts) == 1:
			tree = last
		case tree.Kind == jsonata.CallKind && (items || inside) && len(tree.Parts) == 3 && tree.Parts[0].Text == "map" && last.Kind == jsonata.FunctionKind && len(last.Parts) > 0:
			tree = &last.Parts[len(last.Parts)-1]
		default:
			return tree, path, want
		}
		if items {
			path, want, inside = path[1:], want.Items(), true
		}
	}
	return tree, path, want
}
