package simulation

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/runtime"
)

// kind is an invariant of a fleet.
type kind string

const (
	fenceKind   kind = "fence"   // no event of a process after another one has claimed its run
	claimKind   kind = "claim"   // a run that a living process has is not claimed
	orderKind   kind = "order"   // the events of a run are a sequence that one process could have written
	finishKind  kind = "finish"  // a run ends once, and one that is cancelled stays so
	sentKind    kind = "sent"    // a call that is not safe to repeat is sent once
	keyKind     kind = "key"     // a call that is repeated has the idempotency key that it had
	recordKind  kind = "record"  // a call that is not safe to repeat is in the database before it is sent
	lostKind    kind = "lost"    // a run that can continue is not deleted
	endKind     kind = "end"     // each run has an end, and each client an answer, when the faults stop
	outcomeKind kind = "outcome" // all clients of a key get the same: the value of the run
	answerKind  kind = "answer"  // an answer counts once
	leaseKind   kind = "lease"   // a process that has shown that it lives does not lose its runs
	engineKind  kind = "engine"  // nothing else goes wrong
)

type violation struct {
	kind kind
	text string
}

// check checks a fleet in which nothing happens any more: what clients got, and what is recorded.
func (f *fleet) check() {
	store, err := f.open(&client{name: "observer"}, journal.Options{ReadOnly: true})
	if err != nil {
		f.violated(engineKind, "%v", err)
		return
	}
	defer store.Close()
	runs, err := store.List(f.ctx, journal.Filter{Limit: 1000})
	if err != nil {
		f.violated(engineKind, "the runs are not listed: %v", err)
		return
	}
	for _, run := range runs {
		events, err := store.Load(f.ctx, run.ID)
		if f.bounded && run.Tool == "hold" && errors.Is(err, journal.ErrNotFound) { // it was deleted meanwhile
			continue
		}
		if err != nil {
			f.violated(orderKind, "run %s is not read: %v", run.ID, err)
			continue
		}
		f.checkRun(run, events)
	}
	for _, c := range f.callers {
		f.checkCaller(c)
	}
	if f.bounded {
		o, err := store.Outlook(f.ctx, journal.Retention{})
		if err != nil || len(o.Shares) != 2 || o.Shares[0].Runs < 0 || o.Shares[1].Due != 0 {
			f.violated(engineKind, "what retention has done: %+v, %v", o, err)
		}
		f.deleted = o.Deleted
	}
	for _, run := range runs {
		if run.Tool == "order" && run.Failure != nil && run.Failure.Code == execution.CodeOutcomeUnknown {
			f.resolve(store, run)
			break
		}
	}
	for _, p := range f.all {
		if _, unread, is := strings.Cut(p.log.String(), "can't scan"); is { // the server of this simulation answers with other types
			f.violated(engineKind, "%s cannot read an answer: %.300s", p.name, unread)
		}
		if said := p.log.String(); strings.Contains(said, "error=<nil>") {
			f.violated(engineKind, "%s warns of no error: %.300s", p.name, said[max(0, strings.Index(said, "error=<nil>")-200):])
		}
	}
}

// checkRun checks the events of a run.
func (f *fleet) checkRun(run journal.Run, events []execution.Event) {
	if err := execution.CheckEvents(events); err != nil {
		f.violated(orderKind, "run %s: %v", run.ID, err)
	}
	answered := map[string]bool{}
	var ended time.Time
	for i := range events {
		e := &events[i]
		if e.End != nil {
			ended = e.Time
		}
		if a := e.Answer; a != nil {
			if name := string(e.At()) + a.Digest; answered[name] {
				f.violated(answerKind, "run %s: the question of %s has two answers", run.ID, e.At())
			} else {
				answered[name] = true
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, all := range f.ledger {
		if last := all[len(all)-1]; name.run == run.ID && !ended.IsZero() && last.at.After(ended) && !isSafeTool(last.Tool) {
			f.violate(finishKind, "run %s has ended, and %s makes call %s afterwards", run.ID, last.by, name.at)
		}
	}
	if run.Status == journal.Cancelled && !f.mayBeCancelled(run, events) {
		f.violate(outcomeKind, "run %s of %s is cancelled, and neither a client nor an operator has done that", run.ID, run.Tool)
	}
}

// mayBeCancelled reports whether a client of a run has left, or an operator has cancelled the run. f.mu is held.
func (f *fleet) mayBeCancelled(run journal.Run, events []execution.Event) bool {
	id := fmt.Sprint(events[0].Start.Args)
	return f.cancelled[run.ID] || slices.ContainsFunc(f.callers, func(c *caller) bool {
		return c.tool == run.Tool && (c.broke || c.cancels > 0) && c.key == "" && strings.Contains(id, fmt.Sprint(c.id))
	})
}

// unknown is the answer about a run that has ended because of an in-doubt call.
var unknown = regexp.MustCompile(`outcome-unknown|outcome is unknown|is unknown whether|not safe to repeat`)

// checkCaller checks what a client has got: with a key always the same, and the value of the run.
func (f *fleet) checkCaller(c *caller) {
	f.mu.Lock()
	defer f.mu.Unlock()
	want := regexp.MustCompile(fmt.Sprintf(`^\{"id":%d,"paid":(1|\[1,2\])(,"version":2)?\}$`, c.id))
	for _, a := range c.answers {
		// A call without a key ends with its connection, and with its process.
		isCancelled := strings.Contains(a, "cancelled") && (f.anyCancelled() || c.key == "")
		switch {
		case a != c.answers[0] && c.key != "":
			f.violate(outcomeKind, "%v is answered with %q, and with %q before", c, a, c.answers[0])
		case !want.MatchString(a) && !unknown.MatchString(a) && !isCancelled:
			f.violate(outcomeKind, "%v is answered with %q", c, a)
		}
	}
	most := map[string]int{"order": 1, "confirm": 1, "late": 2}[c.tool]
	if c.key != "" && f.paid[c.id] > most {
		f.violate(sentKind, "%v has paid %d times", c, f.paid[c.id])
	}
}

func (f *fleet) anyCancelled() bool { return len(f.cancelled) > 0 }

// bound lets an operator bound the runs of one tool, whose calls have no keys: the first process that leads deletes all that have ended.
func (f *fleet) bound() {
	store, err := f.open(&client{name: "bounds"}, journal.Options{})
	if err != nil {
		f.violated(engineKind, "%v", err)
		return
	}
	defer store.Close()
	for f.ctx.Err() == nil {
		ctx, cancel := context.WithTimeout(f.ctx, time.Minute)
		err := store.SetPolicy(ctx, journal.Policy{Rules: []journal.Rule{{Selector: journal.Selector{Tool: "hold"}, Retention: journal.Retention{MaxBytes: 1}}}})
		if cancel(); err == nil {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.isBound = true
			return
		}
		time.Sleep(time.Second)
	}
}

// resolve lets an operator say what the in-doubt call of a run has returned: the run goes on to its end.
func (f *fleet) resolve(store *journal.Store, run journal.Run) {
	start, err := store.Start(f.ctx, run.ID)
	if err != nil {
		f.violated(engineKind, "%v", err)
		return
	}
	for version := range f.files {
		operator := &serving{f: f, version: version}
		operator.name = "operator"
		l, err := runtime.Load(f.ctx, operator.options())
		if err != nil {
			f.violated(engineKind, "%v", err)
			return
		}
		g, err := l.Recorded(f.ctx, run.Tool, start.Args)
		if err == nil && start.IsOf(g) {
			for range 2 { // the second time it has ended, and its end is the result
				if err == nil {
					_, err = l.Resolve(f.ctx, g, run.ID, execution.WithResolution(execution.Resolution{Value: 1.0}))
					f.note("an operator resolves run %.6s: %v", run.ID, err)
				}
			}
		}
		l.Close()
		if err != nil {
			f.violated(finishKind, "run %s, whose in-doubt call was resolved, has not finished: %v", run.ID, err)
		}
	}
	if now, err := store.Exact(f.ctx, run.ID); err != nil || now.Status != journal.Finished {
		f.violated(finishKind, "run %s, whose in-doubt call was resolved, is recorded as %s, %v", run.ID, now.Status, err)
	}
}

// operate lets an operator cancel a run.
func (f *fleet) operate() {
	store, err := f.open(&client{name: "operator"}, journal.Options{})
	if err != nil {
		f.violated(engineKind, "%v", err)
		return
	}
	defer store.Close()
	ctx, cancel := context.WithTimeout(f.ctx, time.Minute)
	defer cancel()
	runs, err := store.List(ctx, journal.Filter{Limit: 100})
	if err != nil {
		return
	}
	for _, run := range runs {
		if run.HasEnded() || hashOf(run.ID)%2 == 0 {
			continue
		}
		f.mu.Lock()
		f.cancelled[run.ID] = true
		f.mu.Unlock()
		_, err := runtime.CancelRun(ctx, store, run.ID)
		f.note("an operator cancels run %.6s: %v", run.ID, err)
		return
	}
}
