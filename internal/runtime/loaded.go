package runtime

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/runtime/links"
	"toolgraph/internal/runtime/results"
	"toolgraph/internal/serving/server"
	"toolgraph/internal/telemetry/audit"
	"toolgraph/mcpclient"
)

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
