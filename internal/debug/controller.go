package debug

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/wording"
)

// Options change a new Controller.
type Options struct {
	Keep int // how many sessions that have ended stay to be looked at; default 50
}

// Controller holds many runs at once. Safe for concurrent use.
type Controller struct {
	keep    int
	running sync.WaitGroup // runs and subscriptions

	mu       sync.Mutex // guards what follows
	sessions []*Session // oldest first
	closed   bool
}

// New makes a controller without sessions.
func New(opts Options) *Controller {
	if opts.Keep <= 0 {
		opts.Keep = 50
	}
	return &Controller{keep: opts.Keep}
}

// StartOptions say how a run is begun.
type StartOptions struct {
	Pause       bool         // hold before the first node
	RunTo       string       // hold before this node, once
	Breakpoints []Breakpoint // hold before these
	Watches     []string     // expressions that State shows whenever the run is held
	Run         []execution.Option
}

// ErrClosed is what a closed controller answers.
var ErrClosed = errors.New("the debugger is closed")

// Start begins a run of the graph on the engine and returns at once. The run ends with
// ctx, by Session.Stop, or with the controller. Errors are those of the options, an
// unknown node or a condition that does not compile, and *execution.ArgumentsError.
func (c *Controller) Start(ctx context.Context, g *graph.Graph, args value.Value, engine *execution.Engine, o StartOptions) (*Session, error) {
	if _, err := execution.Arguments(ctx, g, args); err != nil {
		return nil, err
	}
	s, err := newSession(ctx, c, g, rand.Text(), o)
	if err != nil {
		return nil, err
	}
	opts := append(slices.Clone(o.Run),
		execution.WithRunID(s.id), execution.WithGate(gate{s}), execution.WithObserver(execution.ObserverFunc(s.observe)))
	ctx, s.cancel = context.WithCancelCause(ctx)
	err = c.add(s, func() {
		result, err := engine.Run(ctx, g, args, opts...)
		s.end(result, err)
		s.cancel(nil)
	})
	if err != nil {
		s.cancel(nil)
		return nil, err
	}
	return s, nil
}

// add keeps a session and starts its run. The oldest sessions that have ended are let
// go.
func (c *Controller) add(s *Session, run func()) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	ended := 0
	for i := len(c.sessions) - 1; i >= 0; i-- {
		if c.sessions[i].State().Status.Ended() {
			if ended++; ended >= c.keep {
				c.sessions = slices.Delete(c.sessions, i, i+1)
			}
		}
	}
	c.sessions = append(c.sessions, s)
	c.running.Go(run)
	return nil
}

// Sessions are the sessions there are, oldest first.
func (c *Controller) Sessions() []*Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.sessions)
}

// Session is the session of this id.
func (c *Controller) Session(id string) (*Session, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sessions {
		if s.id == id {
			return s, true
		}
	}
	return nil, false
}

// Close stops every run and returns when all goroutines have ended. Subscriptions are
// closed.
func (c *Controller) Close() {
	c.mu.Lock()
	c.closed = true
	sessions := slices.Clone(c.sessions)
	c.mu.Unlock()
	for _, s := range sessions {
		s.Stop()
		s.unsubscribeAll()
	}
	c.running.Wait()
}

// unknownNode is the error for a node that the graph does not have.
func unknownNode(g *graph.Graph, id string) error {
	names := make([]string, len(g.Nodes))
	for i, n := range g.Nodes {
		names[i] = n.ID()
	}
	hint := ""
	if near := wording.Nearest(id, names); near != "" {
		hint = fmt.Sprintf(": did you mean %q?", near)
	}
	return fmt.Errorf("tool %q has no node %q%s", g.Tool.Name.Value, id, hint)
}
