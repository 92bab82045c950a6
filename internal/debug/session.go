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
	id         string
	graph      *graph.Graph
	controller *Controller
	cancel     context.CancelCauseFunc
	wake       chan struct{} // tells a held run to look at what is asked of it
	done       chan struct{} // closed when the run has ended

	mu          sync.Mutex // guards what follows; not held while expressions are evaluated
	state       State
	changes     int // of state, counted for subscribers
	records     []execution.Record
	mode        mode
	runTo       string
	held        bool // the gate holds the run, or goes back to holding it after an edit
	stopped     bool
	breakpoints []*breakpoint
	watches     []watch
	edits       []*pendingEdit
	subscribers map[*subscriber]bool
}

// mode is what is asked of a run when it comes to its next node.
type mode int

const (
	free  mode = iota // only breakpoints hold
	begin             // hold, because the run begins
	step              // hold, because one step was taken
	pause             // hold, because somebody said so
)

func newSession(ctx context.Context, c *Controller, g *graph.Graph, id string, o StartOptions) (*Session, error) {
	s := &Session{
		id: id, graph: g, controller: c, wake: make(chan struct{}, 1), done: make(chan struct{}),
		state:       State{Status: NotStarted, Run: id, Tool: g.Tool.Name.Value},
		subscribers: map[*subscriber]bool{},
	}
	if o.Pause {
		s.mode = begin
	}
	if o.RunTo != "" {
		if g.Node(o.RunTo) == nil {
			return nil, unknownNode(g, o.RunTo)
		}
		s.runTo = o.RunTo
	}
	s.watches = compileWatches(ctx, o.Watches)
	var err error
	s.breakpoints, err = compileBreakpoints(ctx, g, o.Breakpoints)
	return s, err
}

// ID is the run's id.
func (s *Session) ID() string { return s.id }

// Graph is the graph that the session runs.
func (s *Session) Graph() *graph.Graph { return s.graph }

// Done is closed when the run has ended.
func (s *Session) Done() <-chan struct{} { return s.done }

// State is the session as it is now.
func (s *Session) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.copied()
}

// copied is the state for others. s.mu is held.
func (s *Session) copied() State {
	state := s.state
	state.Watches = slices.Clone(s.state.Watches)
	state.Records = len(s.records)
	state.Pausing = s.state.Status == Running && s.mode != free
	return state
}

// Records are the records from an index on, edits among them. They are not to be changed.
func (s *Session) Records(from int) []execution.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records[min(max(from, 0), len(s.records)):len(s.records):len(s.records)]
}

// until are the first n records; all of them for a negative n or one too large.
func (s *Session) until(n int) []execution.Record {
	records := s.Records(0)
	if n < 0 || n > len(records) {
		return records
	}
	return records[:n]
}

// Context is what expressions of record n see, {nodeId: latest output}; for a negative n
// what the next node would see.
func (s *Session) Context(n int) map[string]value.Value {
	return execution.Context(s.until(n))
}

// Scope is what expressions of record n see, context and history; for a negative n what
// the next node would see. It belongs to the caller.
func (s *Session) Scope(n int) *expressions.Scope { return execution.ScopeOf(s.until(n)) }

// Evaluate evaluates a JSONata expression as record at would see it; for a negative at as
// the next node would. The error is an *expressions.SyntaxError or *expressions.EvalError.
func (s *Session) Evaluate(ctx context.Context, expr string, at int) (value.Value, error) {
	compiled, err := jsonata.Compile(ctx, expr)
	if err != nil {
		return nil, err
	}
	return compiled.Eval(ctx, s.Scope(at))
}

// end keeps how the run ended.
func (s *Session) end(result *execution.Result, err error) {
	watched := s.watch(context.Background(), s.Scope(-1))
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
	s.answerEdits(errEnded)
	close(s.done)
	s.changed()
}
