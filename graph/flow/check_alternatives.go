package flow

import (
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// alternatives warns of an alternative of a conditional, or of a value with a default, that is of a kind which is never wanted, though the others
// are: it is reported as wrong, in words for the part at a path.
func (c *checker) alternatives(e *graph.Expr, want shape.Shape, warn func(path []string, at config.Pos, found, expected string)) {
	var look func(t *jsonata.Tree, want shape.Shape, path []string, ofItem bool) // of an item, where names are its fields
	look = func(t *jsonata.Tree, want shape.Shape, path []string, ofItem bool) {
		t = lastOf(t)
		var values []jsonata.Tree
		switch {
		case want.IsAny():
			return
		case t.Kind == jsonata.ObjectKind:
			for _, f := range want.Fields() {
				if value := fieldIn(t, f.Name); value != nil {
					look(value, f.Shape, below(path, f.Name), ofItem)
				}
			}
			return
		case t.Kind == jsonata.ArrayKind:
			for i := range t.Parts {
				look(&t.Parts[i], want.Items(), below(path, "[]"), ofItem)
			}
			return
		case t.Kind == jsonata.PathKind && t.Parts[len(t.Parts)-1].Kind == jsonata.ObjectKind: // an object for each of a list
			if len(want.Fields()) == 0 {
				want, path = want.Items(), below(path, "[]")
			}
			look(&t.Parts[len(t.Parts)-1], want, path, true)
			return
		case t.Kind == jsonata.ConditionalKind:
			values = t.Parts[1:]
		case t.Kind == jsonata.OperatorKind && (t.Text == "??" || t.Text == "?:"):
			values = t.Parts
		}
		for i := range values {
			value := lastOf(&values[i])
			if ofItem && !slices.Contains([]jsonata.Kind{jsonata.LiteralKind, jsonata.StringKind, jsonata.NumberKind, jsonata.ObjectKind}, value.Kind) {
				continue
			}
			given := c.shapeOfPart(value)
			if value.Kind == jsonata.ArrayKind && (len(path) == 0 || path[len(path)-1] != "[]") { // an item of a list may be a list of them
				given = shape.Array(shape.Any())
			}
			if conflict, differ := given.Filled().Conflict(want); differ {
				at, part := e, value
				if t := c.transformOf(value); t != nil && len(conflict.Path) > 0 {
					at, part = t.Expr, partOf(t.Expr.Tree(), conflict.Path, want)
				}
				warn(below(path, conflict.Path...), c.place(at.Text, part.Offset), conflict.Found, conflict.Expected)
				return
			}
			if value.Kind == jsonata.ObjectKind {
				look(value, want, path, ofItem)
				continue
			}
			for _, excess := range given.Exceeds(want) {
				if names := names(value); !excess.Fraction && len(excess.Path) == 0 && len(names) > 1 && names[0] == c.graph.Entry.ID() && !c.switchAsks(names) && !testsAny(e.Tree(), names[len(names)-1]) {
					warn(path, c.argumentAt(names[1:], excess), excess.Found, excess.Expected)
				}
			}
		}
	}
	if e.Tree() != nil {
		look(e.Tree(), want, nil, false)
	}
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
