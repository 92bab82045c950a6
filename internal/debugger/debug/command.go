package debug

import (
	"context"
	"errors"
	"fmt"

	"toolgraph/execution"
)

// The errors of commands that come at the wrong time.
var (
	errNotPaused = errors.New("the run is not paused; pause it first")
	errWaiting   = errors.New("the run waits for an answer of its user; answer the question first, or stop the run")
	errEnded     = errors.New("the run has ended")
	errStopped   = errors.New("stopped by the debugger")
)

// Pause pauses the run before its next node, and each part that runs before its own. It interrupts
// neither a call in flight nor a question.
func (s *Session) Pause() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.now().Status
	if status.Ended() {
		return errEnded
	}
	if status != Paused {
		s.mode = pause
		s.changed()
	}
	return nil
}

// Resume continues a paused run, with all its parts, to the next breakpoint. A run that is about to
// pause does not. With an address, only the part that is held there continues, to its end.
func (s *Session) Resume(at execution.Address) error {
	if at != "" {
		return s.proceed(alone, at)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.now()
	if len(s.held) == 0 && !state.Pausing {
		_, err := s.heldAt("")
		return err
	}
	s.mode, s.chosen = free, ""
	s.release(func(*hold) bool { return true })
	return nil
}

// Step makes a paused run execute one node, or go into it: to its first part, or to the entry of
// the graph that it calls. Like Next and Out it acts on what is held at the address, for the empty
// one where State.Next is; other parts stay held.
func (s *Session) Step(at execution.Address) error { return s.proceed(step, at) }

// Next makes a paused run execute one node or part with all that is in it.
func (s *Session) Next(at execution.Address) error { return s.proceed(over, at) }

// Out continues a paused run until its frame has ended, and before a part until all parts have of which it is one: the
// items of a node, the steps of a block. In the run's own frame that is the end of the run.
func (s *Session) Out(at execution.Address) error { return s.proceed(out, at) }

// Choose makes what is held at an address that on which commands act.
func (s *Session) Choose(at execution.Address) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.heldAt(at)
	if err == nil {
		s.chosen = h.visit.At()
		s.changed()
	}
	return err
}

// RunTo continues a paused run, with all its parts, to a place, named as that of a breakpoint, or to
// a breakpoint before it.
func (s *Session) RunTo(name string) error {
	to, err := targetOf(s.graph, name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.heldAt(""); err != nil {
		return err
	}
	s.mode, s.runTo, s.chosen = free, to, ""
	s.release(func(*hold) bool { return true })
	return nil
}

// heldAt returns the hold on which a command acts. s.mu is held.
func (s *Session) heldAt(at execution.Address) (*hold, error) {
	if h := s.at(at); h != nil {
		return h, nil
	}
	switch status := s.now().Status; {
	case status.Ended():
		return nil, errEnded
	case len(s.held) > 0:
		return nil, fmt.Errorf("the run is not paused at %s", at)
	case status == Waiting:
		return nil, errWaiting
	}
	return nil, errNotPaused
}

func (s *Session) proceed(m mode, address execution.Address) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.heldAt(address)
	if err != nil {
		return err
	}
	at := h.visit.At()
	s.mode, s.runTo, s.thread, s.chosen = m, nil, threadOf(at), threadOf(at)
	released := func(other *hold) bool { return other == h }
	switch {
	case m == over:
		s.within = at
	case m == out && h.visit.Part != "":
		s.within = at.Outer()
		s.thread = threadOf(s.within)
		released = func(other *hold) bool { return s.within.Contains(other.visit.At()) }
	default:
		s.within = h.visit.Frame
	}
	s.release(released)
	return nil
}

// release lets what is held go on. s.mu is held.
func (s *Session) release(which func(*hold) bool) {
	for _, h := range s.held {
		if which(h) {
			h.released = true
			h.nudge()
		}
	}
	s.changed()
}

// Stop ends the run, also in the middle of a call. It does not wait: Done is closed when
// the run has ended. It may be called more than once.
func (s *Session) Stop() {
	s.mu.Lock()
	s.stopped = s.stopped || !s.state.Status.Ended()
	s.mu.Unlock()
	s.cancel(errStopped)
}

// Wait returns when the run is paused or has ended, or with ctx's error.
func (s *Session) Wait(ctx context.Context) error {
	for {
		state, changed := s.StateAndChange()
		if state.Status == Paused || state.Status.Ended() {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}
