package graph

import (
	"cmp"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// checkAllow reports calls that allow of the file, or of a tool that reaches them, does not have,
// and what in allow has no effect. Effects that the file does not give are package flow's.
func checkAllow(f *config.File, graphs []*Graph, found *config.Diagnostics) {
	whole := !slices.Contains(graphs, nil)
	for _, source := range sourcesOf(f) {
		if source.Allow == nil {
			continue
		}
		c := allowChecker{config: source.Allow, who: "the file", found: found}
		c.calls(Reached(slices.DeleteFunc(slices.Clone(graphs), func(g *Graph) bool { return g == nil || sourceOf(f, g.Tool) != source })), whole)
		c.confirm(source.Allow)
	}
	for _, g := range graphs {
		if g == nil || g.Tool.Allow == nil {
			continue
		}
		c := allowChecker{config: g.Tool.Allow, who: fmt.Sprintf("tool %q", g.Tool.Name.Value), of: g, found: found}
		c.calls(g.Reached(), whole)
		c.confirm(sourceOf(f, g.Tool).Allow)
	}
}

// allowChecker checks one allow.
type allowChecker struct {
	config *config.Allow
	who    string // whose it is
	of     *Graph // the graph of that tool; nil for the file
	found  *config.Diagnostics
}

// calls reports calls in the graphs that are not allowed, and, when these are whole, entries that
// no call needs.
func (c *allowChecker) calls(graphs []*Graph, whole bool) {
	allow := newAllow(c.config)
	used := make([]bool, len(allow.Calls))
	var names []string
	for _, g := range graphs {
		for _, n := range g.CallNodes() {
			m, isMCP := n.(*MCP)
			if !isMCP {
				continue
			}
			names = append(names, m.Server+"."+m.Tool)
			for i, entry := range allow.Calls {
				used[i] = used[i] || (&Allow{Calls: []string{entry}}).Permits(m.Server, m.Tool)
			}
			c.call(allow, g, m)
		}
	}
	for i, entry := range c.config.Calls {
		if whole && !used[i] {
			near := wording.Nearest(entry.Value, names)
			c.found.Warn(entry.Pos, "allow-unused", fmt.Sprintf("calls of allow of %s has %s, which no node calls", c.who, wording.Quote(entry.Value)),
				cmp.Or(wording.Meant(near), "remove it")).Meant(entry, near).Fixed(config.RemoveItem(entry.Pos))
		}
	}
}

func (c *allowChecker) call(allow *Allow, g *Graph, m *MCP) {
	tool := g.Tool.Name.Value
	refusal, remedy := allow.Refusal(tool, m.Server, m.Tool), "calls"
	if refusal == "" && m.Effect != "" {
		refusal, remedy = allow.EffectRefusal(tool, m.Server, m.Tool, m.Effect), "effects"
	}
	if refusal == "" {
		return
	}
	if c.of != nil && c.of != g {
		refusal += ", which holds for what " + c.who + " calls"
	}
	d := c.found.Add(m.toolPos, "not-allowed", refusal, "add it to "+remedy+", or remove the call")
	if remedy == "calls" {
		d.Fixed(allow.permitting(m.toolPos.File, remedy, m.Server+"."+m.Tool))
	} else {
		d.Fixed(allow.PermittingEffect(m.toolPos.File, m.Effect))
	}
}

// confirm reports effects that need the user's consent, and that no call may have.
func (c *allowChecker) confirm(file *config.Allow) {
	for _, text := range c.config.Confirm {
		effect := config.Effect(text.Value)
		for _, a := range []*config.Allow{c.config, file} {
			if a == nil || newAllow(a).PermitsEffect(effect) {
				continue
			}
			c.found.Add(text.Pos, "confirm-not-allowed",
				fmt.Sprintf("confirm of allow of %s names %s, which effects of allow (%s) leaves out", c.who, effect, a.Pos),
				"add it to effects, or remove it from confirm").Over(text).Fixed(config.RemoveItem(text.Pos), newAllow(a).PermittingEffect(text.Pos.File, effect))
			break
		}
	}
}
