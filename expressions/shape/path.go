package shape

import (
	"slices"

	"toolgraph/expressions/jsonata"
)

// route infers a path, or a part with filters, a grouping or [] behind it.
func (in *inferrer) route(r *route, focus *fact) raw {
	if s := r.last(); !r.isPath {
		if in.tails[s.tree] && len(s.inner) == 0 && s.group == nil {
			return in.part(s.tree, focus)
		}
		return rawOf(in.node(s, focus))
	}
	out := in.path(r, focus)
	if r.keeps {
		out.keep = true
		if cons := out.shape.arrays(formCons); !cons.isNone() && !out.shape.IsAny() {
			out.shape = union(out.shape.without(kindArray), out.shape.arrays(^formCons))
			out.shape = union(out.shape, filledArray(cons).withForms(formKeepArray))
		}
	}
	if r.group != nil {
		out = rawOf(in.group(r.group, out, r.tuples))
	}
	return rawOf(out.collapsed(r.array))
}

// node infers a step without the filters behind it, or a part that is no path.
func (in *inferrer) node(s *step, focus *fact) fact {
	out := in.part(s.tree, focus)
	if s.cons && s.Kind == jsonata.ArrayKind {
		out.shape = out.shape.withForms(formCons)
	}
	for _, filter := range s.inner {
		in.indexOfText(out, filter)
		out = in.filter(out, filter)
	}
	if s.group != nil {
		out = rawOf(in.group(s.group, out, contains(s.group, jsonata.FocusKind, jsonata.IndexKind, jsonata.ParentKind)))
	}
	return out.collapsed(s.keeps)
}

// passage is what goes from one step of a path to the next.
type passage struct {
	fact        // of each of the values
	filled bool // there certainly is one
	one    bool // there is at most one
}

// path infers the steps of a path. Each applies to the values of the one before; arrays among its
// results are flattened, except an array that is the only result of the last step.
func (in *inferrer) path(r *route, focus *fact) raw {
	at := passage{fact: *focus, filled: true, one: true}
	if first := r.steps[0]; focus.shape.can(kindArray) && first.Kind != jsonata.VariableKind && first.Kind != jsonata.ContextKind && !first.cons {
		item, filled, _ := raw{fact: *focus, items: none}.each()
		at = passage{fact: fact{shape: item, reads: focus.reads, origin: focus.origin}, filled: filled}
	}
	in.readsItem(r, focus)
	out, empty, streams := raw{}, none, false
	for i := range r.steps {
		s, last := &r.steps[i], i == len(r.steps)-1
		if i > 0 && r.start < r.steps[i-1].end && r.steps[i-1].end <= len(in.source) {
			at.origin = in.source[r.start:r.steps[i-1].end]
		}
		streams = streams || s.focus != "" || s.index != ""
		constructs := i == 0 && s.cons
		in.namedByVariable(r, i)
		switch {
		case s.sorts:
			out = in.sort(s, out)
		case streams && !constructs:
			out = in.tuple(s, i == 0, at)
		default:
			if out = in.step(s, i == 0, last, at); r.parents && !constructs {
				out.perhapsStreamed()
			}
		}
		if !last {
			empty = union(empty, out.ends(constructs))
		}
		next := out.passage(at, constructs)
		if constructs && streams {
			in.unbound(s)
			if s.focus != "" {
				next = at
			}
			if last {
				out = raw{fact: fact{shape: none}, sequence: true, items: none}
			}
		} else if streams {
			next = in.bound(s, at, next, &out)
		}
		at = next
	}
	out.shape = union(out.shape, empty)
	return out
}

// ends returns the empty arrays with which a path ends before its last step; constructs says that the
// step is an array constructor.
func (r raw) ends(constructs bool) Shape {
	switch arrays := r.shape.arrays(^forms(0)); {
	case r.shape.IsAny() && constructs:
		return Array(none).withForms(formCons)
	case r.shape.IsAny() || arrays.isNone() || arrays.get().filled:
		return none
	default:
		return Array(none).withForms(arrays.get().forms)
	}
}

// passage returns the values of a step for the next one; before are those of the step before.
func (r raw) passage(before passage, constructs bool) passage {
	at := passage{fact: fact{reads: r.reads, matches: r.matches, groups: r.groups, constant: r.constant}}
	at.shape, at.filled, at.one = r.flattened()
	if constructs && !r.shape.IsAny() {
		at.shape, at.filled, at.one = r.shape.Items(), r.shape.get().filled && !r.shape.can(kindAll&^kindArray), false
	}
	switch {
	case before.one && at.one:
		at.root, at.at = r.root, r.at
	case before.one:
		at.whole = r.whole
	default:
		at.whole = r.collapsed(false).shape
	}
	return at
}

// bound binds the variables of a step, and returns the values for the next one: with @ they stay those
// of the step before.
func (in *inferrer) bound(s *step, before, at passage, out *raw) passage {
	if s.index != "" {
		position := Number()
		if s.sorts {
			position = Union(position, Nothing()) // where the values have variables already, it is not bound
		}
		in.scope.vars[s.index] = of(position)
	}
	if s.focus == "" {
		return at
	}
	in.scope.vars[s.focus] = of(at.shape.without(kindNothing))
	before.filled, before.one, before.reads = before.filled && at.filled, before.one && at.one, at.reads
	*out = raw{fact: fact{shape: none, reads: at.reads}, items: before.shape, sequence: true, filled: before.filled, one: before.one}
	return before
}

// unbound notes that the engine does not bind variables to the items of an array constructor.
func (in *inferrer) unbound(s *step) {
	for _, name := range []string{s.focus, s.index} {
		in.scope.vars[name] = of(Nothing())
	}
}

// step infers a step over the values of the one before.
func (in *inferrer) step(s *step, first, last bool, at passage) raw {
	item := at.fact
	if s.Kind != jsonata.NameKind {
		item.reads = nil
	}
	once := func(f func() raw) raw { return f() }
	if !at.filled || item.shape.MayBeNothing() && !item.root && !first {
		once = func(f func() raw) (out raw) {
			in.perhaps(func() fact { out = f(); return fact{} })
			return out
		}
	}
	if !first && in.listOfIndex(s) {
		return rawOf(fact{shape: Any(), reads: at.reads})
	}
	got := once(func() raw {
		out := raw{fact: in.node(s, &item), items: none}
		if first && s.cons {
			return out // the engine does not filter it
		}
		for _, filter := range s.filters {
			if at.one || first { // of each of several texts, the index is a longer way to write it
				in.indexOfText(out, filter)
			}
			out = in.filter(out, filter)
		}
		return out
	})
	if s.Kind != jsonata.NameKind {
		got.reads = slices.Concat(at.reads, got.reads)
	}
	if !at.one {
		got.reads, got.at, got.fn, got.constant = at.reads, nil, nil, nil
	}
	if got.whole = got.shape; first && s.cons || got.shape.IsAny() {
		return got
	}
	if s.opens {
		got.shape = got.shape.withForms(formPlain)
	}
	out := raw{fact: got.fact, sequence: true}
	out.items, out.filled, out.one = got.flattened()
	out.filled, out.one = out.filled && at.filled, out.one && at.one
	out.shape = none
	if !last {
		return out
	}
	// A single array that the last step finds is the result as it is.
	out.shape = got.shape.arrays(formPlain | formCons)
	if at.one && !out.shape.isNone() {
		rest := got
		rest.shape = union(got.shape.without(kindArray), got.shape.arrays(^(formPlain | formCons | formGuarded)))
		out.items, out.filled, out.one = rest.flattened()
		out.filled = out.filled && at.filled
		out.sequence = !at.filled || !rest.shape.isNone() || got.sequence
	}
	return out
}

// tuple infers a step whose values travel with variables: array constructors are flattened as well,
// and filters apply to all results.
func (in *inferrer) tuple(s *step, first bool, at passage) raw {
	unfiltered := *s
	unfiltered.filters, unfiltered.opens = nil, true
	out := in.step(&unfiltered, first, false, at)
	for _, filter := range s.filters {
		out = in.filter(out, filter)
		if picked := out.shape.only(kindArray); !out.shape.IsAny() && !picked.isNone() {
			out.items, out.shape, out.sequence = union(out.items, picked), none, true // with its variables
		}
	}
	return out
}

// perhapsStreamed adds what the step yields if its values travel with variables because of a %.
func (r *raw) perhapsStreamed() {
	if r.shape.IsAny() {
		return
	}
	all := union(r.items, r.shape.Items())
	r.items, r.sequence = union(all, all.arrays(formCons).Items()), true
	r.filled, r.one = false, r.one && !r.shape.can(kindArray) && r.items.arrays(formCons).isNone()
}

// part infers a part without what follows it.
func (in *inferrer) part(t *tree, focus *fact) raw {
	switch t.Kind {
	case jsonata.NameKind:
		return in.name(t, *focus)
	case jsonata.ContextKind:
		if t.Text == "$$" {
			return rawOf(in.root)
		}
		return rawOf(*focus)
	case jsonata.WildcardKind:
		return in.wildcard(focus)
	}
	return in.visit(t, focus)
}

// wildcard infers *: the values of the fields, arrays flattened; a sequence when none is an array.
func (in *inferrer) wildcard(focus *fact) raw {
	out := raw{fact: fact{shape: none, reads: focus.reads}, sequence: true}
	if focus.shape.IsAny() {
		out.shape = Any()
		return out
	}
	out.items = union(fieldShape(focus.shape), focus.shape.Items())
	if out.items.can(kindArray) {
		out.shape = Array(flat(out.items, 0))
		out.items = out.items.without(kindArray)
	}
	return out
}
