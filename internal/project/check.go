package project

import (
	"toolgraph/config"
	"toolgraph/graph/flow"
)

// Check is everything that is to be said of the file: its warnings, and what goes wrong
// in its graphs, or may, by what is known of the tools that they call. Upstreams may be
// nil. Only errors among it that a run is certain to meet; no door but a check asks.
func (p *Project) Check(up flow.Upstreams) config.Diagnostics {
	found := p.Warnings[:len(p.Warnings):len(p.Warnings)]
	for _, g := range p.Graphs {
		found = append(found, flow.Check(g, up)...)
	}
	found.Sort()
	return found
}
