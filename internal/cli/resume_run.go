package cli

import (
	"context"
	"fmt"
	"log/slog"

	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/server"
	"toolgraph/mcpclient"
)

// takeOn takes a kept run on. One that has ended gives its end.
func takeOn(ctx context.Context, plugged *plugs, p *project.Project, g *graph.Graph, id string, pool *mcpclient.Pool, log *slog.Logger, opts ...execution.Option) (*execution.Result, error) {
	store := plugged.history
	events, err := store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if !ended(events) {
		// To go on, a run has to be kept whole: it is not claimed else. Then it is read
		// again, as another process may have taken it on and died in between.
		whole := store.Journal(p.File.Secrets, aboutRuns(p))
		if _, err := whole.Load(ctx, id); err != nil {
			return nil, err
		}
		if err := store.Claim(ctx, id); err != nil {
			return nil, err
		}
		if events, err = whole.Load(ctx, id); err != nil {
			return nil, err
		}
	}
	return plugged.resume(ctx, plugged.engine(p, pool), g, events, log, opts...)
}

// ended reports whether a run is over: with a value, or with a failure that stays.
func ended(events []execution.Event) bool {
	if len(events) == 0 {
		return false
	}
	end := events[len(events)-1].End
	return end != nil && (end.Failure == nil || end.Failure.Code != execution.CodeOutcomeUnknown)
}

// asked is what is known of a tool; a server that has said nothing yet is started and
// asked.
func asked(ctx context.Context, pool *mcpclient.Pool, known toolHints, log *slog.Logger) toolHints {
	return func(upstream, tool string) (server.Hints, bool) {
		if said, ok := known(upstream, tool); ok {
			return said, ok
		}
		if _, err := pool.ListTools(ctx, upstream); err != nil {
			log.Warn(fmt.Sprintf("server %q cannot be asked whether %q may be called twice", upstream, tool), "error", err)
			return server.Hints{}, false
		}
		return known(upstream, tool)
	}
}
