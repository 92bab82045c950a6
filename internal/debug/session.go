package debug

import (
	"context"
	"errors"
	"slices"
	"sync"

	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Session is one run under control. Safe for concurrent use.
type Session struct {
	id     string
	graph  *graph.Graph
	cancel context.CancelCauseFunc
	wake   chan struct{} // wakes a paused run, which then reads what it should do
	done   chan struct{} // closed when the run has ended

	mu          sync.Mutex // guards what follows; not held while expressions are evaluated
	state       State
	changes     chan struct{} // closed and replaced when state or records change
	records     []execution.Record
	mode        mode
	runTo       string
	atGate      bool // the run waits at the gate, also while an edit is made
	stopped     bool
	breakpoints []*breakpoint
	watches     []watch
	edits       []*pendingEdit
}

// mode is what a run does when it comes to its next node.
type mode int

const (
	free  mode = iota // pause at breakpoints only
	begin             // pause, because the run starts
	step              // pause, because one step was made
	pause             // pause, because of the command
)

func newSession(ctx context.Context, g *graph.Graph, id string, o StartOptions) (*Session, error) {
	s := &Session{
		id: id, graph: g, wake: make(chan struct{}, 1), done: make(chan struct{}), changes: make(chan struct{}),
		state: State{Status: NotStarted}, runTo: o.RunTo, watches: compileWatches(ctx, o.Watches),
	}
	if o.Pause {
		s.mode = begin
	}
	if o.RunTo != "" && g.Node(o.RunTo) == nil {
		return nil, unknownNode(g, o.RunTo)
	}
	var err error
	s.breakpoints, err = compileBreakpoints(ctx, g, o.Breakpoints)
	return s, err
}

// ID returns the run's id.
func (s *Session) ID() string { return s.id }

// Graph returns the graph that the session runs.
func (s *Session) Graph() *graph.Graph { return s.graph }

// Done is closed when the run has ended.
func (s *Session) Done() <-chan struct{} { return s.done }

// State returns the session as it is now.
func (s *Session) State() State {
	state, _ := s.StateAndChange()
	return state
}

// StateAndChange returns the session as it is now, and a channel that is closed when it
// or its records have changed after that.
func (s *Session) StateAndChange() (State, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.state
	state.Watches = slices.Clone(s.state.Watches)
	state.Records = len(s.records)
	state.Pausing = state.Status == Running && s.mode != free
	return state, s.changes
}

// changed announces a change. s.mu is held.
func (s *Session) changed() {
	close(s.changes)
	s.changes = make(chan struct{})
}

// Records returns the records from an index on, edits among them. They must not be changed.
func (s *Session) Records(from int) []execution.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records[min(max(from, 0), len(s.records)):len(s.records):len(s.records)]
}

// until returns the first n records; all of them when n is negative or too large.
func (s *Session) until(n int) []execution.Record {
	records := s.Records(0)
	if n < 0 || n > len(records) {
		return records
	}
	return records[:n]
}

// Context returns what expressions of record n see, {nodeId: latest output}; for a
// negative n what the next node would see. It belongs to the caller.
func (s *Session) Context(n int) map[string]value.Value { return execution.Context(s.until(n)) }

// Evaluate evaluates a JSONata expression as record n would; for a negative n as the next
// node would. The error is an *expressions.SyntaxError or *expressions.EvalError.
func (s *Session) Evaluate(ctx context.Context, expr string, n int) (value.Value, error) {
	compiled, err := jsonata.Compile(ctx, expr)
	if err != nil {
		return nil, err
	}
	return compiled.Eval(ctx, s.scope(n))
}

func (s *Session) scope(n int) *expressions.Scope { return execution.ScopeOf(s.until(n)) }

// end records how the run ended.
func (s *Session) end(result *execution.Result, err error) {
	watched := s.watch(context.Background(), s.scope(-1))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Next, s.state.Current, s.state.PausedBy, s.state.Problem = nil, nil, "", ""
	s.state.Watches = watched
	switch {
	case err == nil:
		s.state.Status, s.state.Result = Finished, result.Value
	case s.stopped:
		s.state.Status = Stopped
	default:
		s.state.Status = Failed
	}
	if err != nil {
		s.state.Message = err.Error()
		if !errors.As(err, &s.state.Error) {
			s.state.Error = &execution.Failure{Code: execution.CodeInternal, Message: err.Error()}
		}
	}
	s.settleEdits(errEnded)
	close(s.done)
	s.changed()
}
