package runtime

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"toolgraph/config"
	"toolgraph/internal/serving/server"
)

// Service says how a process serves its graph file.
type Service struct {
	Together bool // several files are one server, beside their own
	Watch    bool // changed files are reloaded; a version with errors is reported and skipped
	Resume   bool // interrupted runs of the file are resumed in the background, those of other processes too

	Transport Transport
	HTTP      bool          // it is one for many clients, which come and go
	HTTPGrace time.Duration // of calls in flight when the process is stopped, with HTTP
	Holds     bool          // runs that wait stay in this process: none is parked

	parks *parks // nil: the usual ones
}

// Transport is how clients reach a process.
type Transport interface {
	// Serve serves until ctx ends, or the client has gone.
	Serve(ctx context.Context, s *Served) error
}

// Served is what a Transport serves.
type Served struct {
	Server *server.Server // of the graph file, or of all of them together; nil: these are served one by one only
	Log    *slog.Logger

	// Each puts the servers of graph files at their paths, and changes these when files come and go. nil: the only file is that
	// of Server.
	Each func(site *server.Site)

	Title string            // what is served, for people
	State func(w io.Writer) // writes a line for each graph file; nil: there is one

	Metrics http.Handler                    // nil: disabled
	Ready   func(ctx context.Context) error // says why the process should get no calls; nil: it always should
	// Listening makes the process known to those that share its run history: it is called with the address before
	// clients are served.
	Listening func(address string) error
}

// Serve serves the graph files of the options to clients until ctx ends.
func Serve(ctx context.Context, o Options, how Service) error {
	saveMemory()
	set := &fileSet{given: o, how: how, files: o.files()}
	var changes *watcher
	if how.Watch { // before the files are loaded, so that no later change is missed
		var err error
		if changes, err = NewWatcher(set.watched); err != nil {
			return fmt.Errorf("--watch: %w", err)
		}
		defer changes.Close()
	}
	if err := set.open(ctx); err != nil {
		return err
	}
	defer set.session.Close()
	defer set.stopResuming()
	if how.Watch {
		s := set.session
		s.changes(ctx, changes, func(err error) { s.Log.Warn("changes of graph files may go unnoticed", "error", err) }, set.refresh)
	}
	return how.Transport.Serve(ctx, set.served(ctx))
}

// open makes the server of a file. Its resources and hints are those of the current version.
func (m *mount) open(ctx context.Context, l *Loaded, how Service, of *union) error {
	m.current.Store(l)
	offered, err := l.offer(ctx)
	if err != nil {
		return err
	}
	l.offering = offered
	file := l.File.Server
	opts := server.Options{
		Info: server.Info{
			Name: file.Name.Value, Version: file.Version.Value, Title: file.Title.Value, Instructions: file.Instructions.Value, Icons: file.Icons,
		},
		Tools: offered.initial(ctx), Logger: l.Log, Secrets: l.File.Secrets,
		ToolHints: func(upstream, tool string) (server.Hints, bool) { return m.current.Load().hints(upstream, tool) },
		WindDown:  l.given.Grace + finishTime, App: l.app(),
	}
	if m.resources = l.newReadable(l, m.current.Load); m.resources != nil {
		opts.Resources = m.resources
	}
	m.prompts = prompts{m.current.Load, make(chan struct{}, mostCompletions)}
	passed := passesOf(l, "")
	if opts.ResourcesChange = passed.resources; passed.prompts {
		opts.Prompts = m.prompts
	}
	if passed.any() || l.canComplete() {
		opts.Complete = m.prompts.complete
	}
	if how.HTTP {
		opts.Grace = how.HTTPGrace
	}
	if l.telemetry != nil {
		opts.Observer = l.telemetry
	}
	l.share(&opts, how.HTTP, m.current.Load)
	if m.srv, err = server.New(opts); err != nil {
		return err
	}
	m.shelf = &shelf{m, of}
	if of != nil {
		if _, err := of.put(m, opts.Tools, opts.Secrets); err != nil {
			return err
		}
	}
	return offered.serve(ctx, m.shelf)
}

// share makes a server one of those that share its run history: any of them answers a call, whichever
// has its run. Runs that are made elsewhere are shared there.
func (l *Loaded) share(opts *server.Options, overHTTP bool, current func() *Loaded) {
	if l.History == nil {
		l.warnTasks()
		return
	}
	opts.Parks = l.parks != nil
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

// replace serves the next version of a file. The channel is closed when the last run of the version before has ended.
func (m *mount) replace(ctx context.Context, next *Loaded) (ended <-chan struct{}, err error) {
	if next.offering, err = next.offer(ctx); err != nil {
		return nil, err
	}
	if ended, err = m.current.Load().offering.replacedBy(ctx, next.offering, m.shelf); err != nil {
		next.offering.stop()
		return nil, err
	}
	LogFindings(next.Log, next.Warnings)
	if introduction(next.File) != introduction(m.current.Swap(next).File) {
		next.Log.Warn("server: has changed, which takes effect at the next start")
	}
	m.shelf.Changed(server.PromptsList | server.ResourcesList)
	if err := next.offering.serve(ctx, m.shelf); err != nil {
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
