package graph

import (
	"fmt"
	"strings"
)

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
