package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// kinds warns of comparisons in a rule whose sides are of kinds that do not compare: by size, of a list, an object or a
// text with a number; by ===, !==, of any two kinds. The bodies of iterations are not looked at.
func (c *checker) kinds(ctx context.Context, node, number int, d *config.Data) {
	if d.Kind == config.KindArray {
		for _, item := range d.Items {
			c.kinds(ctx, node, number, item)
		}
		return
	}
	if text, isText := d.Scalar.(string); isText && d.Kind == config.KindScalar && looksRead(text) {
		c.found.Warn(d.Pos, "literal-expression", fmt.Sprintf("%q is a text in this rule, not what it reads", text), fmt.Sprintf("write {\"var\": %q}", text)).
			Fixed(config.WriteScalar("Read it", d.Text, config.Inline(config.NewObject().With("var", config.NewText(text)))))
		return
	}
	if d.Kind != config.KindObject || len(d.Keys) != 1 {
		return
	}
	operator, operands := d.Keys[0].Value, d.Items[0]
	switch operator {
	case "var", "missing", "missing_some", "map", "filter", "all", "some", "none", "reduce":
		return
	case "<", "<=", ">", ">=", "==", "!=", "===", "!==", "in":
		if operands.Kind == config.KindArray && len(operands.Items) == 2 && !c.faulty[node] {
			c.sides(ctx, node, number, operator, operands)
		}
	}
	c.kinds(ctx, node, number, operands)
}

// looksRead reports whether a text looks like a path or a variable.
func looksRead(text string) bool {
	return strings.HasPrefix(text, "$.") && len(text) > 2 || strings.HasPrefix(text, "$vars.")
}

// sides warns of the operands of one comparison.
func (c *checker) sides(ctx context.Context, node, number int, operator string, operands *config.Data) {
	if left, right := operands.Items[0], operands.Items[1]; left.Kind == config.KindObject && operator != "in" && canonical(left) == canonical(right) {
		c.found.Warn(right.Pos, "constant-condition", fmt.Sprintf("%s is compared with itself", sideText(left)), "compare it with another value")
		return
	}
	switch operator {
	case "in":
		c.membership(ctx, node, number, operands)
		return
	case "==", "!=", "===", "!==":
		c.nulls(ctx, node, number, operator, operands)
	}
	if !c.endless[node] {
		c.counts(ctx, operands)
		c.tooOften(ctx, operands)
		c.countedTurns(ctx, node, number, operator, operands)
	}
	if operator != "==" && operator != "!=" {
		c.compared(ctx, node, number, operator, operands)
	}
}

// compared warns of one comparison by size, or by === or !==.
func (c *checker) compared(ctx context.Context, node, number int, operator string, operands *config.Data) {
	var sides [2]shape.Shape
	for i, d := range operands.Items {
		var known bool
		if sides[i], known = c.side(ctx, node, number, d); !known || sides[i].IsAny() {
			return
		}
	}
	exact := operator == "===" || operator == "!=="
	for i, own := range sides {
		other, d := sides[1-i], operands.Items[i]
		text := sideText(d)
		switch {
		case exact:
			constant := d.Kind == config.KindScalar || operands.Items[1-i].Kind == config.KindScalar
			if conflict, differ := own.Conflict(other); differ && !constant && len(conflict.Path) == 0 { // comparisons reports constants
				c.found.Warn(d.Pos, "constant-condition", fmt.Sprintf("%s is %s and never %s the %s on the other side", text, own, operator[1:], other), "compare values of one kind")
				return
			}
		case !onlyOf(other, shape.Number()):
		case onlyOf(own, shape.Array(shape.Any())):
			c.found.Warn(d.Pos, "constant-condition", fmt.Sprintf("%s is %s, and %s compares it with a number", text, own, operator), "count its items: $count("+text+")")
			return
		case onlyOf(own, shape.Object(nil, true)):
			c.found.Warn(d.Pos, "constant-condition", fmt.Sprintf("%s is %s, and %s compares it with a number: that never holds", text, own, operator), "compare one of its fields")
			return
		case onlyOf(own, shape.String()) && d.Kind != config.KindScalar && !anyNumber(own.Words()):
			c.found.Warn(d.Pos, "constant-condition", fmt.Sprintf("%s is %s, and %s compares it with a number: a text that is no number never holds", text, own, operator),
				"compare a number; a number in a text is $number("+text+")")
			return
		}
	}
}

// onlyOf reports whether all values of a shape, if there is one, are of a kind.
func onlyOf(s, kind shape.Shape) bool {
	_, other := s.Conflict(kind)
	rest := []shape.Shape{shape.Number(), shape.Boolean(), shape.String(), shape.Null(), shape.Array(shape.Any()), shape.Object(nil, true)}
	return !other && !s.IsNothing() && !slices.ContainsFunc(rest, func(k shape.Shape) bool {
		_, apart := k.Conflict(kind)
		_, never := s.Conflict(k)
		return apart && !never
	})
}

// anyNumber reports whether one of the words is a number for a comparison by size.
func anyNumber(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		_, err := value.Decode([]byte(word))
		return err == nil || word == ""
	})
}

// side returns the shape of a constant or of a var without a default; other operands are not known.
func (c *checker) side(ctx context.Context, node, number int, d *config.Data) (shape.Shape, bool) {
	switch {
	case d.Kind == config.KindScalar && d.Scalar != nil:
		return shape.Constant(value.FromPlain(d.Scalar)), true
	case d.Kind == config.KindArray:
		return shape.Array(shape.Any()), true
	}
	return c.operand(ctx, node, number, &term{left: d})
}

// sideText returns the source of a var, or the JSON of a constant.
func sideText(d *config.Data) string {
	if d.Kind == config.KindObject && len(d.Items) == 1 && d.Items[0].Text.IsSet() {
		return d.Items[0].Text.Value
	}
	return string(d.JSON())
}

// span is a range of numbers; nil ends are open.
type span struct {
	least, most *float64
	required    bool // there always is a value
}

// outside warns of a comparison by size with a constant that the range of the other side decides: the range that a
// schema gives a field, and the numbers that $count, $length and $executionCount yield.
func (c *checker) outside(ctx context.Context, t *term) {
	if t.op != "bound" || t.left.Kind != config.KindObject || len(t.left.Keys) != 1 || t.left.Keys[0].Value != "var" {
		return
	}
	path, isText := t.left.Items[0].Scalar.(string)
	e, err := jsonata.Compile(ctx, path)
	if !isText || err != nil || e.Tree() == nil {
		return
	}
	limit, s := t.constant.(float64), c.spanOf(e.Tree())
	says := func(what string, bound float64, decided string) {
		c.found.Warn(t.at.Pos, "constant-condition", fmt.Sprintf("%s is at %s %s, so that it is %s %s %s", path, what, value.NumberText(bound), decided, t.bound, value.NumberText(limit)),
			"compare with a number inside the range, or remove the condition")
	}
	below := func(bound float64, or bool) bool { return bound < limit || or && bound == limit }
	switch t.bound {
	case "<", "<=":
		switch {
		case s.most != nil && s.required && below(*s.most, t.bound == "<="):
			says("most", *s.most, "always")
		case s.least != nil && !below(*s.least, t.bound == "<="):
			says("least", *s.least, "never")
		}
	case ">", ">=":
		switch {
		case s.least != nil && s.required && !below(*s.least, t.bound == ">"):
			says("least", *s.least, "always")
		case s.most != nil && below(*s.most, t.bound == ">"):
			says("most", *s.most, "never")
		}
	}
}

// spanOf returns the range of a path into an output whose schema is known, or of a call that counts.
func (c *checker) spanOf(t *jsonata.Tree) (s span) {
	if t.Kind == jsonata.CallKind && len(t.Parts) > 0 && t.Parts[0].Kind == jsonata.VariableKind {
		if slices.Contains([]string{"count", "length", "executionCount"}, t.Parts[0].Text) {
			s.least, s.required = new(float64), t.Parts[0].Text != "length"
		}
		return s
	}
	path := names(t)
	if len(path) < 2 {
		return s
	}
	var part *config.Data
	switch n := c.graph.Node(path[0]).(type) {
	case *graph.Entry:
		part = c.graph.Tool.InputSchema
	case *graph.SubGraph:
		if isPlainCall(n) && n.Graph != nil {
			part = n.Graph.Tool.OutputSchema
		}
	case *graph.MCP, *graph.Parallel, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	s.required = true
	for _, name := range path[1:] {
		inner := part.Get("properties").Get(name)
		s.required, part = s.required && (inner.Get("default") != nil || part.Requires(name)), inner
	}
	if kind := part.Get("type"); kind == nil || kind.Scalar != "integer" && kind.Scalar != "number" {
		return span{}
	}
	number := func(key string) *float64 {
		d := part.Get(key)
		if d == nil {
			return nil
		}
		if f, isNumber := value.FromPlain(d.Scalar).(float64); isNumber {
			return &f
		}
		return nil
	}
	s.least, s.most = number("minimum"), number("maximum")
	return s
}
