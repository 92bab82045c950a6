package project

import (
	"context"

	"toolgraph/config"
	"toolgraph/graph/flow"
)

// Check is everything that is to be said of the file: its warnings, and what goes wrong
// in its graphs, or may, by what is known of the tools that they call. Upstreams may be
// nil. Only errors among it that a run is certain to meet; no door but a check asks. The
// error is the cause of ctx's end.
func (p *Project) Check(ctx context.Context, up flow.Upstreams) (config.Diagnostics, error) {
	found := p.Warnings[:len(p.Warnings):len(p.Warnings)]
	for _, g := range p.Graphs {
		more, err := flow.Check(ctx, g, up)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	found.Sort()
	return found, nil
}
