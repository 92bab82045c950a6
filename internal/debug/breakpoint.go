package debug

import (
	"context"
	"fmt"

	"toolgraph/execution"
	"toolgraph/expressions/jsonata"
	"toolgraph/graph"
)

// breakpoint is a Breakpoint that can be asked. s.mu guards Hits; the rest does not change.
type breakpoint struct {
	Breakpoint
	holds *jsonata.Expression // nil: always
}

func compileBreakpoints(ctx context.Context, g *graph.Graph, given []Breakpoint) ([]*breakpoint, error) {
	compiled := make([]*breakpoint, len(given))
	for i, b := range given {
		if g.Node(b.Node) == nil {
			return nil, unknownNode(g, b.Node)
		}
		compiled[i] = &breakpoint{Breakpoint: b}
		if b.Condition == "" {
			continue
		}
		if _, err := jsonata.Compile(ctx, b.Condition); err != nil { // with places in the condition itself
			return nil, fmt.Errorf("the condition of the breakpoint at %q: %w", b.Node, err)
		}
		var err error
		if compiled[i].holds, err = jsonata.Compile(ctx, "$boolean(("+b.Condition+"))"); err != nil {
			return nil, fmt.Errorf("the condition of the breakpoint at %q: %w", b.Node, err)
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

// Breakpoints are the breakpoints as they are now.
func (s *Session) Breakpoints() []Breakpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Breakpoint, len(s.breakpoints))
	for i, b := range s.breakpoints {
		out[i] = b.Breakpoint
	}
	return out
}

// breakpointAt is the first breakpoint that holds the run before this node. One whose
// condition cannot be evaluated holds too, and the problem is told.
func (s *Session) breakpointAt(ctx context.Context, next execution.Event) (hit *breakpoint, problem string) {
	s.mu.Lock()
	all := s.breakpoints
	s.mu.Unlock()
	for _, b := range all {
		if b.Disabled || b.Node != next.Step.NodeID {
			continue
		}
		if b.holds == nil {
			return b, ""
		}
		value, err := b.holds.Eval(ctx, next.Scope)
		if err != nil {
			return b, fmt.Sprintf("the condition of the breakpoint at %q: %v", b.Node, err)
		}
		if value == true {
			return b, ""
		}
	}
	return nil, ""
}
