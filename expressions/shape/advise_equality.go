package shape

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/expressions/jsonata"
)

// swappedIn reports a list on the left of in, which looks for a single value in a list.
func (in *inferrer) swappedIn(t *tree, left, right fact) bool {
	a := left.shape.without(kindNothing).get()
	if t.Text != "in" || left.shape.IsAny() || a.kinds != kindArray || a.items.can(kindArray|kindObject) || right.shape.can(kindArray) && !right.shape.IsAny() {
		return false
	}
	in.report(t, CodeConstantComparison, fmt.Sprintf("%s is a list, and in looks for one value in a list", in.text(&t.Parts[0])),
		fmt.Sprintf("swap the two: %s in %s", in.text(&t.Parts[1]), in.text(&t.Parts[0])))
	return true
}

// wrongCase reports a comparison of a text in capital or small letters with texts that all have letters of the other kind.
func (in *inferrer) wrongCase(t *tree, left, right fact) bool {
	for i, side := range []fact{right, left} { // the other one
		if t.Text == "in" && i == 1 {
			continue
		}
		if in.neverInCase(t, &t.Parts[i], side, "equal to it") {
			return true
		}
	}
	return false
}

// neverFound reports a search in a text of capital or small letters for a text with letters of the other kind.
func (in *inferrer) neverFound(s *site) {
	if what := textFirst()[s.name]; what != "" && len(s.args) > 1 && len(s.trees) > 1 && s.trees[0] != nil && s.trees[1] != nil {
		in.neverInCase(s.trees[1], s.trees[0], s.args[1], "in it")
	}
}

// neverInCase reports at a place, when a part of the expression is a text in capital or small letters, that the words of a value all have
// letters of the other kind. A variable is followed to its value.
func (in *inferrer) neverInCase(at, call *tree, value fact, where string) bool {
	for depth := 0; call.Kind == jsonata.VariableKind && depth < maxDepth; depth++ {
		v, bound := in.scope.find(call.Text)
		if !bound || v.from == nil {
			return false
		}
		call = v.from
	}
	if call.Kind != jsonata.CallKind || call.Parts[0].Kind != jsonata.VariableKind {
		return false
	}
	change, letters := strings.ToLower, "small"
	switch call.Parts[0].Text {
	case "lowercase":
	case "uppercase":
		change, letters = strings.ToUpper, "capital"
	default:
		return false
	}
	words := value.shape.Words()
	if value.shape.can(kindAll&^(kindString|kindNothing)) || len(words) == 0 || slices.ContainsFunc(words, func(word string) bool { return change(word) == word }) {
		return false
	}
	in.report(at, CodeConstantComparison, fmt.Sprintf("%s has %s letters only, and %q is never %s", in.text(call), letters, words[0], where), fmt.Sprintf("write %q", change(words[0])))
	return true
}

// mayBeNull reports an operand that may be null by its schema, where nothing in the expression asks for that and the operator takes
// other kinds.
func (in *inferrer) mayBeNull(t *tree, i int, v fact, takes kinds, expected string) {
	a := v.shape.get()
	if v.shape.IsAny() || !a.kinds.has(kindNull) || !v.shape.can(takes) || a.kinds&kindValue == kindValue {
		return
	}
	if path := in.contextPath(&t.Parts[i]); path != nil && in.env.Asked != nil && in.env.Asked(path) {
		return
	}
	text, read := in.text(&t.Parts[i]), in.source[t.Parts[i].Offset:t.Parts[i].End]
	for _, asked := range []string{"$type(" + read + ")", read + " = null", read + " != null", "null = " + read, "null != " + read, read + " ?", "$boolean(" + read, read + " and "} {
		if strings.Contains(in.source, asked) {
			return
		}
	}
	in.report(&t.Parts[i], CodeWrongOperand, fmt.Sprintf("%s may be null, and the operator %s takes %s", text, t.Text, expected), fmt.Sprintf("test it first: $type(%s) = … and …", text))
}

// neverNull reports a value that is compared with null and, by its schema, is missing instead: then it is not equal to null.
func (in *inferrer) neverNull(t *tree, left, right fact) bool {
	for i, v := range []fact{left, right} {
		null := []fact{right, left}[i]
		if t.Text != "=" || !isRead(&t.Parts[i]) || !null.written || null.shape.get().kinds != kindNull || v.written || v.shape.IsAny() || v.shape.IsNothing() || v.shape.can(kindNull) || !v.shape.MayBeNothing() {
			continue
		}
		text := in.text(&t.Parts[i])
		if strings.Contains(in.source, "$exists("+in.source[t.Parts[i].Offset:t.Parts[i].End]+")") {
			return false
		}
		in.report(t, CodeConstantComparison, fmt.Sprintf("%s is %s and never null: a missing value is not equal to null", text, v.shape.General()), "write $not($exists("+text+"))")
		return true
	}
	return false
}
