package graph

import (
	"slices"
	"strings"

	"toolgraph/config"
)

// Allow narrows what runs may call and do.
type Allow struct {
	Pos     config.Pos
	Calls   []string        // server.tool, or with a * at the end: whatever follows; nil: all
	Effects []config.Effect // nil: all
	Confirm []config.Effect // the user must agree before each call with such an effect
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

// PermitsEffect reports whether calls may have an effect; an unknown one, empty, counts as
// config.DestroyEffect.
func (a *Allow) PermitsEffect(effect config.Effect) bool {
	return a.Effects == nil || slices.Contains(a.Effects, KnownEffect(effect))
}

// Confirms reports whether the user must agree before a call with an effect.
func (a *Allow) Confirms(effect config.Effect) bool {
	return slices.Contains(a.Confirm, KnownEffect(effect))
}

// KnownEffect returns the effect that counts for what is permitted: an unknown one is
// config.DestroyEffect.
func KnownEffect(effect config.Effect) config.Effect {
	if effect == "" {
		return config.DestroyEffect
	}
	return effect
}
