package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// shapes are the outlines of each node type in drawings.
var shapes = map[config.NodeType]struct{ opening, closing, dot string }{
	config.EntryNode:     {"([", "])", "oval"},
	config.MCPNode:       {"[[", "]]", "component"},
	config.GraphNode:     {"[[", "]]", "component"},
	config.ParallelNode:  {"[", "]", "box"},
	config.AskNode:       {"{{", "}}", "hexagon"},
	config.TransformNode: {"[", "]", "box"},
	config.SwitchNode:    {"{", "}", "diamond"},
	config.ExitNode:      {"([", "])", "oval"},
}

// Mermaid returns the graph as a Mermaid flowchart. Nodes are numbered in file order, since an
// id may be any text and "end" alone would end the drawing. A parallel node is a box with its
// branches in it, and so are steps.
func Mermaid(g *Graph) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	number := make(map[string]int, len(g.Nodes))
	for i, node := range g.Nodes {
		number[node.ID()] = i
		mermaidNode(&b, g, node, fmt.Sprintf("n%d", i))
	}
	for _, e := range g.Edges() {
		arrow := "-->"
		if e.Kind == DefaultEdge || e.Kind == ErrorEdge {
			arrow = "-.->"
		}
		if e.Label != "" {
			arrow += "|\"" + mermaidText(e.Label) + "\"|"
		}
		fmt.Fprintf(&b, "    n%d %s n%d\n", number[e.From], arrow, number[e.To])
	}
	return b.String()
}

func mermaidNode(b *strings.Builder, g *Graph, node Node, name string) {
	if steps, isSteps := node.(*Steps); isSteps {
		mermaidSteps(b, g, steps, "steps", name, "    ")
		return
	}
	parallel, isParallel := node.(*Parallel)
	if !isParallel {
		shape := shapes[node.Type()]
		fmt.Fprintf(b, "    %s%s\"%s\"%s\n", name, shape.opening, nodeLabel(g, node.ID(), node, "<br/>", mermaidText), shape.closing)
		return
	}
	fmt.Fprintf(b, "    subgraph %s[\"%s\"]\n", name, mermaidText(node.ID()))
	for i, branch := range parallel.Branches {
		shape := shapes[branch.Node.Type()]
		fmt.Fprintf(b, "        %sb%d%s\"%s\"%s\n", name, i, shape.opening, nodeLabel(g, branch.Name, branch.Node, "<br/>", mermaidText), shape.closing)
	}
	b.WriteString("    end\n")
}

// nodeLabel returns a node's name, and below it what the node calls, asks or computes.
func nodeLabel(g *Graph, name string, node Node, lineBreak string, escape func(string) string) string {
	label := escape(name)
	switch n := node.(type) {
	case *MCP:
		label += lineBreak + escape(n.Server+"."+n.Tool)
	case *SubGraph:
		label += lineBreak + escape(n.Tool)
	case *Ask:
		label += lineBreak + escape(shorten(messageText(n)))
	case *Transform:
		label += lineBreak + escape(shorten(n.Expr.Text.Value))
	case *Entry, *Parallel, *Switch, *Steps, *Exit:
	}
	if c := CallingOf(node); c != nil && c.ForEach != nil {
		label += " × each"
	}
	if g.confirms(node) {
		label += " 🔒"
	}
	return label
}

// mermaidText writes everything but letters, digits, spaces and harmless marks as
// character codes, which Mermaid shows as the characters themselves.
func mermaidText(s string) string {
	var b strings.Builder
	formula := strings.Contains(s, "$$") // $$ begins one
	for _, r := range wording.OneLine(s) {
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

// DOT returns the graph in Graphviz's language. Nodes are numbered in file order. A parallel node
// is a cluster with its branches in it; an edge of it ends at the border of the cluster.
func DOT(g *Graph) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph \"%s\" {\n", dotText(g.Tool.Name.Value))
	b.WriteString("    rankdir=TB;\n    node [fontname=\"Helvetica\"];\n    edge [fontname=\"Helvetica\"];\n")
	if slices.ContainsFunc(g.Nodes, isBox) {
		b.WriteString("    compound=true;\n")
	}
	number := make(map[string]int, len(g.Nodes))
	for i, node := range g.Nodes {
		number[node.ID()] = i
		dotNode(&b, g, node, fmt.Sprintf("n%d", i))
	}
	for _, e := range g.Edges() {
		var attributes []string
		end := func(id, attribute string) string {
			name := fmt.Sprintf("n%d", number[id])
			node := g.Node(id)
			if steps, isSteps := node.(*Steps); isSteps {
				inner, border := dotEnd(steps, name, attribute)
				attributes = append(attributes, border)
				return inner
			}
			if !isParallel(node) {
				return name
			}
			attributes = append(attributes, attribute+"=cluster_"+name)
			return name + "b0"
		}
		from, to := end(e.From, "ltail"), end(e.To, "lhead")
		if e.Label != "" {
			attributes = append(attributes, fmt.Sprintf("label=\"%s\"", dotText(e.Label)))
		}
		if e.Kind == DefaultEdge || e.Kind == ErrorEdge {
			attributes = append(attributes, "style=dashed")
		}
		fmt.Fprintf(&b, "    %s -> %s", from, to)
		if len(attributes) > 0 {
			b.WriteString(" [" + strings.Join(attributes, ", ") + "]")
		}
		b.WriteString(";\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func isParallel(n Node) bool { return n.Type() == config.ParallelNode }

// isBox reports whether a node is drawn as a box with others in it.
func isBox(n Node) bool { return isParallel(n) || n.Type() == config.StepsNode }

func dotNode(b *strings.Builder, g *Graph, node Node, name string) {
	if steps, isSteps := node.(*Steps); isSteps {
		dotSteps(b, g, steps, "steps", name, "    ")
		return
	}
	parallel, isParallel := node.(*Parallel)
	if !isParallel {
		fmt.Fprintf(b, "    %s [shape=%s, label=\"%s\"];\n", name, shapes[node.Type()].dot, nodeLabel(g, node.ID(), node, `\n`, dotText))
		return
	}
	fmt.Fprintf(b, "    subgraph cluster_%s {\n        label=\"%s\"; fontname=\"Helvetica\";\n", name, dotText(node.ID()))
	for i, branch := range parallel.Branches {
		fmt.Fprintf(b, "        %sb%d [shape=%s, label=\"%s\"];\n",
			name, i, shapes[branch.Node.Type()].dot, nodeLabel(g, branch.Name, branch.Node, `\n`, dotText))
	}
	b.WriteString("    }\n")
}

var dotEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;")

// dotText escapes a label, in which backslashes begin escapes and ampersands entities.
func dotText(s string) string { return dotEscaper.Replace(wording.OneLine(s)) }

// Drawing is a graph as JSON, in file order; see JSON.
type Drawing struct {
	Tool  string      `json:"tool"`
	Hash  string      `json:"hash"`
	Nodes []DrawnNode `json:"nodes"`
	Edges []Edge      `json:"edges"`
}

// DrawnNode is a node of a Drawing, or a branch of one.
type DrawnNode struct {
	ID       string          `json:"id"` // of a branch: its name
	Type     config.NodeType `json:"type"`
	Server   string          `json:"server,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Each     bool            `json:"each,omitempty"`     // a call for each item of a list
	Confirm  bool            `json:"confirm,omitempty"`  // the user must agree before the call
	Branches []DrawnNode     `json:"branches,omitempty"` // of a parallel node, in file order
	Steps    []DrawnNode     `json:"steps,omitempty"`    // of a block of steps, in file order
	Reads    []string        `json:"reads,omitempty"`    // of a step: the steps of its block that it reads
	After    []string        `json:"after,omitempty"`    // of a step: those after which it starts besides
	Waits    []string        `json:"waits,omitempty"`    // of a step of Ordered: those for which it waits besides, because one of them changes something
	Returns  []string        `json:"returns,omitempty"`  // of a block: its steps that return reads; without return its last step
	If       string          `json:"if,omitempty"`       // of a step
	Repeat   bool            `json:"repeat,omitempty"`   // of a step: it runs until a condition holds
	OnError  string          `json:"onError,omitempty"`  // of a step: skip or value
	Expr     string          `json:"expr,omitempty"`
	Message  string          `json:"message,omitempty"` // of an ask: its text, or its expression
	Rules    int             `json:"rules,omitempty"`   // conditions of a switch; the debugger's page sets it
	Line     int             `json:"line"`
	Column   int             `json:"column"`
}

// Draw returns the graph's drawing. The slices belong to the caller.
func Draw(g *Graph) Drawing {
	d := Drawing{Tool: g.Tool.Name.Value, Hash: g.Hash, Nodes: []DrawnNode{}, Edges: g.Edges()}
	for _, node := range g.Nodes {
		d.Nodes = append(d.Nodes, g.drawNode(node.ID(), node))
	}
	return d
}

func (g *Graph) drawNode(id string, node Node) DrawnNode {
	drawn := DrawnNode{ID: id, Type: node.Type(), Confirm: g.confirms(node), Line: node.Pos().Line, Column: node.Pos().Column}
	if c := CallingOf(node); c != nil {
		drawn.Each = c.ForEach != nil
	}
	switch n := node.(type) {
	case *MCP:
		drawn.Server, drawn.Tool = n.Server, n.Tool
	case *SubGraph:
		drawn.Tool = n.Tool
	case *Parallel:
		for _, branch := range n.Branches {
			drawn.Branches = append(drawn.Branches, g.drawNode(branch.Name, branch.Node))
		}
	case *Ask:
		drawn.Message = messageText(n)
	case *Transform:
		drawn.Expr = expressionText(n.Expr.Text)
	case *Steps:
		g.drawSteps(&drawn, n)
	case *Entry, *Switch, *Exit:
	}
	return drawn
}

// JSON returns the graph's drawing as indented JSON: {tool, hash, nodes: [{id, type,
// server?, tool?, each?, confirm?, branches?, steps?, expr?, message?, line, column}], edges: [{from, to, label?, kind}]}.
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

// ruleLabel returns a rule as a short text: in infix notation, as "entry.value > 10", if it
// has one, else as JSON; truncated.
func ruleLabel(rule *config.Data) string {
	if s, ok := infix(rule, 0); ok {
		return shorten(s)
	}
	return shorten(string(rule.JSON()))
}

// infix returns a rule with its operators between their operands. It is not ok for a rule that
// has other operators than comparisons, arithmetic, and, or and not.
func infix(rule *config.Data, depth int) (string, bool) {
	const deepest = 4 // a longer text would be truncated anyway
	if depth > deepest {
		return "", false
	}
	if rule.Kind == config.KindScalar {
		return string(rule.JSON()), true
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

// variable returns the path of a var, without the optional root.
func variable(operand *config.Data) (string, bool) {
	path, ok := single(operand).Scalar.(string)
	if !ok || path == "" {
		return "", false
	}
	return strings.TrimPrefix(path, "$."), true
}

// single returns the one operand of an operator, which may be in a list or not.
func single(operand *config.Data) *config.Data {
	if operand.Kind == config.KindArray && len(operand.Items) == 1 {
		return operand.Items[0]
	}
	return operand
}

// shorten returns a text on one line of at most maxLabel code points.
func shorten(s string) string {
	runes := []rune(strings.Join(strings.Fields(s), " "))
	if len(runes) <= maxLabel {
		return string(runes)
	}
	return string(runes[:maxLabel-1]) + "…"
}
