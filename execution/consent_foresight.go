package execution

import (
	"slices"

	"toolgraph/graph"
)

// foreseen returns the later calls of a plan that need the user's agreement, and whose arguments can be evaluated now.
func (l *live) foreseen(first *callsToAgree) []*callsToAgree {
	w := &foresight{live: l, first: first}
	root := first.site.block
	for root.site.block != nil {
		root = root.site.block
	}
	w.block(root)
	return w.found
}

// mostForeseen is how many steps one question is about at most, those of items and of blocks each for itself.
const mostForeseen = 200

// foresight looks for calls that are to come.
type foresight struct {
	live  *live
	first *callsToAgree
	found []*callsToAgree
}

func (w *foresight) isFull() bool { return len(w.found) >= mostForeseen }

// block looks into a block: at the steps that have not ended, and all of whose values are there.
func (w *foresight) block(f *fan) {
	for i, step := range f.steps.Block {
		if w.isFull() {
			return
		}
		if f.hasEnded(i) || !w.live.order.Asks(step) || slices.ContainsFunc(step.Needs, func(n int) bool { return !f.hasEnded(n) }) {
			continue
		}
		s := f.stepOf(f.steps, i)
		if runs, err := s.holds(step.If, s.scope); err != nil || !runs {
			continue
		}
		w.step(s)
	}
}

// step looks at a step that will run.
func (w *foresight) step(s *site) {
	step := s.step
	inner, isBlock := step.Node.(*graph.Steps)
	switch {
	case step.Each == nil && isBlock:
		w.within(s, inner)
		return
	case step.Each == nil:
		w.calls(s, []*site{s})
		return
	}
	items, _, err := s.itemsOf(step)
	if err != nil || len(items) > mostForeseen && isBlock {
		return
	}
	f := newFan(s, len(items))
	defer f.cancel(nil)
	var sites []*site
	for i, item := range items {
		one := f.itemSite(item, i)
		if isBlock {
			w.within(one, inner)
			continue
		}
		sites = append(sites, one)
	}
	if !isBlock && step.Until == nil {
		w.calls(s, sites)
	}
}

// within looks into a block that runs, or will run, at a site.
func (w *foresight) within(s *site, n *graph.Steps) {
	if f := w.live.consents.begun(s.address()); f != nil {
		w.block(f)
		return
	}
	if s.step.Repeat != nil { // its turns may see values of others
		return
	}
	f := newFan(s, len(n.Block))
	defer f.cancel(nil)
	f.steps = n
	w.block(f)
}

// calls adds the calls of a step at some sites: one, or those of its items. Those of a repeated step see the turn before.
func (w *foresight) calls(s *site, sites []*site) {
	k := w.live.consents
	if s.address() == w.first.site.address() || s.step.Repeat != nil || len(sites) == 0 {
		return
	}
	c := &callsToAgree{site: s, node: s.step.Node, effect: w.live.hooks.effectOf(s.ctx, s.step.Node)}
	for _, one := range sites {
		args, err := one.arguments()
		if err != nil {
			return
		}
		c.all = append(c.all, args)
	}
	if _, known := k.answer(c.key()); !known {
		w.found = append(w.found, c)
	}
}
