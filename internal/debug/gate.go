package debug

import (
	"context"

	"toolgraph/execution"
)

// gate is the session as the run sees it. Its methods are called by the run's goroutine.
type gate struct{ s *Session }

// Wait pauses the run where a breakpoint or a command asks for it.
func (g gate) Wait(ctx context.Context, next execution.Event) ([]execution.Edit, error) {
	s := g.s
	s.begin()
	if s.repeats != nil {
		if edits := s.repeats(next); len(edits) > 0 {
			return edits, nil
		}
	}
	s.history.Add(next) // after an edit once more, which may lead elsewhere
	s.mu.Lock()
	waits := s.atGate
	s.mu.Unlock()
	if waits || s.arrive(ctx, next) {
		s.show(ctx, next)
	}
	for {
		edit, proceed := s.order()
		switch {
		case edit != nil:
			return []execution.Edit{edit.edit}, nil
		case proceed:
			return nil, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-s.wake:
		}
	}
}

// arrive reports whether the run pauses before this node or part, and records why.
func (s *Session) arrive(ctx context.Context, next execution.Event) bool {
	g, at := s.graphOf(next), next.Step.At()
	hit, problem := s.breakpointAt(ctx, g, next)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Graph, s.state.Stack = g, s.stack(next.Step.Frame)
	var by Reason
	switch {
	case hit != nil:
		by = AtBreakpoint
		hit.Hits++
	case s.runTo.matches(g, next.Step):
		by = AtRunTo
	case s.mode == begin:
		by = AtStart
	case s.mode == step, (s.mode == over || s.mode == out) && !s.within.Contains(at):
		by = AfterStep
	case s.mode == pause:
		by = OnPause
	}
	if by == "" {
		s.state.Status, s.state.Current = Running, next.Step
		s.changed()
		return false
	}
	s.atGate, s.mode, s.runTo = true, free, nil
	s.state.PausedBy, s.state.Problem = by, problem
	return true
}

// show evaluates the watches and announces that the run is paused, after an edit once
// more. A command that came in between has already let the run proceed.
func (s *Session) show(ctx context.Context, next execution.Event) {
	watched := s.watch(ctx, next.Scope)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Watches = watched
	s.settleEdits(nil)
	if s.state.PausedBy == "" { // resumed after the edit was requested
		s.state.Current = next.Step
	} else {
		s.state.Status, s.state.Next, s.state.Current = Paused, next.Step, nil
	}
	s.changed()
}

// order is what a paused run does now: apply an edit, proceed, or neither.
func (s *Session) order() (e *pendingEdit, proceed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.edits) > 0 && !s.edits[0].sent {
		s.edits[0].sent = true
		return s.edits[0], false
	}
	if s.state.Status == Paused {
		return nil, false
	}
	s.atGate = false
	return nil, true
}

// stack returns the callers of a frame, from the inside out.
func (s *Session) stack(frame execution.Address) []Caller {
	var all []Caller
	for _, at := range Callers(frame) {
		c := Caller{At: at, Tool: s.history.Tool(at.Frame())}
		if c.Tool == "" {
			c.Tool = s.graph.Tool.Name.Value
		}
		if open := s.history.Open(at.Frame()); open != nil {
			c.Node = open.NodeID
		}
		all = append(all, c)
	}
	return all
}

// observe records the events of the run.
func (s *Session) observe(e execution.Event) {
	s.begin()
	s.history.Add(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Kind {
	case execution.RunStarted:
		s.state.Status = Running
	case execution.CallStarted:
		s.state.Current = e.Step
	case execution.QuestionAsked:
		s.state.Status, s.state.Current, s.state.Question = Waiting, e.Step, e.Question
	case execution.Answered:
		s.state.Status, s.state.Question = Running, nil
	case execution.StepFinished:
		s.state.Steps++
	case execution.ContextEdited:
		if len(s.edits) > 0 && s.edits[0].sent { // else it is one that is repeated
			s.edits[0].applied = true
		}
	case execution.StepReady, execution.AttemptFailed, execution.PartsStarted, execution.RunFinished:
	}
	s.changed()
}
