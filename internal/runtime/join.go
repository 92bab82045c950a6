package runtime

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/serving/server"
)

// A call that belongs to a run which another process has, or which has ended, joins the run: it waits
// for its end, puts its questions to the user of its own client, and resumes it when its process is
// dead. All that the processes share is the run history.

// markOf distinguishes a question from others of its run.
func markOf(at execution.Address, digest string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s", at, digest))
	return hex.EncodeToString(sum[:8])
}

// callerOf returns what only the same request of the same client has.
func callerOf(ctx context.Context, args value.Value) string {
	sum, _ := value.Digest(nil, []any{server.SubjectOf(ctx), args})
	return hex.EncodeToString(sum[:16])
}

// keyedID returns the id of the run of a call with a key. So the row of the run in the history is what
// makes the key one run's, whichever process is the first to insert it.
func (l *Loaded) keyedID(ctx context.Context, tool, key string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", About(l.Project).Server, server.SubjectOf(ctx), tool, key))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16])
}

// isOfKey reports whether a run is the one of a key: who has the key can ask for the result again, also with an answer that was
// used, because the client has lost what it got for it.
func (l *Loaded) isOfKey(ctx context.Context, tool, key, run string) bool {
	first := l.keyedID(ctx, tool, key)
	return key != "" && (run == first || run == laterID(first))
}

var (
	errKeyUsed = &server.RefusedError{Reason: "_meta: " + server.KeyMeta + ": the key was used for a call with other arguments; " +
		"use a new key for each call, and the same one only to repeat it"}
	errNoKeys = &server.RefusedError{Reason: "_meta: " + server.KeyMeta + ": this server does not record runs, so it cannot join the call with an earlier one; " +
		"call without a key, or serve with the run history"}
)

// answerCall makes the run of a call, or joins the one that the call belongs to.
func (l *Loaded) answerCall(
	ctx context.Context, engine *execution.Engine, g *graph.Graph, args value.Value, report *reporter,
) (*execution.Result, error) {
	called, f := server.CalledBy(ctx), l.fleet
	var options []execution.Option
	if report != nil {
		options = append(options, execution.WithObserver(report))
	}
	switch {
	case f == nil && called.Key != "":
		return nil, errNoKeys
	case f == nil:
		return l.Run(ctx, engine, g, args, options...)
	}
	if l.parks != nil && !called.Answers {
		ctx = withAsks(ctx)
		defer asksOf(ctx).end()
	}
	j := &joining{
		id: rand.Text(), identity: identity{tool: g.Tool.Name.Value}, report: report,
		client: client{user: l.UserOf(g), canAsk: called.CanAsk, options: options},
	}
	if called.Key != "" || called.Answers {
		j.caller = callerOf(ctx, args)
	}
	called.Name.Set(j.id)
	if c := called.Continued; c != nil && c.Tool != "" {
		return l.continueTask(ctx, j, c)
	} else if c != nil {
		j.id, j.mark, j.given, j.refused = c.Run, c.Mark, c.Answers, server.NotWaiting()
		j.caller = callerOf(ctx, args)
		if _, err := l.History.Exact(ctx, c.Run); errors.Is(err, journal.ErrNotFound) { // a question is recorded before the client gets it
			return nil, j.refused
		}
		if c.Own && !l.isOfKey(ctx, j.tool, called.Key, c.Run) && !l.isOpenAt(ctx, c.Run, c.Mark) { // it was used, or has expired
			return nil, j.refused
		}
		if c.Mark == "" && !f.forward(ctx, c) {
			return nil, j.refused
		}
		return l.join(ctx, j)
	}
	once := called.Key != ""
	if once {
		j.id, j.refused = l.keyedID(ctx, j.tool, called.Key), errKeyUsed
		called.Name.Set(j.id)
	}
	runs, local, isNew := f.begin(ctx, j.id, j.caller)
	if !isNew {
		return l.join(ctx, j)
	}
	if once {
		switch id, begun, err := l.begun(ctx, j.id); {
		case begun:
			local.finish(nil, nil)
			j.id = id
			return l.join(ctx, j)
		case err != nil:
			err = l.unavailable(err)
			local.finish(nil, err)
			return nil, err
		}
	}
	result, err := l.Run(runs, engine, g, args, append(options, execution.WithRunID(j.id), execution.WithCaller(j.caller, once), l.parking(!called.Answers))...)
	if errors.Is(err, journal.ErrNotBegun) || errors.Is(err, journal.ErrNotEnded) {
		result, err = nil, l.unavailable(err)
	}
	local.finish(result, err)
	j.report = nil // it has reported the steps so far
	switch {
	case errors.Is(err, execution.ErrTaken):
		return l.join(ctx, j)
	case isParked(err) && !isStop(ctx):
		return l.join(ctx, j)
	case result != nil && errors.Is(err, execution.ErrSuspended) && f.canLeave(ctx):
		j.state = leaving{result, err}
		return l.join(ctx, j)
	}
	return result, err
}

// again returns the error of a call whose client can make it again: with a key, after its run was
// suspended.
func again(ctx context.Context, result *execution.Result, err error) error {
	if result == nil || server.CalledBy(ctx).Key == "" || !errors.Is(err, execution.ErrSuspended) {
		return err
	}
	return &server.AgainError{Reason: "this process is stopping, and run " + result.RunID + " is not over; call again with the same key to get its result"}
}

// unavailable returns the error of a call that needs the run history, which cannot be used now. The reason
// is for the log: it has the place of the history.
func (l *Loaded) unavailable(why error) error {
	if errors.Is(why, journal.ErrNotFound) {
		return why
	}
	l.Log.Warn("a call gets no result, because the run history cannot be used", "error", why)
	return &server.AgainError{Reason: "the run history cannot be used now, so the call was not made, or its result cannot be recorded or read; call again"}
}

// patience is how long a call waits for a process that has the version of the graph that its run
// began with.
const patience = 10 * time.Second

// join returns the end of a run that another process has, or that has ended. When ctx ends because the
// client has cancelled the call, it cancels the run. When this process ends and no other one goes on with the run, it
// returns the result of the run here.
func (l *Loaded) join(ctx context.Context, j *joining) (*execution.Result, error) {
	result, err := l.joined(ctx, j)
	if here, is := j.state.(leaving); is && here.result != nil && (result == nil || errors.Is(err, context.Canceled)) {
		return here.result, here.err
	}
	return result, err
}

// joined is join as far as the history shows.
func (l *Loaded) joined(ctx context.Context, j *joining) (*execution.Result, error) {
	if j.state == nil {
		j.state = following{}
	}
	if j.answers == nil {
		j.answers, j.unasked = map[string]execution.Answer{}, map[string]bool{}
	}
	j.leave = sync.OnceFunc(l.attended(ctx, nil, j.id, j.report, nil))
	defer j.leave()
	for began := false; ; {
		server.CalledBy(ctx).Name.Set(j.id)
		result, err, ended := l.joinOnce(ctx, j)
		later := ""
		if ended && !j.alone && j.state == (following{}) {
			later, err = l.laterRun(ctx, j.id, j.caller, &began, err)
		}
		switch {
		case later != "":
			j.leave() // it has reported the steps that are copied
			j.id = later
			continue
		case ended:
			return result, err
		case ctx.Err() == nil:
			continue
		case j.state == (answering{}):
			return nil, context.Cause(ctx)
		case !errors.Is(context.Cause(ctx), execution.ErrSuspended):
			late, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailTime)
			defer cancel()
			if err := l.fleet.cancelRun(late, j.id); err != nil {
				l.Log.Warn("a run was not cancelled in its process", "run", j.id, "error", err)
			}
			return &execution.Result{RunID: j.id}, context.Cause(ctx)
		}
		return &execution.Result{RunID: j.id}, &leftError{j.id}
	}
}

// leftError is the error of a call whose process ends before its run, which another process has.
type leftError struct{ run string }

func (e *leftError) Error() string {
	return "this process is stopping, and run " + e.run + " goes on in another one; see its result: toolgraph runs show " + e.run
}

// Is lets errors.Is match execution.ErrSuspended.
func (e *leftError) Is(target error) bool { return target == execution.ErrSuspended }

// joinOnce waits until something about the run has to be done, and does it. ended is false when there
// is more to wait for.
func (l *Loaded) joinOnce(ctx context.Context, j *joining) (_ *execution.Result, err error, ended bool) {
	run, finished, err := l.news(ctx, j)
	switch {
	case finished != nil:
		if finished.caller != j.caller {
			return nil, cmp.Or(j.refused, error(errKeyUsed)), true
		}
		return finished.result, finished.err, true
	case ctx.Err() != nil:
		return nil, ctx.Err(), false
	case err != nil:
		return nil, l.unavailable(err), true
	}
	if err := l.mayJoin(ctx, j, run); err != nil {
		return nil, err, true
	}
	switch {
	case run.CanResume():
		return l.interrupted(ctx, j, run)
	case run.InProgress():
		if asked := j.open(run); asked != nil {
			err = l.relay(ctx, j, run, asked)
		} // else it has just been resumed
		return nil, err, err != nil
	}
	result, err := l.endOf(ctx, run)
	if isUnread(err) {
		return nil, l.unavailable(err), true
	}
	return result, err, true
}

// interrupted does what the state of a call requires when its run is interrupted.
func (l *Loaded) interrupted(ctx context.Context, j *joining, run journal.Run) (_ *execution.Result, err error, ended bool) {
	switch j.state.(type) {
	case leaving:
		return nil, execution.ErrSuspended, true
	case following:
		if run.Question != nil && !run.Parked && !j.canAsk && len(j.given) == 0 {
			return &execution.Result{RunID: run.ID}, l.withoutAsking(ctx, j, run), true
		}
	case answering: // takeOver asks its user
	}
	if j.isAway(ctx, run) {
		return &execution.Result{RunID: run.ID}, errAway, true
	}
	if run.Parked && j.state == (following{}) {
		if goOn, err := l.whileParked(ctx, j, run); !goOn {
			return &execution.Result{RunID: run.ID}, err, err != nil
		}
	}
	return l.takeOver(ctx, j, run)
}

// news returns the run when it has changed so that something is to be done, or the run of this
// process when that has ended.
func (l *Loaded) news(ctx context.Context, j *joining) (run journal.Run, finished *localRun, err error) {
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	local := l.fleet.localRun(j.id)
	if local != nil {
		defer context.AfterFunc(local.over, stop)()
	}
	run, err = l.History.Wait(waiting, j.id, func(r journal.Run) bool {
		switch {
		case r.CanResume() && local != nil:
			return false // it is being resumed here, or this process has lost it and does not know that yet
		case r.CanResume():
			_, isLeaving := j.state.(leaving)
			return !isLeaving || r.Parked || r.Question != nil // which no process asks without a client
		case !r.InProgress():
			return local == nil // its own end has the result
		}
		return j.open(r) != nil
	})
	if local != nil && local.over.Err() != nil && ctx.Err() == nil {
		if (local.result != nil || local.err != nil) && !leaves(local.err) {
			return run, local, nil
		}
		run, err = l.History.Wait(ctx, j.id, func(journal.Run) bool { return true })
	}
	return run, nil, err
}

// mayJoin returns why a call must not join a run: it is that of another call.
func (l *Loaded) mayJoin(ctx context.Context, j *joining, run journal.Run) error {
	if j.refused == nil {
		return nil
	}
	start, err := l.History.Start(ctx, run.ID)
	if err != nil {
		return l.unavailable(err)
	}
	if run.Tool != j.tool || start.Caller != j.caller {
		return j.refused
	}
	return nil
}

// takeOver resumes an interrupted run for its client.
func (l *Loaded) takeOver(ctx context.Context, j *joining, run journal.Run) (_ *execution.Result, err error, ended bool) {
	g, err := l.currentGraph(ctx, run)
	switch {
	case crashLoop(run) != nil:
		return nil, crashLoop(run), true
	case isUnread(err):
		return nil, l.unavailable(err), true
	case err != nil && j.waited != run.ID: // a process with the earlier version may be there
		j.waited = run.ID
		waiting, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		_, _ = l.History.Wait(waiting, run.ID, func(r journal.Run) bool { return !r.CanResume() })
		return nil, nil, false
	case err != nil:
		return nil, fmt.Errorf("run %s is interrupted, and cannot be resumed here: %w; resume it by hand: toolgraph resume %s --changed", run.ID, err, run.ID), true
	}
	runs, local, isNew := l.fleet.begin(ctx, run.ID, j.caller)
	if !isNew {
		return nil, nil, false
	}
	j.leave() // the run itself reports from now on
	l.Log.Info("resuming an interrupted run for its client", "run", run.ID, "tool", run.Tool, "steps", run.Steps)
	user := execution.User(&joinedUser{InTurn{j.user}, j})
	if run.Parked && run.Question != nil && !j.canAsk && j.state == (following{}) { // another client may answer
		user = absentClient{}
	}
	result, err := l.resume(runs, g, run.ID, append(j.options, execution.WithUser(user), execution.WithCaller(j.caller, true), l.parking(!server.CalledBy(ctx).Answers))...)
	switch {
	case errors.Is(err, journal.ErrNotEnded):
		err = l.unavailable(err)
		local.finish(nil, err)
		return nil, err, true
	case result == nil: // it was not resumed; who waits for it finds out why
		local.finish(nil, nil)
	default:
		local.finish(result, err)
	}
	switch {
	case errors.Is(err, execution.ErrTaken), errors.Is(err, journal.ErrRunning), result == nil && l.isTaken(ctx, run.ID):
		return nil, nil, false
	case isUnread(err):
		return nil, l.unavailable(err), true
	case result != nil && isParked(err) && !isStop(ctx):
		return nil, nil, false
	case result != nil && errors.Is(err, execution.ErrSuspended) && l.fleet.canLeave(ctx):
		j.state = leaving{}
		return nil, nil, false
	}
	return result, err, true
}

// isTaken reports whether a run that was interrupted is not any more: another process was faster.
func (l *Loaded) isTaken(ctx context.Context, id string) bool {
	now, err := l.History.Exact(ctx, id)
	return err == nil && !now.CanResume()
}
