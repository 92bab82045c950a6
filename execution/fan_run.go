package execution

import (
	"cmp"
	"errors"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// runParts runs the parts, at most so many at once. In a resumed run, parts with a failure go first, so that no other calls something before
// it is reported; then those with in-doubt calls, so that these are resolved in order. Parts that run one after the other, or that need one
// whose record was lost with the process, keep their places.
func (l *live) runParts(f *fan, most int) {
	inTurn := most <= 1 || l.hooks.sequential
	l.runFirst(f, l.past.isFailing)
	if !inTurn {
		l.runFirst(f, l.past.isInDoubt)
	}
	if inTurn {
		for i := range f.records {
			if f.first != nil || f.err != nil {
				return
			}
			l.runPart(f, i, nil, nil)
			if f.enough != nil && f.records[i] != nil && f.enough(i) {
				return
			}
		}
		return
	}
	var group errgroup.Group
	var running atomic.Int64 // workers; the last one leaves its work to this goroutine, so that there is no moment at which none is at work
	queue := newQueue(len(f.records), f.needs)
	var worker func() error
	start := func(workers int) {
		running.Add(int64(workers))
		l.work(f.site.frame.pace, workers)
		for range workers {
			group.Go(worker)
		}
	}
	worker = func() error {
		defer func() {
			if running.Add(-1) > 0 {
				l.work(f.site.frame.pace, -1)
			}
		}()
		for i, turn, next := queue.take(); i >= 0 && f.ctx.Err() == nil; i, turn, next = queue.take() {
			l.runPart(f, i, turn, next)
			next()
			if more := queue.end(i) - 1; more > 0 { // this worker takes one of them
				start(more)
			}
		}
		return nil
	}
	if n := min(most, queue.ready()); n > 0 {
		start(n)
		l.work(f.site.frame.pace, -1)
		_ = group.Wait() // the parts return nil
	}
	if err := f.site.ctx.Err(); err != nil && f.first == nil && f.err == nil && f.incomplete() {
		f.first, f.noted = endOf(f.site.ctx, f.site.node, "while this node waited for its server", err), true
	}
}

// runFirst runs the parts that are chosen by their addresses, one after the other.
func (l *live) runFirst(f *fan, chosen func(Address) bool) {
	if l.past == nil {
		return
	}
	for i := range f.records {
		if f.ctx.Err() == nil && f.canStart(i) && chosen(f.part(i).address()) {
			l.runPart(f, i, nil, nil)
		}
	}
}

// canStart reports whether the parts that a part needs have ended.
func (f *fan) canStart(part int) bool {
	return f.needs == nil || !slices.ContainsFunc(f.needs[part], func(i int) bool { return f.records[i] == nil })
}

// incomplete reports whether a part has not ended.
func (f *fan) incomplete() bool {
	for _, rec := range f.records {
		if rec == nil {
			return true
		}
	}
	return false
}

// runPart runs a part, unless its record is known.
func (l *live) runPart(f *fan, i int, turn <-chan struct{}, next func()) {
	if f.records[i] != nil {
		return
	}
	s := f.part(i)
	s.turn, s.next = turn, next
	if rec := l.past.part(s.address()); rec != nil {
		f.note(i, rec)
		return
	}
	out, err := l.part(s)
	if err == nil && out.failed == nil && out.record.Error == nil {
		if _, err = l.commit(s.frame, out); err == nil {
			f.note(i, out.record)
			return
		}
	}
	f.fail(l, out, err)
}

// fail records the failure of a part and ends the others. A part that only ended because another
// has failed leaves no record.
func (f *fan) fail(l *live, out outcome, err error) {
	f.failing <- struct{}{}
	defer func() { <-f.failing }()
	failed := out.failed
	if out.record != nil {
		failed = out.record.Error
	}
	if failed != nil && errors.Is(failed, ErrSuspended) { // the other parts end their calls, and begin no more
		f.first = cmp.Or(f.first, failed)
		return
	}
	switch {
	case err != nil:
		if f.err == nil {
			f.err = err
		}
	case failed.endedWithRun() && !failed.interrupted(): // all parts end at once: the whole execution has the record
		if f.first == nil {
			f.first, f.noted = f.site.located(failed), true
		}
	case failed.interrupted() || out.record == nil:
		if f.first == nil {
			f.first = failed
		}
	default:
		if _, err := l.commit(f.site.frame, out); err != nil && f.err == nil {
			f.err = err
		}
		if f.first == nil || f.noted && f.first.endedWithRun() { // that has no record of its part
			f.first, f.noted = failed, true
		} else {
			f.more++
		}
	}
	f.cancel(f.ended)
}

// part runs one part.
func (l *live) part(s *site) (out outcome, err error) {
	defer func() {
		var fault *PanicError
		if errors.As(err, &fault) {
			out, err = recorded(s.frame.record(s, l.clock.now(), nil, err), false)
		}
	}()
	defer recovered(&err)
	if err := l.wait(s.frame, s); err != nil {
		return outcome{}, err
	}
	if err := s.ctx.Err(); err != nil {
		return outcome{failed: endOf(s.ctx, s.node, "before its call", err)}, nil
	}
	if failed := l.hooks.stopped(); failed != nil {
		return ended(failed)
	}
	if reached := s.frame.budget.reserve(executions, 1); reached != nil {
		return outcome{failed: s.located(failureAt(CodeLimit, s.node, nil, "executionLimits.maxNodeExecutions is %d, and that many nodes have run; "+
			"raise it, or take fewer items", reached.most))}, nil
	}
	if s.do != nil {
		return s.do(s)
	}
	return l.call(s)
}
