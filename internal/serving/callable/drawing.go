package callable

import (
	"context"

	"toolgraph/config"
	"toolgraph/graph"
)

// The ids of nodes of the graph that stands for all requests; names of tools have no spaces.
const (
	requestID = "a request"
	choiceID  = "each step"
	resultID  = "the result"
)

// Graph returns the graph that stands for all requests of a tool, which has no nodes yet: a loop that goes to any of the
// calls as often as the steps say. Its conditions never hold. The findings are errors; the error is the cause of ctx's
// end.
func (s *Set) Graph(ctx context.Context, graphs []*graph.Graph, def *config.Tool) (*graph.Graph, config.Diagnostics, error) {
	drawn := *def
	drawn.Nodes = s.choices(def.Pos)
	g, wrong, err := graph.Extend(ctx, s.File, graphs, &drawn, nil, nil)
	errs, _ := wrong.Split()
	return g, errs, err
}

func (s *Set) choices(pos config.Pos) []*config.Node {
	entry, choice := Node(pos, requestID, config.EntryNode, resultID), Node(pos, choiceID, config.SwitchNode, resultID)
	var calls []*config.Node
	seen := map[string]bool{}
	add := func(id string, kind config.NodeType, server, tool string) {
		if seen[id] {
			return
		}
		seen[id] = true
		n := Node(pos, id, kind, choiceID)
		n.Server, n.Tool = config.Text{Value: server, Pos: pos}, config.Text{Value: tool, Pos: pos}
		calls = append(calls, n)
		choice.Conditions = append(choice.Conditions, config.Condition{Pos: pos, Next: n.ID, Rule: never(id)})
	}
	for _, name := range s.Tools {
		add(name, config.GraphNode, "", name)
	}
	for _, pattern := range s.Calls.Calls {
		for _, c := range s.Named(pattern) {
			add(c.Server+"."+c.Tool, config.MCPNode, c.Server, c.Tool)
		}
	}
	if len(calls) == 0 {
		return []*config.Node{entry, Node(pos, resultID, config.ExitNode, "")}
	}
	entry.Next.Value = choiceID
	return append(append([]*config.Node{entry, choice}, calls...), Node(pos, resultID, config.ExitNode, ""))
}

// Node returns a node of a graph that is made for a request.
func Node(pos config.Pos, id string, kind config.NodeType, next string) *config.Node {
	return &config.Node{Pos: pos, ID: config.Text{Value: id, Pos: pos}, Type: kind, Next: config.Text{Value: next, Pos: pos}}
}

// never is the rule of a choice: a member that no request has.
func never(id string) *config.Data {
	text := func(s string) *config.Data { return &config.Data{Scalar: s, Text: config.Text{Value: s}} }
	object := func(key string, v *config.Data) *config.Data {
		return &config.Data{Kind: config.KindObject, Keys: []config.Text{{Value: key}}, Items: []*config.Data{v}}
	}
	read := object("var", text("$.`"+requestID+"`.tool"))
	return object("==", &config.Data{Kind: config.KindArray, Items: []*config.Data{read, text(id)}})
}
