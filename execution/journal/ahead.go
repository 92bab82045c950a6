package journal

import (
	"slices"
	"time"

	"toolgraph/execution"
)

// Before a call that is not safe to repeat is made, it is noted; once it has an answer, that is to survive the process soon, or the call is in
// doubt. A transaction for a few of them costs most of what recording costs. So in between what is unwritten of such runs goes
// to a file ahead of the next transaction, which has more runs from their beginning to their end then, see Ahead.

// Ahead is a Database that keeps what is unwritten of runs beside its tables.
type Ahead interface {
	// Ahead keeps the unwritten parts of runs so that they survive the process, until the next Write, and reports whether it has.
	// A later part of a run is in place of an earlier one. It is called by the goroutine that writes, as Stay is.
	Ahead(batch []Pending) bool

	// Stay keeps the unwritten parts of the runs that the next Write does not have, and reports whether it has: they survive that Write,
	// and nothing else that is kept does.
	Stay(batch []Pending) bool
}

// addKnown adds events until one of a run that has to be read first, and returns their number.
func (c *committer) addKnown(events []queued) int {
	for i := range events {
		q := &events[i]
		if q.done != nil || q.view == nil || c.runs[q.event.Run] == nil && q.event.Kind != execution.RunStarted || c.wrong != nil {
			return i
		}
		c.wrong = c.add(nil, q)
	}
	return len(events)
}

// keep keeps what is unwritten of runs that hurry, and reports whether it has.
func (c *committer) keep() bool {
	keeper, can := c.store.data.(Ahead)
	if !can || c.wrong != nil {
		return false
	}
	c.ahead = c.ahead[:0]
	for _, t := range c.dirty {
		if !t.hurries {
			continue
		}
		p, ok := t.soFar()
		if !ok {
			return false
		}
		c.ahead = append(c.ahead, p)
	}
	if !keeper.Ahead(c.ahead) {
		return false
	}
	for _, t := range c.dirty {
		t.hurries = false
	}
	return true
}

// youngest is how long a run may stay ahead of transactions, while others are packed.
const youngest = 250 * time.Millisecond

// leave returns the runs that the transaction has: all with something unwritten, but under load without those that have begun a moment
// ago. They stay ahead of it, since nearly all of them end soon, and are packed then.
func (c *committer) leave(batch []queued) (touched []*track) {
	keeper, can := c.store.data.(Ahead)
	c.load = c.hasLoad()
	if !can || !c.load || slices.ContainsFunc(batch, func(q queued) bool { return q.done != nil }) {
		touched, c.dirty = c.dirty, c.last[:0]
		c.last = touched
		return touched
	}
	now := micros(time.Now())
	touched, c.ahead = c.last[:0], c.ahead[:0]
	left := c.dirty[:0]
	for _, t := range c.dirty {
		age := now - t.Started // negative when the clock was set back
		if t.Seq == 0 && t.Status == Running && age >= 0 && age < youngest.Microseconds() {
			if p, ok := t.soFar(); ok {
				left, c.ahead = append(left, t), append(c.ahead, p)
				continue
			}
		}
		touched = append(touched, t)
	}
	if len(left) > 0 && !keeper.Stay(c.ahead) {
		touched, left = append(touched, left...), left[:0]
	}
	for _, t := range left {
		t.hurries = false
	}
	c.dirty, c.last = left, touched
	return touched
}

// PackFrom is from how many runs of a batch that have ended on a Packer packs them.
const PackFrom = 16

// hasLoad reports whether so many runs have ended that they are packed.
func (c *committer) hasLoad() bool {
	n := 0
	for _, t := range c.dirty {
		if t.Status != Running {
			n++
		}
	}
	return n >= PackFrom
}
