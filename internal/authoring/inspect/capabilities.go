package inspect

import (
	"context"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
	"toolgraph/internal/project/capabilities"
	"toolgraph/internal/project/lock"
)

// Capabilities is what the listed tools of a file, or one tool, can do.
type Capabilities struct {
	File string `json:"file"`
	Lock string `json:"lock,omitempty"` // the lock that gives effects; left out: there is none
	*capabilities.Capabilities
}

// CapabilitiesOf derives what tools of a file can do: those of these graphs. Where the file does
// not give the effect of a call, the lock beside it does.
func CapabilitiesOf(p *project.Project, graphs []*graph.Graph) *Capabilities {
	out := &Capabilities{File: p.File.Path}
	locked, err := lock.Load(lock.Path(p.File.Path)) // check and doctor report its errors
	if err == nil {
		out.Lock = locked.Name
	}
	out.Capabilities = capabilities.Of(p.File, graphs, locked.Effect)
	return out
}

// Capabilities returns what the listed tools can do, or one tool, listed or not, when it is named.
func (i *Inspector) Capabilities(ctx context.Context, tool string) (*Capabilities, error) {
	if tool == "" {
		p, err := i.load(ctx)
		if err != nil {
			return nil, err
		}
		return CapabilitiesOf(p, p.Capable()), nil
	}
	p, g, err := i.tool(ctx, tool)
	if err != nil {
		return nil, err
	}
	return CapabilitiesOf(p, []*graph.Graph{g}), nil
}

// allowed explains what allow leaves of a tool: which calls it may make, what these may do, and
// before which of them the user is asked. It is empty when no allow holds for the tool.
func allowed(g *graph.Graph, known capabilities.Known) string {
	if len(g.Allow) == 0 {
		return ""
	}
	var parts []string
	for _, a := range g.Allow {
		switch {
		case a.Calls == nil:
		case len(a.Calls) == 0:
			parts = append(parts, "may call nothing")
		default:
			parts = append(parts, "may call "+wording.List(a.Calls)+" only")
		}
	}
	t := capabilities.OfGraph(g, known)
	made := func(c capabilities.Call) bool { return !c.Refused }
	for _, does := range []struct {
		names, verb, nothing string
	}{
		{callsWithEffect(t, made, config.DestroyEffect, capabilities.Unknown), "may destroy with ", "destroys nothing"},
		{callsWithEffect(t, made, config.WriteEffect), "writes with ", "writes nothing"},
		{callsWithEffect(t, func(c capabilities.Call) bool { return c.Confirmed }, capabilities.Effects...), "asks before ", ""},
		{callsWithEffect(t, func(c capabilities.Call) bool { return c.Refused }, capabilities.Effects...), "is refused, because of its effect: ", ""},
	} {
		switch {
		case does.names != "":
			parts = append(parts, does.verb+does.names)
		case does.nothing != "":
			parts = append(parts, does.nothing)
		}
	}
	return strings.Join(parts, "; ")
}

// callsWithEffect lists the calls of a tool that have one of the effects.
func callsWithEffect(t capabilities.Tool, are func(capabilities.Call) bool, effects ...config.Effect) string {
	var names []string
	for _, c := range t.Calls {
		name := c.Name()
		if c.Effect == capabilities.Unknown {
			name += " (unknown effect)"
		}
		if are(c) && slices.Contains(effects, c.Effect) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return wording.List(names)
}
