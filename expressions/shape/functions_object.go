package shape

import (
	"fmt"
	"slices"

	"toolgraph/expressions/jsonata"
)

func keys(_ *inferrer, s *site) fact {
	from := s.arg(0)
	if len(s.args) == 0 {
		return unknown()
	}
	objects, known := objectsOf(from.shape, 0)
	if !known || slices.ContainsFunc(objects, func(a *alternatives) bool { return a.rest != closed }) {
		return like(loose(String(), false), from)
	}
	var names []string
	for _, a := range objects {
		names = append(names, a.names()...)
	}
	if len(names) == 0 {
		return fact{shape: Nothing(), reads: from.reads}
	}
	slices.Sort(names)
	return like(loose(stringOf(slices.Compact(names)...), false), from)
}

// looked infers $lookup: a field by its name.
func looked(in *inferrer, s *site) fact {
	from, name := s.arg(0), s.arg(1).shape.Words()
	if len(name) != 1 { // checkField reports a name that is known
		in.looksInValues(s)
	}
	if !from.shape.IsAny() && len(name) > 1 && from.shape.IsObject() {
		for _, key := range name {
			if _, has := from.shape.get().field(key); !has {
				out := from.unknown()
				text := in.text(s.tree)
				out.reads = append(slices.Clip(out.reads), read{node: "\x00" + text, offset: s.tree.Offset, end: s.tree.End, field: []string{"\x00"}, when: fmt.Sprintf("%s is missing for %q", text, key)})
				return out
			}
		}
	}
	if of, known := from.shape.any(); known && len(name) != 1 && !from.shape.IsAny() {
		return like(of, from, s.arg(1))
	}
	if from.shape.IsAny() || len(name) != 1 || from.shape.can(kindFunction) {
		return from.unknown()
	}
	field := tree{Kind: jsonata.NameKind, Text: name[0], Offset: s.place(1).Offset, End: s.place(1).End}
	in.checkField(&field, from.shape, Any(), in.text(s.place(0)))
	return like(lookup(from.shape, name[0], 0).asLoose().shape, from, s.arg(1))
}

// merged infers $merge: of two fields with the same name the last one counts.
func merged(in *inferrer, s *site) fact {
	from := s.arg(0)
	if list := s.place(0); list != s.tree && list.Kind == jsonata.ArrayKind {
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
		if !items.isNone() {
			// Objects of one shape: a field that only some of them have stays optional.
			fields := items.Fields()
			if !of.get().filled {
				fields = items.optionalFields()
			}
			merged := *items.get()
			merged.fields = fields
			out = shapeOf(merged)
		}
		return union(out, of.only(kindObject))
	})
}

// overlaid merges the objects of an array constructor; not ok when its items are not one
// object each.
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

// pile is an object that others are merged into, one after the other.
type pile struct {
	fields []Field
	at     map[string]int // the indexes of fields
	rest   rest
}

// add merges an object, which may be missing, into the pile.
func (p *pile) add(over *alternatives, mayBeMissing bool) {
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
			if (g.Optional || mayBeMissing) && p.rest != closed {
				g.Shape = Any()
			}
			g.Optional = g.Optional || mayBeMissing
			p.at[g.Name] = len(p.fields)
			p.fields = append(p.fields, g)
		case g.Optional || mayBeMissing:
			p.fields[i].Shape = union(p.fields[i].Shape, g.Shape)
		default:
			p.fields[i] = g
		}
	}
	p.rest = max(p.rest, over.rest)
}

// sifted infers $sift: an object with some of the fields.
func sifted(in *inferrer, s *site) fact {
	from := s.arg(0)
	if len(s.args) < 2 || s.arg(1).fn == nil {
		return from.unknown()
	}
	if before, decision := len(in.findings), in.applyFields(s); !in.swapped(s) && len(in.findings) == before {
		in.decides(s, decision)
	}
	if from.shape.IsAny() || from.shape.can(kindArray|kindFunction) {
		return from.unknown()
	}
	some := object(from.shape.optionalFields(), from.shape.get().rest)
	return fact{shape: Union(some, Nothing()), reads: from.reads}
}

// spread infers $spread: an object for each field, with that field alone.
func spread(_ *inferrer, s *site) fact {
	if len(s.args) == 0 {
		return unknown() // it spreads the context
	}
	return over(s.arg(0), func(of Shape) Shape {
		parts := func(s Shape) Shape {
			fields := s.optionalFields()
			if len(fields) == 0 && s.get().rest == closed {
				return none
			}
			return object(fields, s.get().rest)
		}
		out := of.without(kindArray | kindObject)
		if of.can(kindObject) {
			out = union(out, loose(parts(of.only(kindObject)), false))
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
		return from.unknown()
	}
	items := fieldShape(from.shape)
	if from.shape.can(kindArray) {
		items = union(items, fieldShape(from.shape.Items()))
	}
	return fact{shape: Union(Array(items), Nothing()), reads: from.reads}
}

// asBoolean infers $boolean.
func asBoolean(_ *inferrer, s *site) fact {
	if len(s.args) == 0 {
		return unknown()
	}
	v := s.args[0]
	out := like(simple(v.shape.truth()), v)
	out.whenTrue, out.whenFalse, out.written = v.ifTrue(), v.whenFalse, v.written
	return out
}

// negated infers $not.
func negated(_ *inferrer, s *site) fact {
	if len(s.args) == 0 {
		return unknown()
	}
	v := s.args[0]
	out := like(simple(negation(v.shape.truth())), v)
	out.whenTrue, out.whenFalse, out.written = v.whenFalse, v.ifTrue(), v.written
	return out
}

// exists infers $exists.
func exists(_ *inferrer, s *site) fact {
	v := s.arg(0)
	out := of(Boolean())
	switch {
	case v.shape.IsNothing():
		out = of(simple(kindFalse))
	case !v.shape.MayBeNothing():
		out = of(simple(kindTrue))
	}
	out.whenTrue = v.ran()
	return out
}

// typeName infers $type.
func typeName(_ *inferrer, s *site) fact {
	v := s.arg(0)
	var names []string
	for _, t := range kindNames {
		if v.shape.can(t.kind) {
			names = append(names, t.name)
		}
	}
	if len(names) == 0 {
		return fact{shape: Nothing(), reads: v.reads}
	}
	slices.Sort(names)
	return like(stringOf(names...), v)
}
