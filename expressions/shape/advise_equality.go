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
		call := &t.Parts[i]
		if call.Kind != jsonata.CallKind || call.Parts[0].Kind != jsonata.VariableKind || t.Text == "in" && i == 1 {
			continue
		}
		change, letters := strings.ToLower, "small"
		switch call.Parts[0].Text {
		case "lowercase":
		case "uppercase":
			change, letters = strings.ToUpper, "capital"
		default:
			continue
		}
		words := side.shape.Words()
		if side.shape.can(kindAll&^(kindString|kindNothing)) || len(words) == 0 || slices.ContainsFunc(words, func(word string) bool { return change(word) == word }) {
			continue
		}
		in.report(t, CodeConstantComparison, fmt.Sprintf("%s has %s letters only, and %q is never equal to it", in.text(call), letters, words[0]), fmt.Sprintf("write %q", change(words[0])))
		return true
	}
	return false
}

// nullInOrder reports an operand of a comparison by size that may be null by its schema, where nothing in the expression asks for that.
func (in *inferrer) nullInOrder(t *tree, i int, v fact) {
	a := v.shape.get()
	if v.shape.IsAny() || !a.kinds.has(kindNull) || !a.kinds.has(kindNumber|kindString) || a.kinds&kindValue == kindValue {
		return
	}
	if path := in.contextPath(&t.Parts[i]); path != nil && in.env.Asked != nil && in.env.Asked(path) {
		return
	}
	text := in.text(&t.Parts[i])
	for _, asked := range []string{"$type(" + text + ")", text + " = null", text + " != null", "null = " + text, "null != " + text, text + " ?", "$boolean(" + text, text + " and "} {
		if strings.Contains(in.source, asked) {
			return
		}
	}
	in.report(&t.Parts[i], CodeWrongOperand, fmt.Sprintf("%s may be null, and the operator %s takes numbers or strings", text, t.Text), fmt.Sprintf("test it first: $type(%s) = … and …", text))
}
