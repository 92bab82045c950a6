package shape

import (
	"fmt"
	"slices"
)

// isRead reports whether a part is a variable or a path of names, whose value is the same wherever it is read over the same focus.
func isRead(t *tree) bool {
	switch t.Kind {
	case "name", "variable", "context":
		return true
	case "path":
		return !slices.ContainsFunc(t.Parts, func(step tree) bool { return step.Kind != "name" && step.Kind != "variable" && step.Kind != "context" })
	}
	return false
}

// comparesItself reports a comparison whose sides read the same value.
func (in *inferrer) comparesItself(t *tree) bool {
	left, right := &t.Parts[0], &t.Parts[1]
	if !isRead(left) || !isRead(right) || in.source[left.Offset:left.End] != in.source[right.Offset:right.End] {
		return false
	}
	result, known := map[string]bool{"=": true, "<=": true, ">=": true, "!=": false, "<": false, ">": false}[t.Text]
	if !known {
		return false
	}
	last := left
	if left.Kind == "path" {
		last = &left.Parts[len(left.Parts)-1]
	}
	hint := "compare it with another value"
	switch {
	case last.Kind == "name" && in.isBound(last.Text):
		hint = fmt.Sprintf("did you mean the variable: %s %s $%s?", in.text(left), t.Text, last.Text)
	case t.Text != "=" && t.Text != "!=":
		return false // compares says more of the function of a $sort
	}
	in.report(t, CodeConstantComparison, fmt.Sprintf("%s is compared with itself, which is always %t where it has a value", in.text(left), result), hint)
	return true
}

// isBound reports whether a variable of this name has a value here.
func (in *inferrer) isBound(name string) bool {
	if _, bound := in.scope.find(name); bound {
		return true
	}
	_, bound := in.env.Variables[name]
	return bound
}

// schemaKeys are keys with $ of JSON Schema, which expressions read and write as they are.
var schemaKeys = []string{"ref", "id", "schema", "defs", "comment", "anchor", "dynamicRef", "dynamicAnchor", "vocabulary"}

// keyOfVariable reports a key that is the name of a variable in quotes.
func (in *inferrer) keyOfVariable(key, value *tree) {
	if key.Kind != "string" || len(key.Text) < 2 || key.Text[0] != '$' {
		return
	}
	name := key.Text[1:]
	if !in.isBound(name) || slices.Contains(schemaKeys, name) || value.Kind == "variable" && value.Text == name {
		return
	}
	in.report(key, CodeTemplate, fmt.Sprintf("the key %s is a text and not the value of $%s", in.text(key), name), fmt.Sprintf("leave the quotes out: {$%s: …}", name))
}

// joinsRead reports an operand of "and" and "or" that reads a value which is always there and is no condition, beside a comparison: "and" and
// "or" bind weaker than the comparison. A text before "and" may be tested for being empty, so that it is reported only where it never is.
func (in *inferrer) joinsRead(t *tree, i int, v fact) {
	part, other := &t.Parts[i], &t.Parts[1-i]
	if v.written || !isRead(part) || !isOperator(other, "=", "!=", "<", "<=", ">", ">=", "in") {
		return
	}
	if v.shape.IsAny() || v.shape.isNone() || v.shape.can(kindAll&^(kindString|kindNumber|kindArray)) {
		return
	}
	if t.Text == "and" && v.shape.truth() != kindTrue {
		return
	}
	read, compared := in.text(part), in.text(&other.Parts[1])
	hint := fmt.Sprintf("compare both: %s %s %s %s %s", read, other.Text, compared, t.Text, in.text(other))
	if i == 1 {
		hint = fmt.Sprintf("compare both: %s %s %s %s %s", in.text(other), t.Text, in.text(&other.Parts[0]), other.Text, read)
	}
	in.report(part, CodeConstantCondition, fmt.Sprintf("the operand %s of %s is %s and no condition: %s binds stronger than %s", read, t.Text, v.shape.General(), other.Text, t.Text), hint)
}
