package runtime

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/runtime/results"
	"toolgraph/internal/serving/server"
)

// Elsewhere makes runs in other processes, which record them in the store of this one. Safe for
// concurrent use.
type Elsewhere interface {
	// Run starts a run, or joins the one with its id, and returns when that is over and recorded.
	// The error says why it will not be. When ctx ends, the run is cancelled, unless the cause is
	// execution.ErrSuspended: then it continues.
	Run(ctx context.Context, r Remote) error
	// Change lets a run go on: the answer to its open question is in the store, see Host.Answer. Without a question it
	// cancels the run. One that is over stays as it is.
	Change(ctx context.Context, run string, answered *journal.Asked) error
	// Over returns why a run is over although its end is not recorded; nil while it goes on, or while that is not known.
	Over(ctx context.Context, run string) error
}

// Remote is a run that is to be made elsewhere.
type Remote struct {
	ID      string
	Tool    string
	Graph   string      // hash of the graph as it is listed, which is not that of a single run of the pipeline
	Args    value.Value // complete and valid
	Subject string      // of the client's access token
	Keyed   bool        // the client can make the call again, and joins the run

	// Record records the beginning of the run with its arguments, and leaves the run to any process:
	// for arguments that are too large to be sent with it.
	Record func(ctx context.Context) error
}

// connectElsewhere connects to where runs are made, if that is not this process.
func (s *Session) connectElsewhere(ctx context.Context) (err error) {
	if s.given.Elsewhere == nil {
		return nil
	}
	if s.History == nil {
		return errors.New("runs that are made elsewhere have to be recorded, and the run history cannot be opened; name it with --state")
	}
	var end func()
	if s.elsewhere, end, err = s.given.Elsewhere(ctx, s); err == nil {
		s.closers = append(s.closers, end)
	}
	return err
}

// runElsewhere lets a graph be run elsewhere, and returns its recorded result, or that of the later run of its
// key. No steps are reported to a nil reporter.
func (l *Loaded) runElsewhere(
	ctx context.Context, engine *execution.Engine, listed *graph.Graph, given value.Value, report *reporter,
) (*execution.Result, error) {
	called := server.CalledBy(ctx)
	if c := called.Continued; c != nil { // of a task, whose end is wanted
		return l.endElsewhere(ctx, c.Run)
	}
	g, args, err := l.ForRun(ctx, listed, given, l)
	if err != nil {
		return nil, err
	}
	if args, err = execution.Arguments(ctx, g, args); err != nil {
		return nil, err
	}
	if err := l.mayBegin(ctx, g); err != nil {
		return nil, err
	}
	remote := Remote{
		ID: l.remoteID(ctx, listed.Tool.Name.Value, given), Tool: g.Tool.Name.Value, Graph: listed.HashWith(nil), Args: args, Subject: server.SubjectOf(ctx),
		Keyed: called.Key != "",
	}
	remote.Record = func(ctx context.Context) error { return l.recordStart(ctx, engine, g, args, remote.ID) }
	defer l.unbegun.Delete(remote.ID)
	l.unbegun.Store(remote.ID, remote.Record)
	joins := false // a run that another call may have begun
	if remote.Keyed {
		id, begun, err := l.begun(ctx, remote.ID)
		joins = begun || err != nil
		remote.ID = id
	}
	for began := false; ; {
		called.Name.Set(remote.ID)
		result, err := l.runRemote(ctx, g, &remote, report, joins)
		if !remote.Keyed {
			return result, err
		}
		later, err := l.laterRun(ctx, remote.ID, "", &began, err)
		if later == "" {
			return result, err
		}
		remote.ID, joins, report = later, true, nil // the steps that are copied were reported
	}
}

// runRemote lets a run be made elsewhere, and returns its recorded end. One that the call joins is left when
// it asks and the client cannot be asked.
func (l *Loaded) runRemote(ctx context.Context, g *graph.Graph, remote *Remote, report *reporter, joins bool) (*execution.Result, error) {
	runs, end := context.WithCancelCause(ctx)
	defer end(nil)
	var left func(error)
	if joins {
		left = func(why error) { end(&unaskedError{why}) }
	}
	leave := l.attended(runs, g, remote.ID, report, left)
	err := l.elsewhere.Run(runs, *remote)
	leave()
	var unasked *unaskedError
	if ctx.Err() == nil && errors.As(context.Cause(runs), &unasked) {
		err = unasked.why
	}
	return l.recordedEnd(ctx, remote.ID, err)
}

// unaskedError is the cause of the end of a call whose client cannot be asked by the run that it has joined.
type unaskedError struct{ why error }

func (e *unaskedError) Error() string { return e.why.Error() }

// Is lets errors.Is match execution.ErrSuspended: the run goes on.
func (*unaskedError) Is(target error) bool { return target == execution.ErrSuspended }

// remoteID returns the id of a run that is made elsewhere. The same call with the same key has the same one.
func (l *Loaded) remoteID(ctx context.Context, tool string, args value.Value) string {
	if key := server.CalledBy(ctx).Key; key != "" {
		return l.keyedID(ctx, tool, key+" "+callerOf(ctx, args))
	}
	return rand.Text()
}

// recordStart records that a run begins, and gives it back. A run that has begun stays as it is.
func (l *Loaded) recordStart(ctx context.Context, engine *execution.Engine, g *graph.Graph, args value.Value, id string) error {
	stop := make(chan struct{})
	close(stop)
	_, err := engine.Run(ctx, g, args, execution.WithRunID(id), execution.WithStop(stop), execution.WithCaller("", true), execution.WithSubject(results.SubjectDigest(server.SubjectOf(ctx))))
	switch {
	case errors.Is(err, execution.ErrTaken):
		return nil // it has begun, as the run of a key that is called again
	case !errors.Is(err, execution.ErrSuspended):
		return err
	}
	return l.History.Release(context.WithoutCancel(ctx), id)
}

// recordedEnd returns the end of a run as it is recorded. why is returned for a run without an end.
func (l *Loaded) recordedEnd(ctx context.Context, id string, why error) (*execution.Result, error) {
	without := &execution.Result{RunID: id}
	reading, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	run, err := l.History.Exact(reading, id)
	switch {
	case err == nil && run.HasEnded():
	case why != nil:
		return without, why
	case err != nil && !errors.Is(err, journal.ErrNotFound):
		return without, err
	default:
		return without, fmt.Errorf("run %s is over and its end is not recorded; serve and workers need the same --state", id)
	}
	result, err := l.endOf(reading, run)
	var gap *journal.GapError
	if errors.As(err, &gap) && gap.Gap.Reason == journal.TooLarge {
		err = fmt.Errorf("the result of run %s has %d bytes and was not recorded, because a value may have %d; "+
			"start the workers with a higher --history-max-value", id, gap.Gap.Bytes, gap.Gap.Limit)
	}
	return result, err
}

// attendAgain is the pause after the store could not be read.
const attendAgain = time.Second

// attended attends a run until leave is called, which returns when nothing more is reported.
func (l *Loaded) attended(ctx context.Context, g *graph.Graph, id string, report *reporter, left func(why error)) (leave func()) {
	if report == nil && (g == nil || !mayAsk(g)) {
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.attend(ctx, g, id, report, left)
	}()
	return func() {
		stop()
		<-ended
	}
}

// attend reports the steps of a run that is made elsewhere, and puts its questions to the user of
// the client, until the run or ctx ends. Without a graph it puts no questions. When the client cannot be asked
// it calls left, or lets the run go on without an answer if that is nil.
func (l *Loaded) attend(ctx context.Context, g *graph.Graph, id string, report *reporter, left func(why error)) {
	var last journal.Run
	var asked *journal.Asked
	seen := 0
	defer func() { l.reportSteps(context.WithoutCancel(ctx), id, &seen, report) }()
	for last.Status == "" || !last.HasEnded() {
		run, err := l.History.Wait(ctx, id, func(r journal.Run) bool {
			return r.Bytes != last.Bytes || r.Status != last.Status || g != nil && isUnasked(r.Question, asked)
		})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			wait(ctx, attendAgain)
			continue
		}
		last = run
		l.reportSteps(ctx, id, &seen, report)
		if g != nil && isUnasked(run.Question, asked) {
			asked = run.Question
			l.passOn(ctx, g, id, *asked, left)
		}
	}
}

// isUnasked reports whether a question is open that was not put yet. An attempt that has its answer asks it once more.
func isUnasked(open, asked *journal.Asked) bool {
	return open != nil && (asked == nil || open.Address != asked.Address || open.Digest != asked.Digest)
}

// reportSteps reports the events of a run from a number on. What cannot be read is reported later.
func (l *Loaded) reportSteps(ctx context.Context, id string, seen *int, report *reporter) {
	if report == nil {
		return
	}
	_ = l.History.Events(ctx, id, *seen, func(e execution.Event) {
		*seen++
		report.Observe(e)
	})
}

// passOn puts the question of a run that is made elsewhere to the user of the client, and sends the
// answer there.
func (l *Loaded) passOn(ctx context.Context, g *graph.Graph, id string, asked journal.Asked, left func(why error)) {
	q, limit := questionAt(g, id, &asked)
	a, err := l.putHere(ctx, q, asked.Time.Add(limit))
	switch {
	case ctx.Err() != nil || errors.Is(err, execution.ErrSuspended) || errors.Is(err, context.DeadlineExceeded):
		return // the run ends, goes on without this client, or has timed out
	case left != nil && missingCapability(err) != "":
		left(waitsFor(id, q, err))
		return
	case err != nil:
		a = execution.Unasked(err)
	}
	if err = StoreAnswer(ctx, l.History, id, asked, a); err == nil {
		err = l.elsewhere.Change(ctx, id, &asked)
	}
	if err != nil && ctx.Err() == nil {
		l.Log.Warn("the answer of a user was not sent", "run", id, "error", err)
	}
}

// StoreAnswer stores the answer to the open question of a run, for the process that continues it.
func StoreAnswer(ctx context.Context, store *journal.Store, run string, q journal.Asked, a execution.Answer) error {
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return store.Attach(ctx, run, markOf(q.Address, q.Digest), body)
}

// putHere asks the user of the client.
func (l *Loaded) putHere(ctx context.Context, q execution.Question, until time.Time) (execution.Answer, error) {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	return InTurn{l.UserOf(nil)}.ask(ctx, q)
}

// askOf returns the ask node with the name of a question; nil for other nodes.
func askOf(g *graph.Graph, name string) *graph.Ask {
	tool, id, below := strings.Cut(name, ":")
	if !below {
		tool, id = "", name
	}
	n, _ := g.ReachedTool(tool).NodeAt(id, "").(*graph.Ask)
	return n
}

// mayAsk reports whether a run of a graph can ask its user something.
func mayAsk(g *graph.Graph) bool {
	for _, reached := range g.Reached() {
		for _, n := range reached.Nodes {
			if _, isAsk := n.(*graph.Ask); isAsk {
				return true
			}
		}
		for _, a := range reached.Allow {
			if len(a.Confirm) > 0 {
				return true
			}
		}
		for _, n := range reached.CallNodes() {
			if m, isMCP := n.(*graph.MCP); isMCP && m.Confirm != nil && *m.Confirm {
				return true
			}
		}
	}
	return false
}
