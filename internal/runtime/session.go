// Package runtime is a process, alone and among others that share its run history. Options and a graph file go in;
// runs come out, which it makes, joins, resumes or cancels, and answers to its clients. A Session opens and closes
// what runs share: the log, the history, telemetry, the audit log, upstream servers. A Loaded is a graph file in it;
// Serve and Host make runs for others. The package knows no flags and no terminal: those who start a process pass a
// Console and an Asker. It owns fsnotify.
package runtime

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/graph"
	"toolgraph/internal/runtime/cache"
	"toolgraph/internal/runtime/links"
	"toolgraph/internal/runtime/results"
	"toolgraph/internal/telemetry/observe"
	"toolgraph/mcpclient"
)

// Session is what the commands that load graph files share: the log, the run history,
// traces and metrics, the pools of upstream servers, and the end of all that. Graph files
// are loaded in it, one after the other. Safe for concurrent use once it is open.
type Session struct {
	given   Options
	Log     *slog.Logger    // redacts the secrets
	secrets *config.Secrets // of all files that were loaded, also before they changed

	pools   mcpclient.Shared
	History *journal.Store // nil: runs are not recorded
	others  *fleet         // this process among those that share the history; nil without one
	fleet   *fleet         // the same, where clients of any of them are served; nil: this one serves its own
	large   *results.Store // results that are too large for clients
	cache   *cache.Store   // answers of calls that may be given again
	links   *links.Table   // the resources that results name; nil: clients cannot read them
	metrics http.Handler   // nil: disabled

	telemetry *observe.Telemetry // nil: disabled
	vitals    *vitals            // nil: there is no telemetry
	elsewhere Elsewhere          // nil: runs are made in this process
	parks     *parks             // nil: runs are not parked
	rests     sync.Map           // what runs have waited for that this process has claimed, by their ids: *execution.Rest
	unbegun   sync.Map           // how to record the beginnings of the runs that are made elsewhere for calls, by their ids

	callers []func(next execution.ToolCaller) execution.ToolCaller // around calls, the innermost first
	options []execution.Option                                     // of every run
	seen    seenForms                                              // what tools have answered
	watches []watch                                                // of each run
	grace   time.Duration                                          // of calls in flight when the process is stopped

	closers []func() // called in reverse order
	ending  chan struct{}
	waiting sync.WaitGroup
}

// watch begins to observe a run; the context is the run's from then on. A nil observer observes nothing.
type watch func(ctx context.Context, g *graph.Graph) (context.Context, execution.Observer)

// Open opens a session. The caller closes it when the last run has ended.
func Open(ctx context.Context, o Options, given *config.Secrets) (s *Session, err error) {
	secrets := config.JoinSecrets(given) // those of later files are added
	log, err := o.Log.logger(o.Log.Level, secrets)
	if err != nil {
		return nil, err
	}
	s = &Session{given: o, Log: log, secrets: secrets, cache: cache.New(), grace: o.Grace, ending: make(chan struct{})}
	defer func() {
		if err != nil {
			s.Close()
			s = nil // so that a caller who closes what it has does not close it again
		}
	}()
	if o.Upstream != nil {
		s.callers = append(s.callers, o.Upstream)
	}
	s.callers = append(s.callers, s.seen.caller)
	if err = s.observe(ctx, log); err != nil {
		return s, err
	}
	if err = s.audit(ctx); err != nil {
		return s, err
	}
	if err = s.record(ctx); err != nil {
		return s, err
	}
	s.reportVitals()
	s.large = results.New(s.History)
	return s, s.connectElsewhere(ctx)
}

// record opens the run history. Without a store runs are not recorded, unless it is required.
func (s *Session) record(ctx context.Context) error {
	h := s.given.History
	if h == nil {
		return nil
	}
	log, err := s.warnings() // only the log reports that runs are not recorded
	if err != nil {
		return err
	}
	store, err := h.open(log)
	if err != nil {
		if h.Required {
			return err
		}
		log.Warn("runs are not recorded", "error", err)
		return nil
	}
	s.History = store
	if h.Unused != nil {
		h.Unused(ctx, store, log)
	}
	s.closers = append(s.closers, func() { _ = store.Close() }) // it logs its errors when they occur
	s.takesCancels(s.join())
	return nil
}

// join makes this process one of those that share its history, which it must have.
func (s *Session) join() *fleet {
	if s.others == nil {
		s.others = newFleet(s)
	}
	return s.others
}

// logger makes a logger that redacts the secrets.
func (l *Logging) logger(level string, secrets *config.Secrets) (*slog.Logger, error) {
	to := l.To
	if to == nil {
		to = io.Discard
	}
	log, err := observe.NewLogger(to, cmp.Or(level, "error"), cmp.Or(l.Format, "text"), secrets)
	if err != nil {
		return nil, &OptionsError{err}
	}
	return log, nil
}

// warnings returns a log that has warnings, unless the level is exact.
func (s *Session) warnings() (*slog.Logger, error) {
	if s.given.Log.Exact || s.Log.Enabled(context.Background(), slog.LevelWarn) {
		return s.Log, nil
	}
	return s.given.Log.logger("warn", s.secrets)
}

// Close ends the servers, then what else is open.
func (s *Session) Close() {
	close(s.ending)
	s.waiting.Wait()
	s.pools.Close()
	for _, end := range slices.Backward(s.closers) {
		end()
	}
}
