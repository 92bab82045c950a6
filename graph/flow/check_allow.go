package flow

import (
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/graph"
)

// effect returns what a call does: by the author's word, else as far as what is known of the tool is
// believed. It is empty when unknown.
func (all *flows) effect(m *graph.MCP) config.Effect {
	if m.Effect != "" {
		return m.Effect
	}
	known := knownTool(all.up, m.Server, m.Tool)
	return known.Effect()
}

// permissions reports calls that allow refuses because of what is known of their tools, and calls
// about which too little is known to judge them.
func (all *flows) permissions(graphs []*graph.Graph) (found config.Diagnostics) {
	for _, g := range graphs {
		for _, in := range g.Reached() {
			for _, n := range in.CallNodes() {
				m, isMCP := n.(*graph.MCP)
				if !isMCP || m.Effect != "" { // package graph reports the others
					continue
				}
				if d := all.permission(g.Allow, in, m); d != nil {
					found = append(found, *d)
				}
			}
		}
	}
	return found
}

// permission returns what is wrong with the permission of a call in a graph, under all that holds
// there.
func (all *flows) permission(allow []*graph.Allow, in *graph.Graph, m *graph.MCP) *config.Diagnostic {
	effect := all.effect(m)
	for _, a := range slices.Concat(allow, in.Allow) {
		switch {
		case !a.Permits(m.Server, m.Tool): // package graph reports it
		case effect != "":
			if refusal := a.EffectRefusal(in.Tool.Name.Value, m.Server, m.Tool, effect); refusal != "" {
				return (&config.Diagnostic{Pos: m.ToolPos(), Severity: config.Error, Code: "not-allowed", Message: refusal, Hint: "add it to effects, or remove the call"}).
					Fixed(a.PermittingEffect(m.ToolPos().File, effect))
			}
		case a.Effects != nil || len(a.Confirm) > 0 && m.Confirm == nil:
			message := fmt.Sprintf("the effect of %s.%s is unknown and counts as %s", m.Server, m.Tool, graph.KnownEffect(effect))
			switch {
			case !a.PermitsEffect(effect):
				message += fmt.Sprintf(", which allow (%s) refuses", a.Pos)
			case a.Confirms(effect):
				message += fmt.Sprintf(", which allow (%s) lets the user confirm", a.Pos)
			}
			return (&config.Diagnostic{
				Pos: m.ToolPos(), Severity: config.Warning, Code: "unknown-effect", Message: message,
				Hint: "say effect: read, write or destroy at the node, or run toolgraph lock",
			}).Fixed(config.SayKey(m.ToolPos(), "effect", "read", "server")...)
		}
	}
	return nil
}

// confirmed warns of a question before a call that changes nothing.
func (c *checker) confirmed(m *graph.MCP, defined *config.Node) {
	if m.Confirm != nil && *m.Confirm && c.all.effect(m) == config.ReadEffect {
		c.found.Warn(defined.ConfirmPos, "confirm-unused",
			fmt.Sprintf("node %q asks the user before each call of %s, which changes nothing: its effect is read", m.ID(), m.Tool), "remove confirm").Fixed(config.RemoveKey(defined.ConfirmPos))
	}
}
