package flow

import (
	"context"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// alternatives warns of an alternative of a conditional, or of a value with a default, that is of a kind which is never wanted, though the others
// are: it is reported as wrong, in words for the part at a path. A field of a transform's output is followed to where it is made. It returns
// a function that reports whether a part has been reported.
func (c *checker) alternatives(ctx context.Context, e *graph.Expr, want shape.Shape, warn func(path []string, at config.Pos, found, expected string)) (reported func(path []string) bool) {
	all := map[string]bool{}
	look := alternativesLook{checker: c, ctx: ctx, warn: func(path []string, at config.Pos, found, expected string) {
		all[pathText(path)] = true
		warn(path, at, found, expected)
	}}
	if e.Tree() != nil {
		look.at(e, e.Tree(), want, nil, false)
	}
	return func(path []string) bool { return all[pathText(path)] }
}

// alternativesLook is one look at a value and what it is made of.
type alternativesLook struct {
	*checker
	ctx      context.Context
	warn     func(path []string, at config.Pos, found, expected string)
	followed int // transforms, on the way to what is looked at
}

// mostFollowed bounds how many transforms one value is followed through.
const mostFollowed = 5

// at looks at a part of an expression whose value is wanted at a path; ofItem says that it is of an item, where names are its fields.
func (l *alternativesLook) at(e *graph.Expr, t *jsonata.Tree, want shape.Shape, path []string, ofItem bool) {
	t = lastOf(t)
	switch {
	case want.IsAny():
	case t.Kind == jsonata.ObjectKind:
		for _, f := range want.Fields() {
			if value := fieldIn(t, f.Name); value != nil {
				l.at(e, value, f.Shape, below(path, f.Name), ofItem)
			}
		}
	case t.Kind == jsonata.ArrayKind:
		for i := range t.Parts {
			l.at(e, &t.Parts[i], want.Items(), below(path, "[]"), ofItem)
		}
	case t.Kind == jsonata.PathKind && t.Parts[len(t.Parts)-1].Kind == jsonata.ObjectKind: // an object for each of a list
		if len(want.Fields()) == 0 {
			want, path = want.Items(), below(path, "[]")
		}
		l.at(e, &t.Parts[len(t.Parts)-1], want, path, true)
	case t.Kind == jsonata.ConditionalKind:
		l.among(e, t.Parts[1:], want, path, ofItem)
	case t.Kind == jsonata.OperatorKind && (t.Text == "??" || t.Text == "?:"):
		l.among(e, t.Parts, want, path, ofItem)
	case !ofItem && l.followed < mostFollowed:
		if of, made := l.madeBy(t); made != nil {
			l.followed++
			l.at(of, made, want, path, false)
			l.followed--
		}
	}
}

// among looks at alternatives.
func (l *alternativesLook) among(e *graph.Expr, values []jsonata.Tree, want shape.Shape, path []string, ofItem bool) {
	for i := range values {
		value := lastOf(&values[i])
		given := shape.Any()
		if !ofItem || slices.Contains([]jsonata.Kind{jsonata.LiteralKind, jsonata.StringKind, jsonata.NumberKind, jsonata.ObjectKind}, value.Kind) {
			given = l.shapeOfPart(value)
		}
		if given.IsAny() {
			given = l.branches(l.ctx, e)[[2]int{value.Offset, value.End}]
		}
		if len(path) > 0 && path[len(path)-1] == "[]" {
			if _, never := given.Conflict(shape.Array(shape.Any())); !never {
				given = shape.Any() // an item of a list may be a list of them
			}
		}
		if conflict, differ := given.Filled().Conflict(want); differ {
			at, part := e, value
			if t := l.transformOf(value); t != nil && len(conflict.Path) > 0 {
				at, part = t.Expr, partOf(t.Expr.Tree(), conflict.Path, want)
			}
			l.warn(below(path, conflict.Path...), l.place(at.Text, part.Offset), conflict.Found, conflict.Expected)
			return
		}
		if value.Kind == jsonata.ObjectKind {
			l.at(e, value, want, path, ofItem)
			continue
		}
		for _, excess := range given.Exceeds(want) {
			if names := names(value); !excess.Fraction && len(excess.Path) == 0 && len(names) > 1 && names[0] == l.graph.Entry.ID() && !l.switchAsks(names) && !testsAny(e.Tree(), names[len(names)-1]) {
				l.warn(path, l.argumentAt(names[1:], excess), excess.Found, excess.Expected)
			}
		}
	}
}

// madeBy returns the part of a transform's expression that makes the field of its output which a part reads, and the expression; nil for
// other parts, and where a switch asks for the field.
func (l *alternativesLook) madeBy(t *jsonata.Tree) (*graph.Expr, *jsonata.Tree) {
	path := names(t)
	if len(path) < 2 || l.asksForField(path) {
		return nil, nil
	}
	if s := l.stepOf(l.graph.Node(path[0])); s != nil && s.Each != nil {
		return nil, nil
	}
	return l.writtenBy(path)
}

// branches returns what the alternatives of an expression give, by where they begin and end.
func (c *checker) branches(ctx context.Context, e *graph.Expr) map[[2]int]shape.Shape {
	if known, is := c.branched[e]; is {
		return known
	}
	found := map[[2]int]shape.Shape{}
	for node, uses := range c.uses {
		for number, u := range uses {
			if u.expr != e {
				continue
			}
			env := c.envOfExpression(ctx, node, number)
			env.Branch = func(part *jsonata.Tree, v shape.Shape) {
				at := [2]int{lastOf(part).Offset, lastOf(part).End}
				if before, again := found[at]; again {
					v = shape.Union(before, v)
				}
				found[at] = v
			}
			shape.Infer(ctx, e.Expression, env)
		}
	}
	c.branched[e] = found
	return found
}

// transformOf returns the transform whose whole output a part reads; nil for any other part.
func (c *checker) transformOf(t *jsonata.Tree) *graph.Transform {
	path := names(t)
	if len(path) != 1 {
		return nil
	}
	of, isTransform := c.graph.Node(path[0]).(*graph.Transform)
	if !isTransform || of.Expr.Tree() == nil {
		return nil
	}
	return of
}

// shapeOfPart returns the shape of a constant, the names of an object's fields, the shape of the output of a transform, or of a path into the arguments or into the answer of a call; Any for other parts.
func (c *checker) shapeOfPart(t *jsonata.Tree) shape.Shape {
	switch t.Kind {
	case jsonata.StringKind:
		return shape.String()
	case jsonata.NumberKind:
		return shape.Number()
	case jsonata.LiteralKind:
		if t.Text == "null" {
			return shape.Null()
		}
		return shape.Boolean()
	case jsonata.ObjectKind:
		fields := make([]shape.Field, 0, len(t.Parts)/2)
		for i := 0; i+1 < len(t.Parts); i += 2 {
			if t.Parts[i].Kind != jsonata.StringKind {
				return shape.Object(nil, true)
			}
			fields = append(fields, shape.Field{Name: t.Parts[i].Text})
		}
		return shape.Object(fields, false)
	}
	path := names(t)
	if c.transformOf(t) != nil {
		return c.outputs[c.index[path[0]]].done
	}
	if len(path) < 2 || !c.declared(path[0]) {
		return shape.Any()
	}
	given := c.outputs[c.index[path[0]]].done
	for _, name := range path[1:] {
		if _, never := given.Conflict(shape.Object(nil, true)); given.IsAny() || never || len(given.Fields()) == 0 || !given.Items().Equal(shape.Union()) {
			return shape.Any() // a list is read item by item
		}
		given = given.Field(name)
	}
	if given.IsNothing() {
		return shape.Any()
	}
	return given
}
