package graph

import (
	"fmt"
	"slices"
	"strings"
)

// mermaidSteps writes steps as a box with the steps in it, and an arrow for each read.
func mermaidSteps(b *strings.Builder, g *Graph, n *Steps, label, name, indent string) {
	fmt.Fprintf(b, "%ssubgraph %s[\"%s\"]\n", indent, name, label)
	for i, s := range n.Block {
		own := fmt.Sprintf("%ss%d", name, i)
		if inner, isBlock := s.Node.(*Steps); isBlock {
			mermaidSteps(b, g, inner, stepLabel(g, s, "<br/>", mermaidText), own, indent+"    ")
			continue
		}
		shape := shapes[s.Node.Type()]
		fmt.Fprintf(b, "%s    %s%s\"%s\"%s\n", indent, own, shape.opening, stepLabel(g, s, "<br/>", mermaidText), shape.closing)
	}
	for i, s := range n.Block {
		for _, from := range s.Needs {
			fmt.Fprintf(b, "%s    %ss%d --> %ss%d\n", indent, name, from, name, i)
		}
	}
	fmt.Fprintf(b, "%send\n", indent)
}

// stepLabel returns a step's id, and below it what it does.
func stepLabel(g *Graph, s *Step, lineBreak string, escape func(string) string) string {
	label := nodeLabel(g, s.ID, s.Node, lineBreak, escape)
	if s.Each != nil {
		label += " × each"
	}
	if s.Repeat != nil {
		label += " ↻"
	}
	if s.If != nil {
		label += lineBreak + escape("if "+shorten(expressionText(s.If.Text)))
	}
	return label
}

// dotSteps writes steps as a cluster with the steps in it, and an arrow for each read; an arrow of a block ends at
// the border of its cluster.
func dotSteps(b *strings.Builder, g *Graph, n *Steps, label, name, indent string) {
	fmt.Fprintf(b, "%ssubgraph cluster_%s {\n%s    label=\"%s\"; fontname=\"Helvetica\";\n", indent, name, indent, label)
	for i, s := range n.Block {
		own := fmt.Sprintf("%ss%d", name, i)
		if inner, isBlock := s.Node.(*Steps); isBlock {
			dotSteps(b, g, inner, stepLabel(g, s, `\n`, dotText), own, indent+"    ")
			continue
		}
		fmt.Fprintf(b, "%s    %s [shape=%s, label=\"%s\"];\n", indent, own, shapes[s.Node.Type()].dot, stepLabel(g, s, `\n`, dotText))
	}
	for i, s := range n.Block {
		for _, from := range s.Needs {
			tail, of := dotEnd(n.Block[from].Node, fmt.Sprintf("%ss%d", name, from), "ltail")
			head, to := dotEnd(s.Node, fmt.Sprintf("%ss%d", name, i), "lhead")
			attributes := ""
			if of+to != "" {
				attributes = " [" + strings.Trim(of+", "+to, ", ") + "]"
			}
			fmt.Fprintf(b, "%s    %s -> %s%s;\n", indent, tail, head, attributes)
		}
	}
	fmt.Fprintf(b, "%s}\n", indent)
}

// dotEnd returns the node at which an arrow to a step ends, and for a block the attribute by which it ends at the
// border of the cluster.
func dotEnd(n Node, name, attribute string) (node, border string) {
	inner, isBlock := n.(*Steps)
	if !isBlock || len(inner.Block) == 0 {
		return name, ""
	}
	node, _ = dotEnd(inner.Block[0].Node, name+"s0", attribute)
	return node, attribute + "=cluster_" + name
}

// drawSteps adds the steps of a tool or a block to its drawing.
func (g *Graph) drawSteps(drawn *DrawnNode, n *Steps) {
	ids := func(of []int) (all []string) {
		for _, i := range of {
			all = append(all, n.Block[i].ID)
		}
		return all
	}
	for _, s := range n.Block {
		step := g.drawNode(s.ID, s.Node)
		step.Each, step.Repeat, step.After = s.Each != nil, s.Repeat != nil, ids(s.After)
		step.Reads = ids(slices.DeleteFunc(slices.Clone(s.Needs), func(i int) bool { return !s.Reads(i) }))
		if s.If != nil {
			step.If = expressionText(s.If.Text)
		}
		switch {
		case s.OnError == nil:
		case s.OnError.Skip:
			step.OnError = "skip"
		default:
			step.OnError = "value"
		}
		drawn.Steps = append(drawn.Steps, step)
	}
	if drawn.Returns = ids(n.Returns); n.Return == nil && len(n.Block) > 0 {
		drawn.Returns = ids([]int{len(n.Block) - 1})
	}
}
