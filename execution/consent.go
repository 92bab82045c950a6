package execution

import (
	"cmp"
	"context"
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

	mu      sync.Mutex
	given   map[string]agreement // by callsToAgree.key
	running map[Address]*fan     // blocks that run
}

// begin notes that a block runs; end takes that back. nil notes nothing.
func (k *consents) begin(f *fan) (end func()) {
	if k == nil {
		return func() {}
	}
	at := f.site.address()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running[at] = f
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.running, at)
	}
}

// begun returns a block that runs; else nil.
func (k *consents) begun(at Address) *fan {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.running[at]
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
	if graph.CallingOf(s.Node) == nil {
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
