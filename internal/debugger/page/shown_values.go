package page

import "toolgraph/graph"

// withoutValues leaves out what steps gave or failed with, and the expressions of the file. The failure of the run itself
// stays: the client has it.
func (o *shownJSON) withoutValues() {
	o.Graph.Nodes = plainNodes(o.Graph.Nodes)
	for i := range o.Graph.Edges {
		o.Graph.Edges[i].Label = ""
	}
	if o.Run == nil {
		return
	}
	o.Run.Args = ""
	for id, short := range o.Latest.Nodes {
		short.Preview, short.Error = "", failedOnly(short.Error)
		o.Latest.Nodes[id] = short
	}
	for _, list := range o.Steps {
		for i := range list.Steps {
			list.Steps[i].plain()
		}
	}
	for _, list := range o.Parts {
		for i := range list.Parts {
			list.Parts[i].plain()
		}
	}
}

// plain leaves out what a step gave or failed with.
func (s *stepJSON) plain() {
	s.Preview, s.Error, s.Handled = "", failedOnly(s.Error), failedOnly(s.Handled)
}

// failedOnly is that there was an error, for its text.
func failedOnly(text string) string {
	if text == "" {
		return ""
	}
	return "failed"
}

func plainNodes(nodes []drawnNode) []drawnNode {
	for i := range nodes {
		n := &nodes[i]
		n.DrawnNode = plainNode(n.DrawnNode)
		n.Steps = plainNodes(n.Steps) // the arrows between them have no labels
	}
	return nodes
}

// plainNode is a node without its expressions; that it has a condition is still seen.
func plainNode(n graph.DrawnNode) graph.DrawnNode {
	n.Expr, n.Message = "", ""
	if n.If != "" {
		n.If = "…"
	}
	for i := range n.Branches {
		n.Branches[i] = plainNode(n.Branches[i])
	}
	return n
}
