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

// hearsCancels lets other processes cancel the runs of a command, as they can those of serve.
func (s *Session) hearsCancels(f *fleet) {
	s.watches = append(s.watches, func(ctx context.Context, _ *graph.Graph) (context.Context, execution.Observer) {
		if localRunOf(ctx) != nil { // it belongs to a call that can be cancelled
			return ctx, nil
		}
		ctx, cancel := context.WithCancelCause(ctx)
		return ctx, &hearing{fleet: f, cancel: cancel}
	})
}

// hearing lists a run with its fleet while it is in progress. It is an observer. Safe for concurrent use.
type hearing struct {
	fleet  *fleet
	cancel context.CancelCauseFunc

	mu    sync.Mutex // guards what follows
	timer *time.Timer
	local *localRun // nil: others do not know the run
	over  bool
}

// Observe takes the beginning and the end of the run.
func (h *hearing) Observe(e execution.Event) {
	switch {
	case e.Kind == execution.RunFinished:
		h.end()
	case e.Run != "":
		h.begin(e.Run)
	}
}

// begin lists the run after a moment. The first event that is seen may be a later one, of a run that is resumed.
func (h *hearing) begin(run string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.timer != nil || h.over {
		return
	}
	h.timer = time.AfterFunc(momentary, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.over {
			return
		}
		if _, local, isNew := h.fleet.begin(context.Background(), run, ""); isNew {
			local.cancel = h.cancel
			h.local = local
		}
	})
}

func (h *hearing) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over = true; h.timer != nil {
		h.timer.Stop()
	}
	if h.local != nil {
		h.local.finish(nil, nil)
		h.local = nil
	}
}
