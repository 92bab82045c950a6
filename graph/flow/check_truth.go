package flow

import (
	"context"
	"fmt"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
)

// truths warns of values that a rule takes for true or false and that always hold: objects, and $exists of what always has a value.
func (c *checker) truths(ctx context.Context, node, number int, t *term) {
	for _, leaf := range t.leaves() {
		if leaf.op != "holds" {
			continue
		}
		given, known := c.operand(ctx, node, number, leaf)
		if !known || given.IsAny() {
			continue
		}
		text := sideText(leaf.left)
		switch {
		case onlyOf(given, shape.Object(nil, true)) && !given.MayBeNothing():
			c.found.Warn(leaf.left.Pos, "constant-condition", fmt.Sprintf("%s is %s, and an object always holds", text, given), "test one of its fields")
		case given.Equal(shape.Constant(true)) && callOf(ctx, text) == "exists":
			c.found.Warn(leaf.left.Pos, "constant-condition", text+" always holds: there always is a value", "test the value itself, or the number of its items with $count")
		}
	}
}

// callOf returns the name of the function that an expression calls; "" for any other expression.
func callOf(ctx context.Context, source string) string {
	e, err := jsonata.Compile(ctx, source)
	if err != nil || e.Tree() == nil || e.Tree().Kind != jsonata.CallKind || e.Tree().Parts[0].Kind != jsonata.VariableKind {
		return ""
	}
	return e.Tree().Parts[0].Text
}

// nulls warns of a comparison with null, or with "", that says nothing of the value on the other side: what is never null, what is missing and so
// is not null for === and !==, and what differs from "" because it is missing.
func (c *checker) nulls(ctx context.Context, node, number int, operator string, operands *config.Data) {
	for i, d := range operands.Items {
		other := operands.Items[1-i]
		if d.Kind != config.KindScalar || d.Scalar != nil && d.Scalar != "" {
			continue
		}
		given, known := c.side(ctx, node, number, other)
		if !known || given.IsAny() {
			return
		}
		text, strict, differs := sideText(other), len(operator) == 3, operator[0] == '!'
		_, never := shape.Null().Conflict(given)
		switch isNull := d.Scalar == nil; {
		case isNull && never && !given.MayBeNothing():
			hint := "remove the condition, or test what the value can be"
			if onlyOf(given, shape.Array(shape.Any())) {
				hint = "a list without items is [], not null: compare $count(" + text + ") with 0"
			}
			c.found.Warn(d.Pos, "constant-condition", fmt.Sprintf("%s is %s and never null or missing", text, given), hint)
		case isNull && never && strict && c.historyOf(ctx, text) == "":
			c.found.Warn(d.Pos, "constant-condition", fmt.Sprintf("%s is %s and never null: %s does not take a missing value for null", text, given, operator), "write "+operator[:2])
		case !isNull && differs && given.MayBeNothing() && !given.IsNothing():
			c.found.Warn(other.Pos, "maybe-missing", fmt.Sprintf("%s may be missing, and a missing value differs from \"\"", text), fmt.Sprintf("test it first: {\"!!\": {\"var\": %q}}", text))
		}
		return
	}
}

// historyOf returns the history function that an expression calls; "" for none. What is wrong with comparisons of its value is reported
// by historyNulls.
func (c *checker) historyOf(ctx context.Context, source string) string {
	switch name := callOf(ctx, source); name {
	case "nodeExecution", "previousNode":
		return name
	}
	return ""
}

// membership warns of an in whose operands look swapped, or whose second one has no items.
func (c *checker) membership(ctx context.Context, node, number int, operands *config.Data) {
	var sides [2]shape.Shape
	for i, d := range operands.Items {
		var known bool
		if sides[i], known = c.side(ctx, node, number, d); !known || sides[i].IsAny() {
			sides[i] = shape.Any()
		}
	}
	first, second := operands.Items[0], operands.Items[1]
	switch list, object := shape.Array(shape.Any()), shape.Object(nil, true); {
	case onlyOf(sides[1], object):
		c.found.Warn(second.Pos, "constant-condition", fmt.Sprintf("%s is %s, in which in finds nothing: it looks in a list or a text", sideText(second), sides[1]), "give one of its fields")
	case onlyOf(sides[0], list) && !onlyOf(sides[1], list):
		c.found.Warn(first.Pos, "constant-condition", fmt.Sprintf("%s is a list, and in looks for its first value in the second", sideText(first)), "swap the two: the value first, the list second")
	}
}

// counts warns of a comparison with the number of executions of a node that is in no loop: it is 0 or 1, whatever it is compared with.
func (c *checker) counts(ctx context.Context, operands *config.Data) {
	for i, side := range operands.Items {
		d, other := c.countIn(ctx, side), operands.Items[1-i]
		id := c.countedBy(ctx, sideText(d))
		at, isNode := c.index[id]
		if !isNode || c.inLoop(at) || other.Kind == config.KindScalar && isAtMostOne(other.Scalar) {
			continue
		}
		c.found.Warn(d.Pos, "constant-condition", fmt.Sprintf("node %q is in no loop, so that %s is at most 1", id, sideText(d)), "count a node of the loop")
	}
}

// countIn returns the part of an operand that counts the executions of a node, also inside of a calculation; else the operand.
func (c *checker) countIn(ctx context.Context, d *config.Data) *config.Data {
	if d.Kind != config.KindObject || len(d.Keys) != 1 || c.countedBy(ctx, sideText(d)) != "" {
		return d
	}
	if operator := d.Keys[0].Value; operator != "*" && operator != "+" && operator != "-" && operator != "/" {
		return d
	}
	for _, part := range d.Items[0].Items {
		if of := c.countIn(ctx, part); c.countedBy(ctx, sideText(of)) != "" {
			return of
		}
	}
	return d
}

func isAtMostOne(constant any) bool {
	f, isNumber := value.FromPlain(constant).(float64)
	return !isNumber || f <= 1
}

// countedBy returns the id of the node whose executions an expression counts; "" for any other expression.
func (c *checker) countedBy(ctx context.Context, source string) string {
	if callOf(ctx, source) != "executionCount" {
		return ""
	}
	e, _ := jsonata.Compile(ctx, source)
	if parts := e.Tree().Parts; len(parts) == 2 && parts[1].Kind == jsonata.StringKind {
		return parts[1].Text
	}
	return ""
}

// inLoop reports whether a run can come from a node back to it.
func (c *checker) inLoop(node int) bool {
	for _, to := range c.departures[node] {
		if to == node || c.reachable(to, node).has(node) || c.leadsBack(c.reachable(to, node), to, node) {
			return true
		}
	}
	return false
}
