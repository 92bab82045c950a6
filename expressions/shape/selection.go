package shape

import (
	"fmt"

	"toolgraph/expressions/jsonata"
)

// filter infers what a filter or an index keeps of a value.
func (in *inferrer) filter(base raw, t *tree) raw {
	shape, filled, one := base.each()
	item := fact{shape: shape.without(kindNothing), root: base.root, origin: "the filtered value"}
	if shape.IsAny() {
		item.shape = Any()
	}
	chosen := in.perhaps(func() fact { return in.probe(t, &item) })
	in.lookedUp(base, t, chosen)
	in.selectsByText(base, t)
	in.groupIndex(base, t, chosen)
	out := raw{fact: fact{shape: none, reads: base.reads, root: base.root, matches: base.matches}, sequence: true, items: item.shape, one: one}
	if shape.IsAny() {
		out.shape = Any()
		return out
	}
	if numbers := chosen.shape.get().numbers; isIndex(t) && len(numbers) == 1 {
		atEnd := numbers[0] == 0 || numbers[0] == -1
		out.one, out.filled = true, filled && atEnd && !shape.MayBeNothing()
		if arrays := item.shape.only(kindArray); !arrays.isNone() {
			out.shape, out.items = arrays, item.shape.without(kindArray)
			out.sequence = !out.filled || !out.items.isNone()
		}
		return out
	}
	if shape.MayBeNothing() {
		// A filter that needs no item keeps a missing one.
		in.silently(func() {
			without := in.infer(t, &fact{shape: Nothing()})
			if without.shape.IsAny() || without.shape.can(kindNumber|kindArray) || without.shape.truth() != kindFalse {
				out.items = union(out.items, Nothing())
			}
		})
	}
	switch {
	case chosen.shape.can(kindArray):
		out.one = false // it may choose an item twice
	case chosen.shape.get().kinds&^kindNothing == kindNumber && isIndependent(t):
		out.one = true
	}
	return out
}

// isIndex reports whether a filter is a number that is written.
func isIndex(t *tree) bool {
	return t.Kind == jsonata.NumberKind || t.Kind == jsonata.OperatorKind && t.Text == "-" && len(t.Parts) == 1 && t.Parts[0].Kind == jsonata.NumberKind
}

// isIndependent reports whether a filter has the same value for each item.
func isIndependent(t *tree) bool {
	switch t.Kind {
	case jsonata.NumberKind, jsonata.VariableKind:
		return true
	case jsonata.ContextKind:
		return t.Text == "$$"
	case jsonata.PathKind:
		return isIndependent(&t.Parts[0])
	case jsonata.OperatorKind, jsonata.BlockKind, jsonata.CallKind:
		if t.Kind == jsonata.CallKind && len(t.Parts) < 2 {
			return false
		}
		for i := range t.Parts {
			if !isIndependent(&t.Parts[i]) {
				return false
			}
		}
		return true
	}
	return false
}

// sort infers ^(terms): the same items in another order; of several, a plain array.
func (in *inferrer) sort(s *step, base raw) raw {
	shape, _, one := base.each()
	item := fact{shape: shape, origin: "the sorted value"}
	for i := 1; i < len(s.Parts); i++ {
		in.ordersBy(&s.Parts[i], in.perhaps(func() fact { return in.infer(&s.Parts[i], &item) }))
	}
	out := base
	if out.root, out.fn, out.one = false, nil, true; !one && !shape.IsAny() {
		out.shape = union(out.shape, several(union(base.shape.Items(), base.items)))
	}
	for _, filter := range s.filters {
		out = in.filter(out, filter)
	}
	return out
}

// grouped returns what the values of an object are evaluated over: one item, several as an array, or
// nothing when there are none.
func grouped(base raw) fact {
	item, filled, one := base.each()
	out := fact{shape: item, origin: "the group"}
	if !filled && !item.IsAny() {
		out.shape = union(item, Nothing())
	}
	if !one {
		out.shape = union(out.shape, filledArray(item.item()))
	}
	return out
}

// group infers {key: value} behind a path: an object with a field for each key, whose value is
// evaluated over the items with that key.
func (in *inferrer) group(t *tree, base raw, tuples bool) fact {
	shape, filled, _ := base.each()
	item, group := fact{shape: shape, origin: "the grouped value"}, grouped(base)
	if !filled && !shape.IsAny() {
		item.shape = union(shape, Nothing())
	}
	if tuples {
		item, group = unknown(), unknown()
	}
	var fields []Field
	r, others := closed, none
	in.scoped(in.scope, &t.Parts[0], func() fact {
		if tuples {
			names := map[string]bool{}
			t.Parts[0].Binds(names)
			for name := range names {
				in.bind(name, unknown())
			}
		}
		for i := 1; i+1 < len(t.Parts); i += 2 {
			key := in.perhaps(func() fact { return in.infer(&t.Parts[i], &item) })
			in.groupKey(&t.Parts[i], key, filled)
			in.keyOfVariable(&t.Parts[i], &t.Parts[i+1])
			v := in.perhaps(func() fact { return in.infer(&t.Parts[i+1], &group) })
			if names := key.shape.Words(); names != nil && key.shape.only(kindString|kindNothing).Equal(key.shape) {
				for _, name := range names {
					fields = append(fields, Field{Name: name, Shape: v.shape, Optional: true})
				}
				continue
			}
			r, others = open, union(others, v.shape)
		}
		return fact{}
	})
	if r == open {
		for _, f := range fields { // a computed key may be any of the names
			others = union(others, f.Shape)
		}
		return fact{shape: Map(others), reads: base.reads}
	}
	return fact{shape: object(fields, r), reads: base.reads}
}

// lookedUp reports a filter of one object that is a text: it keeps the object or not, and is mostly meant to read a field
// whose name is computed.
func (in *inferrer) lookedUp(base raw, t *tree, chosen fact) {
	of := base.collapsed(false).shape
	if of.IsAny() || of.get().kinds&^kindNothing != kindObject || chosen.shape.IsAny() || chosen.shape.get().kinds&^kindNothing != kindString {
		return
	}
	in.report(t, CodeConstantComparison, fmt.Sprintf("the filter %s of an object is a text, so that it holds unless the text is empty", in.text(t)),
		fmt.Sprintf("to read the field with that name, write $lookup(…, %s)", in.text(t)))
}
