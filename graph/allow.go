package graph

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// Allow narrows what runs may call and do.
type Allow struct {
	Pos     config.Pos
	Calls   []string        // server.tool, or with a * at the end: whatever follows; nil: all
	Effects []config.Effect // nil: all
	Confirm []config.Effect // the user must agree before each call with such an effect
	Flows   []Flow          // what servers answer reaches these servers alone; of other servers everything
}

// Permits reports whether a tool of a server may be called.
func (a *Allow) Permits(server, tool string) bool {
	name := server + "." + tool
	return a.Calls == nil || slices.ContainsFunc(a.Calls, func(pattern string) bool {
		if prefix, open := strings.CutSuffix(pattern, "*"); open {
			return strings.HasPrefix(name, prefix)
		}
		return pattern == name
	})
}

// PermittingEffect returns the fix that permits an effect, for a finding in a file; none for an allow of another file.
func (a *Allow) PermittingEffect(file string, effect config.Effect) config.Fix {
	fix := a.permitting(file, "effects", string(effect))
	return fix.Titled("Allow the effect " + string(effect))
}

func (a *Allow) permitting(file, list, entry string) config.Fix {
	if a.Pos.File != file {
		return config.Fix{}
	}
	return config.AddItem("Allow "+entry, a.Pos, list, config.InFlow(entry), false).Maybe()
}

// PermitsEffect reports whether calls may have an effect; an unknown one, empty, counts as
// config.DestroyEffect.
func (a *Allow) PermitsEffect(effect config.Effect) bool {
	return a.Effects == nil || slices.Contains(a.Effects, KnownEffect(effect))
}

// Confirms reports whether the user must agree before a call with an effect.
func (a *Allow) Confirms(effect config.Effect) bool {
	return slices.Contains(a.Confirm, KnownEffect(effect))
}

// confirms reports whether the user must agree before the call of a node in a run of this graph, by
// what the file says: an unknown effect counts as config.DestroyEffect.
func (g *Graph) confirms(n Node) bool {
	m, isMCP := n.(*MCP)
	switch {
	case !isMCP:
		return false
	case m.Confirm != nil:
		return *m.Confirm
	}
	return slices.ContainsFunc(g.Allow, func(a *Allow) bool { return a.Confirms(m.Effect) })
}

// HintedEffect returns what calls of a tool do by its annotations readOnlyHint and destructiveHint;
// empty when they do not say. What is neither read-only nor declared to destroy nothing may destroy.
func HintedEffect(readOnly, destructive *bool) config.Effect {
	switch {
	case readOnly != nil && *readOnly:
		return config.ReadEffect
	case destructive != nil && !*destructive:
		return config.WriteEffect
	case readOnly == nil && destructive == nil:
		return ""
	}
	return config.DestroyEffect
}

// KnownEffect returns the effect that counts for what is permitted: an unknown one is
// config.DestroyEffect.
func KnownEffect(effect config.Effect) config.Effect {
	if effect == "" {
		return config.DestroyEffect
	}
	return effect
}

// Within reports whether calls with an effect do at most what those with another do; an unknown one
// counts as config.DestroyEffect.
func Within(effect, other config.Effect) bool {
	order := []config.Effect{config.ReadEffect, config.WriteEffect, config.DestroyEffect}
	return slices.Index(order, KnownEffect(effect)) <= slices.Index(order, KnownEffect(other))
}

// Refusal returns the message about a call that a tool of the file may not make, whatever its
// effect is; empty when Permits holds.
func (a *Allow) Refusal(tool, server, called string) string {
	if a.Permits(server, called) {
		return ""
	}
	return refusal(tool, server, called) + a.has("no calls", "", a.Calls)
}

// EffectRefusal returns the message about a call that a tool of the file may not make because of
// its effect; empty when PermitsEffect holds.
func (a *Allow) EffectRefusal(tool, server, called string, effect config.Effect) string {
	if a.PermitsEffect(effect) {
		return ""
	}
	whose := ", whose effect is " + string(effect)
	if effect == "" {
		whose = ", whose effect is unknown and counts as " + string(KnownEffect(effect))
	}
	effects := make([]string, len(a.Effects))
	for i, e := range a.Effects {
		effects[i] = string(e)
	}
	return refusal(tool, server, called) + whose + a.has("no effects", "effects ", effects)
}

func refusal(tool, server, called string) string {
	return fmt.Sprintf("tool %s may not call %s", wording.Quote(tool), wording.OneLine(server+"."+called))
}

// has is the end of a refusal: where allow is, and what it has.
func (a *Allow) has(none, kind string, names []string) string {
	list := none
	if len(names) > 0 {
		list = kind + wording.List(names)
	}
	return fmt.Sprintf(": allow (%s) has %s", a.Pos, list)
}
