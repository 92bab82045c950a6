package shape

// predicate is a step with filters or indexes behind it.
func (in *inferrer) predicate(t *tree, current fact, first bool, before string) fact {
	// Behind a step that gave an array, filters are taken for each of its items.
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

// filter is what a filter or an index leaves of the value.
func (in *inferrer) filter(base fact, filter *tree, several bool) fact {
	item := fact{shape: base.shape.item(), root: base.root, origin: "what is filtered"}
	if base.shape.IsAny() {
		item = unknown()
		item.root = base.root
	}
	chosen := in.perhaps(func() fact { return in.probe(filter, &item) })
	if base.shape.IsAny() {
		return fact{shape: Any(), reads: base.reads, root: base.root}
	}
	out := fact{shape: sequence(item.shape), reads: base.reads, root: base.root}
	indexed := chosen.shape.get().kinds == kindNumber // otherwise it may filter some of the items
	if several || !indexed {
		return out
	}
	numbers := chosen.shape.get().numbers
	atEnd := len(numbers) == 1 && (numbers[0] == 0 || numbers[0] == -1)
	out.shape = Union(item.shape, Nothing())
	if atEnd && !base.shape.MayBeNothing() && (base.shape.get().filled || !base.shape.can(kindArray)) {
		out.shape = item.shape
	}
	return out
}

// sort is ^(terms): the same items in another order, as a sequence.
func (in *inferrer) sort(t *tree, focus *fact) fact {
	base := in.infer(&t.Parts[0], focus)
	item := fact{shape: base.shape.item(), origin: "what is sorted"}
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

// group is {key: value}: an object with a field for each key, whose value is made
// over the items that have the key.
func (in *inferrer) group(t *tree, focus *fact) fact {
	base := in.infer(&t.Parts[0], focus)
	item, group := fact{shape: base.shape.item(), origin: "what is grouped"}, unknown()
	if base.shape.IsAny() || containsTuples(t) {
		item = unknown()
	} else {
		group = fact{shape: union(item.shape, filledArray(item.shape)), origin: "the group"}
	}
	var fields []Field
	r := closed
	in.scoped(in.scope, &t.Parts[0], func() fact {
		if containsTuples(t) {
			for name := range boundNames(&t.Parts[0], map[string]bool{}) {
				in.bind(name, unknown())
			}
		}
		for i := 1; i+1 < len(t.Parts); i += 2 {
			key := in.perhaps(func() fact { return in.infer(&t.Parts[i], &item) })
			v := in.perhaps(func() fact { return in.infer(&t.Parts[i+1], &group) })
			if names := key.shape.get().strings; names != nil && key.shape.only(kindString|kindNothing) == key.shape {
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
		fields = nil // a key may come out as any of the names
	}
	return like(object(fields, r), base)
}
