package graph

import "slices"

// EdgeKind tells why a run takes an edge.
type EdgeKind string

// The kinds of edges.
const (
	NextEdge      EdgeKind = "next"      // always
	ConditionEdge EdgeKind = "condition" // its rule holds, and no rule before it
	DefaultEdge   EdgeKind = "default"   // no rule of the switch holds
)

// Edge is one way from a node to another.
type Edge struct {
	From, To string
	Label    string // short text of the rule, "default", or empty
	Kind     EdgeKind
}

// Edges are all edges in file order; a switch's in the order they are tried, its
// default last.
func (g *Graph) Edges() []Edge {
	var edges []Edge
	for _, node := range g.Nodes {
		from := node.ID()
		switch n := node.(type) {
		case *Entry:
			edges = append(edges, Edge{From: from, To: n.Next.ID(), Kind: NextEdge})
		case *MCP:
			edges = append(edges, Edge{From: from, To: n.Next.ID(), Kind: NextEdge})
		case *Transform:
			edges = append(edges, Edge{From: from, To: n.Next.ID(), Kind: NextEdge})
		case *Switch:
			for _, c := range n.Conditions {
				edges = append(edges, Edge{From: from, To: c.Next.ID(), Label: ruleLabel(c.Rule.Data), Kind: ConditionEdge})
			}
			edges = append(edges, Edge{From: from, To: n.Default.ID(), Label: "default", Kind: DefaultEdge})
		case *Exit:
		}
	}
	return edges
}

// targets are the nodes that a node leads to, with repetitions; ways out that lead
// nowhere are left out.
func targets(node Node) []Node {
	var all []Node
	switch n := node.(type) {
	case *Entry:
		all = []Node{n.Next}
	case *MCP:
		all = []Node{n.Next}
	case *Transform:
		all = []Node{n.Next}
	case *Switch:
		for _, c := range n.Conditions {
			all = append(all, c.Next)
		}
		all = append(all, n.Default)
	case *Exit:
	}
	return slices.DeleteFunc(all, func(n Node) bool { return n == nil })
}

func successors(node Node) []string {
	var ids []string
	seen := map[string]bool{}
	for _, t := range targets(node) {
		if !seen[t.ID()] {
			seen[t.ID()] = true
			ids = append(ids, t.ID())
		}
	}
	return ids
}
