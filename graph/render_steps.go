package graph

import (
	"fmt"
	"slices"
	"strings"
)

// Ordered returns the graph for drawings that show the order of its steps, too: needs returns for each step of a block those that
// end before it starts. Arrows that follow from others are left out.
func (g *Graph) Ordered(needs func(*Steps) [][]int) *Graph {
	ordered := *g
	ordered.needs = needs
	return &ordered
}

// waits returns for each step of a block those that it waits for although it does not read them, as far as that does not
// follow from the others; nil for each where the order is not drawn.
func (g *Graph) waits(n *Steps) [][]int {
	waits := make([][]int, len(n.Block))
	if g.needs == nil {
		return waits
	}
	before := make([][]bool, len(n.Block)) // of each step, those that have ended when it starts
	for i, needs := range g.needs(n) {
		before[i] = make([]bool, len(n.Block))
		note := func(j int) {
			before[i][j] = true
			for k, ended := range before[j] {
				before[i][k] = before[i][k] || ended
			}
		}
		for _, j := range n.Block[i].Needs {
			note(j)
		}
		for _, j := range slices.Backward(needs) {
			if !before[i][j] {
				waits[i] = append(waits[i], j)
				note(j)
			}
		}
		slices.Sort(waits[i])
	}
	return waits
}

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
	waits := g.waits(n)
	for i, s := range n.Block {
		for _, from := range s.Needs {
			fmt.Fprintf(b, "%s    %ss%d --> %ss%d\n", indent, name, from, name, i)
		}
		for _, from := range waits[i] {
			fmt.Fprintf(b, "%s    %ss%d -.-> %ss%d\n", indent, name, from, name, i)
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
	waits := g.waits(n)
	for i, s := range n.Block {
		for at, from := range slices.Concat(s.Needs, waits[i]) {
			tail, of := dotEnd(n.Block[from].Node, fmt.Sprintf("%ss%d", name, from), "ltail")
			head, to := dotEnd(s.Node, fmt.Sprintf("%ss%d", name, i), "lhead")
			dashed := ""
			if at >= len(s.Needs) {
				dashed = "style=dashed"
			}
			attributes := strings.Join(slices.DeleteFunc([]string{of, to, dashed}, func(a string) bool { return a == "" }), ", ")
			if attributes != "" {
				attributes = " [" + attributes + "]"
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
	waits := g.waits(n)
	for i, s := range n.Block {
		step := g.drawNode(s.ID, s.Node)
		step.Waits = ids(waits[i])
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
