package shape

import (
	"fmt"
	"slices"
)

// readsItem reports $.NODE.field where $ is an item and no longer the context: it reads a field of the item. The field after the node's
// name shows that the node is meant where nothing is known of the item; checkField reports an item that cannot have such a field.
func (in *inferrer) readsItem(r *route, focus *fact) {
	if focus.root || focus.origin == "" || in.env.Gives == nil || len(r.steps) < 3 {
		return
	}
	first, node, field := &r.steps[0], &r.steps[1], &r.steps[2]
	if first.Kind != "context" || first.Text != "$" || node.Kind != "name" || field.Kind != "name" || !in.env.Gives(node.Text, field.Text) {
		return
	}
	objects, known := objectsOf(focus.shape, 0)
	isOpen := func(a *alternatives) bool { return a.rest == open }
	if known && !slices.ContainsFunc(objects, isOpen) || slices.ContainsFunc(objects, func(a *alternatives) bool { _, has := a.field(node.Text); return has }) {
		return
	}
	path := in.source[first.Offset:field.End]
	in.report(first.tree, CodeNoFields, fmt.Sprintf("$ is %s here, so that %s does not read node %q", focus.origin, path, node.Text), "write $"+path)
}

// namedByVariable reports a variable behind a dot whose value is a text or a number: a step gives the variable's own value.
func (in *inferrer) namedByVariable(r *route, i int) {
	s := &r.steps[i]
	if i == 0 || s.Kind != "variable" || r.tuples {
		return
	}
	var v fact
	in.silently(func() { v = in.variable(s.tree) })
	value := v.shape.without(kindNothing)
	if v.shape.IsAny() || value.isNone() || value.can(kindAll&^(kindString|kindNumber)) {
		return
	}
	before, name := in.source[r.start:min(r.steps[i-1].end, len(in.source))], in.text(s.tree)
	hint := fmt.Sprintf("to read the field with that name, write $lookup(%s, %s)", before, name)
	if !value.can(kindString) {
		hint = fmt.Sprintf("to choose an item, write %s[%s]", before, name)
	}
	in.report(s.tree, CodeNoFields, fmt.Sprintf("%s.%s is the value of %[2]s itself: a variable behind a dot names no field", before, name), hint)
}

// looksInValues reports $lookup in a value that is no object and has none: it finds nothing, whatever the name is.
func (in *inferrer) looksInValues(s *site) {
	from := s.arg(0)
	objects, known := objectsOf(from.shape, 0)
	found := from.shape.without(kindNothing | kindNull)
	if !known || len(objects) > 0 || s.arg(1).excludes(kindString) || found.isNone() || found.can(kindFunction) || found.get().kinds == kindArray && found.Items().isNone() {
		return
	}
	place := s.place(0)
	hint := "look in an object whose keys are these names"
	if item := found.Items(); found.can(kindArray) && item.can(kindString) {
		hint += fmt.Sprintf("; to ask whether the list has a text, write … in %s", in.text(place))
	}
	in.report(place, CodeNoFields, fmt.Sprintf("%s is %s, which has no fields, so that $lookup finds nothing in it", in.text(place), found.General()), hint)
}
