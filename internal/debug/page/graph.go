package page

import (
	"net/http"

	"toolgraph/config"
	"toolgraph/graph"
)

type graphJSON struct {
	Tool  string     `json:"tool"`
	Hash  string     `json:"hash"`
	Nodes []nodeJSON `json:"nodes"`
	Edges []edgeJSON `json:"edges"`
}

type nodeJSON struct {
	ID     string          `json:"id"`
	Type   config.NodeType `json:"type"`
	Server string          `json:"server,omitempty"`
	Tool   string          `json:"tool,omitempty"`
	Expr   string          `json:"expr,omitempty"`
	Rules  int             `json:"rules,omitempty"`
	Line   int             `json:"line"`
	Column int             `json:"column"`
}

type edgeJSON struct {
	From  string         `json:"from"`
	To    string         `json:"to"`
	Label string         `json:"label,omitempty"`
	Kind  graph.EdgeKind `json:"kind"`
}

func (s *Server) getGraph(r *http.Request) (any, error) {
	p := s.loaded()
	g := p.graphOf(r.PathValue("tool"))
	if g == nil {
		return nil, errorf(http.StatusNotFound, "there is no tool %q", r.PathValue("tool"))
	}
	hide := p.File.Secrets.Redact
	out := graphJSON{Tool: g.Tool.Name.Value, Hash: g.Hash}
	for _, node := range g.Nodes {
		n := nodeJSON{ID: node.ID(), Type: node.Type(), Line: node.Pos().Line, Column: node.Pos().Column}
		switch node := node.(type) {
		case *graph.MCP:
			n.Server, n.Tool = node.Server, node.Tool
		case *graph.Transform:
			n.Expr = hide(node.Expr.Source())
		case *graph.Switch:
			n.Rules = len(node.Conditions)
		case *graph.Entry, *graph.Exit:
		}
		out.Nodes = append(out.Nodes, n)
	}
	for _, e := range g.Edges() {
		out.Edges = append(out.Edges, edgeJSON{From: e.From, To: e.To, Label: hide(e.Label), Kind: e.Kind})
	}
	return out, nil
}
