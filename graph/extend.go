package graph

import (
	"context"

	"toolgraph/config"
)

// Extend compiles one more tool for a file, which calls the graphs of the file but is not one of
// them: these do not change, and cannot call it. In its args and rules, texts refer to the outputs
// of its nodes as references say. A tool that differs from that of another graph, like, in its nodes
// alone has the compiled schemas of that; like may be nil. The diagnostics are all findings, sorted, and the graph is nil
// when one is an error; the error is the cause of ctx's end. Safe for concurrent use.
func Extend(ctx context.Context, f *config.File, graphs []*Graph, tool *config.Tool, references References, like *Graph) (*Graph, config.Diagnostics, error) {
	g, found, err := extension(ctx, f, tool, references, like)
	if err != nil || g == nil {
		return nil, found, err
	}
	for _, n := range g.CallNodes() {
		if sub, isGraph := n.(*SubGraph); isGraph {
			sub.Graph = graphOf(graphs, sub.Tool)
		}
	}
	g.setHash(func(called *Graph) string { return called.digest(nil) })
	return g, found, nil
}

// CheckExtension returns the findings of Extend about a tool that was decoded with errors.
func CheckExtension(ctx context.Context, f *config.File, tool *config.Tool, like *Graph) (config.Diagnostics, error) {
	_, found, err := extension(ctx, f, tool, nil, like)
	return found, err
}

// extension compiles a tool. The graph is nil when a finding is an error.
func extension(ctx context.Context, f *config.File, tool *config.Tool, references References, like *Graph) (*Graph, config.Diagnostics, error) {
	c := newCompiler(f, tool, highestCaps)
	c.names, c.allow, c.references = namesOf(f), allowsOf(f)[f], references
	c.like = like
	g := c.compile(ctx)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	c.found.Sort()
	if c.found.Err() != nil {
		return nil, c.found, nil
	}
	return g, c.found, nil
}

// graphOf returns the first graph of a tool; nil when there is none.
func graphOf(graphs []*Graph, tool string) *Graph {
	for _, g := range graphs {
		if g.Tool.Name.Value == tool {
			return g
		}
	}
	return nil
}
