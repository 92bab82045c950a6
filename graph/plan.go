package graph

import (
	"maps"
	"slices"

	"toolgraph/config"
)

// Plan is what holds in the run of a plan beside Allow: its author is the client, whose word about calls does not count.
type Plan struct {
	Effects  []config.Effect // what its calls may do; nil: all
	Confirm  []config.Effect // the user must agree before each call with such an effect
	AskFlows bool            // so must the user before a call that sends what one server answered to another

	sources map[*Step][]string
}

// PermitsEffect reports whether calls of the plan may have an effect; an unknown one, empty, counts as config.DestroyEffect.
func (p *Plan) PermitsEffect(effect config.Effect) bool {
	return p.Effects == nil || slices.Contains(p.Effects, KnownEffect(effect))
}

// MostEffect returns the worst effect that calls of the plan may have.
func (p *Plan) MostEffect() config.Effect {
	most := config.ReadEffect
	for _, effect := range []config.Effect{config.WriteEffect, config.DestroyEffect} {
		if p.PermitsEffect(effect) {
			most = effect
		}
	}
	return most
}

// Confirms reports whether the user must agree before a call with an effect.
func (p *Plan) Confirms(effect config.Effect) bool {
	return slices.Contains(p.Confirm, KnownEffect(effect))
}

// Sources returns the servers whose answers the call of a step depends on, sorted: what its arguments are computed from,
// and what decides whether, how often and for which items it is made.
func (p *Plan) Sources(s *Step) []string { return p.sources[s] }

// SetPlan makes a graph that nothing uses yet that of a plan.
func (g *Graph) SetPlan(p Plan) {
	p.sources = map[*Step][]string{}
	if n := g.Steps(); n != nil {
		traceSteps(n, nil, func(s *Step, on servers) { p.sources[s] = slices.Sorted(maps.Keys(on)) })
	}
	g.Plan = &p
}

// WorstEffect returns the worst effect of the calls that a graph can make: as the file says, else as effect does; empty when
// one is unknown.
func WorstEffect(g *Graph, effect func(server, tool string) config.Effect) config.Effect {
	worst := config.ReadEffect
	if g == nil {
		return ""
	}
	for _, reached := range g.Reached() {
		for _, n := range reached.CallNodes() {
			m, isMCP := n.(*MCP)
			if !isMCP {
				continue
			}
			does := m.Effect
			if does == "" {
				does = effect(m.Server, m.Tool)
			}
			switch {
			case does == "":
				return ""
			case !Within(does, worst):
				worst = does
			}
		}
	}
	return worst
}

// Leaks reports whether the call of a step sends what one server answered to another, and that one is not known to keep
// it inside.
func Leaks(s *Step, from []string, inside func(server, tool string) bool) bool {
	sends := func(server, tool string) bool {
		return slices.ContainsFunc(from, func(source string) bool { return source != server }) && (inside == nil || !inside(server, tool))
	}
	switch n := s.Node.(type) {
	case *MCP:
		return sends(n.Server, n.Tool)
	case *SubGraph:
		for _, g := range n.Graph.Reached() {
			for _, call := range g.CallNodes() {
				if m, isMCP := call.(*MCP); isMCP && sends(m.Server, m.Tool) {
					return true
				}
			}
		}
	case *Entry, *Parallel, *Ask, *Transform, *Switch, *Steps, *Exit:
	}
	return false
}
