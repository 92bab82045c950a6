package shape

import (
	"fmt"
	"strings"

	"toolgraph/expressions/jsonata"
)

// groupKey reports a key of a group that is certainly no string, which makes the evaluation fail as soon as there is an item.
func (in *inferrer) groupKey(t *tree, key fact, certain bool) {
	if key.excludes(kindString) {
		in.reportFailure(t, certain && !key.shape.MayBeNothing(), CodeWrongOperand,
			fmt.Sprintf("%s is %s, but a key must be a string", in.text(t), key.shape.without(kindNothing)), conversion("string")).converted(in.source, "string")
	}
}

// holdsOthers reports whether the value is a list that may be empty, all of whose items the function rejects.
func (v fact) holdsOthers(p param) bool {
	items := v.shape.Items()
	return p.items != 0 && !v.shape.IsAny() && v.shape.get().kinds&^kindNothing == kindArray && !items.isNone() && !items.can(p.items)
}

// nests reports whether the value is a sequence whose items are lists, where the function takes one list.
func (v fact) nests(p param) bool {
	a := v.shape.get()
	if v.shape.IsAny() || p.items == 0 || p.items.has(kindArray) || a.forms&formMany == 0 || a.items.IsAny() {
		return false
	}
	return a.items.can(kindArray) && a.items.get().kinds&^(p.items|kindArray) == 0
}

// itemHint returns the remedy for a list whose items a function rejects: the field of them that is meant.
func (s *site) itemHint(p param, list Shape, source string) string {
	items := list.Items()
	if items.can(kindArray) {
		return "put the inner lists into one first: $flatten(…)"
	}
	var fields []string
	for _, f := range items.get().fields {
		if !f.Shape.IsAny() && f.Shape.get().kinds&^p.items == 0 {
			fields = append(fields, f.Name)
		}
	}
	if len(fields) > 0 {
		return fmt.Sprintf("read a field of each item: $%s(%s.%s)", s.name, source, fields[0])
	}
	if p.items == kindString && items.can(kindNumber|kindBoolean) {
		return fmt.Sprintf("convert the items: $map(%s, $string)", source)
	}
	return ""
}

// fewLists reports $zip of one list, which combines nothing.
func (in *inferrer) fewLists(s *site) {
	if len(s.args) != 1 || len(s.trees) != 1 || s.trees[0] == nil {
		return
	}
	hint := "give the lists as arguments: $zip(a, b)"
	if list := s.trees[0]; list.Kind == jsonata.ArrayKind && len(list.Parts) > 1 {
		var lists []string
		for i := range list.Parts {
			lists = append(lists, in.text(&list.Parts[i]))
		}
		hint = "give the lists as arguments: $zip(" + strings.Join(lists, ", ") + ")"
	}
	in.report(s.trees[0], CodeArgumentCount, "$zip combines the items of several lists, found one list", hint)
}

// listOfIndex reports .[0], which is the list [0] for each value, where the index [0] is meant.
func (in *inferrer) listOfIndex(s *step) bool {
	if s.Kind != jsonata.ArrayKind || len(s.Parts) != 1 || !isIndex(&s.Parts[0]) {
		return false
	}
	text := in.text(s.tree)
	in.report(s.tree, CodeNoFields, fmt.Sprintf(".%s makes the list %s of each value and selects nothing", text, text), fmt.Sprintf("to take one item, leave the dot out: …%s", text))
	return true
}

// selectsByText reports a filter that is a written text, which holds for each item.
func (in *inferrer) selectsByText(base raw, t *tree) {
	list, filtered := base.collapsed(false).shape, in.text(t)
	switch {
	case t.Kind != jsonata.StringKind || t.Text == "" || list.IsAny() || !list.can(kindArray):
	case plainName(t.Text):
		in.report(t, CodeConstantComparison, fmt.Sprintf("the filter %s is a text, so that it holds for every item", filtered), fmt.Sprintf("to read a field of the items, write .%s", t.Text))
	default:
		in.report(t, CodeConstantComparison, fmt.Sprintf("the filter %s is a text, so that it holds for every item", filtered), "compare a field with it: [field = …]")
	}
}

// indexOfText reports an index of a single text, which gives the text itself or nothing.
func (in *inferrer) indexOfText(base raw, t *tree) {
	of := base.collapsed(false).shape
	if of.IsAny() || of.get().kinds&^kindNothing != kindString || !isIndex(t) || base.groups > 0 || base.matches > 0 {
		return
	}
	in.report(t, CodeConstantComparison, fmt.Sprintf("the value before [%s] is one text and no list", in.text(t)), fmt.Sprintf("write $substring(…, %s, 1) for a character", in.text(t)))
}

// plainName reports whether a text is a name that needs no quotes in a path.
func plainName(text string) bool {
	for i, c := range text {
		if letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'; !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

// joined reports an operand of & that is an object or a list: & writes it as JSON.
func (in *inferrer) joined(t *tree, v fact) {
	of := v.shape.without(kindNothing)
	if v.shape.IsAny() || of.isNone() || of.can(kindAll&^(kindObject|kindArray)) && !in.isListOfFields(t, of) {
		return
	}
	hint := "join the items: $join(…, \", \"), or write $string(…) for its JSON"
	if !of.can(kindArray) {
		hint = "write $string(…) for its JSON"
		for _, f := range of.get().fields {
			if !f.Shape.IsAny() && f.Shape.get().kinds&^(kindString|kindNumber|kindNothing) == 0 {
				hint = fmt.Sprintf("read a field of it: %s.%s, or %s", in.text(t), f.Name, hint)
				break
			}
		}
	} else if items := of.Items(); !items.isNone() && !items.can(kindString) {
		hint = "choose one item, or write $string(…) for its JSON"
	}
	in.report(t, CodeWrongOperand, fmt.Sprintf("%s, and the operator & writes it as JSON", in.described(t, v)), hint)
}

// isListOfFields reports whether a part reads a field of each item of a list: several values are a list.
func (in *inferrer) isListOfFields(t *tree, of Shape) bool {
	if t.Kind != jsonata.PathKind || !of.can(kindArray) || of.get().kinds&^(kindArray|kindString|kindNumber) != 0 || of.get().forms != formMany {
		return false
	}
	for i := range t.Parts {
		if part := &t.Parts[i]; part.Kind != jsonata.NameKind && part.Kind != jsonata.ContextKind {
			return false
		}
	}
	return true
}
