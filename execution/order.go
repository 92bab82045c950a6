package execution

import (
	"context"
	"slices"

	"toolgraph/config"
	"toolgraph/graph"
)

// Order is the order of the steps of a run, decided once, when it starts.
type Order struct {
	changing map[*graph.Step]bool     // steps that may change something, or ask the user: they keep their places
	asks     map[*graph.Step]bool     // steps of a plan about whose calls, or those in it, the user is asked
	needs    map[*graph.Steps][][]int // of each block
}

// OrderOf returns the order of the steps that a run of the graph can reach; nil when it reaches none.
// changing names the calls that may change something, see Start.Changing, and asking those of a plan about which the
// user is asked, see Start.Asking.
func OrderOf(g *graph.Graph, changing, asking []string) *Order {
	graphs := g.StepGraphs()
	if len(graphs) == 0 {
		return nil
	}
	names := make(map[string]bool, len(changing))
	for _, name := range changing {
		names[name] = true
	}
	o := &Order{changing: map[*graph.Step]bool{}, needs: map[*graph.Steps][][]int{}}
	for _, reached := range graphs {
		o.add(reached.Steps(), func(call graph.Node) bool { return names[stepName(reached, call)] })
	}
	if len(asking) > 0 {
		o.asks = map[*graph.Step]bool{}
		o.hold(g.Steps(), func(call graph.Node) bool { return slices.Contains(asking, stepName(g, call)) }, false)
	}
	return o
}

// setOrder sets the order of the run's steps; nil: it has none.
func (l *live) setOrder(o *Order) {
	if l.order = o; o != nil {
		l.places = make(chan struct{}, stepsInFlight)
	}
	if l.root.graph.Plan != nil {
		l.consents = &consents{asking: make(chan struct{}, 1), given: l.past.consents(), running: map[Address]*fan{}}
	}
}

func stepName(g *graph.Graph, node graph.Node) string { return g.Tool.Name.Value + ":" + node.ID() }

// add finds what the steps of a block, and of the blocks in it, need: those that they read; before a step
// that may change something all above it, and that step before all below. It reports whether one may.
func (o *Order) add(n *graph.Steps, changes func(call graph.Node) bool) (any bool) {
	needs := make([][]int, len(n.Block))
	last := -1 // the last step above that changes something: it has waited for all above
	for i, step := range n.Block {
		switch node := step.Node.(type) {
		case *graph.Ask:
			o.changing[step] = true
		case *graph.Steps:
			o.changing[step] = o.add(node, changes)
		case *graph.MCP, *graph.SubGraph:
			o.changing[step] = changes(node)
		case *graph.Entry, *graph.Parallel, *graph.Transform, *graph.Switch, *graph.Exit:
		}
		if o.changing[step] {
			for before := range i {
				needs[i] = append(needs[i], before)
			}
			last = i
			continue
		}
		needs[i] = slices.Clone(step.Needs)
		if last >= 0 && !slices.Contains(needs[i], last) {
			needs[i] = append(needs[i], last)
			slices.Sort(needs[i])
		}
	}
	o.needs[n] = needs
	return last >= 0
}

// hold makes calls of a plan wait about which the user is asked: none starts before the first of them, in the order of
// the list, has been asked about, and that one waits until all above it have ended. held says that a step before the
// block is certain to have asked; so does the result of the block.
func (o *Order) hold(n *graph.Steps, asks func(call graph.Node) bool, held bool) (all, certain bool) {
	last := -1 // the step of the block that is certain to ask
	for i, step := range n.Block {
		inner, isBlock := step.Node.(*graph.Steps)
		sure := true
		if isBlock {
			o.asks[step], sure = o.hold(inner, asks, held)
		} else {
			o.asks[step] = asks(step.Node)
		}
		if !o.asks[step] {
			continue
		}
		all = true
		for before := range i {
			if (!held || before == last) && !slices.Contains(o.needs[n][i], before) {
				o.needs[n][i] = append(o.needs[n][i], before)
			}
		}
		slices.Sort(o.needs[n][i])
		if !held && sure && step.If == nil && step.Each == nil {
			held, last = true, i
		}
	}
	return all, held
}

// Asks reports whether the user is asked about the call of a step of a plan, or about one in its block.
func (o *Order) Asks(step *graph.Step) bool { return o.asks[step] }

// Needs returns for each step of a block those above it that end before it starts.
func (o *Order) Needs(n *graph.Steps) [][]int { return o.needs[n] }

// Changes reports whether a step may change something, or asks the user.
func (o *Order) Changes(step *graph.Step) bool { return o.changing[step] }

// DeclaredChanges returns the names of the steps that change something as the file says, those of graphs that g calls
// included. A run knows more, from locks and servers.
func DeclaredChanges(ctx context.Context, g *graph.Graph) []string {
	h := &hooks{reads: func(context.Context, string, string) bool { return true }}
	return h.changingSteps(ctx, g)
}

// Changes returns the names of the steps that may change something in a run with these options, as Start.Changing has
// them.
func Changes(ctx context.Context, g *graph.Graph, opts ...Option) []string {
	return New(nil).with(opts).changingSteps(ctx, g)
}

// WithReads sets the function that reports whether a tool only reads, as its server says: for the order of
// steps every server is believed. Without the function, and where the file does not say so, a call may
// change something.
func WithReads(reads func(ctx context.Context, server, tool string) bool) Option {
	return func(h *hooks) { h.reads = reads }
}

// WithChanging sets the steps that may change something, and those about which the user is asked, as the Start of another
// run has them, in place of deciding it: for a replay.
func WithChanging(names, asking []string) Option {
	return func(h *hooks) { h.changing, h.asking = &names, asking }
}

// changingSteps returns the names of the calling steps that may change something; nil when the run has none.
func (h *hooks) changingSteps(ctx context.Context, g *graph.Graph) (names []string) {
	if h.changing != nil {
		return *h.changing
	}
	for _, reached := range g.StepGraphs() {
		reached.Steps().EachStep(func(s *graph.Step) {
			if h.mayChange(ctx, s.Node) {
				names = append(names, stepName(reached, s.Node))
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
