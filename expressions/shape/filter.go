package shape

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
			for name := range boundNames(&t.Parts[0], map[string]bool{}) {
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
