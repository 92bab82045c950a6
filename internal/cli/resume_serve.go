package cli

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/project"
)

// resumer resumes, while a file is served, the runs of it that other processes have left
// interrupted: at the start, and every few seconds from then on.
type resumer struct {
	p       *project.Project
	plugged *plugs
	users   *poolUsers
	servers *sharedPool
	log     *slog.Logger
	grace   time.Duration
	every   func() (again <-chan time.Time, stop func())

	room    chan struct{}  // holds one of each run that is being resumed
	running sync.WaitGroup // the same

	mu    sync.Mutex     // guards what follows
	tries map[string]int // of runs that could not be resumed
	blind bool           // the last sweep found no history that can be read
}

const (
	// sweepEvery is how often interrupted runs are looked for.
	sweepEvery = 10 * time.Second
	// resumedAtOnce bounds how many runs are resumed at the same time.
	resumedAtOnce = 8
	// mostTries is how often this process tries to resume a run that is refused.
	mostTries = 3
	// mostResumed is how often a run is resumed, by any process, without getting a step
	// further: it may be what ends the processes.
	mostResumed = 5
)

func newResumer(p *project.Project, plugged *plugs, users *poolUsers, log *slog.Logger, grace time.Duration) *resumer {
	return &resumer{
		p: p, plugged: plugged, users: users, servers: users.hold(), log: log, grace: grace,
		every: func() (<-chan time.Time, func()) {
			ticker := time.NewTicker(sweepEvery)
			return ticker.C, ticker.Stop
		},
		room: make(chan struct{}, resumedAtOnce), tries: map[string]int{},
	}
}

// start begins, and returns at once. stop returns when nothing is going on any more. Runs
// end before their next node when stop is called or ctx ends; those whose call takes longer
// than the grace are suspended in the middle of it.
func (r *resumer) start(ctx context.Context) (stop func()) {
	soft, end := context.WithCancel(context.WithoutCancel(ctx))
	unregister := context.AfterFunc(ctx, end)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.users.drop(r.servers)
		if r.plugged.history != nil { // else what is wrong with it was reported
			r.sweeps(soft)
		}
	}()
	return func() {
		unregister()
		end()
		<-done
	}
}

// sweeps resumes runs until ctx ends and those that are being resumed have ended.
func (r *resumer) sweeps(ctx context.Context) {
	hard, suspend := context.WithCancelCause(context.WithoutCancel(ctx))
	defer suspend(context.Canceled)
	defer context.AfterFunc(ctx, func() {
		wait(hard, r.grace)
		suspend(execution.ErrSuspended)
	})()
	defer r.running.Wait()
	again, stop := r.every()
	defer stop()
	for {
		r.sweep(hard, ctx.Done())
		select {
		case <-again:
		case <-ctx.Done():
			return
		}
	}
}

// sweep resumes the runs that are interrupted now, without waiting for their ends.
func (r *resumer) sweep(ctx context.Context, stop <-chan struct{}) {
	left, err := r.plugged.history.Interrupted(ctx, aboutRuns(r.p).File)
	if err != nil && !r.blind {
		r.log.Warn("interrupted runs cannot be found; they are looked for again", "error", err)
	}
	r.blind = err != nil
	for _, run := range left {
		if !r.wanted(run) {
			continue
		}
		select {
		case r.room <- struct{}{}:
		case <-stop:
			return
		}
		r.running.Go(func() {
			defer func() { <-r.room }()
			r.one(ctx, stop, run)
		})
	}
}

// wanted reports whether a run is to be resumed. What is not is logged once.
func (r *resumer) wanted(run journal.Run) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tries[run.ID] >= mostTries {
		return false
	}
	log := r.log.With("run", run.ID, "tool", run.Tool)
	g, err := r.p.Graph(run.Tool)
	switch {
	case err != nil || g.Hash != run.Graph:
		log.Warn("an interrupted run is left as it is: its tool has changed or is gone", "remedy", "toolgraph resume "+run.ID+" --changed")
	case run.Resumed >= mostResumed:
		log.Warn("an interrupted run is left as it is: it was resumed before, and each time its process ended before the next step",
			"times", run.Resumed, "remedy", "toolgraph resume "+run.ID)
	default:
		return true
	}
	r.tries[run.ID] = mostTries
	return false
}

// one resumes a run.
func (r *resumer) one(ctx context.Context, stop <-chan struct{}, run journal.Run) {
	log := r.log.With("run", run.ID, "tool", run.Tool)
	g, err := r.p.Graph(run.Tool)
	if err != nil {
		return // wanted has found it
	}
	log.Info("an interrupted run is taken on", "steps", run.Steps)
	known := asked(ctx, r.servers.pool, hintsOf(r.servers.pool, r.servers.lock), r.log)
	result, err := takeOn(ctx, r.plugged, r.p, g, run.ID, r.servers.pool, r.log,
		execution.WithRepeatable(repeatable(r.p, known)), execution.WithStop(stop))
	var step *execution.StepError
	switch {
	case err == nil:
		log.Info("an interrupted run has ended well", "steps", len(result.History))
	case errors.Is(err, execution.ErrSuspended) || errors.Is(context.Cause(ctx), execution.ErrSuspended):
		log.Info("an interrupted run is left for the next start")
	case errors.As(err, &step):
		log.Warn("an interrupted run has failed", "code", step.Code(), "error", explained(err))
	case errors.Is(err, journal.ErrRunning):
		log.Info("another process resumes the interrupted run")
	default:
		log.Warn("an interrupted run cannot be taken on", "error", err)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.tries[run.ID]++
	}
}
