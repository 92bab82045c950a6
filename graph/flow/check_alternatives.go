package flow

import (
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// alternatives warns of an alternative of a conditional, or of a value with a default, that is of a kind which is never wanted, though the others
// are: it is reported as wrong, in words for the part at a path.
func (c *checker) alternatives(e *graph.Expr, want shape.Shape, warn func(path []string, part *jsonata.Tree, found, expected string)) {
	var look func(t *jsonata.Tree, want shape.Shape, path []string)
	look = func(t *jsonata.Tree, want shape.Shape, path []string) {
		t = lastOf(t)
		var values []jsonata.Tree
		switch {
		case want.IsAny():
			return
		case t.Kind == "object":
			for _, f := range want.Fields() {
				if value := fieldIn(t, f.Name); value != nil {
					look(value, f.Shape, below(path, f.Name))
				}
			}
			return
		case t.Kind == "conditional":
			values = t.Parts[1:]
		case t.Kind == "operator" && (t.Text == "??" || t.Text == "?:"):
			values = t.Parts
		}
		for i := range values {
			given := c.shapeOfPart(&values[i])
			if conflict, differ := given.Conflict(want); differ && len(conflict.Path) == 0 {
				warn(path, &values[i], conflict.Found, conflict.Expected)
				return
			}
		}
	}
	if e.Tree() != nil {
		look(e.Tree(), want, nil)
	}
}

// shapeOfPart returns the shape of a literal, or of a path into the arguments or into the answer of a call; Any for other parts.
func (c *checker) shapeOfPart(t *jsonata.Tree) shape.Shape {
	switch t.Kind {
	case "string":
		return shape.String()
	case "number":
		return shape.Number()
	}
	path := names(t)
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
