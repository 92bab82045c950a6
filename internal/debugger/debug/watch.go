package debug

import (
	"context"
	"slices"

	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
)

// watch is an expression that is evaluated whenever the run is paused.
type watch struct {
	source string
	expr   *jsonata.Expression
	err    error // it does not compile
}

func compileWatches(ctx context.Context, sources []string) []watch {
	watches := make([]watch, len(sources))
	for i, source := range sources {
		expr, err := jsonata.Compile(ctx, source)
		watches[i] = watch{source: source, expr: expr, err: err}
	}
	return watches
}

// SetWatches replaces the watched expressions of State and evaluates them. One that does
// not compile has its error there.
func (s *Session) SetWatches(ctx context.Context, sources []string) {
	watches := compileWatches(ctx, sources)
	s.mu.Lock()
	s.watches = watches
	s.mu.Unlock()
	for _, held := range s.State().Held {
		watched := s.watchAt(ctx, held.Visit.At())
		s.mu.Lock()
		if h := s.at(held.Visit.At()); h != nil {
			h.watched = watched
		}
		s.mu.Unlock()
	}
	watched := s.watchAt(ctx, s.place(""))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Watches = watched
	s.changed()
}

// watchAt evaluates the watched expressions as the step at an address would; nil when the run has gone on
// meanwhile.
func (s *Session) watchAt(ctx context.Context, at execution.Address) []Watched {
	scope, err := s.history.Scope(ctx, s.graph, at)
	if err != nil {
		return nil
	}
	return s.watch(ctx, scope)
}

// scopeAt returns the scope of conditions and watches before a step: that of its expressions. Of steps, it has all values
// above that are known, also those that the step does not read.
func (s *Session) scopeAt(next execution.Event) *expressions.Scope {
	above := s.history.Above(s.graph, next.Step.At())
	if above == nil {
		return next.Scope
	}
	scope := *next.Scope
	scope.Context = above
	return &scope
}

// watch evaluates the watched expressions.
func (s *Session) watch(ctx context.Context, scope *expressions.Scope) []Watched {
	s.mu.Lock()
	watches := slices.Clone(s.watches)
	s.mu.Unlock()
	watched := make([]Watched, len(watches))
	for i, w := range watches {
		watched[i].Expr = w.source
		err := w.err
		if err == nil {
			watched[i].Value, err = w.expr.Eval(ctx, scope)
		}
		if err != nil {
			watched[i].Error = err.Error()
		}
	}
	return watched
}
