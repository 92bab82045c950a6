package debug

import (
	"context"
	"errors"
)

// What commands answer that come at the wrong time.
var (
	errNotPaused = errors.New("the run is not paused: pause it first")
	errEnded     = errors.New("the run has ended")
	errStopped   = errors.New("stopped by the debugger")
)

// Pause holds the run before its next node. A call that is in flight is waited for.
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

// Resume lets a paused run go on to the next breakpoint.
func (s *Session) Resume() error { return s.goOn(free, "") }

// Step lets a paused run execute one node.
func (s *Session) Step() error { return s.goOn(step, "") }

// RunTo lets a paused run go on until it comes to the node, or to a breakpoint before
// that.
func (s *Session) RunTo(node string) error {
	if s.graph.Node(node) == nil {
		return unknownNode(s.graph, node)
	}
	return s.goOn(free, node)
}

func (s *Session) goOn(m mode, to string) error {
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

// Stop ends the run, also in the middle of a call. It does not wait for the end: that is
// Done's. It may be called more than once.
func (s *Session) Stop() {
	s.mu.Lock()
	ended := s.state.Status.Ended()
	s.stopped = s.stopped || !ended
	s.mu.Unlock()
	s.cancel(errStopped)
}

// nudge wakes a held run.
func (s *Session) nudge() {
	select {
	case s.wake <- struct{}{}:
	default: // it is about to look anyway
	}
}

// Wait returns when the run is held or has ended, or with ctx's error.
func (s *Session) Wait(ctx context.Context) error {
	events, cancel := s.Subscribe(len(s.Records(0)))
	defer cancel()
	for {
		if state := s.State(); state.Status == Paused || state.Status.Ended() {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case _, open := <-events:
			if !open && !s.State().Status.Ended() {
				return ErrClosed
			}
		}
	}
}
