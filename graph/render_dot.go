package graph

import (
	"fmt"
	"strings"
)

// DOT is the graph in Graphviz's language.
func DOT(g *Graph) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n", dotName(g.Tool.Name.Value))
	b.WriteString("    rankdir=TB;\n    node [fontname=\"Helvetica\"];\n    edge [fontname=\"Helvetica\"];\n")
	for _, node := range g.Nodes {
		label := dotText(node.ID())
		if d := detail(node); d != "" {
			label += `\n` + dotText(d)
		}
		fmt.Fprintf(&b, "    %s [shape=%s, label=\"%s\"];\n", dotName(node.ID()), dotShape(node), label)
	}
	for _, e := range g.Edges() {
		fmt.Fprintf(&b, "    %s -> %s%s;\n", dotName(e.From), dotName(e.To), dotEdge(e))
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

// dotName is a quoted name, in which only the quote is special. A backslash is
// doubled all the same, since one before the closing quote would hide it.
func dotName(s string) string {
	return `"` + dotEscaper.Replace(printable(s)) + `"`
}

// dotText is a label's text, in which backslashes begin escapes and ampersands
// begin entities.
func dotText(s string) string {
	return strings.ReplaceAll(dotEscaper.Replace(printable(s)), "&", "&amp;")
}

var dotEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
