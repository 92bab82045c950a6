package shape

// over applies f to the shape of a value. The result is unknown for an unknown value and
// missing for a missing one.
func over(v fact, f func(s Shape) Shape) fact {
	if v.shape.IsAny() {
		return v.unknown()
	}
	existing := v.shape.without(kindNothing)
	if existing.isNone() {
		return fact{shape: Nothing(), reads: v.reads}
	}
	return like(f(existing), v)
}

// unknown returns an unknown value that is made from the value.
func (v fact) unknown() fact { return fact{shape: Any(), reads: v.reads} }

// least infers $min, $max and $average, which are missing for an empty array.
func least(in *inferrer, s *site) fact {
	return in.lacking(s, over(s.arg(0), func(of Shape) Shape {
		switch {
		case of.get().kinds == kindArray && of.Items().isNone():
			return Nothing()
		case of.can(kindArray) && !of.get().filled:
			return Union(Number(), Nothing())
		}
		return Number()
	}), "when the list is empty")
}

func appended(_ *inferrer, s *site) fact {
	a, b := s.arg(0).shape, s.arg(1).shape
	if a.IsAny() || b.IsAny() {
		return unknown()
	}
	out := none
	if a.MayBeNothing() {
		out = union(out, b)
	}
	if b.MayBeNothing() {
		out = union(out, a)
	}
	one, two := a.without(kindNothing), b.without(kindNothing)
	if !one.isNone() && !two.isNone() {
		out = union(out, array(union(one.item(), two.item()), surelyFilled(one) || surelyFilled(two)))
	}
	return of(out)
}

// chunked infers $chunk: arrays with at least one item each.
func chunked(_ *inferrer, s *site) fact {
	return over(s.arg(0), func(of Shape) Shape { return array(filledArray(of.item()), surelyFilled(of)) })
}

func counted(in *inferrer, s *site) fact {
	in.countsOne(s)
	out := of(Counting())
	if list := s.arg(0).shape; len(s.args) > 0 && !list.IsAny() && (list.MayBeNothing() || !surelyFilled(list)) {
		out.sizeOf = s.place(0)
	}
	return out
}

func distinctItems(_ *inferrer, s *site) fact {
	// Of a sequence, the result is a sequence.
	return over(s.arg(0), func(of Shape) Shape {
		if several := of.arrays(formMany | formKeepArray); !several.isNone() {
			return union(of, loose(several.Items(), several.get().filled))
		}
		return of
	})
}

func filtered(in *inferrer, s *site) fact {
	list := s.arg(0)
	in.chooses(s, list.shape.item())
	return over(list, func(of Shape) Shape { return loose(of.item(), false) })
}

func flattened(_ *inferrer, s *site) fact {
	return over(s.arg(0), func(of Shape) Shape {
		items := flat(of.item(), 0)
		for inner, depth := of.item(), 0; len(s.args) > 1 && inner.can(kindArray) && depth <= maxDepth; depth++ {
			items, inner = union(items, inner), inner.item() // from some level on, arrays remain
		}
		return Array(items)
	})
}

// chooses infers a function that decides about each item.
func (in *inferrer) chooses(s *site, item Shape) {
	if before := len(in.findings); !in.swapped(s) {
		if decision := in.applyEach(s, item); len(in.findings) == before {
			in.decides(s, decision)
		}
		return
	}
	in.silently(func() { in.applyEach(s, item) })
}

func mapped(in *inferrer, s *site) fact {
	list := s.arg(0)
	item := list.shape.item()
	if list.shape.IsAny() {
		item = Any()
	}
	if in.swapped(s) {
		in.quiet++
		defer func() { in.quiet-- }()
	}
	result := in.applyEach(s, item)
	always := !rawOf(result).collapsed(false).shape.MayBeNothing()
	return sequenceOver(list, result, func(of Shape) bool { return always && surelyFilled(of) })
}

// applyEach infers the results of the second argument, a function, for the items of the
// first: it gets the item, its index and the array.
func (in *inferrer) applyEach(s *site, item Shape) fact {
	return in.turned(s, item, Number(), s.arg(0).shape)
}

// sequenceOver returns the sequence of the results of a function for the parts of a value; filled reports whether it has an item.
func sequenceOver(from, result fact, filled func(of Shape) bool) fact {
	return over(from, func(of Shape) Shape {
		if result.shape.IsAny() {
			return Any()
		}
		return loose(result.shape.without(kindNothing), filled(of))
	})
}

// reduced infers $reduce: the function is applied until its result does not change.
func reduced(in *inferrer, s *site) fact {
	list, fn := s.arg(0), s.arg(1)
	if in.swapped(s) {
		in.quiet++
		defer func() { in.quiet-- }()
	}
	if list.shape.IsAny() || fn.fn == nil || fn.fn.builtin != "" {
		in.reducesByOne(s)
		if fn.fn != nil {
			in.apply(fn.fn, []fact{unknown(), unknown(), unknown(), unknown()}, s.focus)
		}
		return list.unknown()
	}
	item := list.shape.item()
	in.starts(s, item, func(start Shape) Shape {
		return in.apply(fn.fn, []fact{of(start), of(item), of(Number()), of(Array(item))}, s.focus).shape
	})
	result := item
	if len(s.args) > 2 {
		result = s.args[2].shape
	}
	once := func() Shape {
		return in.apply(fn.fn, []fact{of(result), of(item), of(Number()), of(Array(item))}, s.focus).shape
	}
	const rounds = 6
	in.silently(func() {
		for round := 0; ; round++ {
			next := union(result, once())
			if next.Equal(result) {
				return
			}
			if result = next; round == rounds {
				result = Any()
				return
			}
		}
	})
	once() // all accumulators are known now, so findings are reported
	if result.IsAny() {
		return list.unknown()
	}
	if len(s.args) < 3 {
		return in.lacking(s, like(Union(result, Nothing()), list), "when the list is empty")
	}
	return like(result, list)
}

func reordered(_ *inferrer, s *site) fact {
	return over(s.arg(0), func(of Shape) Shape {
		return union(of.only(kindArray), array(of.item(), surelyFilled(of))) // one item needs no order
	})
}

func single(in *inferrer, s *site) fact {
	if len(s.args) == 0 {
		return unknown() // of the context
	}
	list := s.arg(0)
	in.chooses(s, list.shape.item())
	return over(list, Shape.item)
}

// sorted infers $sort: without a function, all items are numbers or all are strings.
func sorted(in *inferrer, s *site) fact {
	list := s.arg(0)
	item := list.shape.item()
	if list.shape.IsAny() {
		item = Any()
	}
	switch {
	case len(s.args) > 1 && s.args[1].fn != nil:
		if before, result := len(in.findings), in.apply(s.args[1].fn, []fact{of(item), of(item)}, s.focus); len(in.findings) == before {
			in.compares(s, result)
		}
	case len(s.args) == 1 && list.shape.can(kindFunction):
		return unknown() // it sorts the context
	case len(s.args) == 1 && !item.isNone() && !item.can(kindNumber|kindString) && list.shape.can(kindArray) && surelyFilled(list.shape.without(kindNothing)):
		// A single item needs no order.
		in.reportFailure(s.place(0), false, CodeWrongArgument, "argument 1 of $sort is "+list.shape.String()+", expected an array of numbers or one of strings",
			"compare items by a field: $sort(…, function($a, $b){$a.field > $b.field})")
	}
	return reordered(in, s)
}

func zipped(in *inferrer, s *site) fact {
	in.fewLists(s)
	items := none
	for _, v := range s.args {
		if v.shape.IsAny() {
			return of(Array(Array(Any())))
		}
		items = union(items, v.shape.item())
	}
	return of(Array(Array(items)))
}

// eachField infers $each: the results of a function for the value and name of each field.
func eachField(in *inferrer, s *site) fact {
	in.swapped(s)
	return sequenceOver(s.arg(0), in.applyFields(s), func(Shape) bool { return false })
}

// applyFields infers the results of the second argument, a function, for the fields of
// the first: it gets the value, the name and the object.
func (in *inferrer) applyFields(s *site) fact {
	from := s.arg(0).shape
	return in.turned(s, fieldShape(from), String(), from)
}

// fieldShape returns the shape of all fields of the objects in the shape.
func fieldShape(s Shape) Shape {
	a := s.get()
	if s.IsAny() || a.kinds.has(kindObject) && a.rest != closed && a.others.IsAny() {
		return Value()
	}
	all := make([]Shape, len(a.fields))
	for i, f := range a.fields {
		all[i] = f.Shape
	}
	if a.rest == open {
		all = append(all, a.others)
	}
	return Union(all...)
}
