package debug

import (
	"context"
	"errors"
	"slices"
	"time"

	"toolgraph/execution"
	"toolgraph/graph"
)

// hold is a node or part before which the run is held. Session.mu guards it.
type hold struct {
	visit    *execution.Visit
	graph    *graph.Graph
	since    time.Time
	reason   Reason
	problem  string
	watched  []Watched
	ready    bool          // its watches are evaluated
	released bool          // by a command
	wake     chan struct{} // has room for one
	edits    []*pendingEdit
	editing  bool // an edit is being made, after which the run comes back
	tried    bool // it is of a step, and may come too late
}

// nudge lets the goroutine of the run look what it should do.
func (h *hold) nudge() {
	select {
	case h.wake <- struct{}{}:
	default: // it is about to look anyway
	}
}

// errWithdrawn is the error of an edit of a part that does not run any more.
var errWithdrawn = errors.New("the part ends here, because another part of the node has failed")

// errLate is the error of an edit of a step that came too late.
var errLate = errors.New("a step has begun meanwhile that reads the value; nothing is edited")

// arrive returns the hold of the step or part to which the run has come; nil when it goes on.
func (s *Session) arrive(ctx context.Context, next execution.Event) *hold {
	if h := s.back(next); h != nil {
		return h
	}
	g := s.graphOf(next)
	hit, problem := s.breakpointAt(ctx, g, next)
	s.mu.Lock()
	defer s.mu.Unlock()
	by := s.reason(hit, g, next.Step)
	if by == "" {
		s.current = next.Step
		s.changed()
		return nil
	}
	if by == AtBreakpoint || by == AtRunTo {
		s.mode, s.runTo = free, nil
	}
	h := &hold{visit: next.Step, graph: g, since: time.Now(), reason: by, problem: problem, wake: make(chan struct{}, 1)}
	s.held = append(s.held, h)
	return h
}

// back returns the hold of a frame that comes back after an edit, which may lead elsewhere.
func (s *Session) back(next execution.Event) *hold {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.held, func(h *hold) bool {
		return h.editing && h.visit.Frame == next.Step.Frame && h.visit.Part == next.Step.Part
	})
	if i < 0 {
		return nil
	}
	h := s.held[i]
	h.visit, h.editing = next.Step, false
	return h
}

// reason is why the run is held before this step or part; empty when it is not. s.mu is held.
func (s *Session) reason(hit *breakpoint, g *graph.Graph, next *execution.Visit) Reason {
	at := next.At()
	others := slices.ContainsFunc(s.held, func(h *hold) bool { return !h.released })
	switch {
	case hit != nil:
		hit.Hits++
		return AtBreakpoint
	case s.runTo.matches(g, next):
		return AtRunTo
	case s.mode == begin:
		return AtStart
	case s.mode == pause:
		return OnPause
	case s.mode == alone && covers(s.thread, at), (s.mode == over || s.mode == out) && s.within.Contains(at):
		return ""
	case s.mode == step || s.mode == over || s.mode == out:
		thread := s.thread
		for s.hasEnded(thread) {
			thread = threadOf(outside(thread))
		}
		if covers(thread, at) && (thread == s.thread || thread != "" || !others) {
			return AfterStep
		}
		return Beside
	case others:
		return Beside
	}
	return ""
}

// keep waits until a command or an edit is for this hold.
func (s *Session) keep(ctx context.Context, h *hold, next execution.Event) ([]execution.Edit, error) {
	next.Turn.Pass()
	watched := s.watch(ctx, s.scopeAt(next))
	s.mu.Lock()
	h.watched, h.ready, s.state.Watches = watched, true, watched
	h.settleEdits(nil)
	if h.tried { // the engine has left the edit out
		h.settleEdits(errLate)
	}
	h.tried = false
	s.changed()
	s.mu.Unlock()
	for {
		edit, proceed := s.order(h)
		switch {
		case edit != nil:
			return []execution.Edit{edit.edit}, nil
		case proceed:
			return nil, nil
		}
		select {
		case <-ctx.Done():
			s.withdraw(h)
			return nil, context.Cause(ctx)
		case <-h.wake:
		}
	}
}

// order is what a held run does now: apply an edit, proceed, or neither.
func (s *Session) order(h *hold) (e *pendingEdit, proceed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(h.edits) > 0:
		h.editing, h.tried = true, h.visit.Part != ""
		return h.edits[0], false
	case !h.released:
		return nil, false
	}
	s.drop(h)
	s.current = h.visit
	s.changed()
	return nil, true
}

// withdraw ends a hold because the run, or the node with the part, ends. Without another one, the
// run pauses at its next step: no command has continued it.
func (s *Session) withdraw(h *hold) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(h)
	h.settleEdits(errWithdrawn)
	if len(s.held) == 0 && (s.mode == free || s.mode == alone) && !h.released {
		s.mode = pause
	}
	s.changed()
}

func (s *Session) drop(h *hold) {
	s.history.Hold(h.visit, time.Since(h.since))
	s.held = slices.DeleteFunc(s.held, func(other *hold) bool { return other == h })
}

// AtWork takes how many goroutines of the run are at work, see execution.Counter.
func (g gate) AtWork(n int) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	g.s.atWork = n
	g.s.changed()
}

// isPaused reports whether the run is paused: no step is being made, and all that is at work is held.
// s.mu is held.
func (s *Session) isPaused() bool {
	waiting := 0
	for _, h := range s.held {
		if h.ready && !h.released {
			waiting++
		}
	}
	return waiting > 0 && waiting == s.atWork && !s.isStepping()
}

// isStepping reports whether a command to one part has not come to its end. s.mu is held.
func (s *Session) isStepping() bool {
	switch s.mode {
	case step, over, out, alone:
		inside := func(h *hold) bool { return !h.released && covers(s.thread, h.visit.At()) }
		return !slices.ContainsFunc(s.held, inside) && !s.hasEnded(s.thread)
	case free, begin, pause:
	}
	return false
}

// hasEnded reports whether a part has ended; the run itself has not. s.mu is held.
func (s *Session) hasEnded(thread execution.Address) bool {
	for at := thread; at != ""; at = outside(at) {
		frame, index, _ := at.Split()
		if _, ended := s.history.Record(at); ended || len(s.history.Records(frame)) > index {
			return true
		}
	}
	return false
}

// threadOf returns the innermost part that an address is or is below; empty for what runs alone.
func threadOf(at execution.Address) execution.Address {
	for at != "" && at.Outer() == at {
		at = at.Frame()
	}
	return at
}

// covers reports whether an address is a thread or below it.
func covers(thread, at execution.Address) bool { return at == thread || thread.Contains(at) }

// at returns the hold on which a command acts; nil when there is none. Without an address it is the one
// nearest to the part on which the last command acted, one with a reason of its own before others, then
// the first in order. s.mu is held.
func (s *Session) at(address execution.Address) (found *hold) {
	for _, h := range s.inOrder() {
		if h.released || address != "" && h.visit.At() != address {
			continue
		}
		if found == nil || s.rank(h) < s.rank(found) {
			found = h
		}
	}
	return found
}

// rank is how far a hold is from the part on which the last command acted. s.mu is held.
func (s *Session) rank(h *hold) (far int) {
	for around := s.chosen; !covers(around, h.visit.At()); around = outside(around) {
		far += 2
	}
	if h.reason == Beside {
		far++
	}
	return far
}

// outside returns what an execution is a part of, or the call of the frame of a whole one.
func outside(at execution.Address) execution.Address {
	if outer := at.Outer(); outer != at {
		return outer
	}
	return at.Frame()
}

// inOrder returns the holds in the order of their addresses, branches in that of the file. s.mu is
// held.
func (s *Session) inOrder() []*hold {
	all := slices.Clone(s.held)
	slices.SortFunc(all, func(a, b *hold) int { return s.history.Compare(a.visit.At(), b.visit.At()) })
	return all
}
