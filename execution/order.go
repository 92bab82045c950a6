package execution

import (
	"context"
	"slices"

	"toolgraph/config"
	"toolgraph/graph"
)

// changing are the steps of a run that may change something, or ask the user: they keep their places among
// the others. It is decided once, when the run starts.
type changing map[string]bool // by tool and path, as report:users.save

func stepName(g *graph.Graph, step *graph.Step) string {
	return g.Tool.Name.Value + ":" + step.Node.ID()
}

// changes reports whether a step may change something.
func (c changing) changes(g *graph.Graph, step *graph.Step) bool {
	switch n := step.Node.(type) {
	case *graph.Ask:
		return true
	case *graph.Steps:
		return slices.ContainsFunc(n.Block, func(s *graph.Step) bool { return c.changes(g, s) })
	case *graph.MCP, *graph.SubGraph:
		return c[stepName(g, step)]
	case *graph.Entry, *graph.Parallel, *graph.Transform, *graph.Switch, *graph.Exit:
	}
	return false
}

// needs returns for each step of a block those that end before it starts: those that it reads; before a
// step that may change something all above it, and that step before all below.
func (c changing) needs(g *graph.Graph, n *graph.Steps) [][]int {
	needs := make([][]int, len(n.Block))
	last := -1 // the last step above that changes something: it has waited for all above
	for i, step := range n.Block {
		if c.changes(g, step) {
			for before := range i {
				needs[i] = append(needs[i], before)
			}
			last = i
			continue
		}
		needs[i] = slices.Clone(step.Needs)
		if last >= 0 && !slices.Contains(needs[i], last) {
			needs[i] = append(needs[i], last)
		}
	}
	return needs
}

// StepNeeds returns for each step of a block of g those above it that end before it starts, in a run in which the
// steps of these names may change something, see Start.Changing.
func StepNeeds(g *graph.Graph, n *graph.Steps, names []string) [][]int {
	return changingOf(names).needs(g, n)
}

// MayChange reports whether a step of g may change something, or asks the user, in a run in which the steps of these
// names may change something.
func MayChange(g *graph.Graph, step *graph.Step, names []string) bool {
	return changingOf(names).changes(g, step)
}

// DeclaredChanges returns the names of the steps that change something as the file says, those of graphs that g calls
// included. A run knows more, from locks and servers.
func DeclaredChanges(ctx context.Context, g *graph.Graph) []string {
	h := &hooks{reads: func(context.Context, string, string) bool { return true }}
	return h.changingSteps(ctx, g)
}

// WithReads sets the function that reports whether a tool only reads, as its server says: for the order of
// steps every server is believed. Without the function, and where the file does not say so, a call may
// change something.
func WithReads(reads func(ctx context.Context, server, tool string) bool) Option {
	return func(h *hooks) { h.reads = reads }
}

// WithChanging sets the steps that may change something, as the Start of another run has them, in place of
// deciding it: for a replay.
func WithChanging(names []string) Option { return func(h *hooks) { h.changing = &names } }

// changingSteps returns the names of the calling steps that may change something; nil when the run has none.
func (h *hooks) changingSteps(ctx context.Context, g *graph.Graph) (names []string) {
	if h.changing != nil {
		return *h.changing
	}
	for _, reached := range g.StepGraphs() {
		reached.Steps().EachStep(func(s *graph.Step) {
			if h.mayChange(ctx, s.Node) {
				names = append(names, stepName(reached, s))
			}
		})
	}
	return names
}

// mayChange reports whether a call, or one that a called graph makes, may change something.
func (h *hooks) mayChange(ctx context.Context, node graph.Node) bool {
	switch n := node.(type) {
	case *graph.MCP:
		if n.Effect != "" {
			return n.Effect != config.ReadEffect
		}
		return h.reads == nil || !h.reads(ctx, n.Server, n.Tool)
	case *graph.SubGraph:
		return n.Graph != nil && slices.ContainsFunc(n.Graph.Reached(), func(g *graph.Graph) bool {
			return slices.ContainsFunc(g.CallNodes(), func(n graph.Node) bool {
				_, isCall := n.(*graph.MCP)
				return isCall && h.mayChange(ctx, n)
			})
		})
	case *graph.Entry, *graph.Parallel, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	return false
}

func changingOf(names []string) changing {
	c := make(changing, len(names))
	for _, name := range names {
		c[name] = true
	}
	return c
}
