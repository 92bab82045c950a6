package execution

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// consents are what the user has said of the calls of a plan. Questions are put one after the other, each about all calls
// whose arguments are known by then.
type consents struct {
	asking chan struct{} // holds one while a question is open

	mu    sync.Mutex
	given map[string]agreement // by consentKey
	met   map[Address]bool     // sites that have asked, or whose calls are made
}

// meet notes that a block runs, or that the user was asked about a call; nil notes nothing.
func (k *consents) meet(at Address) {
	if k != nil {
		k.mu.Lock()
		k.met[at] = true
		k.mu.Unlock()
	}
}

// hasMet reports whether a block has begun, or a call was asked about.
func (k *consents) hasMet(at Address) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.met[at]
}

// answer returns what the user has said of calls.
func (k *consents) answer(key string) (agreement, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	given, known := k.given[key]
	return given, known
}

// callsToAgree are calls of one step about which the user is asked.
type callsToAgree struct {
	site   *site
	node   graph.Node
	effect config.Effect
	all    []value.Value // their arguments
}

// consentKey names calls of a step with these arguments: the same step of another turn, with the same arguments, has the
// same key.
func (c *callsToAgree) key() string {
	server, tool := targetOf(c.node)
	return strings.Join(config.StepIDs(c.site.part), ".") + " " + digest([]any{server, tool, c.all})
}

func targetOf(node graph.Node) (server, tool string) {
	switch n := node.(type) {
	case *graph.MCP:
		return n.Server, n.Tool
	case *graph.SubGraph:
		return "", n.Tool
	case *graph.Entry, *graph.Parallel, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	return "", ""
}

// plan returns the rules of the plan whose step is at the site; nil for one of a file.
func (s *site) plan() *graph.Plan {
	if s.step == nil {
		return nil
	}
	return s.frame.graph.Plan
}

// effectOf returns what the call of a step does, as far as it is believed; empty when it is unknown. A tool of a file does
// the worst of what it calls.
func (h *hooks) effectOf(ctx context.Context, node graph.Node) config.Effect {
	believed := func(server, tool string) config.Effect {
		if h.effects == nil {
			return ""
		}
		return h.effects(ctx, server, tool)
	}
	switch n := node.(type) {
	case *graph.MCP:
		return cmp.Or(n.Effect, believed(n.Server, n.Tool))
	case *graph.SubGraph:
		return graph.WorstEffect(n.Graph, believed)
	case *graph.Entry, *graph.Parallel, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	return config.ReadEffect
}

// asksAbout reports whether the user has to agree to the call of a step of a plan.
func (h *hooks) asksAbout(ctx context.Context, p *graph.Plan, s *graph.Step) bool {
	switch s.Node.(type) {
	case *graph.MCP, *graph.SubGraph:
	default:
		return false
	}
	if p.Confirms(h.effectOf(ctx, s.Node)) {
		return true
	}
	inside := func(server, tool string) bool { return h.inside != nil && h.inside(ctx, server, tool) }
	return p.AskFlows && graph.Leaks(s, p.Sources(s), inside)
}

// asking returns the names of the steps of a plan about whose calls the user is asked; nil for a graph of a file.
func (h *hooks) askingSteps(ctx context.Context, g *graph.Graph) (names []string) {
	if g.Plan == nil {
		return nil
	}
	if h.changing != nil {
		return h.asking
	}
	g.Steps().EachStep(func(s *graph.Step) {
		if h.asksAbout(ctx, g.Plan, s) {
			names = append(names, stepName(g, s.Node))
		}
	})
	return names
}

// WithInside sets the function that reports whether what is sent to a tool is known to stay in its server, or the server
// is trusted with it. Without it nothing is known.
func WithInside(inside func(ctx context.Context, server, tool string) bool) Option {
	return func(h *hooks) { h.inside = inside }
}

// permitInPlan returns the failure of a call that the rules of a plan refuse.
func (s *site) permitInPlan(node graph.Node) *Failure {
	p := s.plan()
	if p == nil {
		return nil
	}
	effect := s.frame.live.hooks.effectOf(s.ctx, node)
	if p.PermitsEffect(effect) {
		return nil
	}
	failed := failureAt(CodeTool, node, nil, "the effect of %s is %s, which plans must not have", calledName(node), cmp.Or(string(effect), "unknown, and counts as destroy"))
	failed.Detail = string(config.FailNotAllowed)
	return failed
}

// calledName is SERVER.TOOL, or the name of a tool of the file.
func calledName(node graph.Node) string {
	server, tool := targetOf(node)
	return strings.TrimPrefix(wording.OneLine(server+"."+tool), ".")
}

// agreeInPlan asks the user about calls, and about all later ones of the plan that need it and whose arguments are known,
// unless the user has answered.
func (l *live) agreeInPlan(c *callsToAgree) (agreement, error) {
	k := l.consents
	c.site.begin() // the parts before it may have to ask, too
	defer l.clock.wait(c.site.frame.pace)()
	select {
	case k.asking <- struct{}{}:
		defer func() { <-k.asking }()
	case <-c.site.ctx.Done():
		return agreement{failed: endOf(c.site.ctx, c.site.node, "before its question", c.site.ctx.Err())}, nil
	}
	k.meet(c.site.address())
	if given, known := k.answer(c.key()); known {
		return given, nil
	}
	group := append([]*callsToAgree{c}, l.foreseen(c)...)
	q := c.site.question(planQuestion(group), nil)
	var keys []any
	for _, one := range group {
		keys = append(keys, one.key())
		q.Covers, q.Calls = append(q.Covers, one.key()), q.Calls+len(one.all)
	}
	q.Digest = digest(keys)
	q.Server, q.Tool = targetOf(c.node)
	q.Effect = c.effect
	a, failed, err := l.put(c.site, q, graph.DefaultAskTimeout)
	if err != nil {
		return agreement{}, err
	}
	given := agreement{failed: failed}
	if failed == nil {
		given.confirmed = &Confirmation{At: a.Time, Digest: q.Digest}
	}
	if failed == nil || failed.Detail == string(config.FailDeclined) {
		k.mu.Lock()
		for _, key := range q.Covers {
			k.given[key] = given
		}
		k.mu.Unlock()
	}
	return given, nil
}

// foreseen returns the later calls of a plan that need the user's agreement, and whose arguments can be evaluated now.
func (l *live) foreseen(first *callsToAgree) []*callsToAgree {
	w := &foresight{live: l, first: first, running: map[Address]*fan{}}
	root := first.site.block
	for f := root; f != nil; f = f.site.block {
		w.running[f.site.address()] = f
		root = f
	}
	w.block(root)
	return w.found
}

// mostForeseen is how many steps one question is about at most, those of items and of blocks each for itself.
const mostForeseen = 200

// foresight looks for calls that are to come.
type foresight struct {
	live    *live
	first   *callsToAgree
	running map[Address]*fan // blocks that the first call is in, by their addresses
	found   []*callsToAgree
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
	f := w.running[s.address()]
	if f == nil {
		f = newFan(s, len(items))
		defer f.cancel(nil)
	}
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
	if f := w.running[s.address()]; f != nil && f.steps == n {
		w.block(f)
		return
	}
	if s.step.Repeat != nil || w.live.consents.hasMet(s.address()) { // its turns may see values of others; or its calls have begun
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
	if k.hasMet(s.address()) || s.step.Repeat != nil || len(sites) == 0 {
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

const (
	planArgument = 200 // bytes that the question about a plan shows of the arguments of a call
	planCalls    = 20  // steps that it shows
)

// planQuestion is the question whether calls of a plan may be made.
func planQuestion(group []*callsToAgree) string {
	var b strings.Builder
	fmt.Fprintf(&b, "A plan of the client is about to make %s:\n", wording.Count(countCalls(group), "call"))
	for i, c := range group[:min(len(group), planCalls)] {
		fmt.Fprintf(&b, "%d. step %s: %s (effect: %s)", i+1, c.site.step.Node.ID(), calledName(c.node), cmp.Or(string(c.effect), "unknown, may destroy"))
		if c.site.step.Repeat != nil {
			fmt.Fprintf(&b, ", up to %d times", c.site.step.Repeat.Times)
		}
		switch {
		case len(c.all) == 1:
			fmt.Fprintf(&b, " %s\n", c.site.shown(c.all[0], planArgument))
		default:
			fmt.Fprintf(&b, ", %d times:\n", len(c.all))
			for _, args := range c.all[:min(len(c.all), callsShown)] {
				fmt.Fprintf(&b, "   %s\n", c.site.shown(args, planArgument))
			}
			if more := len(c.all) - callsShown; more > 0 {
				fmt.Fprintf(&b, "   and %d more\n", more)
			}
		}
		for _, from := range c.origins() {
			fmt.Fprintf(&b, "   %s\n", from)
		}
	}
	if more := len(group) - planCalls; more > 0 {
		fmt.Fprintf(&b, "and those of %s\n", wording.Count(more, "more step"))
	}
	b.WriteString("Allow these calls?")
	return b.String()
}

func countCalls(group []*callsToAgree) (n int) {
	for _, c := range group {
		n += len(c.all)
	}
	return n
}

// origins says for each computed argument from which steps, and so which servers, it comes.
func (c *callsToAgree) origins() (lines []string) {
	of := graph.CallingOf(c.node)
	if of == nil || of.Args == nil {
		return nil
	}
	all := c.site.frame.graph.Plan.Sources(c.site.step)
	of.Args.Named(func(name string, e *graph.Expr) {
		from := stepsRead(e)
		if each := c.site.step.Each; len(from) == 0 && each != nil { // of an item
			from = stepsRead(each)
		}
		if len(from) == 0 && len(all) == 0 {
			return
		}
		line := wording.OneLine(name) + " is computed"
		if len(from) > 0 {
			line += " from step " + strings.Join(from, ", ")
		}
		if len(all) > 0 {
			line += " (" + strings.Join(all, ", ") + ")"
		}
		lines = append(lines, line)
	})
	return lines
}

// stepsRead returns the names of the steps that an expression reads.
func stepsRead(e *graph.Expr) (names []string) {
	for _, ref := range e.References() {
		if len(ref.Path) > 0 && ref.Function == "" && ref.Path[0] != "args" && !slices.Contains(names, ref.Path[0]) {
			names = append(names, ref.Path[0])
		}
	}
	return names
}

// consents returns the answers that a resumed run has.
func (p *past) consents() map[string]agreement {
	given := map[string]agreement{}
	if p == nil {
		return given
	}
	for key, a := range p.covered {
		switch a.Action {
		case Accept:
			given[key] = agreement{confirmed: &Confirmation{At: a.Time, Digest: a.Digest}}
		case Decline:
			given[key] = agreement{failed: &Failure{Code: CodeUser, Detail: string(config.FailDeclined), Message: "the user declined the call"}}
		case Dismiss, TimedOut, NoUser:
		}
	}
	return given
}

// Change is what calls of one tool have changed in the run of a plan.
type Change struct {
	Tool  string // SERVER.TOOL, or a tool of the file
	Calls int
}

// changed returns the calls of a plan that have succeeded, of steps that may change something, in the order of their tools;
// nil for a graph of a file.
func (l *live) changed(records []*Record) (all []Change) {
	g := l.root.graph
	if g.Plan == nil {
		return nil
	}
	for _, rec := range records {
		step := g.StepAt(rec.NodeID, rec.Part)
		if rec.Frame != "" || step == nil || rec.Error != nil || rec.Handled != nil || rec.Skipped || !isOneCall(step, rec.Part) || !l.order.Changes(step) {
			continue
		}
		name := calledName(step.Node)
		i, known := slices.BinarySearchFunc(all, name, func(c Change, name string) int { return strings.Compare(c.Tool, name) })
		if !known {
			all = slices.Insert(all, i, Change{Tool: name})
		}
		all[i].Calls++
	}
	return all
}

// isOneCall reports whether a part of a step is a call, and not the whole of several.
func isOneCall(s *graph.Step, part string) bool {
	if graph.CallingOf(s.Node) == nil {
		return false
	}
	last := part[strings.LastIndexByte(part, '.')+1:]
	switch {
	case s.Repeat != nil:
		return strings.Contains(last, "@")
	case s.Each != nil:
		return last != s.ID
	}
	return true
}
