package runtime

import (
	"context"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/graph"
)

// momentary is how long a run of a command has to take before other processes can cancel it: short ones cost nothing.
const momentary = 300 * time.Millisecond

// takesCancels lets other processes cancel the runs of a command, as they can those of serve.
func (s *Session) takesCancels(f *fleet) {
	s.watches = append(s.watches, func(ctx context.Context, _ *graph.Graph) (context.Context, execution.Observer) {
		if localRunOf(ctx) != nil { // it belongs to a call that can be cancelled
			return ctx, nil
		}
		ctx, cancel := context.WithCancelCause(ctx)
		return ctx, &cancellable{fleet: f, cancel: cancel}
	})
}

// cancellable lists a run with its fleet while it is in progress. It is an observer. Safe for concurrent use.
type cancellable struct {
	fleet  *fleet
	cancel context.CancelCauseFunc

	mu    sync.Mutex // guards what follows
	timer *time.Timer
	local *localRun // nil: others do not know the run
	over  bool

	unlink func() bool // of the run from what others ask of local
}

// Observe takes the beginning and the end of the run.
func (c *cancellable) Observe(e execution.Event) {
	switch {
	case e.Kind == execution.RunFinished, e.Kind == execution.RunSuspended:
		c.end()
	case e.Run != "":
		c.begin(e.Run)
	}
}

// begin lists the run after a moment. The first event that is seen may be a later one, of a run that is resumed.
func (c *cancellable) begin(run string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil || c.over {
		return
	}
	c.timer = time.AfterFunc(momentary, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.over {
			return
		}
		if asked, local, isNew := c.fleet.begin(context.Background(), run, ""); isNew {
			c.local = local
			c.unlink = context.AfterFunc(asked, func() { c.cancel(context.Cause(asked)) })
		}
	})
}

func (c *cancellable) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over = true; c.timer != nil {
		c.timer.Stop()
	}
	if c.local != nil {
		c.unlink() // the run has ended by itself
		c.local.finish(nil, nil)
		c.local = nil
	}
}
