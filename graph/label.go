package graph

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"toolgraph/config"
)

// maxLabel is the length of a label, in code points.
const maxLabel = 40

// ruleLabel is a rule as a short text: "entry.value > 10" where that can be said,
// else its JSON, cut.
func ruleLabel(rule *config.Data) string {
	if s, ok := infix(rule, 0); ok {
		return shorten(s)
	}
	return shorten(compact(rule))
}

// infix writes comparisons, sums, and, or and not as people do.
func infix(rule *config.Data, depth int) (string, bool) {
	const deepest = 4 // a longer text would be cut anyway
	if depth > deepest {
		return "", false
	}
	if rule.Kind == config.KindScalar {
		return compact(rule), true
	}
	if rule.Kind != config.KindObject || len(rule.Keys) != 1 {
		return "", false
	}
	op, operand := rule.Keys[0].Value, rule.Items[0]
	switch op {
	case "var":
		return variable(operand)
	case "!", "!!":
		s, ok := infix(single(operand), depth+1)
		return op + s, ok
	case ">", ">=", "<", "<=", "==", "!=", "===", "!==", "+", "-", "*", "/", "%", "in":
		return joined(operand, op, depth, operand.Kind == config.KindArray && len(operand.Items) == 2)
	case "and", "or":
		return joined(operand, op, depth, operand.Kind == config.KindArray && len(operand.Items) > 1)
	}
	return "", false
}

func joined(operands *config.Data, op string, depth int, fits bool) (string, bool) {
	if !fits {
		return "", false
	}
	parts := make([]string, len(operands.Items))
	for i, item := range operands.Items {
		s, ok := infix(item, depth+1)
		if !ok {
			return "", false
		}
		if strings.Contains(s, " ") && item.Kind == config.KindObject {
			s = "(" + s + ")"
		}
		parts[i] = s
	}
	return strings.Join(parts, " "+op+" "), true
}

// variable is the path of a var without the root that may be left out.
func variable(operand *config.Data) (string, bool) {
	path, ok := single(operand).Scalar.(string)
	if !ok || path == "" {
		return "", false
	}
	return strings.TrimPrefix(path, "$."), true
}

// single is the one operand of an operator, which may stand in a list or not.
func single(operand *config.Data) *config.Data {
	if operand.Kind == config.KindArray && len(operand.Items) == 1 {
		return operand.Items[0]
	}
	return operand
}

// compact is the data as JSON on one line, in file order.
func compact(data *config.Data) string {
	var b strings.Builder
	writeCompact(&b, data)
	return b.String()
}

func writeCompact(b *strings.Builder, data *config.Data) {
	if b.Len() > 8*maxLabel { // the rest would be cut
		return
	}
	switch data.Kind {
	case config.KindObject:
		b.WriteByte('{')
		for i, key := range data.Keys {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoteJSON(key.Value) + ":")
			writeCompact(b, data.Items[i])
		}
		b.WriteByte('}')
	case config.KindArray:
		b.WriteByte('[')
		for i, item := range data.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			writeCompact(b, item)
		}
		b.WriteByte(']')
	case config.KindExpression:
		b.WriteString(`{"expr":` + quoteJSON(data.Expr.Value) + "}")
	case config.KindScalar:
		b.WriteString(scalarText(data.Scalar))
	}
}

func scalarText(scalar any) string {
	switch s := scalar.(type) {
	case nil:
		return "null"
	case string:
		return quoteJSON(s)
	case float64:
		if math.Abs(s) < 1e15 { // as people write it
			return strconv.FormatFloat(s, 'f', -1, 64)
		}
		return strconv.FormatFloat(s, 'g', -1, 64)
	}
	return fmt.Sprint(scalar)
}

func quoteJSON(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return strconv.Quote(s)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// shorten puts a text on one line of at most maxLabel code points.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	runes := []rune(s)
	if len(runes) <= maxLabel {
		return s
	}
	return string(runes[:maxLabel-1]) + "…"
}

// detail is what a drawing tells of a node besides its id.
func detail(node Node) string {
	switch n := node.(type) {
	case *MCP:
		return n.Server + "." + n.Tool
	case *Transform:
		return shorten(n.Expr.Text.Value)
	case *Entry, *Switch, *Exit:
	}
	return ""
}

// printable is s on one line, without characters that a drawing cannot show.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return '\uFFFD'
		}
		return r
	}, s)
}
