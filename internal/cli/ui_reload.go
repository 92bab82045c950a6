package cli

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/debug/page"
	"toolgraph/internal/observe"
)

// lookEvery is how often ui looks whether the files have changed.
const lookEvery = 500 * time.Millisecond

// uiReload shows the graph file anew when it has changed.
type uiReload struct {
	flags   *uiFlags
	std     streams
	page    *page.Server
	plugged *plugs
	users   *poolUsers
	seen    fingerprint // the looking goroutine's
}

// start looks at the files until ctx ends or stop is called, which waits.
func (r *uiReload) start(ctx context.Context, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if now := r.flags.files.fingerprint(); now != r.seen {
				r.seen = now
				log = r.reload(ctx, log)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// reload shows the files as they are now, or what is wrong with them. It gives the
// logger to go on with, which knows the secrets of what is shown.
func (r *uiReload) reload(ctx context.Context, log *slog.Logger) *slog.Logger {
	p, err := load(ctx, r.flags.files.graph, r.flags.files.servers)
	if ctx.Err() != nil {
		return log // nothing is shown any more
	}
	if err != nil {
		r.reject(err)
		return log
	}
	fresh, err := observe.NewLogger(r.std.err, r.flags.logLevel, "text", p.File.Secrets)
	if err != nil { // the flags were good at the start
		r.reject(err)
		return log
	}
	locked, err := r.flags.locked.load(p)
	if err != nil {
		r.reject(err)
		return log
	}
	next := r.users.next(p, locked, fresh)
	r.users.take(next, r.page.Replace(r.project(p, next, fresh)))
	return fresh
}

// reject shows what is wrong with a changed file.
func (r *uiReload) reject(err error) {
	var found config.Diagnostics
	if !errors.As(err, &found) {
		found = config.Diagnostics{{Severity: config.Error, Message: err.Error()}}
	}
	r.page.Reject(sourceOf(r.flags.files.graph), found)
}

// ask puts the question of an upstream server to the user of the page, which is there before
// any run.
func (r *uiReload) ask(ctx context.Context, upstream string, params json.RawMessage) (json.RawMessage, error) {
	return r.page.Ask(ctx, upstream, params)
}

// beginner prepares the runs of a page.
func (r *uiReload) beginner(log *slog.Logger) func(context.Context, *graph.Graph) (context.Context, []execution.Option) {
	return func(ctx context.Context, g *graph.Graph) (context.Context, []execution.Option) {
		return r.plugged.begin(ctx, g, log)
	}
}
