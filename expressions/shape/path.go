package shape

import "slices"

// path follows the steps of a path. A step that can meet an array is taken for each
// of its items, and what comes of it is a sequence: nothing, one value or several.
func (in *inferrer) path(t *tree, focus *fact) fact {
	if hasTuples(t) {
		return in.tuples(t, focus)
	}
	current := *focus
	kept := false
	for i := range t.Parts {
		step := &t.Parts[i]
		var keeps bool
		step, keeps = unkept(step)
		kept = kept || keeps
		before := ""
		if i > 0 {
			before = in.source[t.Offset:t.Parts[i-1].End]
		}
		current = in.step(step, current, i == 0, before)
		if keeps && i < len(t.Parts)-1 {
			current.root = false
		}
	}
	if kept {
		current = keepArray(current, t)
	}
	return current
}

// unkept is a step without the [] behind it.
func unkept(step *tree) (inner *tree, kept bool) {
	for step.Kind == "keep" {
		step, kept = &step.Parts[0], true
	}
	if step.Kind == "predicate" {
		if inner, deeper := unkept(&step.Parts[0]); deeper {
			copied := *step
			copied.Parts = append([]tree{*inner}, step.Parts[1:]...)
			return &copied, true
		}
	}
	return step, kept
}

// keepArray is what [] makes of a path's value: an array, unless there is nothing.
func keepArray(v fact, t *tree) fact {
	single := v.shape.without(kindArray | kindNothing)
	out := Union(v.shape.only(kindArray|kindNothing), Array(single))
	for i := range t.Parts {
		if step, _ := unkept(&t.Parts[i]); step.Kind == "array" {
			out = Union(out, Array(Any())) // its arrays are not flattened then
		}
	}
	if v.shape.can(kindArray) {
		out = Union(out, Array(v.shape.Items()))
	}
	return fact{shape: out, reads: v.reads}
}

// step takes one step. before is the path up to it, as it is written.
func (in *inferrer) step(t *tree, current fact, first bool, before string) fact {
	if before != "" {
		current.origin = before
	}
	switch t.Kind {
	case "name":
		return in.name(t, current)
	case "context":
		switch {
		case t.Text == "$$":
			return in.root
		case first:
			return current
		}
		return in.each(current, first, func(item fact) fact { return item })
	case "variable":
		if v := in.variable(t); current.shape.MayBeNothing() && !first {
			return fact{shape: Union(v.shape, Nothing()), reads: append(current.reads, v.reads...), fn: v.fn}
		} else {
			return v
		}
	case "predicate":
		return in.predicate(t, current, first, before)
	case "wildcard":
		shape := sequence(fieldValues(current.shape, 0))
		if fields := fieldShape(current.shape); fields.can(kindArray) || current.shape.can(kindArray) {
			shape = union(shape, Array(fieldValues(current.shape, 0))) // also of one item, and of none
		}
		return fact{shape: shape, reads: current.reads}
	case "descendants":
		return fact{shape: Any()}
	case "sort":
		return in.sort(t, &current)
	case "group":
		return in.group(t, &current)
	case "parent", "number", "literal", "pattern":
		return unknown()
	}
	if first && t.Kind == "array" {
		return in.infer(t, &current) // it is no step, but what the path begins with
	}
	return in.each(current, first, func(item fact) fact { return in.stepValue(t, &item) })
}

// stepValue is the value of a part as a step over one item.
func (in *inferrer) stepValue(t *tree, item *fact) fact {
	if t.Kind == "call" {
		return in.callStep(t, item)
	}
	v := in.infer(t, item)
	if t.Kind == "array" {
		// Such arrays are items of the sequence, and not flattened.
		v.shape = union(v.shape, filledArray(v.shape))
	}
	return v
}

// each is f of each item of the value, as a sequence when there can be several. The
// first step of a path may be taken for a whole array at once, which says nothing
// new about what is wrong.
func (in *inferrer) each(current fact, first bool, f func(item fact) fact) fact {
	if !current.shape.can(kindArray) || current.shape.IsAny() {
		once := func() fact {
			return f(fact{shape: current.shape.without(kindNothing), root: current.root, fn: current.fn, origin: current.origin})
		}
		var out fact
		if current.shape.MayBeNothing() && !current.root {
			out = in.perhaps(once)
		} else {
			out = once()
		}
		if current.shape.IsAny() {
			return fact{shape: Any(), reads: append(current.reads, out.reads...)}
		}
		return like(out.shape, current, fact{shape: none, reads: out.reads})
	}
	item := current.shape.item()
	if item.get().kinds == 0 {
		return fact{shape: Union(Nothing(), Array(none)), reads: current.reads}
	}
	out := in.perhaps(func() fact { return f(fact{shape: item, origin: current.origin}) })
	shape := union(sequence(out.shape.item()), out.shape.without(kindArray|kindNothing))
	if out.shape.can(kindArray) {
		shape = Union(shape, Array(out.shape.only(kindArray)))
	}
	if first {
		in.silently(func() { shape = union(shape, f(fact{shape: current.shape}).shape) })
	}
	return fact{shape: shape, reads: current.reads}
}

// fieldValues is what the fields of objects can be, and the items of arrays in them.
func fieldValues(s Shape, depth int) Shape {
	a := s.get()
	if s.IsAny() || depth > maxDepth || a.kinds.has(kindObject) && a.rest != closed {
		return Value()
	}
	all := make([]Shape, 0, len(a.fields)+2)
	for _, f := range a.fields {
		// As a first step it opens only one array.
		all = append(all, union(flat(f.Shape, depth), f.Shape.item()))
	}
	if a.kinds.has(kindArray) {
		items := a.items
		all = append(all, union(flat(items, depth), items), fieldValues(items, depth+1))
	}
	return Union(all...)
}

// flat is the shape with the items of arrays, however deep, in place of the arrays.
func flat(s Shape, depth int) Shape {
	if !s.can(kindArray) {
		return s
	}
	if depth > maxDepth {
		return Value()
	}
	return union(s.without(kindArray), flat(s.Items(), depth+1))
}

// name reads a field.
func (in *inferrer) name(t *tree, current fact) fact {
	if current.root {
		return in.node(t)
	}
	shape := fieldOf(current.shape, t.Text, 0)
	in.checkField(t, current.shape, current.origin)
	at, optional := in.optional(t, current)
	return fact{shape: shape, reads: slices.Concat(current.reads, optional), at: at}
}

// fieldOf is what reading a field gives: of an array, the sequence of what its items
// have.
func fieldOf(s Shape, name string, depth int) Shape {
	if s.IsAny() || depth > maxDepth {
		return Any()
	}
	out := s.only(kindObject).Field(name)
	if s.can(kindObject) && s.get().kinds&^kindObject != 0 && s.get().kinds&^(kindObject|kindArray) != 0 {
		out = Union(out, Nothing())
	}
	if s.can(kindArray) {
		item := fieldOf(s.Items(), name, depth+1)
		inner := sequence(item.item())
		if item.can(kindArray) && !item.get().filled {
			inner = Union(inner, Array(none)) // of empty arrays
		}
		if !s.can(kindObject) {
			out = inner
		} else {
			out = Union(out, inner)
		}
	}
	return out
}
