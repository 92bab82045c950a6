package journal

import "toolgraph/execution"

// queued is an event on its way, or only somebody who waits for all before it.
type queued struct {
	event execution.Event
	view  *view
	size  int          // of its value as JSON; 0 when it is not known
	bytes int          // that it takes in memory, about
	kept  chan<- error // nil: nobody waits
}

const (
	// eventBytes is what an event takes in memory beside its value, and valueBytes what a
	// value takes for each byte of its JSON, about.
	eventBytes = 1024
	valueBytes = 4
)

// newQueued is an event of a run. The arguments of a call are left out: they are not kept,
// and would take memory.
func newQueued(v *view, e execution.Event) queued {
	if e.Step != nil && e.Step.Args != nil {
		step := *e.Step
		step.Args = nil
		e.Step = &step
	}
	size := weight(e)
	return queued{event: e, view: v, size: size, bytes: eventBytes + valueBytes*size}
}

// weight is the size of an event's value as JSON.
func weight(e execution.Event) int {
	if e.Record != nil {
		return e.Record.Bytes // 0 for what shares the value of another event
	}
	if e.Start != nil {
		return sizeOf(e.Start.Args)
	}
	return 0
}

// hurries reports whether the event is about a call that may not be made twice. The end
// of a run is not: taking the run on finds it again.
func (q *queued) hurries() bool { return q.event.Sync && q.event.Kind != execution.RunFinished }

// block is a piece of the queue.
type block []queued

// queue is the events on their way, oldest first. It is made of blocks, so that it never
// moves what is in it, and keeps the memory of a few.
type queue struct {
	blocks []block
	spare  []block // empty

	bytes   int // of all events in it
	awaited int // events for which somebody waits
	hurried int // events about calls that may not be made twice
}

const (
	blockEvents = 128
	batchBlocks = 32 // of one transaction at most
	spareBlocks = 16
)

func (q *queue) put(e queued) {
	last := len(q.blocks) - 1
	if last < 0 || len(q.blocks[last]) == blockEvents {
		q.blocks = append(q.blocks, q.fresh())
		last++
	}
	q.blocks[last] = append(q.blocks[last], e)
	q.count(&e, 1)
}

// count counts an event in or, with -1, out.
func (q *queue) count(e *queued, n int) {
	q.bytes += n * e.bytes
	if e.kept != nil {
		q.awaited += n
	}
	if e.hurries() {
		q.hurried += n
	}
}

func (q *queue) empty() bool { return len(q.blocks) == 0 }

// fresh is an empty block.
func (q *queue) fresh() block {
	if n := len(q.spare); n > 0 {
		b := q.spare[n-1]
		q.spare = q.spare[:n-1]
		return b
	}
	return make(block, 0, blockEvents)
}

// take takes the oldest blocks, up to the one that fills a transaction.
func (q *queue) take() (batch []block) {
	n := 0
	for before := q.bytes; n < len(q.blocks) && n < batchBlocks && before-q.bytes < batchMost; n++ {
		for i := range q.blocks[n] {
			q.count(&q.blocks[n][i], -1)
		}
	}
	batch = append(batch, q.blocks[:n]...)
	q.blocks = append(q.blocks[:0], q.blocks[n:]...)
	return batch
}

// reuse takes blocks back whose events are written.
func (q *queue) reuse(batch []block) {
	for _, b := range batch {
		if len(q.spare) < spareBlocks {
			clear(b)
			q.spare = append(q.spare, b[:0])
		}
	}
}
