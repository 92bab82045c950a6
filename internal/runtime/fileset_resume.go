package runtime

import (
	"context"
	"time"

	"toolgraph/execution/journal"
)

// mostInterrupted bounds how many interrupted runs one look finds; the resumers of their files find all of theirs.
const mostInterrupted = 1000

// resumers look for interrupted runs of several files: once for all of them, however many they are.
type resumers struct {
	set   *fileSet
	store *journal.Store
	blind bool // the last look could not read the history
}

// start begins to look, and returns at once. stop returns when the looking has ended; resumed runs may go on.
func (r *resumers) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{}, 2)
	go func() {
		defer func() { done <- struct{}{} }()
		err := r.store.Follow(ctx, "", func(changed []journal.Run) error {
			r.ring(changed)
			return nil
		})
		if err != nil { // the looks go on
			r.set.session.Log.Warn("interrupted runs are not noticed at once", "error", err)
		}
	}()
	go func() {
		defer func() { done <- struct{}{} }()
		ticker := time.NewTicker(sweepEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				r.look(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
		<-done
	}
}

// look finds the interrupted runs of all files.
func (r *resumers) look(ctx context.Context) {
	page, err := r.store.List(ctx, journal.Filter{Status: journal.Interrupted, Limit: mostInterrupted})
	if err != nil && !r.blind && ctx.Err() == nil {
		r.set.session.Log.Warn("interrupted runs cannot be listed; trying again later", "error", err)
	}
	r.blind = err != nil
	r.ring(page)
	if len(page) == mostInterrupted { // there may be more
		r.set.mu.Lock()
		defer r.set.mu.Unlock()
		for _, m := range r.set.mounts {
			if m.resumer != nil {
				m.resumer.ring()
			}
		}
	}
}

// ring calls those who resume interrupted runs.
func (r *resumers) ring(runs []journal.Run) {
	r.set.mu.Lock()
	defer r.set.mu.Unlock()
	for _, run := range runs {
		if run.Status != journal.Interrupted || run.Question != nil {
			continue
		}
		for _, m := range r.set.mounts {
			if m.resumer != nil && m.resumer.concerns(run) {
				m.resumer.ring()
			}
		}
	}
}
