package cli

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/project"
)

// resumer takes on, while a file is served, the runs of it that an earlier process left
// behind.
type resumer struct {
	p       *project.Project
	plugged *plugs
	users   *poolUsers
	servers *sharedPool
	log     *slog.Logger
}

func newResumer(p *project.Project, plugged *plugs, users *poolUsers, log *slog.Logger) *resumer {
	return &resumer{p: p, plugged: plugged, users: users, servers: users.hold(), log: log}
}

// resumedAtOnce bounds how many runs are taken on at the same time.
const resumedAtOnce = 8

// start begins, and returns at once. stop returns when nothing is going on any more;
// runs that have not ended by then are left for the next start.
func (r *resumer) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.users.drop(r.servers)
		if r.plugged.history != nil { // else what is wrong with it was told
			r.all(ctx)
		}
	}()
	return func() {
		cancel(execution.ErrSuspended)
		<-done
	}
}

func (r *resumer) all(ctx context.Context) {
	left, err := r.plugged.history.List(ctx, journal.Filter{
		Status: journal.Interrupted, File: aboutRuns(r.p).File, Limit: -1,
	})
	if err != nil {
		r.log.Warn("interrupted runs cannot be taken on", "error", err)
		return
	}
	slices.Reverse(left) // the oldest first
	var running sync.WaitGroup
	defer running.Wait()
	room := make(chan struct{}, resumedAtOnce)
	for _, kept := range left {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			return
		}
		running.Go(func() {
			defer func() { <-room }()
			r.one(ctx, kept)
		})
	}
}

func (r *resumer) one(ctx context.Context, kept journal.Run) {
	log := r.log.With("run", kept.ID, "tool", kept.Tool)
	g, err := r.p.Graph(kept.Tool)
	if err != nil || g.Hash != kept.Graph {
		log.Warn("an interrupted run is left as it is: its tool has changed or is gone", "remedy", "toolgraph resume "+kept.ID+" --changed")
		return
	}
	log.Info("an interrupted run is taken on", "steps", kept.Steps)
	known := asked(ctx, r.servers.pool, hintsOf(r.servers.pool, r.servers.lock), r.log)
	result, err := takeOn(ctx, r.plugged, r.p, g, kept.ID, r.servers.pool, r.log,
		execution.WithRepeatable(repeatable(r.p, known)))
	var step *execution.StepError
	switch {
	case err == nil:
		log.Info("an interrupted run has ended well", "steps", len(result.History))
	case errors.Is(context.Cause(ctx), execution.ErrSuspended):
		log.Info("an interrupted run is left for the next start")
	case errors.As(err, &step):
		log.Warn("an interrupted run has failed", "code", step.Code(), "error", explained(err))
	default:
		log.Warn("an interrupted run cannot be taken on", "error", err)
	}
}
