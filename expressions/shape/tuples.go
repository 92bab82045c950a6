package shape

import "slices"

// hasTuples tells whether the steps of a path bind variables (@ and #) or look at
// what they came from (%): the engine then takes all steps for each item.
func hasTuples(t *tree) bool {
	return slices.ContainsFunc(t.Parts, func(p tree) bool { return containsTuples(&p) })
}

// containsTuples tells whether the part holds an @, # or %.
func containsTuples(t *tree) bool {
	return t.Kind == "focus" || t.Kind == "index" || t.Kind == "parent" || hasTuples(t)
}

// tuples follows such a path. Its variables are bound in the scope around it: they
// are read behind the path too, in its sort and its grouping.
func (in *inferrer) tuples(t *tree, focus *fact) fact {
	current, reads := *focus, focus.reads
	for i := range t.Parts {
		before := ""
		if i > 0 {
			before = in.source[t.Offset:t.Parts[i-1].End]
		}
		next, joins := in.tuple(&t.Parts[i], current, i == 0, before)
		reads = append(reads, next.reads...)
		if joins {
			continue
		}
		if next.shape.IsAny() {
			current = fact{shape: Any()}
			continue
		}
		// Each item goes its own way from here on.
		item := next.shape.item()
		if item.can(kindArray) {
			item = Any() // a step may look at it as a whole, or at its items
		}
		current = fact{shape: item, root: next.root}
	}
	if current.shape.IsAny() {
		return fact{shape: Any(), reads: reads}
	}
	shape := sequence(current.shape)
	if t.Kind == "path" && slices.ContainsFunc(t.Parts, func(p tree) bool { _, kept := unkept(&p); return kept || p.Kind == "array" || p.Kind == "group" }) {
		shape = Any()
	}
	return fact{shape: shape, reads: reads}
}

// tuple takes a step and binds its variables. With @ the context stays what it was.
func (in *inferrer) tuple(t *tree, current fact, first bool, before string) (next fact, joins bool) {
	switch t.Kind {
	case "focus", "index":
		next, joins = in.tuple(&t.Parts[0], current, first, before)
		bound := of(Number())
		if t.Kind == "focus" {
			joins = true
			if bound = unknown(); !next.shape.IsAny() {
				bound = of(next.shape.item())
			}
		}
		in.scope.vars[t.Text] = bound
		return next, joins
	case "predicate":
		next, joins = in.tuple(&t.Parts[0], current, first, before)
		if next.shape.IsAny() {
			next.shape = Any()
		}
		for i := 1; i < len(t.Parts); i++ {
			in.filter(fact{shape: next.shape, root: next.root}, &t.Parts[i], true)
		}
		if !next.shape.IsAny() {
			next.shape = sequence(next.shape.item())
		}
		return next, joins
	case "keep":
		return in.tuple(&t.Parts[0], current, first, before)
	}
	return in.step(t, current, first, before), false
}
