package lock

import (
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/project/capabilities"
)

// Derive returns what the listed tools of a graph file can do, with the effects that the file and
// the locked definitions give. Either the lock or its entries may be missing.
func (l *Lock) Derive(file *config.File, graphs []*graph.Graph) *capabilities.Capabilities {
	listed := slices.DeleteFunc(slices.Clone(graphs), func(g *graph.Graph) bool { return g.Tool.IsInner() })
	return capabilities.Of(file, listed, l.Effect)
}

// Effect returns what calls of a tool do by the hints of its locked definition: the lock is a
// capabilities.Known.
func (l *Lock) Effect(server, tool string) (config.Effect, capabilities.Source) {
	e, _ := l.Entry(server, tool)
	return e.Hints().Effect(), capabilities.ByLock
}

// exceeding reports what the tools can do and the lock does not have. Calls of tools that are not
// locked are reported anyway.
func (l *Lock) exceeding(found *config.Diagnostics, file *config.File, graphs []*graph.Graph) {
	if l.Capabilities == nil {
		return
	}
	for _, more := range l.Derive(file, graphs).Beyond(l.Capabilities) {
		if more.Call != nil {
			if _, known := l.Entry(more.Call.Server, more.Call.Tool); !known {
				continue
			}
		}
		has := "does not have this"
		if more.Else != "" {
			has = "has " + more.Else
		}
		found.Warn(more.Pos, "exceeds-lock", fmt.Sprintf("%s, and %s %s", more.Text, l.Name, has), "review it, then "+remedyFor(file))
	}
}

// The keys under which the file has capabilities.
const (
	capabilitiesKey = "capabilities"
	toolsKey        = "tools"
	variablesKey    = "variables"
	callsKey        = "calls"
	asksKey         = "asks"
)

// plainCapabilities returns capabilities as plain JSON, as far as a lock has them: the calls of
// each tool with their effects, whether it asks the user, and the variables that servers read.
func plainCapabilities(c *capabilities.Capabilities) map[string]any {
	tools, variables := map[string]any{}, map[string]any{}
	for _, t := range c.Tools {
		tool := map[string]any{}
		if t.Asks {
			tool[asksKey] = true
		}
		calls := map[string]any{}
		for name, effects := range t.EffectsByName() {
			calls[name] = effects
		}
		if len(calls) > 0 {
			tool[callsKey] = calls
		}
		if len(tool) > 0 {
			tools[t.Name] = tool
		}
	}
	for _, s := range c.Servers {
		var names []any
		for _, name := range s.Variables {
			names = append(names, name)
		}
		if names != nil {
			variables[s.Name] = names
		}
	}
	plain := map[string]any{}
	for key, part := range map[string]map[string]any{toolsKey: tools, variablesKey: variables} {
		if len(part) > 0 {
			plain[key] = part
		}
	}
	return plain
}

// capabilities is the reverse of plainCapabilities; nil for a lock without capabilities.
func (r *reader) capabilities(d *config.Data) *capabilities.Capabilities {
	if d == nil {
		return nil
	}
	r.object(d, capabilitiesKey, toolsKey, variablesKey)
	c := &capabilities.Capabilities{}
	tools, variables := d.Get(toolsKey), d.Get(variablesKey)
	for i, tool := range r.object(tools, "tools of "+capabilitiesKey) {
		t := capabilities.Tool{Name: tools.Keys[i].Value}
		who := fmt.Sprintf("tool %q of %s", t.Name, capabilitiesKey)
		r.object(tool, who, asksKey, callsKey)
		if asks := tool.Get(asksKey); asks != nil {
			if t.Asks = asks.Scalar == true; !t.Asks {
				r.bad(asks.Pos, "%s of %s is not true", asksKey, who)
			}
		}
		calls := tool.Get(callsKey)
		for j, effects := range r.object(calls, "calls of "+who) {
			name := calls.Keys[j]
			text, _ := effects.Scalar.(string)
			if !t.SetEffects(name.Value, text) {
				r.bad(name.Pos, "%s cannot call %q with effects %q: expected SERVER.TOOL: EFFECT", who, name.Value, text)
			}
		}
		c.Tools = append(c.Tools, t)
	}
	for i, names := range r.object(variables, "variables of "+capabilitiesKey) {
		s := capabilities.Server{Name: variables.Keys[i].Value}
		wrong := names.Kind != config.KindArray
		for _, item := range names.Items {
			name, isText := item.Scalar.(string)
			wrong = wrong || !isText
			s.Variables = append(s.Variables, name)
		}
		if wrong {
			r.bad(names.Pos, "variables of server %q of %s are not a list of names", s.Name, capabilitiesKey)
		}
		c.Servers = append(c.Servers, s)
	}
	return c
}
