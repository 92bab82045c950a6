package shape

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/expressions/jsonata"
)

// isOperator reports whether a part is one of the operators, with two operands.
func isOperator(t *tree, operators ...string) bool {
	if t.Kind != jsonata.OperatorKind || len(t.Parts) != 2 {
		return false
	}
	for _, operator := range operators {
		if t.Text == operator {
			return true
		}
	}
	return false
}

// joinedCondition reports a ? behind &: the joined text is the condition, which is always true.
func (in *inferrer) joinedCondition(t *tree) {
	condition := &t.Parts[0]
	if !isOperator(condition, "&") || !in.literalText(condition) {
		return
	}
	last := &condition.Parts[1]
	in.report(condition, CodeConstantCondition, fmt.Sprintf("the condition is the whole text %s, which is always true: ? binds weaker than &", in.text(condition)),
		fmt.Sprintf("put the choice into parentheses: … & (%s ? … : …)", in.text(last)))
}

// literalText reports whether one of the operands of & is a text with characters.
func (in *inferrer) literalText(t *tree) bool {
	if isOperator(t, "&") {
		return in.literalText(&t.Parts[0]) || in.literalText(&t.Parts[1])
	}
	return t.Kind == jsonata.StringKind && t.Text != ""
}

// conjoins reports operands of "and" and "or" that make the whole constant.
func (in *inferrer) conjoins(t *tree, left, right fact) {
	in.joins(t, 0, left)
	in.joins(t, 1, right)
	in.joinsRead(t, 0, left)
	in.joinsRead(t, 1, right)
	in.contradicts(t)
}

// joins reports an operand of "and" and "or" that is a written value but no condition.
func (in *inferrer) joins(t *tree, i int, v fact) {
	part := &t.Parts[i]
	if !v.written || v.shape.can(kindBoolean|kindFunction|kindNothing) || v.shape.truth() == kindBoolean {
		return
	}
	hint := "for a default write … ?? " + in.text(part)
	if other := &t.Parts[1-i]; isOperator(other, "=") || isOperator(other, "or", "and") && isOperator(&other.Parts[1], "=") {
		if !isOperator(other, "=") {
			other = &other.Parts[1]
		}
		hint = fmt.Sprintf("to compare with several values write %s in [%s, %s]", in.text(&other.Parts[0]), in.text(&other.Parts[1]), in.text(part))
	} else if t.Text == "and" {
		hint = "write a comparison"
	}
	in.report(part, CodeConstantCondition, fmt.Sprintf("the operand %s of %s is a value and no condition: it is always %t", in.text(part), t.Text, v.shape.truth() == kindTrue), hint)
}

// contradicts reports x = a and x = b, which is never true, and x != a or x != b, which always is.
func (in *inferrer) contradicts(t *tree) {
	equality, always, other := "=", "never", "or"
	if t.Text == "or" {
		equality, always, other = "!=", "always", "and"
	}
	right := &t.Parts[1]
	if !isOperator(right, equality) || !isConstant(&right.Parts[1]) {
		return
	}
	for left := &t.Parts[0]; ; left = &left.Parts[0] {
		one := left
		if isOperator(left, t.Text) {
			one = &left.Parts[1]
		}
		if isOperator(one, equality) && isConstant(&one.Parts[1]) && in.text(&one.Parts[0]) == in.text(&right.Parts[0]) && one.Parts[1].Text != right.Parts[1].Text && one.Parts[1].Kind == right.Parts[1].Kind {
			in.report(t, CodeConstantCondition, fmt.Sprintf("%s %s %s is %s true", in.text(one), t.Text, in.text(right), always), fmt.Sprintf("write %s between them", other))
			return
		}
		if !isOperator(left, t.Text) {
			return
		}
	}
}

func isConstant(t *tree) bool { return t.Kind == jsonata.StringKind || t.Kind == jsonata.NumberKind }

// deadDefault reports a default behind an operator whose result always exists, as in "a" & x ?? "b", and one that takes what follows it
// with it, as in x ?? 0 + 1.
func (in *inferrer) deadDefault(t *tree) {
	left, right := &t.Parts[0], &t.Parts[1]
	switch {
	case isOperator(left, "&") && (t.Text == "??" || in.literalText(left)), isOperator(left, "=", "!=", "in", "and", "or") && t.Text == "??":
		in.report(t, CodeConstantCondition, fmt.Sprintf("the default %s is never used: %s binds weaker than %s, whose result always exists", in.text(right), t.Text, left.Text),
			fmt.Sprintf("put the value with its default into parentheses: … %s (%s %s %s)", left.Text, in.text(&left.Parts[1]), t.Text, in.text(right)))
	case t.Text == "??" && left.Kind == jsonata.CallKind && alwaysGives[left.Parts[0].Text]:
		in.report(t, CodeConstantCondition, fmt.Sprintf("the default %s is never used: $%s always has a value", in.text(right), left.Parts[0].Text), "test what it counts or converts: … ? … : …")
	case isOperator(right, "<", "<=", ">", ">=", "=", "!=", "in") && isConstant(&right.Parts[0]) && isConstant(&right.Parts[1]):
		in.report(right, CodeConstantCondition, fmt.Sprintf("the default is the comparison %s: %s binds weaker than %s", in.text(right), t.Text, right.Text),
			fmt.Sprintf("put the value with its default into parentheses: (%s %s %s) %s %s", in.text(left), t.Text, in.text(&right.Parts[0]), right.Text, in.text(&right.Parts[1])))
	case isOperator(right, "+", "-", "*", "/", "%", "&"):
		first := right
		for isOperator(first, "+", "-", "*", "/", "%", "&") {
			first = &first.Parts[0]
		}
		if !isNeutral(first) {
			return
		}
		in.report(right, CodeConstantCondition, fmt.Sprintf("the default is all of %s: %s binds weaker than %s", in.text(right), t.Text, right.Text),
			fmt.Sprintf("put the value with its default into parentheses: (%s %s %s) %s …", in.text(left), t.Text, in.text(first), right.Text))
	}
}

// alwaysGives are the functions that have a value for every argument, also for a missing one.
var alwaysGives = map[string]bool{"count": true, "exists": true, "executionCount": true, "nodeExecutions": true, "now": true, "millis": true, "random": true}

// isNeutral reports whether a default is one that is mostly calculated or joined with.
func isNeutral(t *tree) bool {
	return t.Kind == jsonata.StringKind && t.Text == "" || t.Kind == jsonata.NumberKind && (t.Text == "0" || t.Text == "1")
}

// joinedEquality reports a comparison of a joined text with a text that it can never be: = binds weaker than &.
func (in *inferrer) joinedEquality(t *tree) bool {
	joined, text := &t.Parts[0], &t.Parts[1]
	if !isOperator(joined, "&") || text.Kind != jsonata.StringKind {
		return false
	}
	first, last := joined, &joined.Parts[1]
	for isOperator(first, "&") {
		first = &first.Parts[0]
	}
	if (first.Kind != jsonata.StringKind || strings.HasPrefix(text.Text, first.Text)) && (last.Kind != jsonata.StringKind || strings.HasSuffix(text.Text, last.Text)) {
		return false
	}
	in.report(t, CodeConstantComparison, fmt.Sprintf("the whole text %s is compared with %s, and it never is that: %s binds weaker than &", in.text(joined), in.text(text), t.Text),
		fmt.Sprintf("put the comparison into parentheses: … & (%s %s %s)", in.text(last), t.Text, in.text(text)))
	return true
}

// orOfValues returns an or whose operands are read and are texts or numbers, as far as is known of at least one of them; nil for any other or.
func (in *inferrer) orOfValues(t *tree, left, right fact) *tree {
	known := false
	for i, v := range []fact{left, right} {
		if of := v.shape.without(kindNothing); v.values == nil {
			if !isPicked(&t.Parts[i]) || !v.shape.IsAny() && (of.isNone() || of.can(kindAll&^(kindString|kindNumber|kindNull))) {
				return nil
			}
			known = known || !v.shape.IsAny()
		}
	}
	if !known && left.values == nil {
		return nil
	}
	return t
}

// joinsOr reports an or of values where a text is joined with it.
func (in *inferrer) joinsOr(v fact) {
	if t := v.values; t != nil {
		in.report(t, CodeWrongOperand, in.text(t)+" is true or false, and none of the values", "for the first value that exists write ?? between them")
	}
}

// isPicked reports whether a part reads a value by names, indexes and filters.
func isPicked(t *tree) bool {
	return isRead(t) || t.Kind == "predicate" && isPicked(&t.Parts[0]) || t.Kind == "path" && !slices.ContainsFunc(t.Parts, func(step tree) bool { return !isPicked(&step) })
}
