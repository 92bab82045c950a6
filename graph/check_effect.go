package graph

import (
	"fmt"

	"toolgraph/config"
)

// checkEffects reports tools that say to be read-only and make a call that is not: hosts call a
// read-only tool without asking their user.
func checkEffects(graphs []*Graph, found *config.Diagnostics) {
	for _, g := range graphs {
		if g == nil {
			continue
		}
		if hint := g.Tool.Annotations.Get("readOnlyHint"); hint != nil && hint.Scalar == true {
			g.checkReadOnly(hint.Pos, found)
		}
	}
}

func (g *Graph) checkReadOnly(hint config.Pos, found *config.Diagnostics) {
	for _, reached := range g.Reached() {
		for _, n := range reached.CallNodes() {
			m, isMCP := n.(*MCP)
			if !isMCP || m.Effect != config.WriteEffect && m.Effect != config.DestroyEffect {
				continue
			}
			name := m.ID()
			if reached != g {
				name = reached.Tool.Name.Value + ":" + name
			}
			found.Add(hint, "effect-contradicts",
				fmt.Sprintf("tool %q says readOnlyHint: true, and its node %q has effect: %s", g.Tool.Name.Value, name, m.Effect),
				"say readOnlyHint: false, or correct the effect").Fixed(config.SayKey(hint, "readOnlyHint", "false", "readOnlyHint")...)
			return
		}
	}
}
