package shape

import (
	"fmt"
	"slices"
	"strings"
)

// part is a field of an object that the expression makes.
type part struct {
	name  string
	value fact
}

// fieldKey tells a field of an output apart from other fields, and from the ids of nodes.
func fieldKey(at []string) string { return strings.Join(at, "\x00") }

// optional is the read of a field that its schema does not require; place is the part
// that names it.
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
	return at, []read{{node: fieldKey(at), field: at, offset: t.Offset, end: t.End}}
}

// require notes the fields without which there would be no value, where one is required;
// why says by what.
func (in *inferrer) require(v fact, why string) {
	if !v.shape.MayBeNothing() {
		return
	}
	for _, r := range v.reads {
		if r.field == nil || in.env.Asked != nil && in.env.Asked(r.field) {
			continue
		}
		path := "$." + strings.Join(r.field, ".")
		in.note(&tree{Offset: r.offset, End: r.end}, CodeOptionalField, fmt.Sprintf("%s may be missing, and %s", path, why),
			fmt.Sprintf("give what to use instead: %s ?? value; or have it required where it comes from", path))
	}
}

// requireAll notes the fields without which a value would lack what every value of a shape
// has.
func (in *inferrer) requireAll(t *tree, v fact, want Shape, path []string) {
	for _, f := range want.only(kindObject).get().fields {
		if f.Optional {
			continue
		}
		at := append(slices.Clip(path), f.Name)
		why := fmt.Sprintf("outputSchema requires %q of the result", strings.Join(at, "."))
		if i := slices.IndexFunc(v.parts, func(p part) bool { return p.name == f.Name }); i >= 0 {
			in.require(v.parts[i].value, why)
			in.requireAll(t, v.parts[i].value, f.Shape, at)
			continue
		}
		if v.at == nil {
			continue
		}
		field := tree{Kind: "name", Text: f.Name, Offset: t.Offset, End: t.End}
		inner, reads := in.optional(&field, v)
		shape := fieldOf(v.shape.without(kindNothing), f.Name, 0)
		in.require(fact{shape: shape, reads: reads}, why)
		if reads == nil {
			in.requireAll(t, fact{shape: shape, at: inner}, f.Shape, at)
		}
	}
}

// Lacks is the first field that every value of another shape has, and that a value of
// this one may lack: it is declared, and optional.
func (s Shape) Lacks(want Shape) (path []string, lacks bool) {
	a := s.get()
	if a.kinds != kindObject || a.rest == open {
		return nil, false
	}
	for _, f := range want.only(kindObject).get().fields {
		own, known := a.field(f.Name)
		switch {
		case f.Optional || !known:
		case own.Optional:
			return []string{f.Name}, true
		default:
			if path, lacks := own.Shape.Lacks(f.Shape); lacks {
				return append([]string{f.Name}, path...), true
			}
		}
	}
	return nil, false
}
