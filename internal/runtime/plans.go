package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/serving/plan"
	"toolgraph/internal/serving/server"
	"toolgraph/mcpclient"
)

// List returns the tools of a server for plans: those of the lock in force, else those that the server lists, which is
// started when it does not run. The error is for the client.
func (l *Loaded) List(ctx context.Context, upstream string) ([]plan.Listed, error) {
	offered, err := l.Pool.OfferedTools(ctx, upstream)
	if err != nil {
		return nil, fmt.Errorf("server %q cannot list its tools: %w", upstream, err)
	}
	believer := l.Believer(true)
	listed := make([]plan.Listed, 0, len(offered))
	for i := range offered {
		t := &offered[i]
		if l.Lock != nil && !l.isLocked(upstream, t) {
			continue
		}
		of := plan.Listed{
			Name: t.Name, Description: t.Description,
			Tool:   l.describe(upstream, t),
			Closed: believer.inside(ctx, upstream, t.Name),
		}
		if of.OutputSchema == nil {
			of.Seen = l.seen.schema(seenKey{server.SubjectOf(ctx), upstream, t.Name})
		}
		listed = append(listed, of)
	}
	return listed, nil
}

// isLocked reports whether a tool is in the lock in force; the pool refuses one whose definition differs.
func (l *Loaded) isLocked(upstream string, t *mcpclient.Tool) bool {
	_, known := l.Lock.Entry(upstream, t.Name)
	return known
}

// describe returns a tool as its server lists it, for the checks of plans. What it does is believed as permission has it.
func (l *Loaded) describe(upstream string, t *mcpclient.Tool) flow.Tool {
	hints := lock.HintsOf(t.Annotations)
	listed := flow.Tool{
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, From: fmt.Sprintf("server %q", upstream),
		ReadOnly: hints.ReadOnly, Destructive: hints.Destructive, Idempotent: hints.Idempotent,
	}
	if l.Lock == nil {
		listed.Believed = l.File.Trusts(upstream)
		return listed
	}
	listed = l.Lock.Believe(upstream, t.Name, listed, l.File.Trusts(upstream))
	if pinned, known := l.Lock.Tool(upstream, t.Name); known && listed.OutputSchema == nil {
		listed.OutputSchema, listed.Learned = pinned.OutputSchema, pinned.Learned
	}
	return listed
}

// isPlan reports whether a listed graph stands for all plans.
func (l *Loaded) isPlan(g *graph.Graph) bool { return l.Plan != nil && g == l.Plan.Graph }

// searchTool returns the tool with which clients find what plans may call.
func (l *Loaded) searchTool() (server.Tool, error) {
	l.seen.wanted.Store(true)
	return l.Plan.SearchTool(l, func(ctx context.Context) plan.Beliefs { return l.Believer(true).beliefs(ctx) })
}

// planCalls returns what plans may call, each with the worst that it may do there: the annotations of run_plan follow from
// it. Under a lock a pattern stands for the locked tools; without one, an unknown effect is the worst that plans may have.
func (l *Loaded) planCalls() (all []server.Upstream) {
	rules := l.Plan.Rules()
	for _, call := range upstreamsOf(l.Plan.Graph) {
		if l.Lock == nil {
			if call.Effect = graph.KnownEffect(call.Effect); !graph.Within(call.Effect, rules.MostEffect()) {
				call.Effect = rules.MostEffect()
			}
			all = append(all, call)
			continue
		}
		prefix, open := strings.CutSuffix(call.Tool, "*")
		for i := range l.Lock.Entries {
			e := &l.Lock.Entries[i]
			if e.Server != call.Server || e.Tool != call.Tool && (!open || !strings.HasPrefix(e.Tool, prefix)) {
				continue
			}
			known := server.Upstream{Server: e.Server, Tool: e.Tool, Effect: graph.KnownEffect(cmp.Or(call.Effect, e.Hints().Effect()))}
			if rules.PermitsEffect(known.Effect) && !slices.Contains(all, known) {
				all = append(all, known)
			}
		}
	}
	return all
}

// planRunner runs plans: one that is only to be checked starts no run.
func (l *Loaded) planRunner(run server.Run) server.Run {
	return func(ctx context.Context, args value.Value, watch server.Watch) (server.Answer, error) {
		if plan.IsDryRun(args) {
			report, err := l.CheckPlan(ctx, args)
			return server.Answer{Value: report, Shown: l.shown(l.Plan.Graph, args, nil, nil)}, err
		}
		var notes []plan.Finding
		answer, err := run(plan.WithNotes(ctx, &notes), args, watch)
		for i := range notes {
			if answer.Usage != nil {
				answer.Usage.Warnings = append(answer.Usage.Warnings, notes[i].String())
			}
		}
		return answer, err
	}
}

// CheckPlan answers a dry run of a plan: its findings, calls, and what flows where.
func (l *Loaded) CheckPlan(ctx context.Context, args value.Value) (value.Value, error) {
	return l.Plan.Check(ctx, args, l, l.Believer(true).beliefs(ctx))
}

// Permitted returns why a plan is not begun, with any user: it has calls that plans must not make. nil: it may, or is
// no plan.
func (l *Loaded) Permitted(ctx context.Context, g *graph.Graph) error {
	if g.Plan == nil {
		return nil
	}
	return plan.Permitted(g, l.Believer(true).beliefs(ctx))
}

// mayBegin returns why a plan is not begun: it has calls that plans must not make, or that need the agreement of a user
// who cannot be asked. nil: it may, or is no plan.
func (l *Loaded) mayBegin(ctx context.Context, g *graph.Graph) error {
	if err := l.Permitted(ctx, g); err != nil || g.Plan == nil {
		return err
	}
	beliefs := l.Believer(true).beliefs(ctx)
	if able, says := l.UserOf(g).(Answering); says {
		if why := able.CanAsk(ctx); why != nil {
			return plan.Unanswerable(g, beliefs, why)
		}
	}
	return nil
}

// Answering is a user who may be known to be out of reach before anything is asked.
type Answering interface {
	// CanAsk returns why the user cannot be asked, nil when that is not known.
	CanAsk(ctx context.Context) error
}

// CanAsk returns that no user can be asked.
func (absentUser) CanAsk(context.Context) error {
	return &NoUserError{Why: "this process has no user to ask"}
}

// CanAsk returns what the client has said of its user.
func (hostUser) CanAsk(ctx context.Context) error {
	if server.CalledBy(ctx).CanAsk {
		return nil
	}
	return hostError(server.NoElicitation())
}

// withChanges adds to the failure of a plan what it has changed.
func withChanges(result *execution.Result, err error) error {
	var step *execution.StepError
	if !errors.As(err, &step) || errors.Is(err, execution.ErrSuspended) {
		return err
	}
	if len(result.Changed) == 0 {
		return fmt.Errorf("%w\nnothing was changed before (run %s)", err, result.RunID)
	}
	var names []string
	for _, c := range result.Changed {
		names = append(names, fmt.Sprintf("%s (%s)", c.Tool, wording.Count(c.Calls, "call")))
	}
	return fmt.Errorf("%w\nchanged before: %s (run %s); a new plan does not see the values of this one", err, strings.Join(names, ", "), result.RunID)
}
