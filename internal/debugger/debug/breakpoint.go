package debug

import (
	"context"
	"fmt"

	"toolgraph/execution"
	"toolgraph/expressions/jsonata"
	"toolgraph/graph"
)

// breakpoint is a Breakpoint with its compiled condition. s.mu guards Hits; the rest does
// not change.
type breakpoint struct {
	Breakpoint
	target    *target
	condition *jsonata.Expression // nil: always true
}

// ConditionError is why the condition of a breakpoint is no expression. Its Err is an
// *expressions.SyntaxError with the place in the condition.
type ConditionError struct {
	Breakpoint
	Err error
}

func (e *ConditionError) Error() string {
	return fmt.Sprintf("the condition of the breakpoint at %q: %v", e.Node, e.Err)
}

func (e *ConditionError) Unwrap() error { return e.Err }

// Check checks a breakpoint of a run of g. The error is a *ConditionError, or about the place.
func (b Breakpoint) Check(ctx context.Context, g *graph.Graph) error {
	_, err := compileBreakpoints(ctx, g, []Breakpoint{b})
	return err
}

func compileBreakpoints(ctx context.Context, g *graph.Graph, given []Breakpoint) ([]*breakpoint, error) {
	compiled := make([]*breakpoint, len(given))
	for i, b := range given {
		at, err := targetOf(g, b.Node)
		if err != nil {
			return nil, err
		}
		compiled[i] = &breakpoint{Breakpoint: b, target: at}
		if b.Condition == "" {
			continue
		}
		_, err = jsonata.Compile(ctx, b.Condition) // alone, for places in the condition itself
		if err == nil {
			compiled[i].condition, err = jsonata.Compile(ctx, "$boolean(("+b.Condition+"))")
		}
		if err != nil {
			return nil, &ConditionError{b, err}
		}
	}
	return compiled, nil
}

// SetBreakpoints replaces all breakpoints. An error changes nothing.
func (s *Session) SetBreakpoints(ctx context.Context, given []Breakpoint) error {
	compiled, err := compileBreakpoints(ctx, s.graph, given)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.breakpoints = compiled
	return nil
}

// Breakpoints returns the breakpoints with their hits so far.
func (s *Session) Breakpoints() []Breakpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Breakpoint, len(s.breakpoints))
	for i, b := range s.breakpoints {
		out[i] = b.Breakpoint
	}
	return out
}

// breakpointAt returns the first breakpoint that pauses the run before this step of a frame of g.
// One whose condition fails pauses it too; the problem is why it failed.
func (s *Session) breakpointAt(ctx context.Context, g *graph.Graph, next execution.Event) (hit *breakpoint, problem string) {
	s.mu.Lock()
	all := s.breakpoints
	s.mu.Unlock()
	for _, b := range all {
		if b.Disabled || !b.target.matches(g, next.Step) {
			continue
		}
		if b.condition == nil {
			return b, ""
		}
		value, err := b.condition.Eval(ctx, s.scopeAt(next))
		if err != nil {
			return b, fmt.Sprintf("the condition of the breakpoint at %q: %v", b.Node, err)
		}
		if value == true {
			return b, ""
		}
	}
	return nil, ""
}
