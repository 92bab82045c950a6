package graph

import (
	"fmt"
	"strings"
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
