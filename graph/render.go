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

// Mermaid is the graph as a Mermaid flowchart. Nodes are numbered in file order,
// since an id may be any text and "end" alone would end the drawing.
func Mermaid(g *Graph) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	number := make(map[string]int, len(g.Nodes))
	for i, node := range g.Nodes {
		number[node.ID()] = i
		opening, closing := mermaidShape(node)
		fmt.Fprintf(&b, "    n%d%s\"%s\"%s\n", i, opening, mermaidLabel(node), closing)
	}
	for _, e := range g.Edges() {
		arrow := "-->"
		if e.Kind == DefaultEdge {
			arrow = "-.->"
		}
		if e.Label != "" {
			arrow += "|\"" + mermaidText(e.Label) + "\"|"
		}
		fmt.Fprintf(&b, "    n%d %s n%d\n", number[e.From], arrow, number[e.To])
	}
	return b.String()
}

func mermaidShape(node Node) (opening, closing string) {
	switch node.(type) {
	case *Entry, *Exit:
		return "([", "])"
	case *MCP:
		return "[[", "]]"
	case *Switch:
		return "{", "}"
	case *Transform:
	}
	return "[", "]"
}

func mermaidLabel(node Node) string {
	label := mermaidText(node.ID())
	if d := detail(node); d != "" {
		label += "<br/>" + mermaidText(d)
	}
	return label
}

// mermaidText writes everything but letters, digits, spaces and harmless marks as
// character codes, which Mermaid shows as the characters themselves.
func mermaidText(s string) string {
	var b strings.Builder
	formula := strings.Contains(s, "$$") // would begin one
	for _, r := range printable(s) {
		switch {
		case r == '$' && formula:
			b.WriteString("#36;")
		case r > '~', r == ' ', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("_-.,:/=+*$!?@()[]{}%'", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// DOT is the graph in Graphviz's language. Nodes are numbered in file order.
func DOT(g *Graph) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph \"%s\" {\n", dotText(g.Tool.Name.Value))
	b.WriteString("    rankdir=TB;\n    node [fontname=\"Helvetica\"];\n    edge [fontname=\"Helvetica\"];\n")
	number := make(map[string]int, len(g.Nodes))
	for i, node := range g.Nodes {
		number[node.ID()] = i
		label := dotText(node.ID())
		if d := detail(node); d != "" {
			label += `\n` + dotText(d)
		}
		fmt.Fprintf(&b, "    n%d [shape=%s, label=\"%s\"];\n", i, dotShape(node), label)
	}
	for _, e := range g.Edges() {
		fmt.Fprintf(&b, "    n%d -> n%d%s;\n", number[e.From], number[e.To], dotEdge(e))
	}
	b.WriteString("}\n")
	return b.String()
}

func dotShape(node Node) string {
	switch node.(type) {
	case *Entry, *Exit:
		return "oval"
	case *MCP:
		return "component"
	case *Switch:
		return "diamond"
	case *Transform:
	}
	return "box"
}

func dotEdge(e Edge) string {
	switch {
	case e.Kind == DefaultEdge:
		return fmt.Sprintf(" [label=\"%s\", style=dashed]", dotText(e.Label))
	case e.Label != "":
		return fmt.Sprintf(" [label=\"%s\"]", dotText(e.Label))
	}
	return ""
}

// dotText is a label's text, in which backslashes begin escapes and ampersands
// begin entities.
func dotText(s string) string {
	return strings.ReplaceAll(dotEscaper.Replace(printable(s)), "&", "&amp;")
}

var dotEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// Drawing is a graph as JSON, in file order; see JSON.
type Drawing struct {
	Tool  string      `json:"tool"`
	Hash  string      `json:"hash"`
	Nodes []DrawnNode `json:"nodes"`
	Edges []DrawnEdge `json:"edges"`
}

// DrawnNode is a node of a Drawing.
type DrawnNode struct {
	ID     string          `json:"id"`
	Type   config.NodeType `json:"type"`
	Server string          `json:"server,omitempty"`
	Tool   string          `json:"tool,omitempty"`
	Expr   string          `json:"expr,omitempty"`
	Rules  int             `json:"rules,omitempty"` // conditions of a switch; the debugger's page sets it
	Line   int             `json:"line"`
	Column int             `json:"column"`
}

// DrawnEdge is an edge of a Drawing.
type DrawnEdge struct {
	From  string   `json:"from"`
	To    string   `json:"to"`
	Label string   `json:"label,omitempty"`
	Kind  EdgeKind `json:"kind"`
}

// Draw returns the graph's drawing. The slices belong to the caller.
func Draw(g *Graph) Drawing {
	d := Drawing{Tool: g.Tool.Name.Value, Hash: g.Hash, Nodes: []DrawnNode{}, Edges: []DrawnEdge{}}
	for _, node := range g.Nodes {
		n := DrawnNode{ID: node.ID(), Type: node.Type(), Line: node.Pos().Line, Column: node.Pos().Column}
		switch node := node.(type) {
		case *MCP:
			n.Server, n.Tool = node.Server, node.Tool
		case *Transform:
			n.Expr = expressionText(node.Expr.Text)
		case *Entry, *Switch, *Exit:
		}
		d.Nodes = append(d.Nodes, n)
	}
	for _, e := range g.Edges() {
		d.Edges = append(d.Edges, DrawnEdge(e))
	}
	return d
}

// JSON returns the graph's drawing as indented JSON: {tool, hash, nodes: [{id, type,
// server?, tool?, expr?, line, column}], edges: [{from, to, label?, kind}]}.
func JSON(g *Graph) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(Draw(g)) // strings and numbers always encode, and a Builder always takes them
	return b.String()
}

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
