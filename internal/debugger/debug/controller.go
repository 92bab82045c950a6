package debug

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Controller starts sessions and ends them. Safe for concurrent use.
type Controller struct {
	runs sync.WaitGroup

	mu       sync.Mutex // guards what follows
	sessions []*Session // that have not ended, oldest first
	closed   bool
}

// New returns a controller without sessions.
func New() *Controller { return &Controller{} }

// StartOptions are how a run starts.
type StartOptions struct {
	Pause       bool                                        // pause before the first node
	RunTo       string                                      // pause at this place, once, named as that of a breakpoint; "" for none
	Breakpoints []Breakpoint                                // pause at these places
	Watches     []string                                    // expressions whose values State has whenever the run is paused
	Edits       func(next execution.Event) []execution.Edit // that are made before a step without a command; nil for none
	Run         []execution.Option

	before []execution.Event // of the run
}

// ErrClosed is returned by Start after Close.
var ErrClosed = errors.New("the debugger is closed")

// Start starts a run of the graph on the engine and returns at once. The run ends with
// ctx, by Session.Stop, or with the controller. The error is *execution.ArgumentsError,
// ErrClosed, or about an unknown node or a condition that does not compile.
func (c *Controller) Start(ctx context.Context, g *graph.Graph, args value.Value, engine *execution.Engine, o StartOptions) (*Session, error) {
	if _, err := execution.Arguments(ctx, g, args); err != nil {
		return nil, err
	}
	return c.begin(ctx, g, rand.Text(), o, func(ctx context.Context, opts ...execution.Option) (*execution.Result, error) {
		return engine.Run(ctx, g, args, opts...)
	})
}

// Run runs a graph, or goes on with a run.
type Run func(ctx context.Context, opts ...execution.Option) (*execution.Result, error)

// Continue is Start for a run with this id that has these events already, or none. It returns when
// run has done something; the error is also that of a run which ends without a result.
func (c *Controller) Continue(ctx context.Context, g *graph.Graph, id string, events []execution.Event, o StartOptions, run Run) (*Session, error) {
	o.before = events
	s, err := c.begin(ctx, g, id, o, run)
	if err != nil {
		return nil, err
	}
	<-s.begun
	s.mu.Lock()
	defer s.mu.Unlock()
	return s, s.refused
}

// begin starts a session.
func (c *Controller) begin(ctx context.Context, g *graph.Graph, id string, o StartOptions, run Run) (*Session, error) {
	s, err := newSession(ctx, g, id, o)
	if err != nil {
		return nil, err
	}
	opts := append(slices.Clone(o.Run),
		execution.WithRunID(s.id), execution.WithGate(gate{s}), execution.WithObserver(execution.ObserverFunc(s.observe)))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	ctx, s.cancel = context.WithCancelCause(ctx)
	c.sessions = append(c.sessions, s)
	c.runs.Go(func() {
		result, err := run(ctx, opts...)
		s.end(result, err)
		s.cancel(nil)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.sessions = slices.DeleteFunc(c.sessions, func(other *Session) bool { return other == s })
	})
	return s, nil
}

// Sessions returns the sessions that have not ended, oldest first.
func (c *Controller) Sessions() []*Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.sessions)
}

// Close stops every run and returns when all goroutines have ended.
func (c *Controller) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	for _, s := range c.Sessions() {
		s.Stop()
	}
	c.runs.Wait()
}
