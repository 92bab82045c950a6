package debug

import (
	"context"
	"errors"
)

// The errors of commands that come at the wrong time.
var (
	errNotPaused = errors.New("the run is not paused; pause it first")
	errEnded     = errors.New("the run has ended")
	errStopped   = errors.New("stopped by the debugger")
)

// Pause pauses the run before its next node. It does not interrupt a call in flight.
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

// Resume continues a paused run to the next breakpoint.
func (s *Session) Resume() error { return s.proceed(free, "") }

// Step makes a paused run execute one node.
func (s *Session) Step() error { return s.proceed(step, "") }

// RunTo continues a paused run to the node, or to a breakpoint before it.
func (s *Session) RunTo(node string) error {
	if s.graph.Node(node) == nil {
		return unknownNode(s.graph, node)
	}
	return s.proceed(free, node)
}

func (s *Session) proceed(m mode, to string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Status.Ended() {
		return errEnded
	}
	if s.state.Status != Paused {
		return errNotPaused
	}
	s.mode, s.runTo = m, to
	s.state.Status, s.state.PausedBy, s.state.Problem = Running, "", ""
	s.state.Current, s.state.Next = s.state.Next, nil
	s.changed()
	s.nudge()
	return nil
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
