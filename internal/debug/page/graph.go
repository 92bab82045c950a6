package page

import (
	"net/http"

	"toolgraph/graph"
)

func (s *Server) getGraph(r *http.Request) (any, error) {
	p := s.loaded()
	g := p.graphOf(r.PathValue("tool"))
	if g == nil {
		return nil, errorf(http.StatusNotFound, "there is no tool %q", r.PathValue("tool"))
	}
	hide := p.File.Secrets.Redact
	out := graph.Draw(g)
	for i, node := range g.Nodes {
		switch node := node.(type) {
		case *graph.Transform:
			out.Nodes[i].Expr = hide(node.Expr.Source())
		case *graph.Switch:
			out.Nodes[i].Rules = len(node.Conditions)
		case *graph.Entry, *graph.MCP, *graph.Exit:
		}
	}
	for i := range out.Edges {
		out.Edges[i].Label = hide(out.Edges[i].Label)
	}
	return out, nil
}
