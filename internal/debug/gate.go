package debug

import (
	"context"

	"toolgraph/execution"
)

// gate is the session as the run sees it. Its methods are called by the run's goroutine.
type gate struct{ s *Session }

// Wait holds the run where it shall be held.
func (g gate) Wait(ctx context.Context, next execution.Event) ([]execution.Edit, error) {
	s := g.s
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	if held || s.arrive(ctx, next) {
		s.show(ctx, next)
	}
	for {
		edit, goOn := s.asked()
		switch {
		case edit != nil:
			return []execution.Edit{edit.edit}, nil
		case goOn:
			return nil, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-s.wake:
		}
	}
}

// arrive decides whether the run is held before this node, and keeps why.
func (s *Session) arrive(ctx context.Context, next execution.Event) bool {
	hit, problem := s.breakpointAt(ctx, next)
	s.mu.Lock()
	defer s.mu.Unlock()
	var by Reason
	switch {
	case hit != nil:
		by = AtBreakpoint
		hit.Hits++
	case s.runTo == next.Step.NodeID:
		by = AtRunTo
	case s.mode == begin:
		by = AtStart
	case s.mode == step:
		by = AfterStep
	case s.mode == pause:
		by = OnPause
	}
	if by == "" {
		s.state.Status, s.state.Current = Running, next.Step
		s.changed()
		return false
	}
	s.held, s.mode, s.runTo = true, free, ""
	s.state.PausedBy, s.state.Problem = by, problem
	return true
}

// show evaluates what is watched and tells that the run is held; after an edit it does
// so again. A command that came in between has already let the run go.
func (s *Session) show(ctx context.Context, next execution.Event) {
	watched := s.watch(ctx, next.Scope)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Watches = watched
	s.answerEdits(nil)
	if s.state.PausedBy == "" { // let go after the edit was asked for
		s.state.Current = next.Step
	} else {
		s.state.Status, s.state.Next, s.state.Current = Paused, next.Step, nil
	}
	s.changed()
}

// asked is what a held run shall do now: make an edit, go on, or neither.
func (s *Session) asked() (e *pendingEdit, goOn bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.edits) > 0 && !s.edits[0].taken {
		s.edits[0].taken = true
		return s.edits[0], false
	}
	if s.state.Status == Paused {
		return nil, false
	}
	s.held = false
	return nil, true
}

// observe keeps what the run tells.
func (s *Session) observe(e execution.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Kind {
	case execution.RunStarted:
		s.state.Status = Running
	case execution.CallStarted:
		s.state.Current = e.Step
	case execution.StepFinished:
		s.records = append(s.records, *e.Record)
		s.state.Steps++
	case execution.ContextEdited:
		s.records = append(s.records, *e.Record)
		s.edits[0].made = true
	}
	s.changed()
}
