package runtime

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

const (
	// mostDue is how many due runs one look finds, and mostUnparked how many of them are claimed at once: several processes look, and
	// each takes others of them.
	mostDue      = 400
	mostUnparked = 100
	// roomUnparked bounds the runs of a file that go on without a client at the same time.
	roomUnparked = 256
	// lookFirst is how long after its start a process looks first, lookLeast between two looks at least. The first comes after the first answers
	// to a client, and before the pages of the start are released.
	lookFirst, lookLeast = 100 * time.Millisecond, 50 * time.Millisecond
)

// ring lets due runs be looked for at once.
func (p *parks) ring() { ring(p.news) }

// unparker finds the parked runs of all files that are due, and has them resumed: however many are parked, and however many files
// there are, a look is two statements, and a claim of many runs is one.
type unparker struct {
	set   *fileSet
	store *journal.Store
	*parks
	blind bool // the last look could not read the history
}

// start begins to look, and returns at once. stop returns when the looking has ended; resumed runs may go on.
func (u *unparker) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() {
		for next := lookFirst; ; next = u.look(ctx) {
			timer := time.NewTimer(next)
			select {
			case <-timer.C:
			case <-u.news:
			case <-ctx.Done():
				return
			}
			if !wait(ctx, lookLeast) {
				return
			}
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// look has due runs resumed, and returns when the next look is.
func (u *unparker) look(ctx context.Context) (next time.Duration) {
	now := time.Now().Add(-u.lag)
	due, at, err := u.store.Due(ctx, u.files(), now, mostDue)
	if err != nil && !u.blind && ctx.Err() == nil {
		u.set.session.Log.Warn("parked runs that are due cannot be listed; trying again later", "error", err)
	}
	if u.blind = err != nil; u.blind {
		return u.every
	}
	taken := u.claim(ctx, due)
	if len(due) > 0 {
		u.set.session.Log.Info("parked runs go on", "resumed", taken, "due", len(due))
	}
	switch {
	case taken > 0: // there may be more
		return 0
	case at.IsZero() || len(due) > 0: // other processes have them, or none can go on with them
		return u.every
	}
	return max(0, min(u.every, at.Sub(now)))
}

// files returns the files that are served.
func (u *unparker) files() (all []journal.About) {
	for _, r := range u.resumers() {
		all = append(all, About(r.Project))
	}
	return all
}

// resumers returns what resumes the runs of each file.
func (u *unparker) resumers() (all []*resumer) {
	u.set.mu.Lock()
	defer u.set.mu.Unlock()
	for _, m := range u.set.mounts {
		if m.resumer != nil {
			all = append(all, m.resumer)
		}
	}
	return all
}

// claim claims due runs that this process can go on with and has room for, and returns how many it has.
func (u *unparker) claim(ctx context.Context, due []journal.Run) (taken int) {
	rand.Shuffle(len(due), func(i, k int) { due[i], due[k] = due[k], due[i] })
	wanted := map[string]ready{}
	var ids []string
	for _, run := range due {
		if len(ids) == mostUnparked {
			break
		}
		if r := u.readyFor(ctx, run); r.version != nil {
			wanted[run.ID] = r
			ids = append(ids, run.ID)
		}
	}
	claimed, err := u.store.ClaimDue(ctx, ids)
	if err != nil && ctx.Err() == nil {
		u.set.session.Log.Warn("parked runs that are due are not resumed now; trying again later", "error", err)
	}
	for id, r := range wanted {
		rest, has := claimed[id]
		if !has {
			r.leave()
			continue
		}
		taken++
		u.set.session.rests.Store(id, rest)
		r.resumer.due <- r
	}
	return taken
}

// ready is a run that goes on without a client, with the version of its file.
type ready struct {
	journal.Run
	resumer *resumer
	version *version // nil: it does not go on
	file    *Loaded  // the same file, with servers
	local   *localRun
	runs    context.Context //nolint:containedctx // of the run
}

// readyFor takes a place for a run in the file that it is one of, if that has the version of its graph.
func (u *unparker) readyFor(ctx context.Context, run journal.Run) (r ready) {
	for _, of := range u.resumers() {
		if of.concerns(run) {
			if r = of.ready(ctx, run); r.version != nil {
				return r
			}
		}
	}
	return ready{}
}

// ready takes a place for a run that a look has found.
func (r *resumer) ready(ctx context.Context, run journal.Run) (is ready) {
	v := r.using(ctx, run)
	if v == nil {
		return is
	}
	defer func() {
		if is.version == nil {
			r.done(v)
		}
	}()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.hasRoom() {
		return is
	}
	file := v.Loaded
	if r.parked { // it has no servers meanwhile
		var err error
		if file, err = r.Use(v.Project); err != nil {
			return is
		}
	}
	runs, local, isNew := r.fleet.begin(context.WithoutCancel(ctx), run.ID, "")
	if !isNew { // a client of this process goes on with it
		if r.parked {
			file.Release()
		}
		return is
	}
	r.unparked <- struct{}{}
	return ready{run, r, v, file, local, runs}
}

// hasRoom reports whether another run can go on without a client; r.mu is held.
func (r *resumer) hasRoom() bool { return !r.over && len(r.unparked) < cap(r.unparked) }

// using returns the version that a run goes on with, which is in use until done; nil: none has its graph, or there is no room for it.
func (r *resumer) using(ctx context.Context, run journal.Run) *version {
	r.mu.Lock()
	hasRoom, v := r.hasRoom(), r.versionWith(run)
	if hasRoom && v != nil {
		v.using++
	}
	r.mu.Unlock()
	switch {
	case !hasRoom:
		return nil
	case v == nil: // the history says which one
		v, _, _ = r.versionOf(ctx, run)
	}
	return v
}

// leave gives the place up.
func (is *ready) leave() {
	is.local.finish(nil, nil)
	if is.resumer.parked {
		is.file.Release()
	}
	is.resumer.done(is.version)
	<-is.resumer.unparked
}

// goOn goes on with a run that was claimed; soft ends when it is to stop, and hard when its calls are.
func (is *ready) goOn(hard context.Context, soft <-chan struct{}) {
	defer is.leave()
	r := is.resumer
	ctx, end := context.WithCancelCause(is.runs)
	defer end(nil)
	defer context.AfterFunc(hard, func() { end(context.Cause(hard)) })()
	log := r.Log.With("run", is.ID, "tool", is.Tool)
	result, err := r.unpark(ctx, is, soft)
	var step *execution.StepError
	switch {
	case err == nil:
		log.Debug("a parked run has finished", "steps", len(result.History()))
	case errors.Is(err, execution.ErrSuspended), errors.Is(err, execution.ErrTaken):
		log.Debug("a parked run waits again", "error", err)
	case errors.As(err, &step):
		log.Warn("a resumed run has failed", "code", step.Code(), "error", WithRemedy(err))
	default:
		log.Warn("a parked run cannot be resumed", "error", err, "remedy", "toolgraph resume "+is.ID)
	}
}

// unpark resumes a run that this process has claimed.
func (r *resumer) unpark(ctx context.Context, is *ready, soft <-chan struct{}) (*execution.Result, error) {
	v := is.file
	events, err := v.History.Journal(v.File.Secrets, About(v.Project)).Load(ctx, is.ID)
	if err == nil {
		g, failed := v.graphOf(ctx, is.Tool, events[0].Start)
		if err = failed; err == nil {
			return v.Continue(ctx, g, events, execution.WithStop(soft), execution.WithUser(absentClient{}), v.parking(false))
		}
	}
	v.rests.Delete(is.ID)
	v.giveBack(ctx, is.ID)
	return nil, err
}
