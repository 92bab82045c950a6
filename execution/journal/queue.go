package journal

import "toolgraph/execution"

// queued is an event on its way, or only somebody who waits for all before it.
type queued struct {
	event execution.Event
	view  *view
	bytes int
	kept  chan<- error // nil: nobody waits
}

// block is a piece of the queue.
type block []queued

// queue is the events on their way, oldest first. It is made of blocks, so that it never
// moves what is in it, and keeps the memory of a few.
type queue struct {
	blocks []block
	spare  []block // empty
}

const (
	blockEvents = 128
	batchBlocks = 32 // of one transaction at most
	spareBlocks = 16
)

func (q *queue) put(e queued) {
	last := len(q.blocks) - 1
	if last < 0 || len(q.blocks[last]) == blockEvents {
		q.blocks = append(q.blocks, q.empty())
		last++
	}
	q.blocks[last] = append(q.blocks[last], e)
}

func (q *queue) empty() block {
	if n := len(q.spare); n > 0 {
		b := q.spare[n-1]
		q.spare = q.spare[:n-1]
		return b
	}
	return make(block, 0, blockEvents)
}

// take takes the oldest blocks, up to the one that makes most bytes full.
func (q *queue) take(most int) (batch []block, bytes int) {
	n := 0
	for n < len(q.blocks) && n < batchBlocks && bytes < most {
		for i := range q.blocks[n] {
			bytes += q.blocks[n][i].bytes
		}
		n++
	}
	batch = append(batch, q.blocks[:n]...)
	q.blocks = append(q.blocks[:0], q.blocks[n:]...)
	return batch, bytes
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
