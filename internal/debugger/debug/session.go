package debug

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"toolgraph/execution"
	"toolgraph/execution/fold"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Session is one run under control. Safe for concurrent use.
type Session struct {
	id     string
	graph  *graph.Graph
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the run has ended
	begun  chan struct{} // closed when it has done something, or has ended
	begin  func()        // closes begun

	repeats func(next execution.Event) []execution.Edit // see StartOptions.Edits

	history *fold.History

	mu          sync.Mutex    // guards what follows; not held while expressions are evaluated
	state       State         // what of it is not computed by now
	changes     chan struct{} // closed and replaced when state or history change
	mode        mode
	thread      execution.Address // step, over, out, alone: the part that the command continues; empty: the run
	within      execution.Address // over, out: it does not pause below this
	runTo       *target
	held        []*hold           // in the order in which they came
	chosen      execution.Address // the part on which commands act
	atWork      int               // goroutines of the run, those that are held included
	current     *execution.Visit  // the latest step that has begun
	asks        *execution.Visit  // of the open question
	stopped     bool
	breakpoints []*breakpoint
	watches     []watch
	refused     error // why the run ended without a result
}

// mode is what a run does when it comes to its next node.
type mode int

const (
	free  mode = iota // pause at breakpoints only
	begin             // pause, because the run starts
	step              // pause, because one step was made
	over              // pause, because a step and all that is in it were made
	out               // pause, because a frame, or the parts of a node, have ended
	alone             // pause at breakpoints, and what is not of one part beside what is held
	pause             // pause, because of the command
)

func newSession(ctx context.Context, g *graph.Graph, id string, o StartOptions) (*Session, error) {
	s := &Session{
		begun: make(chan struct{}), repeats: o.Edits,
		id: id, graph: g, done: make(chan struct{}), changes: make(chan struct{}),
		history: fold.NewHistory(), state: State{Status: NotStarted}, watches: compileWatches(ctx, o.Watches),
	}
	s.begin = sync.OnceFunc(func() { close(s.begun) })
	for _, e := range o.before {
		s.history.Add(e)
		if e.Kind == execution.StepFinished {
			s.state.Steps++
		}
	}
	if o.Pause {
		s.mode = begin
	}
	var err error
	if o.RunTo != "" {
		if s.runTo, err = targetOf(g, o.RunTo); err != nil {
			return nil, err
		}
	}
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
	return s.now(), s.changes
}

// now is State. s.mu is held.
func (s *Session) now() State {
	state := s.state
	state.Watches = slices.Clone(s.state.Watches)
	state.Records = s.history.Len()
	if state.Status.Ended() || state.Status == NotStarted {
		return state
	}
	for _, h := range s.inOrder() {
		if h.ready && !h.released {
			state.Held = append(state.Held, Held{Visit: h.visit, PausedBy: h.reason, Problem: h.problem})
		}
	}
	visit := s.asks
	switch h := s.at(""); {
	case visit != nil:
		state.Status = Waiting
	case s.isPaused():
		state.Status, state.Next, state.PausedBy, state.Problem = Paused, h.visit, h.reason, h.problem
		state.Watches, visit = slices.Clone(h.watched), h.visit
	default:
		state.Current = s.inFlight()
		visit = state.Current
	}
	if state.Status == Waiting {
		state.Current = visit
	}
	if visit != nil {
		state.Graph, state.Stack = cmp.Or(s.graph.ReachedTool(visit.Graph), s.graph), s.stack(visit.Frame)
	}
	state.Pausing = state.Status != Paused && (s.mode == begin || s.mode == step || s.mode == pause)
	return state
}

// inFlight returns the latest step that has begun, or when that has ended and others of them run, the
// last one in order. s.mu is held.
func (s *Session) inFlight() *execution.Visit {
	if s.current == nil {
		return nil
	}
	if _, ended := s.history.Record(s.current.At()); ended {
		if others := s.history.InFlight(""); len(others) > 0 {
			return others[len(others)-1].Visit
		}
	}
	return s.current
}

// changed announces a change. s.mu is held.
func (s *Session) changed() {
	close(s.changes)
	s.changes = make(chan struct{})
}

// History returns the history of the run, which grows while it runs.
func (s *Session) History() *fold.History { return s.history }

// Records returns the records of all frames and parts from a number on, edits among them, in the
// order in which they came. They must not be changed.
func (s *Session) Records(from int) []execution.Record { return s.history.All(from) }

// Context returns what expressions of the step at an address see, {nodeId: latest output} of its
// frame, of steps args and those above; for the empty address what the next step would see. It belongs to the caller.
func (s *Session) Context(at execution.Address) (map[string]value.Value, error) {
	records, err := s.history.Before(s.place(at))
	if above := s.history.Above(s.graph, s.place(at)); err == nil && above != nil {
		return above, nil
	}
	return execution.Context(records), err
}

// Evaluate evaluates a JSONata expression as the step at an address would; for the empty address
// as the next step would. The error is an *expressions.SyntaxError or *expressions.EvalError, or
// about the address.
func (s *Session) Evaluate(ctx context.Context, expr string, at execution.Address) (value.Value, error) {
	compiled, err := jsonata.Compile(ctx, expr)
	if err != nil {
		return nil, err
	}
	scope, err := s.history.Scope(ctx, s.graph, s.place(at))
	if err != nil {
		return nil, err
	}
	return compiled.Eval(ctx, scope)
}

// place returns the address, or that of the step at which the run is.
func (s *Session) place(at execution.Address) execution.Address {
	if at != "" {
		return at
	}
	state := s.State()
	if step := cmp.Or(state.Next, state.Current); step != nil {
		return step.At()
	}
	return execution.AddressOf("", len(s.history.Records("")), "")
}

// end records how the run ended.
func (s *Session) end(result *execution.Result, err error) {
	defer s.begin()
	watched := s.watch(context.Background(), s.history.ScopeIn(s.graph, s.history.Records("")))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Question, s.state.Graph, s.state.Watches = nil, s.graph, watched
	if result == nil {
		s.refused = err
	} else {
		s.state.Used = result.Used
	}
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
	for _, h := range s.held {
		h.settleEdits(errEnded)
	}
	s.held = nil
	close(s.done)
	s.changed()
}
