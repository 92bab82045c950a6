package graph

import (
	"fmt"
	"maps"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/internal/base/wording"
)

// servers is a set of names of servers.
type servers map[string]bool

func (s servers) with(others ...servers) servers {
	all := servers{}
	for _, set := range append(others, s) {
		maps.Copy(all, set)
	}
	return all
}

// add adds servers, and reports whether any is new.
func (s servers) add(more servers) (grown bool) {
	for name := range more {
		grown = grown || !s[name]
		s[name] = true
	}
	return grown
}

// sourcesIn returns for each call of a graph the servers whose answers it depends on, in a run of its own: what its
// arguments and items are computed from, and what decides whether it is made.
func sourcesIn(g *Graph) map[Node]servers {
	all := map[Node]servers{}
	if n := g.Steps(); n != nil {
		traceSteps(n, nil, func(s *Step, on servers) { all[s.Node] = on })
		return all
	}
	t := &nodeTracer{graph: g, values: make([]servers, len(g.Nodes)), control: make([]servers, len(g.Nodes))}
	for i := range g.Nodes {
		t.values[i], t.control[i] = servers{}, servers{}
	}
	for t.round(all) { // loops
	}
	return all
}

// nodeTracer finds what flows between the nodes of a graph.
type nodeTracer struct {
	graph           *Graph
	values, control []servers // of each node: what its output comes from, and what decided that it runs
}

// round follows every node once, and reports whether it has learned anything.
func (t *nodeTracer) round(calls map[Node]servers) (grown bool) {
	for i, n := range t.graph.Nodes {
		on := t.control[i].with(t.read(n))
		made := []Node{n}
		if p, isParallel := n.(*Parallel); isParallel {
			made = nil
			for _, b := range p.Branches {
				made = append(made, b.Node)
			}
		}
		value := on
		for _, call := range made {
			if CallingOf(call) != nil {
				calls[call] = t.control[i].with(t.read(call))
				value = value.with(calls[call], CalledServers(call))
			}
		}
		grown = t.values[i].add(value) || grown
		decides := servers{}
		if s, isSwitch := n.(*Switch); isSwitch {
			decides = on.with(t.rules(s))
		} else if o := OnErrorOf(n); o != nil && o.Next != nil { // whether it fails decides
			decides = value
		}
		for _, id := range n.Successors() {
			next := t.graph.Node(id).core().index
			grown = t.control[next].add(t.control[i].with(decides)) || grown
		}
	}
	return grown
}

// read returns what the expressions of a node read.
func (t *nodeTracer) read(n Node) servers {
	var exprs []*Expr
	switch n := n.(type) {
	case *Transform:
		exprs = append(exprs, n.Expr)
	case *Ask:
		exprs = append(exprs, n.Message.Expressions()...)
	case *Exit: // its output is that of the node before it
		return t.all()
	case *Entry, *MCP, *SubGraph, *Parallel, *Switch, *Steps:
	}
	if c := CallingOf(n); c != nil {
		if c.ForEach != nil {
			exprs = append(exprs, c.ForEach.Items)
		}
		exprs = append(exprs, c.Args.Expressions()...)
	}
	if m, isMCP := n.(*MCP); isMCP && m.Retry != nil {
		exprs = append(exprs, m.Retry.When, m.Retry.Until)
	}
	if o := OnErrorOf(n); o != nil && o.Value != nil {
		exprs = append(exprs, o.Value.Expressions()...)
	}
	on := servers{}
	for _, e := range exprs {
		if e == nil {
			continue
		}
		if e.ContextUse().Whole || readsHistory(e.Tree()) {
			return t.all()
		}
		on.add(t.named(e.References()))
	}
	return on
}

func (t *nodeTracer) rules(s *Switch) servers {
	on := servers{}
	for _, condition := range s.Conditions {
		if condition.Rule == nil {
			continue
		}
		for _, ref := range condition.Rule.References() {
			if len(ref.Path) == 0 || ref.Function != "" {
				return t.all()
			}
			on.add(t.named([]jsonata.Reference{ref.Reference}))
		}
	}
	return on
}

func (t *nodeTracer) named(refs []jsonata.Reference) servers {
	on := servers{}
	for _, ref := range refs {
		if len(ref.Path) == 0 {
			continue
		}
		if n := t.graph.Node(ref.Path[0]); n != nil {
			on.add(t.values[n.core().index])
		}
	}
	return on
}

func (t *nodeTracer) all() servers {
	on := servers{}
	for _, value := range t.values {
		on.add(value)
	}
	return on
}

// readsHistory reports whether an expression reads outputs of nodes by a function.
func readsHistory(t *jsonata.Tree) bool {
	return t != nil && (t.Kind == jsonata.VariableKind && jsonata.IsHistoryFunction(t.Text) ||
		slices.ContainsFunc(t.Parts, func(part jsonata.Tree) bool { return readsHistory(&part) }))
}

// traceSteps calls found for each call in a block with the servers that it depends on, and returns those of the block's
// value. What a block reads decides what is done in it, so all calls in it depend on that.
func traceSteps(n *Steps, around servers, found func(s *Step, on servers)) servers {
	values := make([]servers, len(n.Block))
	all := servers{}
	for i, step := range n.Block {
		on := around.with()
		for _, read := range step.Needs {
			if step.Reads(read) {
				on = on.with(values[read])
			}
		}
		values[i] = on.with(CalledServers(step.Node))
		if inner, isBlock := step.Node.(*Steps); isBlock {
			within := on
			if step.Repeat != nil || step.Each != nil { // what one turn or item has found decides about the next
				inner.EachStep(func(s *Step) { within = within.with(CalledServers(s.Node)) })
			}
			values[i] = on.with(traceSteps(inner, within, found))
		} else if CallingOf(step.Node) != nil {
			found(step, on)
		}
		all = all.with(values[i])
	}
	return all
}

// CalledServers returns the names of the servers that a call reaches, those of a called graph too.
func CalledServers(n Node) map[string]bool {
	switch n := n.(type) {
	case *MCP:
		return servers{n.Server: true}
	case *SubGraph:
		all := servers{}
		if n.Graph != nil {
			for _, g := range n.Graph.Reached() {
				for _, call := range g.CallNodes() {
					if m, isMCP := call.(*MCP); isMCP {
						all[m.Server] = true
					}
				}
			}
		}
		return all
	case *Entry, *Parallel, *Ask, *Transform, *Switch, *Steps, *Exit:
	}
	return nil
}

// Flow is what allow lets out of a server: what it answers reaches these others, and the client.
type Flow struct {
	Pos  config.Pos
	From string
	To   []string
}

// CheckFlows returns the calls of a graph, and of those that it calls, that send what a server answers to one that the
// flows of allow leave out.
func CheckFlows(g *Graph) (found config.Diagnostics) {
	var rules []Flow
	for _, reached := range g.Reached() {
		for _, a := range reached.Allow {
			for _, rule := range a.Flows {
				if !slices.ContainsFunc(rules, func(r Flow) bool { return r.Pos == rule.Pos }) {
					rules = append(rules, rule)
				}
			}
		}
	}
	if len(rules) == 0 {
		return nil
	}
	entered := map[*Graph]servers{g: {}} // what the arguments of each graph come from
	own := map[*Graph]map[Node]servers{}
	for grown := true; grown; {
		grown = false
		for _, reached := range g.Reached() {
			if own[reached] == nil {
				own[reached] = sourcesIn(reached)
			}
			for call, on := range own[reached] {
				if sub, isGraph := call.(*SubGraph); isGraph && sub.Graph != nil {
					if entered[sub.Graph] == nil {
						entered[sub.Graph], grown = servers{}, true
					}
					grown = entered[sub.Graph].add(on.with(entered[reached])) || grown
				}
			}
		}
	}
	for _, reached := range g.Reached() {
		for call, on := range own[reached] {
			m, isMCP := call.(*MCP)
			if !isMCP {
				continue
			}
			from := on.with(entered[reached])
			for _, rule := range rules {
				if from[rule.From] && m.Server != rule.From && !slices.Contains(rule.To, m.Server) {
					to := "the client alone"
					if len(rule.To) > 0 {
						to = wording.List(rule.To) + " and the client alone"
					}
					found.Add(m.toolPos, "not-allowed", fmt.Sprintf("tool %s sends what server %q answers to %s: allow (%s) lets it reach %s",
						wording.Quote(reached.Tool.Name.Value), rule.From, wording.OneLine(m.Server+"."+m.Tool), rule.Pos, to), fmt.Sprintf("add %s to its to, or compute this call from something else", m.Server))
				}
			}
		}
	}
	found.Sort()
	return found
}

// checkFlows adds what CheckFlows finds in the graphs.
func checkFlows(graphs []*Graph, found *config.Diagnostics) {
	for _, g := range graphs {
		if g != nil {
			*found = append(*found, CheckFlows(g)...)
		}
	}
}
