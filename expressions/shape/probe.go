package shape

import (
	"context"

	"toolgraph/expressions/jsonata"
)

// Probed is the name at which Probe looks.
const Probed = "toolgraph_probed"

// Probe returns the shape of the value of which the name Probed is read as a field in an expression: the
// value before the dot, an item in a predicate, or the context. It is not known where the expression
// has no such name.
func Probe(ctx context.Context, e *jsonata.Expression, env Env) (of Shape, known bool) {
	env.probe = func(s Shape) { of, known = s, true }
	Infer(ctx, e, env)
	return of, known
}

// Members returns the fields that a path can read of the shape: those of objects, and of objects in
// arrays. Each has the shape that the path has.
func (s Shape) Members() []Field {
	objects, _ := objectsOf(s.without(kindNothing), 0)
	var all []Field
	seen := map[string]bool{}
	for _, a := range objects {
		for _, f := range a.fields {
			if !seen[f.Name] {
				seen[f.Name] = true
				f.Shape = f.Shape.without(kindNothing)
				all = append(all, f)
			}
		}
	}
	return all
}
