package debug

import (
	"context"
	"errors"

	"toolgraph/execution"
)

// The errors of commands that come at the wrong time.
var (
	errNotPaused = errors.New("the run is not paused; pause it first")
	errWaiting   = errors.New("the run waits for an answer of its user; answer the question first, or stop the run")
	errEnded     = errors.New("the run has ended")
	errStopped   = errors.New("stopped by the debugger")
)

// Pause pauses the run before its next node. It interrupts neither a call in flight nor a question.
func (s *Session) Pause() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Status.Ended() {
		return errEnded
	}
	if s.state.Status != Paused {
		s.mode = pause
		s.changed()
	}
	return nil
}

// Resume continues a paused run to the next breakpoint. A run that is about to pause does not.
func (s *Session) Resume() error {
	s.mu.Lock()
	if s.pausing() {
		defer s.mu.Unlock()
		s.mode = free
		s.changed()
		return nil
	}
	s.mu.Unlock()
	return s.proceed(free, nil)
}

// Step makes a paused run execute one node, or go into it: to its first part, or to the entry of
// the graph that it calls.
func (s *Session) Step() error { return s.proceed(step, nil) }

// Next makes a paused run execute one node or part with all that is in it.
func (s *Session) Next() error { return s.proceed(over, nil) }

// Out continues a paused run until its frame has ended, and before a part until all parts of the
// node have. In the run's own frame that is the end of the run.
func (s *Session) Out() error { return s.proceed(out, nil) }

// RunTo continues a paused run to a place, named as that of a breakpoint, or to a breakpoint before
// it.
func (s *Session) RunTo(name string) error {
	to, err := targetOf(s.graph, name)
	if err != nil {
		return err
	}
	return s.proceed(free, to)
}

func (s *Session) proceed(m mode, to *target) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.state.Status.Ended():
		return errEnded
	case s.state.Status == Waiting:
		return errWaiting
	case s.state.Status != Paused:
		return errNotPaused
	}
	s.mode, s.runTo, s.within = m, to, within(m, s.state.Next)
	s.state.Status, s.state.PausedBy, s.state.Problem = Running, "", ""
	s.state.Current, s.state.Next = s.state.Next, nil
	s.changed()
	s.nudge()
	return nil
}

// within is the address below which a run does not pause when a command has begun at a step.
func within(m mode, at *execution.Visit) execution.Address {
	switch {
	case m == over:
		return at.At()
	case m == out && at.Part != "":
		return execution.AddressOf(at.Frame, at.Index, "")
	}
	return at.Frame
}

// Stop ends the run, also in the middle of a call. It does not wait: Done is closed when
// the run has ended. It may be called more than once.
func (s *Session) Stop() {
	s.mu.Lock()
	s.stopped = s.stopped || !s.state.Status.Ended()
	s.mu.Unlock()
	s.cancel(errStopped)
}

// nudge wakes a paused run.
func (s *Session) nudge() {
	select {
	case s.wake <- struct{}{}:
	default: // it is about to look anyway
	}
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
