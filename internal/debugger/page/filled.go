package page

import (
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/view"
)

const (
	filledShown  = 120 // bytes of a condition with its values
	operandShown = 40  // bytes of one of its values
)

// filledRule returns a short condition as it was compared: 3 < 5 for {"<": [{"var": "a"}, 5]}; empty
// for a condition that is long, or of a kind that it does not write.
func filledRule(rule *config.Data, reads []view.Read) string {
	var b strings.Builder
	if !fill(&b, rule, reads, false) || b.Len() > filledShown {
		return ""
	}
	return b.String()
}

// fill writes a part of a rule, and reports whether it could.
func fill(b *strings.Builder, rule *config.Data, reads []view.Read, inside bool) bool {
	if rule.Kind != config.KindObject {
		if rule.Kind != config.KindScalar {
			return false
		}
		b.WriteString(preview(scalarOf(rule), operandShown))
		return true
	}
	if len(rule.Keys) != 1 {
		return false
	}
	op, operands := rule.Keys[0].Value, []*config.Data{rule.Items[0]}
	if rule.Items[0].Kind == config.KindArray {
		operands = rule.Items[0].Items
	}
	switch {
	case op == "var" && len(operands) == 1:
		text, _ := operands[0].Scalar.(string)
		for _, r := range reads {
			if r.Path == text && !r.Each {
				b.WriteString(preview(r.Value, operandShown))
				return true
			}
		}
		return false
	case (op == "!" || op == "!!") && len(operands) == 1:
		b.WriteString(op + " ")
		return fill(b, operands[0], reads, true)
	}
	switch op {
	case "==", "===", "!=", "!==", "<", "<=", ">", ">=", "and", "or", "in", "+", "-", "*", "/", "%":
	default:
		return false
	}
	if len(operands) < 2 {
		return false
	}
	if inside {
		b.WriteByte('(')
	}
	for i, operand := range operands {
		if i > 0 {
			b.WriteString(" " + op + " ")
		}
		if !fill(b, operand, reads, true) {
			return false
		}
	}
	if inside {
		b.WriteByte(')')
	}
	return true
}

func scalarOf(rule *config.Data) value.Value {
	if rule.Scalar == nil {
		return value.Null
	}
	return value.FromPlain(rule.Scalar)
}
