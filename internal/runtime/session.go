// Package runtime is a process, alone and among others that share its run history. Options and a graph file go in;
// runs come out, which it makes, joins, resumes or cancels, and answers to its clients. A Session opens and closes
// what runs share: the log, the history, telemetry, the audit log, upstream servers. A Loaded is a graph file in it;
// Serve and Host make runs for others. The package knows no flags and no terminal: those who start a process pass a
// Console and an Asker. It owns fsnotify.
package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/runtime/cache"
	"toolgraph/internal/runtime/links"
	"toolgraph/internal/runtime/results"
	"toolgraph/internal/serving/server"
	"toolgraph/internal/telemetry/audit"
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

// Loaded is a graph file that is loaded in a session, and what its runs need.
type Loaded struct {
	*Session
	*project.Project
	Lock    *lock.Lock   // nil: not --locked
	links   *links.Table // that of the session
	Pool    *mcpclient.Pool
	Release func() // gives the pool back; may be called more than once

	offering *offering // to clients; nil: it is not served
}

// Load loads the graph file of the options in a session of its own. The caller closes it.
func Load(ctx context.Context, o Options) (*Loaded, error) {
	p, err := project.Load(ctx, o.Graph, o.File)
	if err != nil {
		return nil, err
	}
	return Start(ctx, o, p)
}

// LoadAll loads graph files, at least one, in a session of their own; all must be valid. The caller closes one of them, which closes
// the session.
func LoadAll(ctx context.Context, o Options, paths []string) ([]*Loaded, error) {
	var projects []*project.Project
	var wrong []error
	for _, path := range paths {
		p, err := project.Load(ctx, path, o.File)
		if err != nil {
			wrong = append(wrong, err)
		}
		projects = append(projects, p)
	}
	if len(wrong) > 0 {
		return nil, joined(wrong)
	}
	return start(ctx, o, projects)
}

// Start opens a session for a graph file. The caller closes it.
func Start(ctx context.Context, o Options, p *project.Project) (*Loaded, error) {
	all, err := start(ctx, o, []*project.Project{p})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// start opens a session for graph files.
func start(ctx context.Context, o Options, projects []*project.Project) (all []*Loaded, err error) {
	var secrets []*config.Secrets
	for _, p := range projects {
		secrets = append(secrets, p.File.Secrets)
	}
	s, err := Open(ctx, o, config.JoinSecrets(secrets...))
	if err != nil {
		return nil, err
	}
	for _, p := range projects {
		l, err := s.Use(p)
		if err != nil {
			s.Close()
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

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

// load loads a graph file as it is now.
func (s *Session) load(ctx context.Context, path string) (*Loaded, error) {
	p, err := project.Load(ctx, path, s.given.File)
	if err != nil {
		return nil, err
	}
	return s.Use(p)
}

// Use prepares runs of a graph file, whose secrets are redacted from then on, and its lock.
func (s *Session) Use(p *project.Project) (*Loaded, error) {
	s.secrets.Add(p.File.Secrets)
	locked, err := s.given.lockOf(p)
	if err != nil {
		return nil, err
	}
	l := &Loaded{Session: s, Project: p, Lock: locked, links: s.links}
	variant := ""
	var options []mcpclient.Option
	if locked != nil {
		variant = string(locked.Encode())
		options = append(options, mcpclient.WithToolCheck(locked.Guard(p.File)))
	}
	options = append(options, mcpclient.SharedBy(&s.pools, variant))
	l.Pool, l.Release = s.pools.Lease(p.File.Servers, variant, func() *mcpclient.Pool { return s.NewPool(p, options...) })
	return l, nil
}

// lockOf returns the lock beside a graph file; nil when it is not in force. Its error says why no
// tool may be called.
func (o *Options) lockOf(p *project.Project) (*lock.Lock, error) {
	if !o.Locked {
		return nil, nil //nolint:nilnil // nothing is locked
	}
	path := lock.Path(p.File.Path)
	l, err := lock.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &OptionsError{fmt.Errorf("--locked requires %s, which does not exist; run: toolgraph lock %s", path, p.File.Path)}
	}
	if err != nil {
		return nil, err
	}
	found := l.Check(p.File, p.Graphs)
	for i := range found {
		found[i].Severity = config.Error
	}
	return l, found.Err()
}

// releaseAfter gives the pool back when ended is closed, or the session ends.
func (l *Loaded) releaseAfter(ended <-chan struct{}) {
	l.waiting.Go(func() {
		select {
		case <-ended:
		case <-l.ending:
		}
		l.Release()
	})
}

// NewPool makes a pool of the servers of a graph file.
func (s *Session) NewPool(p *project.Project, more ...mcpclient.Option) *mcpclient.Pool {
	s.secrets.Add(p.File.Secrets)
	opts := []mcpclient.Option{
		mcpclient.WithLogger(s.Log), mcpclient.WithSecrets(s.secrets), mcpclient.WithClientInfo("toolgraph", s.given.Version),
	}
	if s.given.Self != "" {
		opts = append(opts, mcpclient.WithSelf("toolgraph", s.given.Self))
	}
	if s.given.Tokens != nil {
		opts = append(opts, s.given.Tokens)
	}
	if s.given.Asker != nil {
		opts = append(opts, mcpclient.WithElicitor(s.given.Asker.Elicitor(s.secrets)))
	}
	if s.given.Console != nil {
		opts = append(opts, mcpclient.WithStartNotice(s.given.Console.Starting))
	}
	if s.telemetry != nil {
		opts = append(opts, mcpclient.WithObserver(s.telemetry))
	}
	if s.given.Programs {
		opts = append(opts, mcpclient.WithPrograms())
	}
	return mcpclient.NewPool(p.File.Servers, append(opts, more...)...)
}

// Checked returns the file with servers of its own, whose tools are compared before calls: also for what is believed of
// them. The caller releases it.
func (l *Loaded) Checked(check mcpclient.ToolCheck) *Loaded {
	of := *l
	of.Pool = l.NewPool(l.Project, mcpclient.WithToolCheck(check))
	of.Release = func() { _ = of.Pool.Close() } // it always returns nil
	return &of
}

// WithPool returns a graph file whose servers are those of a pool that the caller has.
func (s *Session) WithPool(p *project.Project, pool *mcpclient.Pool) *Loaded {
	return &Loaded{Session: s, Project: p, Pool: pool}
}

// UntilStopped lets a run end with the process: when it is asked to stop, the call in flight gets the
// grace to finish, then the run is suspended. The context is that of the run.
func (l *Loaded) UntilStopped(ctx context.Context) (context.Context, execution.Option) {
	stop, unregister := stopping(ctx, 0, func() {
		if l.given.Console != nil {
			l.given.Console.Stopping(l.grace)
		}
	})
	calls, release := withGrace(ctx, l.grace)
	l.closers = append(l.closers, unregister, release)
	return calls, execution.WithStop(stop)
}

// About returns what is recorded of a file with each run.
func About(p *project.Project) journal.About {
	path := p.File.Path
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	return journal.About{File: path, Server: p.File.Server.Name.Value}
}

// Begin begins to observe a run, and decides what is believed in it.
func (l *Loaded) Begin(ctx context.Context, g *graph.Graph) (context.Context, []execution.Option) {
	ctx = WithRuleLog(ctx, l.Log, g.Tool.Name.Value)
	ctx, options := l.Believe(ctx, g)
	options = append(options, ReportPanics(l.Log), execution.WithUser(l.UserOf(g)), execution.WithSubject(results.SubjectDigest(audit.SubjectOf(ctx))),
		execution.WithBytesOut(l.bytesOut(ctx, g)))
	for _, begin := range l.watches {
		var observer execution.Observer
		ctx, observer = begin(ctx, g)
		if observer != nil {
			options = append(options, execution.WithObserver(observer))
		}
	}
	return ctx, options
}

// UserOf returns the user whom a run of a graph asks; a nil graph is not known.
func (l *Loaded) UserOf(g *graph.Graph) execution.User {
	if l.given.Asker == nil {
		return absentUser{}
	}
	tool := ""
	if g != nil {
		tool = g.Tool.Name.Value
	}
	return l.given.Asker.User(tool, l.File.Secrets)
}

// Run runs a graph on an engine of the file.
func (l *Loaded) Run(
	ctx context.Context, engine *execution.Engine, g *graph.Graph, args value.Value, more ...execution.Option,
) (*execution.Result, error) {
	g, args, err := l.ForRun(ctx, g, args, l)
	if err != nil {
		return nil, err
	}
	if err := l.mayBegin(ctx, g); err != nil {
		return nil, err
	}
	ctx, options := l.Begin(ctx, g)
	result, err := engine.Run(ctx, g, args, append(options, more...)...)
	if result != nil && errors.Is(err, execution.ErrSuspended) { // its client may be gone, and this process go on
		l.settle(ctx, result.RunID, nil, err)
	}
	return result, err
}

// hints are what annotations are derived from, believed or not: they are from the lock, or without one from what the server has listed so far.
func (l *Loaded) hints(upstream, tool string) (server.Hints, bool) {
	if l.Lock != nil {
		e, known := l.Lock.Entry(upstream, tool)
		return server.Hints(e.Hints()), known
	}
	known, ok := l.Pool.Known(upstream, tool)
	return server.Hints(lock.HintsOf(known.Annotations)), ok
}
