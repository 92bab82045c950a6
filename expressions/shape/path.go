package shape

import "slices"

// path infers a path, step by step. A step over an array applies to each of its items,
// and its result is a sequence: nothing, one value or several.
func (in *inferrer) path(t *tree, focus *fact) fact {
	if hasTuples(t) {
		return in.tuples(t, focus)
	}
	current := *focus
	keepsArray := false
	for i := range t.Parts {
		step, keeps := withoutKeep(&t.Parts[i])
		keepsArray = keepsArray || keeps
		before := ""
		if i > 0 {
			before = in.source[t.Offset:t.Parts[i-1].End]
		}
		current = in.step(step, current, i == 0, before)
		if keeps && i < len(t.Parts)-1 {
			current.root = false
		}
	}
	if keepsArray {
		current = keepArray(current, t)
	}
	return current
}

// withoutKeep returns a step without the [] behind it, and whether there was one.
func withoutKeep(step *tree) (inner *tree, keeps bool) {
	for step.Kind == "keep" {
		step, keeps = &step.Parts[0], true
	}
	if step.Kind == "predicate" {
		if inner, deeper := withoutKeep(&step.Parts[0]); deeper {
			copied := *step
			copied.Parts = append([]tree{*inner}, step.Parts[1:]...)
			return &copied, true
		}
	}
	return step, keeps
}

// keepArray applies [] to the value of a path: it becomes an array, unless it is missing.
func keepArray(v fact, t *tree) fact {
	single := v.shape.without(kindArray | kindNothing)
	out := Union(v.shape.only(kindArray|kindNothing), Array(single))
	for i := range t.Parts {
		if step, _ := withoutKeep(&t.Parts[i]); step.Kind == "array" {
			out = Union(out, Array(Any())) // its arrays are then not flattened
		}
	}
	if v.shape.can(kindArray) {
		out = Union(out, Array(v.shape.Items()))
	}
	return fact{shape: out, reads: v.reads}
}

// step infers one step. before is the source of the path up to it.
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
		v := in.variable(t)
		if current.shape.MayBeNothing() && !first {
			return fact{shape: Union(v.shape, Nothing()), reads: append(current.reads, v.reads...), fn: v.fn}
		}
		return v
	case "predicate":
		return in.predicate(t, current, first, before)
	case "wildcard":
		shape := sequence(fieldValues(current.shape, 0))
		if fields := fieldShape(current.shape); fields.can(kindArray) || current.shape.can(kindArray) {
			shape = union(shape, Array(fieldValues(current.shape, 0))) // also with one item, and with none
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
		return in.infer(t, &current) // the path begins with it
	}
	return in.each(current, first, func(item fact) fact { return in.stepValue(t, &item) })
}

// stepValue infers a part as a step over one item.
func (in *inferrer) stepValue(t *tree, item *fact) fact {
	if t.Kind == "call" {
		return in.callStep(t, item)
	}
	v := in.infer(t, item)
	if t.Kind == "array" {
		// Such arrays are items of the sequence and are not flattened.
		v.shape = union(v.shape, filledArray(v.shape))
	}
	return v
}

// each applies f to each item of the value; the result is a sequence when there can be
// several. The first step of a path may apply to a whole array at once, which reports
// nothing new.
func (in *inferrer) each(current fact, first bool, f func(item fact) fact) fact {
	if !current.shape.can(kindArray) || current.shape.IsAny() {
		once := func(f func() fact) fact { return f() }
		if current.shape.MayBeNothing() && !current.root {
			once = in.perhaps
		}
		out := once(func() fact {
			return f(fact{shape: current.shape.without(kindNothing), root: current.root, fn: current.fn, origin: current.origin})
		})
		if current.shape.IsAny() {
			return fact{shape: Any(), reads: append(current.reads, out.reads...)}
		}
		return like(out.shape, current, fact{shape: none, reads: out.reads})
	}
	item := current.shape.item()
	if item.isNone() {
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

// fieldValues returns the shape of the fields of objects, and of the items of arrays in
// them.
func fieldValues(s Shape, depth int) Shape {
	a := s.get()
	if s.IsAny() || depth > maxDepth || a.kinds.has(kindObject) && a.rest != closed {
		return Value()
	}
	all := make([]Shape, 0, len(a.fields)+2)
	for _, f := range a.fields {
		// As a first step it opens only one level of arrays.
		all = append(all, union(flat(f.Shape, depth), f.Shape.item()))
	}
	if a.kinds.has(kindArray) {
		items := a.items
		all = append(all, union(flat(items, depth), items), fieldValues(items, depth+1))
	}
	return Union(all...)
}

// hasTuples reports whether the steps of a path bind variables (@ and #) or read the
// parent (%): the engine then takes all steps for each item.
func hasTuples(t *tree) bool {
	return slices.ContainsFunc(t.Parts, func(p tree) bool { return containsTuples(&p) })
}

// containsTuples reports whether the part contains @, # or %.
func containsTuples(t *tree) bool {
	return t.Kind == "focus" || t.Kind == "index" || t.Kind == "parent" || hasTuples(t)
}

// tuples infers such a path. Its variables are bound in the scope around it, since its
// sort and its grouping read them too.
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
		// From here on the steps apply to each item.
		item := next.shape.item()
		if item.can(kindArray) {
			item = Any() // a step may apply to the array or to its items
		}
		current = fact{shape: item, root: next.root}
	}
	if current.shape.IsAny() {
		return fact{shape: Any(), reads: reads}
	}
	shape := sequence(current.shape)
	isUnknown := func(p tree) bool {
		_, keeps := withoutKeep(&p)
		return keeps || p.Kind == "array" || p.Kind == "group"
	}
	if t.Kind == "path" && slices.ContainsFunc(t.Parts, isUnknown) {
		shape = Any()
	}
	return fact{shape: shape, reads: reads}
}

// tuple infers a step and binds its variables. With @ the context stays the same.
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

// predicate infers a step with filters or indexes behind it.
func (in *inferrer) predicate(t *tree, current fact, first bool, before string) fact {
	// Behind a step over an array, filters apply to the result of each item.
	several := !first && current.shape.can(kindArray)
	if t.Parts[0].Kind == "string" {
		return unknown()
	}
	base := in.step(&t.Parts[0], current, first, before)
	for i := 1; i < len(t.Parts); i++ {
		base = in.filter(base, &t.Parts[i], several)
	}
	return base
}

// filter infers the rest of the value after a filter or an index.
func (in *inferrer) filter(base fact, filter *tree, several bool) fact {
	item := fact{shape: base.shape.item(), root: base.root, origin: "the filtered value"}
	if base.shape.IsAny() {
		item = unknown()
		item.root = base.root
	}
	chosen := in.perhaps(func() fact { return in.probe(filter, &item) })
	if base.shape.IsAny() {
		return fact{shape: Any(), reads: base.reads, root: base.root}
	}
	out := fact{shape: sequence(item.shape), reads: base.reads, root: base.root}
	indexed := chosen.shape.get().kinds == kindNumber // otherwise it may drop some of the items
	if several || !indexed {
		return out
	}
	numbers := chosen.shape.get().numbers
	atEnd := len(numbers) == 1 && (numbers[0] == 0 || numbers[0] == -1)
	out.shape = Union(item.shape, Nothing())
	if atEnd && !base.shape.MayBeNothing() && surelyFilled(base.shape) {
		out.shape = item.shape
	}
	return out
}

// sort infers ^(terms): a sequence of the same items in another order.
func (in *inferrer) sort(t *tree, focus *fact) fact {
	base := in.infer(&t.Parts[0], focus)
	item := fact{shape: base.shape.item(), origin: "the sorted value"}
	if base.shape.IsAny() {
		item = unknown()
	}
	for i := 1; i < len(t.Parts); i++ {
		in.perhaps(func() fact { return in.infer(&t.Parts[i], &item) })
	}
	if containsTuples(t) || base.shape.can(kindArray) {
		base.shape = union(base.shape, sequence(item.shape))
	}
	base.root, base.fn = false, nil
	return base
}

// group infers {key: value} behind a path: an object with a field for each key, whose
// value is evaluated over the items with that key.
func (in *inferrer) group(t *tree, focus *fact) fact {
	base := in.infer(&t.Parts[0], focus)
	item, group := fact{shape: base.shape.item(), origin: "the grouped value"}, unknown()
	if base.shape.IsAny() || containsTuples(t) {
		item = unknown()
	} else {
		group = fact{shape: union(item.shape, filledArray(item.shape)), origin: "the group"}
	}
	var fields []Field
	r := closed
	in.scoped(in.scope, &t.Parts[0], func() fact {
		if containsTuples(t) {
			names := map[string]bool{}
			t.Parts[0].Binds(names)
			for name := range names {
				in.bind(name, unknown())
			}
		}
		for i := 1; i+1 < len(t.Parts); i += 2 {
			key := in.perhaps(func() fact { return in.infer(&t.Parts[i], &item) })
			v := in.perhaps(func() fact { return in.infer(&t.Parts[i+1], &group) })
			if names := key.shape.Words(); names != nil && key.shape.only(kindString|kindNothing) == key.shape {
				for _, name := range names {
					fields = append(fields, Field{Name: name, Shape: v.shape, Optional: true})
				}
				continue
			}
			r = open
		}
		return fact{}
	})
	if r == open {
		fields = nil // a computed key may be any of the names
	}
	return like(object(fields, r), base)
}
