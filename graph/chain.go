package graph

import (
	"context"

	"toolgraph/config"
	"toolgraph/expressions/jsonlogic"
)

// The ids of the nodes of a chain that are no steps.
const (
	chainReturn = "$return"
	chainExit   = "$exit"
	chainIf     = "$if " // and the id of the step
)

// Chain returns the steps of a tool or a block as a graph of nodes that run one after the other, in the
// order of the file: what expressions can read does not depend on what runs at the same time, so that the
// chain has the types of the steps. The entry has the id args. Before a step with if is a switch. The
// chain is for analysis, not to be run: StepOf has what nodes lack.
func (n *Steps) Chain(ctx context.Context, of *Graph) *Graph {
	source := of.Tool.Nodes[n.index]
	if s := blockOf(source, n.id); s != nil {
		source = s
	}
	tool := *of.Tool
	tool.Nodes = nil
	if n.id != config.StepsID {
		tool.OutputSchema = nil
	}
	g := &Graph{
		Tool: &tool, LimitsAt: of.LimitsAt, Limits: of.Limits, Input: of.Input, Allow: of.Allow, Secrets: of.Secrets, byID: map[string]Node{},
		Vars: of.Vars, unsure: of.unsure, bound: of.bound, varsRead: of.varsRead, varPrefix: of.varPrefix, allVars: of.allVars, steps: map[Node]*Step{},
	}
	entry := &Entry{step{base: base{id: ArgsName, pos: source.Pos}}}
	g.Entry = entry
	g.link(entry, &config.Node{Pos: source.Pos, ID: config.Text{Value: ArgsName}, Type: config.EntryNode})
	for i, s := range n.Block {
		node := chained(s)
		if s.If != nil {
			g.link(g.condition(ctx, s), &config.Node{Pos: s.Node.Pos(), ID: config.Text{Value: chainIf + s.ID}, Type: config.SwitchNode})
		}
		g.steps[node] = s
		g.link(node, source.Steps[i])
	}
	if n.Return != nil {
		r := &Transform{step: step{base: base{id: chainReturn, pos: n.Return.Text.Pos}}, Expr: n.Return}
		g.link(r, &config.Node{Pos: n.Return.Text.Pos, ID: config.Text{Value: chainReturn}, Type: config.TransformNode, Expr: n.Return.Text})
	}
	exit := &Exit{base{id: chainExit, pos: source.Pos}}
	g.link(exit, &config.Node{Pos: source.Pos, ID: config.Text{Value: chainExit}, Type: config.ExitNode})
	for _, node := range g.Nodes {
		for _, t := range targets(node) {
			node.core().successors = append(node.core().successors, t.ID())
		}
	}
	return g
}

// StepOf returns the step that a node of a chain is; nil for others.
func (g *Graph) StepOf(n Node) *Step { return g.steps[n] }

// blockOf returns the source of the block at a path in the source of the steps of a tool; nil for the tool.
func blockOf(source *config.Node, path string) *config.Node {
	if path == config.StepsID {
		return nil
	}
	for _, id := range config.StepIDs(path) {
		for _, s := range source.Steps {
			if s.ID.Value == id {
				source = s
				break
			}
		}
	}
	return source
}

// link adds a node, to which the one before it goes.
func (g *Graph) link(node Node, source *config.Node) {
	b := node.core()
	b.index = len(g.Nodes)
	if b.index > 0 {
		for i := b.index - 1; i >= 0; i-- {
			if !g.pointTo(g.Nodes[i], node) {
				break
			}
		}
	}
	g.Nodes, g.Tool.Nodes, g.byID[b.id] = append(g.Nodes, node), append(g.Tool.Nodes, source), node
}

// pointTo lets a node go to the next one where it has no target yet, and reports whether the node before it
// may lack one, too: a switch in front of a step.
func (g *Graph) pointTo(from, to Node) (more bool) {
	if s, isSwitch := from.(*Switch); isSwitch {
		if s.Conditions[0].Next == nil {
			s.Conditions[0].Next = to
		} else if s.Default == nil {
			s.Default = to
		}
		return false
	}
	next := from.oneWay()
	if next.Next == nil {
		next.Next = to
		return g.steps[from] != nil && g.steps[from].If != nil
	}
	return false
}

// condition returns the switch in front of a step with if.
func (g *Graph) condition(ctx context.Context, s *Step) *Switch {
	text := s.If.Text
	data := &config.Data{Pos: text.Pos, Kind: config.KindObject, Keys: []config.Text{{Value: "var", Pos: text.Pos}}, Items: []*config.Data{{Pos: text.Pos, Scalar: text.Value, Text: text}}}
	rule, err := jsonlogic.Compile(ctx, data.Value())
	if err != nil { // as the text of a var it may be too long
		data = &config.Data{Pos: text.Pos, Scalar: true}
		rule, _ = jsonlogic.Compile(ctx, true)
	}
	return &Switch{base: base{id: chainIf + s.ID, pos: text.Pos}, Conditions: []Condition{{Rule: &Rule{Rule: rule, Data: data}}}}
}

// chained returns a copy of the node of a step, with the step's id.
func chained(s *Step) Node {
	switch n := s.Node.(type) {
	case *MCP:
		c := *n
		c.base = base{id: s.ID, pos: n.pos}
		return &c
	case *SubGraph:
		c := *n
		c.base = base{id: s.ID, pos: n.pos}
		return &c
	case *Transform:
		c := *n
		c.base = base{id: s.ID, pos: n.pos}
		return &c
	case *Ask:
		c := *n
		c.base = base{id: s.ID, pos: n.pos}
		return &c
	case *Steps:
		c := *n
		c.step = step{base: base{id: s.ID, pos: n.pos}}
		return &c
	case *Entry, *Parallel, *Switch, *Exit:
	}
	return s.Node
}
