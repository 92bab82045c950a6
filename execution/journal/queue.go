package journal

import (
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// queued is an event on its way to the database, or a flush that waits for all before it.
type queued struct {
	event execution.Event
	view  *view        // nil: a flush
	size  int          // of its value as JSON; 0 when it is not known
	bytes int          // of memory, about
	done  chan<- error // gets the outcome once; nil: no run waits

	sync    bool   // a flush that waits until all before it survives a crash of the database's server
	release string // a flush that also releases this run; empty: none

	park *parkedRow // of a run that is released and parked; nil: it is only released
}

const (
	// eventBytes is the memory of an event without its value, and valueBytes that for each
	// byte of the value's JSON, about.
	eventBytes = 1024
	valueBytes = 4
	// batchEvents is how many events one transaction has at most.
	batchEvents = 4096
)

// newQueued returns an event of a run. It drops the arguments of a call, and a value that is known to be longer than
// is allowed: they are not recorded, and would take memory until the event is written.
func newQueued(v *view, e execution.Event) queued {
	if e.Step != nil && e.Step.Args != nil {
		step := *e.Step
		step.Args = nil
		e.Step = &step
	}
	size := 0
	switch {
	case e.Record != nil && e.Record.Parts == 0: // else it is made of its parts
		size = e.Record.Bytes // 0 for a value of another event
	case e.Start != nil:
		size = value.Size(e.Start.Args)
	case e.Answer != nil && e.Answer.Content != nil:
		size = value.Size(e.Answer.Content)
	}
	held := size
	if v.store != nil && e.Record != nil && size > v.store.opts.MaxValue {
		record := *e.Record
		record.Output = value.Null // only its size is stored
		e.Record, held = &record, 0
	}
	bytes := eventBytes + valueBytes*held
	if e.Question != nil {
		bytes += len(e.Question.Message)
	}
	if e.Start != nil && e.Start.Vars != nil {
		bytes += value.Size(e.Start.Vars)
	}
	return queued{event: e, view: v, size: size, bytes: bytes}
}

// hurries reports whether the event is about a call that is not safe to repeat. The end of a run
// is not: a run that is resumed reaches it again.
func (q *queued) hurries() bool { return q.event.Sync && q.event.Kind != execution.RunFinished }

// queue has the events on their way, oldest first.
type queue struct {
	events  []queued
	bytes   int // of all events in it
	awaited int // events that runs wait for
	hurried int // events about calls that are not safe to repeat

	spare []queued // the memory of a batch that was written
}

func (q *queue) put(e *queued) {
	q.events = append(q.events, *e)
	q.count(e, 1)
}

// count adds n times an event to the sums.
func (q *queue) count(e *queued, n int) {
	q.bytes += n * e.bytes
	if e.done != nil {
		q.awaited += n
	}
	if e.hurries() {
		q.hurried += n
	}
}

// take removes and returns the oldest events, as many as one transaction may have.
func (q *queue) take() (batch []queued) {
	n := 0
	for before := q.bytes; n < len(q.events) && n < batchEvents && before-q.bytes < batchMost; n++ {
		q.count(&q.events[n], -1)
	}
	batch = q.events[:n]
	if cap(q.spare) > spareEvents && n < cap(q.spare)/spareLoad { // the load is over
		q.spare = nil
	}
	q.events = append(q.spare[:0], q.events[n:]...)
	q.spare = nil
	return batch
}

// drop drops the events of a run. Their places stay, as those of events that were written.
func (q *queue) drop(run string) {
	for i := range q.events {
		e := &q.events[i]
		if e.view == nil || e.event.Run != run {
			continue
		}
		q.count(e, -1)
		if e.done != nil {
			e.done <- takenError(run)
		}
		*e = queued{}
	}
}

// recycle takes the memory of a batch that was written.
func (q *queue) recycle(batch []queued) {
	clear(batch[:cap(batch)]) // so that no value stays in memory
	q.spare = batch[:0]
}

const (
	// spareEvents is for how many events memory is kept at any load, and spareLoad the part of a
	// larger one that has to be in use.
	spareEvents = 64
	spareLoad   = 8
)

// release sends the outcome to the runs that wait for events, once, and returns their number.
func release(batch []queued, err error) (n int) {
	for i := range batch {
		if done := batch[i].done; done != nil {
			done <- err
			batch[i].done = nil
			n++
		}
	}
	return n
}
