package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/server"
)

// A run that failed because its client has not declared the capability to ask its user is answered like any
// failed run: every call that joins it gets that failure, which the server turns into the error of the
// protocol for a client without the capability. The key of the call is not used up: a client that has the
// capability goes on with a later run. That is a fork at the question, so what was done before the question
// is not done again, and it is answered, and joined, in place of the first run from then on. It is not made
// when calls would be repeated that are not safe to repeat; then the client is asked to use a new key.

// missingCapability returns the capability for want of which a run failed, or was not asked; "" for other errors.
func missingCapability(err error) string {
	var lacking interface{ MissingCapability() string }
	if errors.As(err, &lacking) {
		return lacking.MissingCapability()
	}
	return ""
}

// laterID returns the id of the run that goes on where another one failed for want of a capability. It
// follows from the other's id, so the row of the later run makes it the only one, as with keyedID.
func laterID(id string) string {
	sum := sha256.Sum256([]byte("later than " + id))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16])
}

// begun returns the recorded run of a key: the first one or, when that was deleted, the later one.
func (l *Loaded) begun(ctx context.Context, first string) (id string, begun bool, err error) {
	for _, id := range []string{first, laterID(first)} {
		if begun, err := l.History.Begun(ctx, id); begun || err != nil {
			return id, begun, err
		}
	}
	return first, false, nil
}

// laterRun returns the run that a call joins after one that ended with an error: the later run, which it
// begins for a client that can be asked. Without one, the id is "" and the error is that of the call. A call
// begins one later run, and sets began: if that fails for the same reason, the client says one thing and
// does another.
func (l *Loaded) laterRun(ctx context.Context, id, caller string, began *bool, why error) (later string, err error) {
	if missingCapability(why) == "" {
		return "", why
	}
	canAsk := server.CalledBy(ctx).CanAsk && !*began
	for later = laterID(id); ; later = laterID(later) {
		run, err := l.History.Exact(ctx, later)
		switch {
		case errors.Is(err, journal.ErrNotFound) && canAsk:
			*began = true
			return l.beginLater(ctx, id, later, caller, why)
		case errors.Is(err, journal.ErrNotFound):
			return "", why
		case err != nil:
			return "", l.unavailable(err)
		case !run.CanResume():
			return later, nil
		case l.isHalfForked(ctx, later): // its process died; one more is made
		case canAsk:
			return later, nil
		default: // it waits for a client that can be asked
			return "", why
		}
	}
}

// isHalfForked reports whether the process of a fork died before all was copied.
func (l *Loaded) isHalfForked(ctx context.Context, id string) bool {
	events, err := l.History.Load(ctx, id)
	return err == nil && len(events) > 0 && events[0].Start != nil && len(events)-1 < events[0].Start.Copied
}

// beginLater records the fork of a run at the question that its client could not be asked, and leaves it
// to any process, as recordStart does.
func (l *Loaded) beginLater(ctx context.Context, id, later, caller string, why error) (string, error) {
	run, err := l.History.Exact(ctx, id)
	switch {
	case errors.Is(err, journal.ErrNotFound): // it was deleted, and Temporal still knows how it ended
		return "", staysEnded(why, err)
	case err != nil:
		return "", l.unavailable(err)
	}
	g, err := l.currentGraph(ctx, run)
	if err != nil {
		return "", staysEnded(why, err)
	}
	events, err := l.History.Load(ctx, id)
	var gap *journal.GapError
	switch {
	case errors.As(err, &gap):
		return "", staysEnded(why, err)
	case err != nil:
		return "", l.unavailable(err)
	}
	at := unaskedAt(events)
	if at == "" {
		return "", staysEnded(why, errNoQuestion)
	}
	stop := make(chan struct{})
	close(stop)
	ctx = context.WithoutCancel(ctx) // a fork is not left half copied
	options := append(l.Believer(true).Options(ctx), execution.WithRunID(later), execution.WithCaller(caller, true), execution.WithStop(stop))
	fork, err := l.Engine().PrepareFork(ctx, g, events, execution.Fork{At: at, Safe: true}, options...)
	if err != nil {
		return "", staysEnded(why, err)
	}
	if _, err = fork.Run(ctx); errors.Is(err, execution.ErrTaken) {
		return later, nil // another process was faster
	}
	l.giveBack(ctx, later)
	if !errors.Is(err, execution.ErrSuspended) {
		return "", l.unavailable(err)
	}
	l.Log.Info("a run failed because its client could not be asked; going on for one that can", "run", id, "later", later)
	return later, nil
}

var errNoQuestion = errors.New("its question is not recorded")

// staysEnded returns the error for a client that could be asked by a run that failed for want of that, and
// cannot go on.
func staysEnded(failure, why error) error {
	return fmt.Errorf("%w\nthat was another client, and the run cannot go on with this one: %w; call with a new key to run the tool from its beginning", failure, why)
}

// unaskedAt returns the address of the last question that a client without the capability was not asked.
func unaskedAt(events []execution.Event) (at execution.Address) {
	for _, e := range events {
		if e.Kind == execution.Answered && e.Answer.Lacks != "" {
			at = e.At()
		}
	}
	return at
}

// withoutAsking returns the error of a call whose client cannot answer the open question of an interrupted
// run. The run is left to a client that can, which may be the one that was asked first.
func (l *Loaded) withoutAsking(ctx context.Context, j *joining, run journal.Run) error {
	g, err := l.currentGraph(ctx, run)
	if err != nil {
		g = nil
	}
	q, _ := questionAt(g, run.ID, run.Question)
	_, err = InTurn{j.user}.ask(ctx, q)
	return waitsFor(run.ID, q, err)
}

// waitsFor returns the error of a call whose client cannot answer a question that another client may.
func waitsFor(run string, q execution.Question, why error) error {
	const shown = 200
	return fmt.Errorf("%w, and run %s waits for the answer to %s", why, run, wording.Quote(wording.Truncate(wording.OneLine(q.Message), shown)))
}
