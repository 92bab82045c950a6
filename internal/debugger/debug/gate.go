package debug

import (
	"context"

	"toolgraph/execution"
	"toolgraph/execution/fold"
)

// gate is the session as the run sees it. Its methods are called by the run's goroutines.
type gate struct{ s *Session }

// Wait holds the run where a breakpoint or a command asks for it.
func (g gate) Wait(ctx context.Context, next execution.Event) ([]execution.Edit, error) {
	s := g.s
	s.begin()
	if s.repeats != nil {
		if edits := s.repeats(next); len(edits) > 0 {
			return edits, nil
		}
	}
	s.running()
	s.history.Add(next) // after an edit once more, which may lead elsewhere
	h := s.arrive(ctx, next)
	if h == nil {
		return nil, nil
	}
	return s.keep(ctx, h, next)
}

// running notes that the run has begun, or goes on.
func (s *Session) running() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Status == NotStarted {
		s.state.Status = Running
	}
}

// stack returns the callers of a frame, from the inside out.
func (s *Session) stack(frame execution.Address) []Caller {
	var all []Caller
	for _, at := range fold.Callers(frame) {
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
	s.running()
	s.history.Add(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Kind {
	case execution.CallStarted:
		s.current = e.Step
	case execution.QuestionAsked:
		s.asks, s.state.Question = e.Step, e.Question
	case execution.Answered:
		s.asks, s.state.Question = nil, nil
	case execution.StepFinished:
		s.state.Steps++
	case execution.ContextEdited:
		s.applied(e.Record)
	case execution.RunStarted, execution.StepReady, execution.AttemptFailed, execution.PartsStarted, execution.RunFinished, execution.RunSuspended:
	}
	s.changed()
}
