package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// What a process does for its clients: it starts their runs, joins those that another process has,
// and takes over those of dead processes.

// view is what a process reads of a run at once.
type view struct {
	known   bool
	status  journal.Status
	owner   string
	unknown bool // it has ended because of an in-doubt call
	end     *execution.End
	open    string          // the question that waits for an answer
	closed  map[string]bool // questions that have one
}

// questionOf names a question in its run.
func questionOf(at execution.Address, digest string) string { return string(at) + " " + digest }

// look reads a run.
func (p *server) look(run string) (view, error) {
	return call(p, "look at "+run, func() view {
		row := p.f.db.runs[run]
		if row == nil {
			return view{}
		}
		v := view{known: true, status: row.status, owner: row.owner, unknown: row.isUnknown(), closed: map[string]bool{}}
		for i := range row.events {
			switch e := &row.events[i].event; {
			case e.Question != nil:
				v.open = questionOf(e.At(), e.Question.Digest)
			case e.Answer != nil:
				v.open, v.closed[questionOf(e.At(), e.Answer.Digest)] = "", true
			case e.End != nil:
				v.end = e.End
			}
		}
		return v
	})
}

// hasEnded reports whether a run is over.
func (v view) hasEnded() bool {
	return v.status == journal.Finished || v.status == journal.Failed || v.status == journal.Cancelled
}

// request answers a client: with the outcome of the run of its key.
func (p *server) request(run string) (string, error) {
	for {
		v, err := p.look(run)
		if err != nil {
			return "", err
		}
		t := p.adopt(run)
		switch {
		case v.known && v.hasEnded():
			p.drop(t)
			return outcomeOf(v.end), nil
		case t == nil: // another request of this process drives the run
		case !v.known:
			out, err := p.drive(t, func(ctx context.Context, e *execution.Engine) (*execution.Result, error) {
				return e.Run(ctx, p.f.world.s.graph, p.f.world.s.args, execution.WithCaller("client", true))
			})
			if !errors.Is(err, execution.ErrTaken) {
				return out, err
			}
		case v.status == journal.Interrupted || v.owner == p.lease():
			out, err := p.takeOver(t, execution.Resolution{})
			if !errors.Is(err, execution.ErrTaken) && !errors.Is(err, errConnection) {
				return out, err
			}
		default:
			p.drop(t)
		}
		if !p.wait() {
			return "", errCrash
		}
	}
}

// lease is the name that the process has now.
func (p *server) lease() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.name
}

// adopt begins a tenure of this process, which works on a run once; nil when it does already, or
// when it is to end.
func (p *server) adopt(run string) *tenure {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tenures[run] != nil || p.draining || p.dead {
		return nil
	}
	t := &tenure{p: p, run: run, cancel: func(error) {}}
	p.tenures[run] = t
	return t
}

// drop ends a tenure.
func (p *server) drop(t *tenure) {
	if t == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.tenures, t.run)
}

// began begins the tenure of a run that is claimed, unless the lease under which it was is lost.
func (p *server) began(t *tenure, owner string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.taken = p.name != owner
	return !t.taken
}

// drive runs or resumes a run, and returns its outcome once that is recorded.
func (p *server) drive(t *tenure, start func(context.Context, *execution.Engine) (*execution.Result, error)) (string, error) {
	defer p.drop(t)
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	p.mu.Lock()
	t.cancel = cancel
	if t.taken { // the lease was lost in between
		cancel(execution.ErrTaken)
	}
	p.mu.Unlock()
	engine := engine(t, false, execution.WithRunID(t.run), execution.WithClock(p.now),
		execution.WithStop(p.stop), execution.WithJournal(t), execution.WithUser(t))
	result, err := start(ctx, engine)
	p.mu.Lock()
	dead := p.dead
	p.mu.Unlock()
	var failed *execution.StepError
	switch {
	case dead:
		return "", errCrash
	case errors.Is(err, execution.ErrSuspended):
		if err := t.mark(true); err != nil {
			return "", err
		}
		return "", errDrained
	case err != nil && !errors.As(err, &failed) && !errors.Is(err, execution.ErrTaken):
		p.f.violated(engineKind, "%s ends with %v", t.run, err)
	}
	if !p.f.rules.answerEarly {
		if err := t.mark(false); err != nil {
			return "", err
		}
	}
	if errors.Is(err, execution.ErrTaken) {
		return "", err
	}
	if err != nil {
		var f *execution.Failure
		errors.As(err, &f)
		return outcomeOf(&execution.End{Failure: f}), nil
	}
	return outcomeOf(&execution.End{Value: result.Value}), nil
}

// outcomeOf is an end as a client sees it.
func outcomeOf(end *execution.End) string {
	if f := end.Failure; f != nil {
		return fmt.Sprintf("error %s %s", f.Code, f.Detail)
	}
	return text(end.Value)
}

// takeOver claims a run and resumes it. An operator may resolve its in-doubt call.
func (p *server) takeOver(t *tenure, r execution.Resolution) (string, error) {
	load := func() (events []execution.Event) {
		if row := p.f.db.runs[t.run]; row != nil {
			return row.load()
		}
		return nil
	}
	var early []execution.Event
	if p.f.rules.claimLate {
		var err error
		if early, err = call(p, "load "+t.run, load); err != nil || !p.sleep(20*time.Second) {
			p.drop(t)
			return "", errCrash
		}
	}
	owner := p.lease()
	has, err := transact(p, "claim "+t.run, func() bool { return p.f.db.claim(t, owner) })
	if err != nil || !has || !p.began(t, owner) {
		p.drop(t)
		return "", cmp.Or(err, execution.ErrTaken)
	}
	events, err := call(p, "load "+t.run, load)
	if err != nil {
		p.drop(t)
		return "", err
	}
	p.mu.Lock()
	t.n = len(events)
	p.mu.Unlock()
	if p.f.rules.claimLate {
		events = early
	}
	p.f.tookOver++
	p.f.note("%s takes over %s after %d events", p.lease(), t.run, len(events))
	return p.drive(t, func(ctx context.Context, e *execution.Engine) (*execution.Result, error) {
		return e.Resume(ctx, p.f.world.s.graph, events, execution.WithResolution(r))
	})
}

// sweeps takes over the runs of dead processes, from time to time.
func (p *server) sweeps() {
	for p.sleep(10 * time.Second) {
		owner := p.lease()
		ids, err := call(p, "sweep", func() []string {
			now := time.Now()
			if p.f.rules.ownClock {
				now = p.now()
			}
			p.f.db.sweep(now)
			return p.f.db.interrupted(owner)
		})
		if err != nil {
			return
		}
		for _, id := range ids {
			if t := p.adopt(id); t != nil {
				p.f.running.Go(func() { _, _ = p.takeOver(t, execution.Resolution{}) }) // who waits for the run reads its end
			}
		}
	}
}

// route brings what a client has sent to this process to the one that has its run, until that has
// it, or the run has gone on without. It is not done when this process dies.
func (p *server) route(m message) (done bool) {
	for {
		v, err := p.look(m.run)
		switch {
		case err != nil:
			return false
		case v.known && v.hasEnded(), m.kind == answerMail && (v.closed[m.to] || v.open != "" && v.open != m.to):
			return true
		}
		if v.known && v.status == journal.Running {
			owner := v.owner
			if _, err := call(p, fmt.Sprintf("send %s of %s %s to %s", m.kind, m.run, m.to, owner), func() bool {
				p.f.db.mail[owner] = append(p.f.db.mail[owner], m)
				return true
			}); err != nil {
				return false
			}
			if p.f.rules.sendOnce {
				return true
			}
		}
		if !p.wait() {
			return false
		}
	}
}

// receive does what mail says, in any order and more than once.
func (p *server) receive(m message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tenures[m.run]
	if t == nil || p.dead {
		return
	}
	if m.kind == cancelMail {
		t.cancelled = true
		t.cancel(nil)
		return
	}
	for i, s := range p.pending {
		if s.tenure == t && s.question != nil && (p.f.rules.anyQuestion || questionOf(s.question.At, s.question.Digest) == m.to) {
			p.pending = append(p.pending[:i:i], p.pending[i+1:]...)
			s.done <- answer{user: m.user}
			return
		}
	}
}

const (
	answerMail = "answer"
	cancelMail = "cancel"
)

var inDoubtKey = regexp.MustCompile(`idempotency key \S+?/([^\s#,;]+)`)

// operate resumes a run with the decision of an operator.
func (p *server) operate(run string) {
	t := p.adopt(run)
	if t == nil {
		return
	}
	events, err := call(p, "load "+run, func() (events []execution.Event) {
		if row := p.f.db.runs[run]; row.isUnknown() {
			return row.load()
		}
		return nil
	})
	if err != nil || events == nil {
		p.drop(t)
		return
	}
	t.operator = true
	_, _ = p.takeOver(t, p.f.resolve(run, events)) // its end is in the database
}

// resolve is the decision of an operator about the in-doubt call before which a run has ended: it
// was made and has an answer, or it is to be repeated.
func (f *fleet) resolve(run string, events []execution.Event) execution.Resolution {
	end := events[len(events)-1].End
	found := inDoubtKey.FindStringSubmatch(end.Failure.Message)
	if found == nil {
		f.violated(engineKind, "no idempotency key in %q", end.Failure.Message)
		return execution.Resolution{Repeat: true}
	}
	at := execution.Address(found[1])
	for _, d := range doubts(events) {
		if d.visit.At() != at {
			continue
		}
		made, a := f.made(run, at, d.attempt)
		switch {
		case !made || a.err != nil:
			f.mayRepeat(run, at, d.attempt, len(events))
			return execution.Resolution{Repeat: true}
		case a.value == nil:
			return execution.Resolution{Nothing: true}
		}
		return execution.Resolution{Value: a.value}
	}
	f.violated(engineKind, "%s: call %s is asked about, and is not in doubt", run, at)
	return execution.Resolution{Repeat: true}
}
