package graph

import (
	"context"

	"toolgraph/config"
)

// Option changes how Build works.
type Option func(*options)

type options struct{ caps Caps }

// WithCaps sets other caps than DefaultCaps.
func WithCaps(caps Caps) Option {
	return func(o *options) { o.caps = caps }
}

// Build checks every tool of a file and compiles it. The graphs come in file order.
// The diagnostics hold all findings of all tools, sorted; the graphs are nil when
// one of them is an error. The error is the cause of ctx's end, which is looked for at
// each node and expression; there is nothing else then. Safe for concurrent use; the
// file is kept by the graphs and must not change afterwards.
func Build(ctx context.Context, f *config.File, opts ...Option) ([]*Graph, config.Diagnostics, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	caps := o.caps.effective()
	var found config.Diagnostics
	checkCap(&found, "too-many-tools", "the file", "tools", "split it into several graph files",
		len(f.Tools), caps.Tools, func(i int) config.Pos { return f.Tools[i].Pos })
	graphs := make([]*Graph, 0, len(f.Tools))
	for _, tool := range f.Tools {
		c := newCompiler(f, tool, caps)
		graphs = append(graphs, c.compile(ctx))
		found = append(found, c.found...)
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
	}
	found.Sort()
	if found.Err() != nil {
		return nil, found, nil
	}
	return graphs, found, nil
}
