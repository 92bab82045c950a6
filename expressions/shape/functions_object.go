package shape

import "slices"

func keys(_ *inferrer, s *site) fact {
	from := s.arg(0)
	if len(s.args) == 0 {
		return unknown()
	}
	objects, other := objectsOf(from.shape, 0)
	if other || from.shape.IsAny() || !isClosed(from.shape) {
		return like(sequence(String()), from)
	}
	var names []string
	for _, a := range objects {
		for _, f := range a.fields {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return fact{shape: Nothing(), reads: from.reads}
	}
	slices.Sort(names)
	return like(sequence(shapeOf(alternatives{kinds: kindString, strings: slices.Compact(names)})), from)
}

// looked is $lookup: a field by its name.
func looked(in *inferrer, s *site) fact {
	from, name := s.arg(0), s.arg(1).shape.get().strings
	if from.shape.IsAny() || len(name) != 1 || from.shape.can(kindFunction) {
		return fact{shape: Any(), reads: from.reads}
	}
	field := tree{Kind: "name", Text: name[0], Offset: s.place(1).Offset, End: s.place(1).End}
	in.checkField(&field, from.shape, in.text(s.place(0)))
	out := fieldOf(from.shape, name[0], 0)
	if from.shape.can(kindArray) {
		out = Union(out, sequence(fieldOf(from.shape.Items(), name[0], 1))) // not flattened
	}
	return like(out, from, s.arg(1))
}

// merged is $merge: of two fields of a name the last one counts.
func merged(in *inferrer, s *site) fact {
	from := s.arg(0)
	if list := s.place(0); list != s.tree && list.Kind == "array" {
		if out, ok := in.overlaid(list, s.focus); ok {
			return of(out)
		}
	}
	return over(from, func(of Shape) Shape {
		if !of.can(kindArray) {
			return of.only(kindObject)
		}
		items := of.Items().only(kindObject)
		out := Object(nil, false)
		if items.get().kinds != 0 {
			// One object, then others of the same shape over it: what is in some of them
			// is optional.
			fields := items.Fields()
			if !of.get().filled {
				for i := range fields {
					fields[i].Optional = true
				}
			}
			out = object(fields, items.get().rest)
		}
		return union(out, of.only(kindObject))
	})
}

// overlaid is what the objects of a written array become one over the other; not ok
// when its items are not one object each.
func (in *inferrer) overlaid(list *tree, focus *fact) (out Shape, ok bool) {
	pile := pile{at: map[string]int{}}
	in.silently(func() {
		for i := range list.Parts {
			s := in.infer(&list.Parts[i], focus).shape
			if ok = s.get().kinds&^(kindObject|kindNothing) == 0; !ok {
				return
			}
			if s.can(kindObject) {
				pile.add(s.get(), s.MayBeNothing())
			}
		}
	})
	return object(pile.fields, pile.rest), ok
}

// pile is an object that others are put over, one after the other.
type pile struct {
	fields []Field
	at     map[string]int // of fields, by name
	rest   rest
}

// add puts an object over the pile, of which there may be none.
func (p *pile) add(over *alternatives, mayBeNone bool) {
	if over.rest != closed {
		for i, f := range p.fields {
			if _, both := over.field(f.Name); !both {
				p.fields[i].Shape = Any()
			}
		}
	}
	for _, g := range over.fields {
		i, both := p.at[g.Name]
		switch {
		case !both:
			if (g.Optional || mayBeNone) && p.rest != closed {
				g.Shape = Any()
			}
			g.Optional = g.Optional || mayBeNone
			p.at[g.Name] = len(p.fields)
			p.fields = append(p.fields, g)
		case g.Optional || mayBeNone:
			p.fields[i].Shape = union(p.fields[i].Shape, g.Shape)
		default:
			p.fields[i] = g
		}
	}
	p.rest = max(p.rest, over.rest)
}

// sifted is $sift: an object with some of the fields.
func sifted(in *inferrer, s *site) fact {
	from := s.arg(0)
	if len(s.args) < 2 || s.arg(1).fn == nil {
		return fact{shape: Any(), reads: from.reads}
	}
	args := []fact{of(fieldShape(from.shape)), of(String()), of(from.shape)}
	if s.arg(1).fn.builtin != "" {
		args = args[:1]
	}
	in.apply(s.arg(1).fn, args, s.focus)
	if from.shape.IsAny() || from.shape.can(kindArray|kindFunction) {
		return fact{shape: Any(), reads: from.reads}
	}
	fields := from.shape.Fields()
	for i := range fields {
		fields[i].Optional = true
	}
	return fact{shape: Union(object(fields, from.shape.get().rest), Nothing()), reads: from.reads}
}

// spread is $spread: an object with one field for each field.
func spread(_ *inferrer, s *site) fact {
	if len(s.args) == 0 {
		return unknown() // the context is spread
	}
	return over(s.arg(0), func(of Shape) Shape {
		parts := func(object Shape) Shape {
			fields := object.Fields()
			for i := range fields {
				fields[i].Optional = true
			}
			if len(fields) == 0 && object.get().rest == closed {
				return none
			}
			return shapeOf(alternatives{kinds: kindObject, fields: fields, rest: object.get().rest})
		}
		out := of.without(kindArray | kindObject)
		if of.can(kindObject) {
			out = union(out, sequence(parts(of.only(kindObject))))
		}
		if of.can(kindArray) {
			items := of.Items()
			inner := items.without(kindObject)
			if items.can(kindObject) {
				inner = union(inner, parts(items.only(kindObject)))
			}
			if items.can(kindArray) {
				inner = Any()
			}
			out = union(out, union(Array(inner), Nothing()))
		}
		return out
	})
}

func values(_ *inferrer, s *site) fact {
	from := s.arg(0)
	if from.shape.IsAny() {
		return fact{shape: Any(), reads: from.reads}
	}
	items := fieldShape(from.shape)
	if from.shape.can(kindArray) {
		items = union(items, fieldShape(from.shape.Items()))
	}
	return fact{shape: Union(Array(items), Nothing()), reads: from.reads}
}

// asBoolean is $boolean.
func asBoolean(_ *inferrer, s *site) fact {
	if len(s.args) == 0 {
		return unknown()
	}
	v := s.args[0]
	out := like(not(not(v.shape)), v)
	out.whenTrue, out.whenFalse, out.written = v.ifTrue(), v.whenFalse, v.written
	return out
}

// negated is $not.
func negated(_ *inferrer, s *site) fact {
	if len(s.args) == 0 {
		return unknown()
	}
	v := s.args[0]
	out := like(not(v.shape), v)
	out.whenTrue, out.whenFalse, out.written = v.whenFalse, v.ifTrue(), v.written
	return out
}

// exists is $exists.
func exists(_ *inferrer, s *site) fact {
	v := s.arg(0)
	out := of(Boolean())
	switch {
	case v.shape.IsNothing():
		out = of(simple(kindFalse))
	case !v.shape.MayBeNothing():
		out = of(simple(kindTrue))
	}
	out.whenTrue = v.there()
	return out
}

var typeNames = []struct {
	kind kinds
	name string
}{
	{kindNull, "null"},
	{kindBoolean, "boolean"},
	{kindNumber, "number"},
	{kindString, "string"},
	{kindArray, "array"},
	{kindObject, "object"},
	{kindFunction, "function"},
}

// typeName is $type.
func typeName(_ *inferrer, s *site) fact {
	v := s.arg(0)
	var names []string
	for _, t := range typeNames {
		if v.shape.can(t.kind) {
			names = append(names, t.name)
		}
	}
	if len(names) == 0 {
		return fact{shape: Nothing(), reads: v.reads}
	}
	slices.Sort(names)
	return like(shapeOf(alternatives{kinds: kindString, strings: names}), v)
}
