package runtime

import (
	"context"
	"fmt"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/serving/plan"
	"toolgraph/mcpclient"
)

// believer knows the hints of tools that are believed where the file does not say what a call
// does: those of a lock that is in force, else those of a server that the file trusts. All that is
// permitted, confirmed or repeated because of hints follows from its hints method.
type believer struct {
	lock   *lock.Lock               // in force; nil: trusted servers are believed
	trusts func(server string) bool // nil: no server is trusted
	// listed returns a tool as its server lists it.
	listed func(ctx context.Context, server, tool string) (mcpclient.Tool, bool)
}

// Believer returns what is believed in runs of the file. With asking, a trusted server that has not
// listed its tools yet is started and asked for them; without, such a tool is unknown.
func (l *Loaded) Believer(asking bool) *believer {
	b := &believer{lock: l.Lock, trusts: l.File.Trusts}
	b.listed = func(ctx context.Context, server, tool string) (mcpclient.Tool, bool) {
		if !asking {
			return l.Pool.Known(server, tool)
		}
		listed, known, err := l.Pool.Offered(ctx, server, tool)
		if err != nil && ctx.Err() == nil {
			l.Log.Warn(fmt.Sprintf("server %q cannot list its tools, so it is unknown what %q does", server, tool), "error", err)
		}
		return listed, known
	}
	return b
}

// LockedBeliever returns what is believed in the tests of a file: the lock beside it, because tests do not
// depend on what servers say. Without a lock all is unknown.
func LockedBeliever(p *project.Project) *believer {
	l, err := lock.Load(lock.Path(p.File.Path))
	if err != nil {
		return &believer{} // check reports it
	}
	return &believer{lock: l}
}

// hints are the believed hints of a tool; without any for an unknown one.
func (b *believer) hints(ctx context.Context, server, tool string) lock.Hints {
	switch {
	case b.lock != nil:
		e, _ := b.lock.Entry(server, tool)
		return e.Hints()
	case b.trusts != nil && b.trusts(server):
		if listed, known := b.listed(ctx, server, tool); known {
			return lock.HintsOf(listed.Annotations)
		}
	}
	return lock.Hints{}
}

// Effect returns what a call of a tool does; empty when it is unknown.
func (b *believer) Effect(ctx context.Context, server, tool string) config.Effect {
	return b.hints(ctx, server, tool).Effect()
}

// Repeatable reports which calls are safe to repeat.
func (b *believer) Repeatable(ctx context.Context) func(server, tool string, effect config.Effect) bool {
	return func(server, tool string, effect config.Effect) bool {
		return b.hints(ctx, server, tool).Repeatable(effect)
	}
}

// Options returns the options of a run with this context.
func (b *believer) Options(ctx context.Context) []execution.Option {
	return []execution.Option{execution.WithEffects(b.Effect), execution.WithRepeatable(b.Repeatable(ctx)), execution.WithReads(b.reads), execution.WithInside(b.inside)}
}

// inside reports whether what is sent to a tool stays in its server, by the lock in force, or the server is trusted with it.
func (b *believer) inside(ctx context.Context, server, tool string) bool {
	if b.trusts != nil && b.trusts(server) {
		return true
	}
	open := b.hints(ctx, server, tool).OpenWorld
	return open != nil && !*open
}

// beliefs are what is believed of the calls of a plan.
func (b *believer) beliefs(ctx context.Context) plan.Beliefs {
	return plan.Beliefs{
		Effect: func(server, tool string) config.Effect { return b.Effect(ctx, server, tool) },
		Inside: func(server, tool string) bool { return b.inside(ctx, server, tool) },
	}
}

// reads reports whether a tool only reads: by the lock in force, else by what its server says. For the
// order of steps every server is believed.
func (b *believer) reads(ctx context.Context, server, tool string) bool {
	if b.lock != nil {
		return b.Effect(ctx, server, tool) == config.ReadEffect
	}
	if b.listed == nil {
		return false
	}
	listed, known := b.listed(ctx, server, tool)
	return known && lock.HintsOf(listed.Annotations).Effect() == config.ReadEffect
}

// judged is what in a graph, or in those that it calls, depends on what calls do.
type judged struct {
	permission bool // which calls may be made, or need the user's agreement
	repetition bool // which calls are attempted again
	answers    bool // which answers are given again
	order      bool // which steps keep their places
}

func judgedIn(g *graph.Graph) (j judged) {
	j.permission = g.Plan != nil
	for _, reached := range g.Reached() {
		for _, a := range reached.Allow {
			j.permission = j.permission || a.Effects != nil || len(a.Confirm) > 0
		}
		j.order = j.order || reached.Tool.StepsAt.IsValid()
		for _, n := range reached.CallNodes() {
			m, isMCP := n.(*graph.MCP)
			if !isMCP || m.Effect != "" {
				continue
			}
			j.permission = j.permission || m.Confirm != nil && *m.Confirm // the question says what the call does
			j.answers = j.answers || m.Cache > 0
			j.repetition = j.repetition || m.Retry != nil && m.Retry.Codes == nil
		}
	}
	return j
}

type permittedKey struct{}

// Believe returns the options of a run of a graph, and its context. Servers are asked only where
// something depends on it.
func (l *Loaded) Believe(ctx context.Context, g *graph.Graph) (context.Context, []execution.Option) {
	depends := judgedIn(g)
	if depends.permission {
		ctx = context.WithValue(ctx, permittedKey{}, true)
	}
	return ctx, l.Believer(depends.permission || depends.repetition || depends.answers || depends.order).Options(ctx)
}

// asPermitted returns the context of a call that fails when it does more than was believed when it
// was permitted. A lock needs no such check: the pool compares each tool with it.
func (l *Loaded) asPermitted(ctx context.Context, c *execution.Call) context.Context {
	effect := c.Effect
	if !c.Believed || effect == config.DestroyEffect || l.Lock != nil || ctx.Value(permittedKey{}) == nil {
		return ctx
	}
	return mcpclient.WithCallCheck(ctx, func(_ string, tool mcpclient.Tool) *mcpclient.Error {
		return exceeding(effect, lock.HintsOf(tool.Annotations).Effect())
	})
}

// exceeding returns the error of a call that was permitted for one effect and has another now; nil
// when that can do no more.
func exceeding(permitted, now config.Effect) *mcpclient.Error {
	if graph.Within(now, permitted) {
		return nil
	}
	is := string(now)
	if now == "" {
		is = "unknown"
	}
	return &mcpclient.Error{
		Code:    lock.CodeChanged,
		Message: fmt.Sprintf("not called, because its effect was %s when the call was permitted and is %s now", permitted, is),
		Hint:    "review the tool of the server, and give effect at the node or lock the tool",
	}
}
