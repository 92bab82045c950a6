package debug

import (
	"context"
	"slices"

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
	var watched []Watched
	if scope, err := s.history.Scope(ctx, s.graph, s.place("")); err == nil { // else the run goes on meanwhile
		watched = s.watch(ctx, scope)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Watches = watched
	s.changed()
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
