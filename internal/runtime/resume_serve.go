package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// resumer resumes, while a file is served, its interrupted runs: at the start, and every few
// seconds from then on.
type resumer struct {
	*Loaded
	grace time.Duration
	every func() (again <-chan time.Time, stop func())

	called  bool           // others look for interrupted runs of the file, and call ring
	parked  bool           // only parked runs are resumed, which others look for
	news    chan struct{}  // there may be more interrupted runs
	room    chan struct{}  // has one element for each run that is being resumed
	due     chan ready     // parked runs that this process has claimed
	running sync.WaitGroup // of the same runs, and of those who wait for news

	unparked chan struct{} // has one element for each run of due that has not ended here

	mu     sync.Mutex        // guards the fields below
	all    []*version        // of the file, the newest first: runs are resumed by the one that began them
	active map[string]bool   // runs that are being resumed
	tries  map[string]int    // of runs that could not be resumed
	waits  map[string]string // the digests of the questions for which runs are said to wait
	over   bool              // no more parked runs are taken
	blind  bool              // the last sweep could not read the history
}

const (
	// sweepEvery is how often interrupted runs are looked for.
	sweepEvery = 10 * time.Second
	// maxResuming bounds how many runs are resumed at the same time.
	maxResuming = 8
	// maxTries is how often this process tries to resume a run that cannot be resumed.
	maxTries = 3
	// maxResumed is how often a run is resumed, by any process, without completing a step:
	// the run may be the reason why the processes end.
	maxResumed = 5
)

func newResumer(l *Loaded, grace time.Duration) *resumer {
	if l.fleet == nil && l.History != nil {
		l.fleet = l.Session.join()
	}
	return &resumer{
		Loaded: l, grace: grace,
		every: func() (<-chan time.Time, func()) {
			ticker := time.NewTicker(sweepEvery)
			return ticker.C, ticker.Stop
		},
		all: []*version{{Loaded: l}}, news: make(chan struct{}, 1), room: make(chan struct{}, maxResuming),
		due: make(chan ready, roomUnparked), unparked: make(chan struct{}, roomUnparked), active: map[string]bool{}, tries: map[string]int{}, waits: map[string]string{},
	}
}

// start begins, and returns at once. stop returns when all runs have ended. Runs end before
// their next node when stop is called or ctx ends; runs whose call takes longer than the grace
// are suspended in the middle of it.
func (r *resumer) start(ctx context.Context) (stop func()) {
	soft, end := context.WithCancel(context.WithoutCancel(ctx))
	unregister := context.AfterFunc(ctx, end)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.release()
		if r.History != nil { // otherwise the reason was logged at the start
			r.sweeps(soft)
		}
	}()
	return func() {
		unregister()
		end()
		<-done
	}
}

// sweeps resumes runs until ctx ends, and returns when they have ended.
func (r *resumer) sweeps(ctx context.Context) {
	hard, suspend := context.WithCancelCause(context.WithoutCancel(ctx))
	defer suspend(context.Canceled)
	defer context.AfterFunc(ctx, func() {
		wait(hard, r.grace)
		suspend(execution.ErrSuspended)
	})()
	defer r.running.Wait()
	defer r.takeNoMore(hard, ctx)
	var again <-chan time.Time
	if !r.called && !r.parked {
		ticks, stop := r.every()
		defer stop()
		again = ticks
		r.running.Go(func() { r.listen(ctx) })
	}
	r.running.Go(func() { // a sweep may wait for room
		for {
			select {
			case is := <-r.due:
				r.running.Go(func() { is.goOn(hard, ctx.Done()) })
			case <-ctx.Done():
				return
			}
		}
	})
	for ctx.Err() == nil {
		if !r.parked {
			r.sweep(hard, ctx)
		}
		select {
		case <-again:
		case <-r.news:
		case <-ctx.Done():
		}
	}
}

// takeNoMore ends the taking of parked runs. Those that are claimed are given back by their attempts, which stop at once.
func (r *resumer) takeNoMore(hard, soft context.Context) {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	for {
		select {
		case is := <-r.due:
			r.running.Go(func() { is.goOn(hard, soft.Done()) })
		default:
			return
		}
	}
}

// listen reports runs that are interrupted, until ctx ends: their process has died or given them back.
func (r *resumer) listen(ctx context.Context) {
	err := r.History.Follow(ctx, "", func(changed []journal.Run) error {
		for _, run := range changed {
			if run.Status == journal.Interrupted && run.Question == nil && r.concerns(run) {
				r.ring()
			}
		}
		return nil
	})
	if err != nil { // the sweeps go on
		r.Log.Warn("interrupted runs are not noticed at once", "error", err)
	}
}

// concerns reports whether a run is one of the file: it may lie elsewhere on another machine.
func (r *resumer) concerns(run journal.Run) bool {
	of := About(r.Project)
	return run.File == of.File || run.Server == of.Server
}

// sweep resumes the runs that are interrupted now, without waiting for their ends. Several processes
// do so at the same time, so each has another order: then few of them want the same run.
func (r *resumer) sweep(ctx, soft context.Context) {
	left, err := r.History.Interrupted(ctx, About(r.Project))
	if err != nil && !r.blind {
		r.Log.Warn("interrupted runs cannot be listed; trying again later", "error", err)
	}
	r.blind = err != nil
	rand.Shuffle(len(left), func(i, k int) { left[i], left[k] = left[k], left[i] })
	for _, run := range left {
		if soft.Err() != nil {
			return
		}
		if !r.wanted(ctx, run) {
			continue
		}
		select {
		case r.room <- struct{}{}:
		case <-soft.Done():
			return
		}
		r.running.Go(func() {
			taken := r.one(ctx, soft.Done(), run)
			<-r.room
			if taken {
				r.again(soft, run.ID)
			}
		})
	}
}

// wanted reports whether a run is to be resumed. The reason why not is logged once.
func (r *resumer) wanted(ctx context.Context, run journal.Run) bool {
	if r.isKnown(run) {
		return false // there may be many that wait for days
	}
	log := r.Log.With("run", run.ID, "tool", run.Tool)
	v, _, err := r.versionOf(ctx, run)
	if err == nil {
		defer r.done(v)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case isUnread(err):
		return false // until the next sweep
	case err != nil && run.File != About(r.Project).File: // of another file, or another version on another machine
	case err != nil:
		log.Warn("an interrupted run is not resumed: its tool has changed or no longer exists", "remedy", "toolgraph resume "+run.ID+" --changed")
	case crashLoop(run) != nil:
		log.Warn("an interrupted run is not resumed", "error", crashLoop(run))
	case run.Question != nil:
		r.waiting(run, run.Question.Digest)
		return false // until another process has asked its user, or another question is open
	default:
		r.active[run.ID] = true
		return true
	}
	r.tries[run.ID] = maxTries
	return false
}

// isKnown reports whether nothing is to be done about a run, as far as is known without asking the history.
func (r *resumer) isKnown(run journal.Run) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tries[run.ID] >= maxTries || r.active[run.ID] || run.Question != nil && r.waits[run.ID] == run.Question.Digest
}

// crashLoop returns why a run is not resumed that may be the reason why its processes end; nil for others.
func crashLoop(run journal.Run) error {
	if run.Resumed < maxResumed {
		return nil
	}
	return fmt.Errorf("run %s was resumed %d times, and each time its process ended before the next step; resume it by hand: toolgraph resume %s",
		run.ID, run.Resumed, run.ID)
}

// waiting logs, once for each question, that a run waits for its user. mu is held.
func (r *resumer) waiting(run journal.Run, digest string) {
	if r.waits[run.ID] == digest {
		return
	}
	r.waits[run.ID] = digest
	r.Log.Warn("an interrupted run waits for an answer of its user, and a run in the background has no user to ask",
		"run", run.ID, "tool", run.Tool, "remedy", "toolgraph resume "+run.ID+" in a terminal")
}

// one resumes a run, unless another process has it.
func (r *resumer) one(ctx context.Context, stop <-chan struct{}, run journal.Run) (taken bool) {
	log := r.Log.With("run", run.ID, "tool", run.Tool)
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.active, run.ID)
	}()
	v, g, err := r.versionOf(ctx, run)
	if err != nil {
		return false // wanted has checked it
	}
	defer r.done(v)
	if now, err := r.History.Run(ctx, run.ID); err == nil && (now.Status != journal.Interrupted || now.Question != nil) {
		return true // since it was listed
	}
	log.Info("resuming an interrupted run", "steps", run.Steps)
	user := &laterUser{}
	asked := execution.User(user)
	if r.parks != nil {
		asked = absentClient{}
	}
	runs, local, isNew := r.fleet.begin(ctx, run.ID, "")
	if !isNew { // a client of this process was faster
		return false
	}
	result, err := v.resume(runs, g, run.ID, execution.WithStop(stop), execution.WithUser(asked), v.parking(false))
	local.finish(nil, nil) // who waits for the run reads its end
	var step *execution.StepError
	switch {
	case err == nil:
		log.Info("a resumed run has finished", "steps", len(result.History()))
	case isParked(err):
		log.Info("a resumed run waits, and is parked")
	case user.asked != nil && errors.Is(err, execution.ErrSuspended):
		r.mu.Lock()
		defer r.mu.Unlock()
		r.waiting(run, user.asked.Digest)
	case errors.Is(err, execution.ErrSuspended) || errors.Is(context.Cause(ctx), execution.ErrSuspended):
		log.Info("a resumed run is suspended until another process or the next start goes on with it")
	case errors.As(err, &step):
		log.Warn("a resumed run has failed", "code", step.Code(), "error", WithRemedy(err))
	case errors.Is(err, journal.ErrTaken), r.isTaken(ctx, run.ID):
		log.Info("another process is resuming the interrupted run")
		return true
	case isUnread(err):
		log.Warn("an interrupted run cannot be read now; trying again later", "error", err)
	default:
		log.Warn("an interrupted run cannot be resumed", "error", err)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.tries[run.ID]++
	}
	return false
}

// again sweeps again if a run that another process has is given back. What happened while this process wanted the
// run itself, no sweep has seen.
func (r *resumer) again(ctx context.Context, id string) {
	run, err := r.History.Wait(ctx, id, func(run journal.Run) bool { return !run.InProgress() })
	if err == nil && run.Status == journal.Interrupted {
		r.ring()
	}
}

func (r *resumer) ring() { ring(r.news) }

// ring sends to a channel of one, unless it is full.
func ring(news chan struct{}) {
	select {
	case news <- struct{}{}:
	default:
	}
}
