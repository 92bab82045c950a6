package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"toolgraph/config"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/server"
)

// Service says how a process serves its graph file.
type Service struct {
	Watch  bool // changed files are reloaded; a version with errors is reported and skipped
	Resume bool // interrupted runs of the file are resumed in the background, those of other processes too

	Transport Transport
	HTTP      bool          // it is one for many clients, which come and go
	HTTPGrace time.Duration // of calls in flight when the process is stopped, with HTTP
}

// Transport is how clients reach a process.
type Transport interface {
	// Serve serves until ctx ends, or the client has gone.
	Serve(ctx context.Context, s *Served) error
}

// Served is what a Transport serves.
type Served struct {
	Server  *server.Server
	Project *project.Project
	Log     *slog.Logger

	Metrics http.Handler                    // nil: disabled
	Ready   func(ctx context.Context) error // says why the process should get no calls; nil: it always should
	// Listening makes the process known to those that share its run history: it is called with the address before
	// clients are served.
	Listening func(address string) error
}

// Serve serves the graph file of the options to clients until ctx ends.
func Serve(ctx context.Context, o Options, how Service) error {
	saveMemory()
	var changes *watcher
	if how.Watch { // before the file is loaded, so that no later change is missed
		var err error
		if changes, err = NewWatcher(o.Files); err != nil {
			return fmt.Errorf("--watch: %w", err)
		}
		defer changes.Close()
	}
	l, err := Load(ctx, o)
	if err != nil {
		return err
	}
	defer l.Close()
	l.warn()
	grace := o.Grace
	if how.HTTP { // runs get half of the grace to finish, and the server itself waits for the rest
		grace = how.HTTPGrace
		l.endRuns(ctx, grace/2, 0)
	} else { // the client has gone
		l.endRuns(ctx, 0, grace)
	}
	var current atomic.Pointer[Loaded]
	current.Store(l)
	srv, err := l.server(ctx, how, &current)
	if err != nil {
		return err
	}
	if how.Resume {
		resuming, err := l.Use(l.Project)
		if err != nil {
			return err
		}
		defer newResumer(resuming, grace).start(ctx)()
	}
	if how.Watch {
		l.Follow(ctx, changes, func(next *Loaded) (<-chan struct{}, error) { return replace(ctx, srv, &current, next) }, logRejected)
	}
	s := &Served{Server: srv, Project: l.Project, Log: l.Log, Metrics: l.metrics}
	if l.fleet != nil {
		s.Ready = l.fleet.ready()
		s.Listening = func(address string) error { return l.fleet.serveAt(ctx, address) }
	}
	l.vitals.serving(s.Ready)
	return how.Transport.Serve(ctx, s)
}

// server makes the server of the file. Its resources and hints are those of the current version.
func (l *Loaded) server(ctx context.Context, how Service, current *atomic.Pointer[Loaded]) (*server.Server, error) {
	offered, err := l.offer(ctx)
	if err != nil {
		return nil, err
	}
	l.offering = offered
	of := l.File.Server
	opts := server.Options{
		Info: server.Info{
			Name: of.Name.Value, Version: of.Version.Value, Title: of.Title.Value, Instructions: of.Instructions.Value, Icons: of.Icons,
		},
		Tools: offered.initial(ctx), Logger: l.Log, Secrets: l.File.Secrets,
		ToolHints: func(upstream, tool string) (server.Hints, bool) { return current.Load().hints(upstream, tool) },
		WindDown:  l.given.Grace + finishTime, App: l.app(),
	}
	if resources := l.newReadable(l, current.Load); resources != nil {
		opts.Resources = resources
	}
	passed, all := passesOf(l, ""), prompts{current.Load, make(chan struct{}, mostCompletions)}
	if opts.ResourcesChange = passed.resources; passed.prompts {
		opts.Prompts = all
	}
	if passed.any() || l.canComplete() {
		opts.Complete = all.complete
	}
	if how.HTTP {
		opts.Grace = how.HTTPGrace
	}
	if l.telemetry != nil {
		opts.Observer = l.telemetry
	}
	l.share(&opts, how.HTTP, current.Load)
	srv, err := server.New(opts)
	if err != nil {
		return nil, err
	}
	if l.fleet != nil {
		l.fleet.server = srv
	}
	return srv, offered.serve(ctx, srv)
}

// share makes a server one of those that share its run history: any of them answers a call, whichever
// has its run. Runs that are made elsewhere are shared there.
func (l *Loaded) share(opts *server.Options, overHTTP bool, current func() *Loaded) {
	if l.History == nil {
		l.warnTasks()
		return
	}
	opts.Tasks, opts.TaskAfter = tasks{current}, l.File.Server.TaskAfter
	if l.elsewhere != nil {
		return
	}
	l.fleet = l.Session.join()
	if overHTTP { // all messages of a client of stdio come to this process
		opts.Fleet = l.fleet
	}
}

// warnTasks warns of tools that need a task, where there are none.
func (l *Loaded) warnTasks() {
	for _, g := range l.Listed() {
		if g.Tool.NeedsTask {
			l.Log.Warn("clients cannot call a tool with task: required, because this process has no tasks: it needs the run history", "tool", g.Tool.Name.Value)
		}
	}
}

// replace makes a server serve the next version of its graph file. The channel is closed when the last run of the
// version before has ended.
func replace(ctx context.Context, srv *server.Server, current *atomic.Pointer[Loaded], next *Loaded) (ended <-chan struct{}, err error) {
	if next.offering, err = next.offer(ctx); err != nil {
		return nil, err
	}
	if ended, err = current.Load().offering.replacedBy(ctx, next.offering, srv); err != nil {
		next.offering.stop()
		return nil, err
	}
	LogFindings(next.Log, next.Warnings)
	if introduction(next.File) != introduction(current.Swap(next).File) {
		next.Log.Warn("server: has changed, which takes effect at the next start")
	}
	srv.Changed(server.PromptsList | server.ResourcesList)
	if err := next.offering.serve(ctx, srv); err != nil {
		next.Log.Error("exposed tools are not listed", "error", err)
	}
	next.Log.Info("the graph file has changed; serving the new version", "file", next.File.Path, "tools", len(next.Listed()))
	warnUnlisted(next)
	warnPrograms(next)
	return ended, nil
}

// warn logs the warnings about the file.
func (l *Loaded) warn() {
	LogFindings(l.Log, l.Warnings)
	warnUnlisted(l)
	warnPrograms(l)
}

// introduction is what clients learned about the server when they connected, and how it was made.
func introduction(file *config.File) [6]string {
	s := file.Server
	return [6]string{s.Name.Value, s.Version.Value, s.Title.Value, s.Instructions.Value, string(s.Icons.JSON()), s.TaskAfter.String()}
}
