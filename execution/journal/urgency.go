package journal

import "time"

// urgency says how soon a transaction begins.
type urgency int

const (
	never  urgency = iota // the queue is empty
	later                 // after linger
	soon                  // after pace: for a call that is not safe to repeat
	filled                // it does not, but there are many events to encode
	now                   // a run waits, or the queue is large

	idle urgency = -1 // nothing waits, and there was no load for a while
)

// urge returns the urgency of the queue, and of what is encoded. The caller holds mu.
func (w *writer) urge() urgency {
	switch q := &w.queue; {
	case w.closing, q.awaited > 0, q.bytes >= hurryFrom:
		return now
	case len(q.events) >= manyEvents:
		return filled
	case q.hurried > 0, w.added.hurries:
		return soon
	case !w.since.IsZero():
		return later
	}
	return never
}

// gather waits until there is something to do, and returns how urgent that is; events that come meanwhile are part of it.
func (w *writer) gather(timer *time.Timer, safe time.Time) urgency {
	for {
		w.mu.Lock()
		urge, first := w.urge(), w.since
		w.mu.Unlock()
		timer.Stop()
		at := first.Add(linger)
		switch urge {
		case now:
			return now
		case filled:
			if time.Until(at) <= 0 {
				return now // a transaction is due
			}
			return filled
		case later:
		case soon:
			if before := safe.Add(pace); before.Before(at) {
				at = before
			} else {
				urge = later // a transaction is due
			}
		case never:
			if !w.packs {
				<-w.wake
				continue
			}
			urge, at = idle, w.loaded.Add(idleAfter)
		}
		left := time.Until(at)
		if left <= 0 {
			return urge
		}
		timer.Reset(left)
		select {
		case <-w.wake:
		case <-timer.C:
			return urge
		}
	}
}
