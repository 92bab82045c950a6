package flow

import (
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// output tells of each way to the exit that brings what the tool's outputSchema refuses.
// That a switch goes to the exit is the graph's to tell of.
func (c *checker) output(exit int) {
	schema := c.graph.Tool.OutputSchema
	if schema == nil {
		return
	}
	want := shape.OfSchema(schema.JSON())
	for _, before := range c.arrivals[exit] {
		node := c.graph.Nodes[before]
		if _, isSwitch := node.(*graph.Switch); isSwitch || c.faulty[before] {
			continue
		}
		conflict, conflicts := c.outputs[before].NothingAsNull().Conflict(want)
		if !conflicts {
			c.lacking(node, c.outputs[before], want)
			continue
		}
		what := fmt.Sprintf("the result of node %q", node.ID())
		if len(conflict.Path) > 0 {
			what = fmt.Sprintf("%q of the result", pathText(conflict.Path))
		}
		c.found = append(c.found, config.Diagnostic{
			Pos: placeOfOutput(node, conflict.Path, want), Severity: c.certainly(), Code: "output-mismatch",
			Message: fmt.Sprintf("%s is %s, and outputSchema of tool %q wants %s", what, conflict.Found, c.graph.Tool.Name.Value, conflict.Expected),
			Hint:    "change the expression or outputSchema: such a result is refused",
		})
	}
}

// wanted is the outputSchema, for what a node gives to the exit.
func (c *checker) wanted(next graph.Node) shape.Shape {
	if _, isExit := next.(*graph.Exit); !isExit || c.graph.Tool.OutputSchema == nil {
		return shape.Any()
	}
	return shape.OfSchema(c.graph.Tool.OutputSchema.JSON())
}

// lacking tells of the value of a call, or of the arguments, that go to the exit as they
// are, and by their schema may lack what outputSchema requires.
func (c *checker) lacking(node graph.Node, given, want shape.Shape) {
	switch node.(type) {
	case *graph.MCP, *graph.Entry:
	case *graph.Transform, *graph.Switch, *graph.Exit:
		return // its expression is looked at
	}
	path, lacks := given.Lacks(want)
	if !lacks || c.asksForField(below([]string{node.ID()}, path...)) {
		return
	}
	c.found.Warn(node.Pos(), "maybe-missing",
		fmt.Sprintf("the result of node %q may lack %q, and outputSchema of tool %q requires it", node.ID(), pathText(path), c.graph.Tool.Name.Value),
		fmt.Sprintf("put a transform behind it that gives what to use instead: $.%s ?? value", pathText(below([]string{node.ID()}, path...))))
}

// pathText is a path as people write it.
func pathText(path []string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.Join(path, "."), ".[]", "[]"), ".")
}

// placeOfOutput is where a part of a node's output is made.
func placeOfOutput(node graph.Node, path []string, want shape.Shape) config.Pos {
	t, isTransform := node.(*graph.Transform)
	if !isTransform {
		return node.Pos()
	}
	tree := t.Expr.Tree()
	if tree == nil {
		return t.Expr.Text.At(0)
	}
	return t.Expr.Text.At(placeOf(tree, path, want))
}

// placeOf is the offset of the part of an expression that makes the part of its value at
// a path: of its key, when nothing like it is wanted.
func placeOf(tree *jsonata.Tree, path []string, want shape.Shape) int {
	for tree.Kind == "block" && len(tree.Parts) > 0 {
		tree = &tree.Parts[len(tree.Parts)-1]
	}
	if len(path) == 0 || tree.Kind != "object" {
		return tree.Offset
	}
	for i := 0; i+1 < len(tree.Parts); i += 2 {
		key, value := &tree.Parts[i], &tree.Parts[i+1]
		if key.Kind != "string" || key.Text != path[0] {
			continue
		}
		for _, f := range want.Fields() {
			if f.Name == path[0] {
				return placeOf(value, path[1:], f.Shape)
			}
		}
		return key.Offset
	}
	return tree.Offset
}
