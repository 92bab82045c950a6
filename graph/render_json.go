package graph

import (
	"encoding/json"
	"strings"

	"toolgraph/config"
)

type drawing struct {
	Tool  string        `json:"tool"`
	Hash  string        `json:"hash"`
	Nodes []drawingNode `json:"nodes"`
	Edges []drawingEdge `json:"edges"`
}

type drawingNode struct {
	ID     string          `json:"id"`
	Type   config.NodeType `json:"type"`
	Server string          `json:"server,omitempty"`
	Tool   string          `json:"tool,omitempty"`
	Expr   string          `json:"expr,omitempty"`
	Line   int             `json:"line"`
	Column int             `json:"column"`
}

type drawingEdge struct {
	From  string   `json:"from"`
	To    string   `json:"to"`
	Label string   `json:"label,omitempty"`
	Kind  EdgeKind `json:"kind"`
}

// JSON is the graph's picture as indented JSON: {tool, hash, nodes: [{id, type,
// server?, tool?, expr?, line, column}], edges: [{from, to, label?, kind}]}, in
// file order.
func JSON(g *Graph) string {
	d := drawing{Tool: g.Tool.Name.Value, Hash: g.Hash, Nodes: []drawingNode{}, Edges: []drawingEdge{}}
	for _, node := range g.Nodes {
		n := drawingNode{ID: node.ID(), Type: node.Type(), Line: node.Pos().Line, Column: node.Pos().Column}
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
		d.Edges = append(d.Edges, drawingEdge(e))
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(d) // strings and numbers always encode, and a Builder always takes them
	return b.String()
}
