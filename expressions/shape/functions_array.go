package shape

import "slices"

// inferences are the functions whose result depends on their arguments.
func inferences() map[string]func(in *inferrer, s *site) fact {
	return map[string]func(in *inferrer, s *site) fact{
		"average": least, "max": least, "min": least,
		"append": appended, "count": counted, "distinct": distinctItems, "filter": filtered, "flatten": flattened, "map": mapped,
		"reduce": reduced, "reverse": reordered, "shuffle": reordered, "single": single, "sort": sorted, "zip": zipped,
		"each": eachField, "keys": keys, "lookup": looked, "merge": merged, "sift": sifted, "spread": spread, "values": values,
		"boolean": asBoolean, "exists": exists, "not": negated, "type": typeName,
		"executionCount": executionCount, "nodeExecution": nodeExecution, "nodeExecutions": nodeExecutions, "previousNode": previousNode,
	}
}

// over is what a function gives that is silent about what is not known, and gives
// nothing for nothing.
func over(v fact, f func(s Shape) Shape) fact {
	if v.shape.IsAny() {
		return fact{shape: Any(), reads: v.reads}
	}
	kept := v.shape.without(kindNothing)
	if kept.get().kinds == 0 {
		return fact{shape: Nothing(), reads: v.reads}
	}
	return like(f(kept), v)
}

// least is a number of several, and nothing of an empty array.
func least(_ *inferrer, s *site) fact {
	return over(s.arg(0), func(of Shape) Shape {
		if of.can(kindArray) && !of.get().filled {
			return Union(Number(), Nothing())
		}
		return Number()
	})
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
	if one.get().kinds != 0 && two.get().kinds != 0 {
		items := union(one.item(), two.item())
		out = union(out, shapeOf(alternatives{kinds: kindArray, items: items, filled: surelyFilled(one) || surelyFilled(two)}))
	}
	return of(out)
}

// surelyFilled tells whether the shape, as an array, has an item for certain.
func surelyFilled(s Shape) bool { return !s.can(kindArray) || s.get().filled }

func counted(_ *inferrer, s *site) fact { return of(Number()) }

func distinctItems(_ *inferrer, s *site) fact {
	return over(s.arg(0), func(of Shape) Shape { return union(of, of.item()) })
}

func filtered(in *inferrer, s *site) fact {
	list := s.arg(0)
	in.applyEach(s.arg(1), list.shape.item(), list.shape, s.focus)
	return over(list, func(of Shape) Shape { return sequence(of.item()) })
}

func flattened(_ *inferrer, s *site) fact {
	return over(s.arg(0), func(of Shape) Shape {
		items := flat(of.item(), 0)
		for inner, depth := of.item(), 0; len(s.args) > 1 && inner.can(kindArray) && depth <= maxDepth; depth++ {
			items, inner = union(items, inner), inner.item() // arrays are left, from some level on
		}
		return Array(items)
	})
}

func mapped(in *inferrer, s *site) fact {
	list := s.arg(0)
	item := list.shape.item()
	if list.shape.IsAny() {
		item = Any()
	}
	made := in.applyEach(s.arg(1), item, list.shape, s.focus)
	return over(list, func(Shape) Shape {
		if made.shape.IsAny() {
			return Any()
		}
		return sequence(made.shape.without(kindNothing))
	})
}

// reduced is what the function comes to when it is applied again and again.
func reduced(in *inferrer, s *site) fact {
	list, fn := s.arg(0), s.arg(1)
	if list.shape.IsAny() || fn.fn == nil || fn.fn.builtin != "" {
		if fn.fn != nil {
			in.apply(fn.fn, []fact{unknown(), unknown(), unknown(), unknown()}, s.focus)
		}
		return fact{shape: Any(), reads: list.reads}
	}
	item := list.shape.item()
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
	once() // now that it is known what there can be, what is wrong is certain
	if result.IsAny() {
		return fact{shape: Any(), reads: list.reads}
	}
	if len(s.args) < 3 {
		result = Union(result, Nothing())
	}
	return like(result, list)
}

func reordered(_ *inferrer, s *site) fact {
	return over(s.arg(0), func(of Shape) Shape {
		return shapeOf(alternatives{kinds: kindArray, items: of.item(), filled: surelyFilled(of)})
	})
}

func single(in *inferrer, s *site) fact {
	if len(s.args) == 0 {
		return unknown() // of the context
	}
	list := s.arg(0)
	in.applyEach(s.arg(1), list.shape.item(), list.shape, s.focus)
	return over(list, Shape.item)
}

// sorted is $sort: without a function, of all numbers or all strings.
func sorted(in *inferrer, s *site) fact {
	list := s.arg(0)
	item := list.shape.item()
	if list.shape.IsAny() {
		item = Any()
	}
	switch {
	case len(s.args) > 1 && s.args[1].fn != nil:
		in.apply(s.args[1].fn, []fact{of(item), of(item)}, s.focus)
	case len(s.args) == 1 && list.shape.can(kindFunction):
		return unknown() // the context is sorted by it
	case len(s.args) == 1 && item.get().kinds != 0 && !item.can(kindNumber|kindString) && list.shape.can(kindArray) && surelyFilled(list.shape.without(kindNothing)):
		// One item alone is in order.
		in.fault(s.place(0), false, CodeWrongArgument, "argument 1 of $sort is "+list.shape.String()+", expected an array of numbers or one of strings",
			"tell how to compare: $sort(…, function($a, $b){$a.field > $b.field})")
	}
	return reordered(in, s)
}

func zipped(_ *inferrer, s *site) fact {
	items := none
	for _, v := range s.args {
		if v.shape.IsAny() {
			return of(Array(Array(Any())))
		}
		items = union(items, v.shape.item())
	}
	return of(Array(Array(items)))
}

// eachField is $each: what the function makes of each field's value and name.
func eachField(in *inferrer, s *site) fact {
	from := s.arg(0)
	if s.arg(1).fn == nil {
		return fact{shape: Any(), reads: from.reads}
	}
	args := []fact{of(fieldShape(from.shape)), of(String()), of(from.shape)}
	if s.arg(1).fn.builtin != "" {
		args = args[:1]
	}
	made := in.apply(s.arg(1).fn, args, s.focus)
	return over(from, func(Shape) Shape {
		if made.shape.IsAny() {
			return Any()
		}
		return sequence(made.shape.without(kindNothing))
	})
}

// fieldShape is what any field of the objects of the shape can be.
func fieldShape(s Shape) Shape {
	a := s.get()
	if s.IsAny() || a.kinds.has(kindObject) && a.rest != closed {
		return Value()
	}
	all := make([]Shape, len(a.fields))
	for i, f := range a.fields {
		all[i] = f.Shape
	}
	return Union(all...)
}

func isClosed(s Shape) bool {
	objects, other := objectsOf(s, 0)
	return !other && !slices.ContainsFunc(objects, func(a *alternatives) bool { return a.rest != closed })
}
