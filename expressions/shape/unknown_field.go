package shape

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/internal/wording"
)

// checkField notes a field that no object of the shape has.
func (in *inferrer) checkField(t *tree, s Shape, before string) {
	objects, other := objectsOf(s, 0)
	if other || s.IsAny() {
		return
	}
	if before == "" {
		before = "the value here"
	}
	if len(objects) == 0 {
		found := s.without(kindNothing | kindNull)
		if flat(found, 0).get().kinds&^kindNull != 0 {
			in.note(t, CodeUnknownField, fmt.Sprintf("%s is %s, which has no field %q", before, found, t.Text), "")
		}
		return
	}
	var known []string
	code := CodeUnknownField
	for _, a := range objects {
		if _, ok := a.field(t.Text); ok || a.rest == open {
			return
		}
		if a.rest == declared {
			code = CodeUndeclaredField
		}
		for _, f := range a.fields {
			if !slices.Contains(known, f.Name) {
				known = append(known, f.Name)
			}
		}
	}
	hint := wording.DidYouMean(t.Text, known)
	if where := before + "." + t.Text; code == CodeUndeclaredField && in.asked && hint == "" {
		in.probed[where] = true // whether it is there is just the question
		return
	} else if in.probed[where] {
		return
	}
	message := fmt.Sprintf("%s has no field %q", before, t.Text)
	if code == CodeUndeclaredField {
		message = fmt.Sprintf("%s declares no field %q", before, t.Text)
	}
	if _, isNode := in.env.Context[t.Text]; isNode {
		hint = "the node's output is $$." + strings.TrimPrefix(nodeText(t.Text), "$.")
	} else if hint == "" && len(known) > 0 {
		hint = "it has " + listed(known)
	}
	in.note(t, code, message, hint)
}

// objectsOf are the objects among the shape and the items of its arrays; other tells
// that there is something of which nothing is known.
func objectsOf(s Shape, depth int) (objects []*alternatives, other bool) {
	a := s.get()
	if a.kinds.has(kindObject) {
		objects = append(objects, a)
	}
	if a.kinds.has(kindArray) {
		if depth > maxDepth || a.items.IsAny() {
			return nil, true
		}
		inner, unknown := objectsOf(a.items, depth+1)
		if unknown {
			return nil, true
		}
		if len(inner) == 0 && a.items.can(kindAll&^(kindNothing|kindNull)) && len(objects) == 0 {
			// Items that are no objects, as the strings of an array of strings.
			return objects, false
		}
		objects = append(objects, inner...)
	}
	return objects, false
}

// listed joins up to eight names.
func listed(names []string) string {
	const most = 8
	text := ""
	for i, name := range names {
		switch {
		case i == most:
			return text + ", …"
		case i > 0:
			text += ", "
		}
		text += name
	}
	return text
}
