package journal

import "toolgraph/execution"

// Before a call that is not safe to repeat is made, it is noted; once it has an answer, that is to survive the process soon, or the call is in
// doubt. A transaction for a few of them costs most of what recording costs. So in between what is unwritten of such runs goes
// to a file ahead of the next transaction, which has more runs from their beginning to their end then, see Ahead.

// Ahead is a Database that keeps what is unwritten of runs beside its tables.
type Ahead interface {
	// Ahead keeps the unwritten parts of runs so that they survive the process, until the next Write, and reports whether it has.
	// A later part of a run is in place of an earlier one. It is called by the goroutine that writes.
	Ahead(batch []Pending) bool
}

// keepAhead keeps the runs ahead that a transaction would begin for, and reports whether it has.
func (w *writer) keepAhead(c *committer) bool {
	keeper, can := w.store.data.(Ahead)
	if !can {
		return false
	}
	w.mu.Lock()
	events := w.queue.events[w.queue.ahead:]
	w.mu.Unlock()
	added := c.addKnown(events)
	w.mu.Lock()
	w.queue.moveAhead(added)
	w.mu.Unlock()
	return added == len(events) && c.keep(keeper)
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

// keep keeps what is unwritten of runs that hurry.
func (c *committer) keep(keeper Ahead) bool {
	if c.wrong != nil {
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
