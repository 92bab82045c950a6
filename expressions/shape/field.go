package shape

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// name infers the read of a field.
func (in *inferrer) name(t *tree, current fact) raw {
	if in.env.probe != nil && t.Text == Probed {
		in.env.probe(current.shape)
		return rawOf(unknown())
	}
	if current.root {
		v := in.output(t, t.Text)
		if in.env.Declared != nil && in.env.Declared(t.Text) {
			v.at = []string{t.Text}
		}
		return rawOf(v)
	}
	in.checkField(t, current.shape, current.whole, current.origin)
	at, optional := in.optional(t, current)
	out := lookup(current.shape, t.Text, 0)
	out.reads, out.at, out.constant = slices.Concat(current.reads, optional), at, constantField(current.constant, t.Text)
	if t.Text == "groups" {
		out.groups = current.matches
	}
	return out
}

// constantField returns a field of the value of a constant.
func constantField(of any, name string) any {
	if object, isObject := of.(value.Object); isObject {
		v, _ := object.Get(name)
		return v
	}
	return nil
}

// output infers the latest output of a node, read at t.
func (in *inferrer) output(t *tree, id string) fact {
	b, known := in.env.Context[id]
	switch {
	case !known && in.env.Open:
		return unknown()
	case !known:
		r := cmp.Or(remedy{hint: foreignValues()[id]}, meant(wording.Nearest(id, sortedNames(in.env.Context))), in.ofVariable(id))
		in.report(t, CodeUnknownName, fmt.Sprintf("there is no node %q", id), r.hint).instead(in.source, t, id, r.word)
		return unknown()
	case b.Presence == Never && in.env.OneState && in.unsure > 0:
		return of(Nothing()) // what is on the left of ?? may be there
	case b.Presence == Never && in.env.OneState && in.assigns > 0:
		return fact{shape: Nothing(), reads: []read{{node: id, offset: t.Offset, end: t.End}}} // it matters where the variable is read
	case b.Presence == Never:
		in.report(t, CodeNeverRan, fmt.Sprintf("node %q cannot have run when this is evaluated", id), "read a node that runs before this one")
		return of(Nothing())
	case b.Presence == Always || slices.Contains(in.present, id):
		return of(b.Shape.bare())
	}
	return fact{shape: Union(b.Shape.bare(), Nothing()), reads: []read{{node: id, offset: t.Offset, end: t.End}}}
}

// lookup returns a field that is read: of an array, the sequence of the fields of its items.
func lookup(s Shape, name string, depth int) raw {
	out := raw{fact: fact{shape: s.only(kindObject).Field(name)}, items: none}
	if s.IsAny() || depth > maxDepth {
		out.shape = Any()
		return out
	}
	if !s.can(kindObject) {
		out.shape = none
	}
	if s.can(kindAll &^ (kindObject | kindArray)) {
		out.shape = union(out.shape, Nothing())
	}
	if !s.can(kindArray) {
		return out
	}
	inner := lookup(s.Items(), name, depth+1)
	inner.shape = inner.shape.withForms(formPlain)
	out.sequence = true
	out.items, out.filled, _ = inner.flattened()
	out.filled = out.filled && s.get().filled
	return out
}

// fieldOf returns the shape of the value of a field that is read.
func fieldOf(s Shape, name string) Shape { return lookup(s, name, 0).collapsed(false).shape }

// checkField reports a field that no object in the shape has. whole is the shape of the array
// whose items are read, or Any; owner is the text of the value whose field it is; it may be empty.
func (in *inferrer) checkField(t *tree, s, whole Shape, owner string) {
	objects, known := objectsOf(s, 0)
	if !known {
		return
	}
	if owner == "" {
		owner = "this value"
	}
	if len(objects) == 0 {
		found := s.without(kindNothing | kindNull)
		if !whole.IsAny() {
			found = whole.without(kindNothing | kindNull)
		}
		if flat(found, 0).can(kindAll &^ kindNull) {
			r := in.noFieldHint(owner, found, t.Text)
			in.report(t, CodeNoFields, fmt.Sprintf("%s is %s, which has no field %q", owner, found.General(), t.Text), r.hint).instead(in.source, t, t.Text, r.word)
		}
		return
	}
	var names []string
	code, format, list := CodeUnknownField, "%s has no field %q", "it has "
	for _, a := range objects {
		if a.isOfOthers(t.Text) {
			in.report(t, CodeUnknownField, fmt.Sprintf("%s is an object by key, whose values have the field %q", owner, t.Text),
				fmt.Sprintf("read that of each value: %s.*.%s; or of one: $lookup(%s, key).%s", owner, t.Text, owner, t.Text))
			return
		}
		if _, has := a.field(t.Text); has || a.rest == open {
			return
		}
		if a.rest == declared {
			code, format, list = CodeUndeclaredField, "the schema of %s does not declare the field %q", "it declares "
		}
		for _, name := range a.names() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	r := cmp.Or(meant(wording.Nearest(t.Text, names)), in.fieldHint(t.Text, s, whole, owner))
	if path := owner + "." + t.Text; code == CodeUndeclaredField && in.asked && r.hint == "" {
		in.probed[path] = true // the expression tests whether the field exists
		return
	} else if in.probed[path] {
		return
	}
	if _, bound := in.scope.find(t.Text); bound {
		r = remedy{hint: fmt.Sprintf("did you mean the variable %q?", "$"+t.Text)}
	} else if in.isNode(t.Text) {
		r = remedy{hint: "the node's output is $$." + strings.TrimPrefix(nodeText(t.Text), "$.")}
	} else if r.hint == "" && len(names) > 0 {
		r.hint = list + wording.List(names)
	}
	in.report(t, code, fmt.Sprintf(format, owner, t.Text), r.hint).instead(in.source, t, t.Text, r.word)
}

// noFieldHint returns the remedy for a field of what has none: of a function whose name is meant as a variable, and of a
// list or a text, whose length is a field in other languages.
func (in *inferrer) noFieldHint(owner string, found Shape, field string) remedy {
	name, isVariable := strings.CutPrefix(owner, "$")
	_, bound := in.scope.find(field)
	switch {
	case bound:
		return remedy{hint: fmt.Sprintf("did you mean the variable %q?", "$"+field)}
	case found.get().kinds == kindFunction && isVariable:
		for of := range in.env.Variables {
			if slices.Contains(similar()[of], name) {
				return remedy{hint: wording.Meant("$" + of)} // its place is that of the function before the field
			}
		}
	case found.can(kindArray) && listFields()[field] != "":
		return remedy{hint: "write " + fmt.Sprintf(listFields()[field], "…")}
	case field == "length" && found.can(kindString):
		return remedy{hint: "write $length(…)"}
	}
	if in.isNode(field) {
		return remedy{hint: "the node's output is $$." + strings.TrimPrefix(nodeText(field), "$.")}
	}
	return in.ofVariable(field)
}

// objectsOf returns the objects in the shape and in the items of its arrays; known is
// false when some of the values are unknown.
func objectsOf(s Shape, depth int) (objects []*alternatives, known bool) {
	if s.IsAny() || depth > maxDepth+1 {
		return nil, false
	}
	a := s.get()
	if a.kinds.has(kindObject) {
		objects = append(objects, a)
	}
	if !a.kinds.has(kindArray) {
		return objects, true
	}
	inner, known := objectsOf(a.items, depth+1)
	return append(objects, inner...), known
}

// optional returns the path of a declared field, and its read when its schema does not
// require it. t is the part that names the field.
func (in *inferrer) optional(t *tree, current fact) (at []string, reads []read) {
	a := current.shape.get()
	f, known := a.field(t.Text)
	if current.at == nil || a.kinds&^kindNothing != kindObject || a.rest == open || !known {
		return nil, nil
	}
	at = append(slices.Clip(current.at), t.Text)
	if !f.Optional {
		return at, nil
	}
	// The key differs from those of other fields and from the ids of nodes.
	return at, []read{{node: strings.Join(at, "\x00"), field: at, offset: t.Offset, end: t.End}}
}

// require reports the optional fields without which a required value would be missing;
// why names what requires it.
func (in *inferrer) require(v fact, why string) { in.requireTyped(v, Number(), why) }

// requireTyped is require for a value of which a schema says what it has to be; Any: nothing.
func (in *inferrer) requireTyped(v fact, wanted Shape, why string) {
	if !v.shape.MayBeNothing() {
		return
	}
	for _, r := range v.reads {
		if r.minor && wanted.IsAny() {
			continue
		}
		if r.when != "" {
			before := len(in.findings)
			in.report(&tree{Offset: r.offset, End: r.end}, CodeOptionalField, fmt.Sprintf("%s, and %s", r.when, why), "provide a default: … ?? value")
			for i := range in.findings[before:] {
				in.findings[before+i].Minor = r.minor
			}
			continue
		}
		if r.field == nil || in.env.Asked != nil && in.env.Asked(r.field) {
			continue
		}
		path := "$." + strings.Join(r.field, ".")
		in.report(&tree{Offset: r.offset, End: r.end}, CodeOptionalField, fmt.Sprintf("%s may be missing, and %s", path, why),
			fmt.Sprintf("provide a default: %s ?? value; or make the field required in its schema", path))
	}
}

// requireAll reports the optional fields without which the value would lack a field that
// every value of a shape has.
func (in *inferrer) requireAll(t *tree, v fact, wanted Shape, path []string) {
	for _, f := range wanted.get().fields {
		if f.Optional {
			continue
		}
		at := append(slices.Clip(path), f.Name)
		why := fmt.Sprintf("outputSchema requires %q in the result", strings.Join(at, "."))
		if i := slices.IndexFunc(v.parts, func(p part) bool { return p.name == f.Name }); i >= 0 {
			in.requireTyped(v.parts[i].value, f.Shape, why)
			in.requireAll(t, v.parts[i].value, f.Shape, at)
			continue
		}
		if v.at == nil {
			continue
		}
		field := tree{Kind: jsonata.NameKind, Text: f.Name, Offset: t.Offset, End: t.End}
		inner, reads := in.optional(&field, v)
		shape := fieldOf(v.shape.without(kindNothing), f.Name)
		in.require(fact{shape: shape, reads: reads}, why)
		if reads == nil {
			in.requireAll(t, fact{shape: shape, at: inner}, f.Shape, at)
		}
	}
}
