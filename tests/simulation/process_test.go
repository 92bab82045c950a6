package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

var (
	errCrash = errors.New("the simulated process has died")
	errFull  = errors.New("the simulated disk is full")
)

// operation is a journal write, a call or a question that waits to be released.
type operation struct {
	event    *execution.Event    // of a write
	call     *execution.Call     // of a call
	question *execution.Question // of a question
	made     *entry              // of the ledger, for a call
	done     chan answer         // holds one
}

// answer is how an operation ends. Of a write it has the error alone.
type answer struct {
	value value.Value
	err   error
	user  execution.Answer // to a question
}

// name names the operation in a trace. Pending operations are ordered by place and name.
func (o *operation) name() string {
	switch {
	case o.call != nil:
		return fmt.Sprintf("answer %s attempt %d", o.call.At(), attemptOf(o.call.Attempt))
	case o.question != nil:
		return fmt.Sprintf("question %s %s", o.question.At, o.question.Message)
	}
	return "write " + describe(o.event)
}

func (o *operation) at() execution.Address {
	switch {
	case o.call != nil:
		return o.call.At()
	case o.question != nil:
		return o.question.At
	}
	return o.event.At()
}

// attemptOf counts attempts from 1.
func attemptOf(n int) int { return max(n, 1) }

// process is a process in which a run lives, from its start or resume to its end or crash. It is
// the journal of the run and its upstream servers.
type process struct {
	world   *world
	started time.Time

	mu        sync.Mutex // guards what follows
	pending   []*operation
	dead      bool // what happens from now on did not happen
	cancelled bool // the client has cancelled
}

func (w *world) process() *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stood = 0
	return &process{world: w, started: time.Now()}
}

// Append waits until the scheduler releases the write.
func (p *process) Append(_ context.Context, e execution.Event) error {
	o := &operation{event: &e, done: make(chan answer, 1)}
	if !p.submit(o) {
		return errCrash
	}
	return (<-o.done).err
}

// Load is not used: a run is resumed from the events of the world.
func (p *process) Load(context.Context, string) ([]execution.Event, error) {
	return nil, errors.New("not used")
}

// CallTool waits until the scheduler releases the answer. A call whose context has ended is not
// sent.
func (p *process) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o := &operation{call: &c, done: make(chan answer, 1)}
	if !p.submit(o) {
		return nil, errCrash
	}
	select {
	case a := <-o.done:
		return a.value, a.err
	case <-ctx.Done():
		p.withdraw(o)
		return nil, ctx.Err()
	}
}

// Ask waits until the scheduler releases the answer of the user.
func (p *process) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	o := &operation{question: &q, done: make(chan answer, 1)}
	if !p.submit(o) {
		return execution.Answer{}, errCrash
	}
	select {
	case a := <-o.done:
		return a.user, a.err
	case <-ctx.Done():
		p.withdraw(o)
		return execution.Answer{}, ctx.Err()
	}
}

func (p *process) submit(o *operation) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return false
	}
	if o.call != nil {
		o.made = p.world.begin(p, o.call)
	}
	if o.question != nil {
		p.world.asked(p, o.question)
	}
	p.pending = append(p.pending, o)
	return true
}

// withdraw takes back a call or a question that the engine cancelled.
func (p *process) withdraw(o *operation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending = slices.DeleteFunc(p.pending, func(other *operation) bool { return other == o })
	if !p.dead && o.made != nil {
		o.made.cancelled = true
	}
}

// sorted returns the pending operations in an order that does not depend on goroutines.
func (p *process) sorted() []*operation {
	p.mu.Lock()
	defer p.mu.Unlock()
	slices.SortStableFunc(p.pending, func(a, b *operation) int {
		return cmp.Or(a.at().Compare(b.at()), cmp.Compare(a.name(), b.name()))
	})
	return slices.Clone(p.pending)
}

// release ends one operation. A write is in the journal then, unless it fails.
func (p *process) release(o *operation, failing bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending = slices.DeleteFunc(p.pending, func(other *operation) bool { return other == o })
	switch {
	case o.call != nil:
		o.made.answered = true
		p.world.note("%s", o.name())
		o.done <- p.world.answerTo(o.call)
	case o.question != nil:
		p.world.note("%s", o.name())
		o.done <- answer{user: answerOfUser(o.question)}
	case failing:
		p.world.note("%s fails", o.name())
		o.done <- answer{err: errFull}
	default:
		p.world.note("%s", o.name())
		p.world.write(o.event)
		o.done <- answer{}
	}
}

// die ends everything: writes did not happen, and what became of calls only the ledger knows.
func (p *process) die() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	for _, o := range p.pending {
		o.done <- answer{err: errCrash}
	}
	p.pending = nil
}

// disturbance is what happens to a process after some operations.
type disturbance string

const (
	undisturbed disturbance = ""
	crash       disturbance = "crash"
	cancelling  disturbance = "cancel"  // by the client
	suspending  disturbance = "suspend" // at once, see execution.ErrSuspended
	stopping    disturbance = "stop"    // between two nodes
	filling     disturbance = "disk full"
)

// life is one process and how it went.
type life struct {
	kind   disturbance
	after  int // operations
	steps  int // operations that it had
	result *execution.Result
	err    error
}

// tick is longer than each wait of an attempt and shorter than what a run may take.
const tick = 200 * time.Millisecond

// idleTicks is after how much waiting in vain a run hangs.
const idleTicks = 100

// policy picks the pending operation to release; nil lets time pass.
type policy func(pending []*operation) *operation

// inOrder releases the first operation.
func inOrder(pending []*operation) *operation {
	if len(pending) == 0 {
		return nil
	}
	return pending[0]
}

// writesFirst releases writes first, so that as many calls as can be are in flight.
func writesFirst(pending []*operation) *operation {
	if o := exceptCalls(pending); o != nil {
		return o
	}
	return inOrder(pending)
}

// exceptCalls releases writes alone, so that calls never get an answer.
func exceptCalls(pending []*operation) *operation {
	for _, o := range pending {
		if o.event != nil {
			return o
		}
	}
	return nil
}

// atRandom releases any operation; one turn in eight lets time pass.
func (w *world) atRandom(pending []*operation) *operation {
	if len(pending) == 0 || w.rng.IntN(8) == 0 {
		return nil
	}
	return pending[w.rng.IntN(len(pending))]
}

// live starts a run, or resumes it, and schedules it to its end.
func (p *process) live(ctx context.Context, l *life, start func(context.Context, ...execution.Option) (*execution.Result, error), pick policy) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop, finished := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		l.result, l.err = start(ctx, execution.WithStop(stop), execution.WithJournal(p), execution.WithUser(p))
	}()
	failing, idle := false, 0
	for ; ; l.steps++ {
		synctest.Wait()
		select {
		case <-finished:
			return
		default:
		}
		if l.kind != undisturbed && l.steps == l.after {
			p.world.note("%s", l.kind)
			switch l.kind {
			case crash:
				p.die()
				cancel(errCrash)
				<-finished
				return
			case cancelling:
				p.mu.Lock()
				p.cancelled, p.world.cancelled = true, true
				p.mu.Unlock()
				cancel(nil)
			case suspending:
				cancel(execution.ErrSuspended)
			case stopping:
				close(stop)
			case filling:
				failing = true
			case undisturbed:
			}
			continue
		}
		if o := pick(p.sorted()); o != nil {
			idle = 0
			p.release(o, failing)
			continue
		}
		if idle++; idle > idleTicks {
			p.world.violated("the run hangs: nothing is released and time does not help")
			p.die()
			cancel(errCrash)
			<-finished
			return
		}
		time.Sleep(tick)
	}
}
