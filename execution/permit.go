package execution

import (
	"cmp"
	"slices"

	"toolgraph/config"
	"toolgraph/graph"
)

// permit returns the effect of a call as far as it is believed, empty when it is unknown, and the
// failure of a call that allow refuses. Every call to a server passes here right before it is sent.
func (s *site) permit(n *graph.MCP) (config.Effect, *Failure) {
	effect := n.Effect
	if known := s.frame.live.hooks.effects; effect == "" && known != nil {
		effect = known(s.ctx, n.Server, n.Tool)
	}
	for _, a := range s.frame.allow {
		tool := s.frame.graph.Tool.Name.Value
		if refusal := cmp.Or(a.Refusal(tool, n.Server, n.Tool), a.EffectRefusal(tool, n.Server, n.Tool, effect)); refusal != "" {
			failed := failureAt(CodeTool, n, nil, "%s", refusal)
			failed.Detail = string(config.FailNotAllowed)
			return effect, failed
		}
	}
	return effect, s.permitInPlan(n)
}

// narrowed returns what holds in the frame of a called graph: what holds around it, and its own.
func narrowed(around, own []*graph.Allow) []*graph.Allow {
	all := slices.Clip(around)
	for _, a := range own {
		if !slices.Contains(around, a) {
			all = append(all, a)
		}
	}
	return all
}

// confirms reports whether the user must agree before a call with this effect.
func (s *site) confirms(n *graph.MCP, effect config.Effect) bool {
	if n.Confirm != nil {
		return *n.Confirm
	}
	if p := s.plan(); p != nil && s.frame.live.hooks.asksAbout(s.ctx, p, s.step) {
		return true
	}
	return slices.ContainsFunc(s.frame.allow, func(a *graph.Allow) bool { return a.Confirms(effect) })
}
