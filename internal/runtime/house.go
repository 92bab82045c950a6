package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/server"
)

// house is the graph files that a process serves: they share its session, and each has a server of its own. With Watch
// files come and go, and a version with errors leaves the one before it serving. Safe for concurrent use once it is open.
type house struct {
	given Options
	how   Service
	files func() ([]GraphFile, error)

	session *Session
	grace   time.Duration // of runs in flight at the end

	mu     sync.Mutex // guards what follows
	mounts map[string]*mount
	site   *server.Site // nil: the servers are not at paths
	union  *union       // all files as one server; nil: there is none

	looking *resumers // for interrupted runs of several files; nil: there is one file, or none are resumed
	stop    func()    // ends the looking; nil: it has not begun
}

// mount is a graph file that is served.
type mount struct {
	GraphFile
	current atomic.Pointer[Loaded]
	srv     *server.Server
	shelf   *shelf // of its tools

	resources server.Resources // nil: clients can read none
	prompts   prompts          // that the file passes on
	resumer   *resumer         // nil: interrupted runs are not resumed

	print  fingerprint // of its files, when they were last loaded
	broken error       // why the version that is there now is not served; nil: it is
	stop   []func()    // what ends with it
}

// pathOf is the path of the server of a file.
func pathOf(name string) string {
	if name == "" {
		return server.Endpoint
	}
	return "/" + name + server.Endpoint
}

// watched returns the files whose changes matter.
func (h *house) watched() (all []string) {
	files, _ := h.files() // that it cannot be listed is reported when the files are loaded
	for _, f := range files {
		all = append(all, h.given.filesOf(f.Path)...)
	}
	return append(all, h.given.Directories...)
}

// open loads the graph files and serves them. Without Watch all must be valid; with it at least one.
func (h *house) open(ctx context.Context) error {
	files, err := h.files()
	if err != nil {
		return err
	}
	var projects []*project.Project // nil: broken
	var secrets []*config.Secrets
	var wrong []error
	for _, f := range files {
		p, err := project.Load(ctx, f.Path, h.given.File)
		if err != nil {
			wrong = append(wrong, err)
		} else {
			secrets = append(secrets, p.File.Secrets)
		}
		projects = append(projects, p)
	}
	if len(wrong) > 0 && (!h.how.Watch || len(secrets) == 0 || len(files) == 1) {
		return joined(wrong)
	}
	if h.session, err = Open(ctx, h.given, config.JoinSecrets(secrets...)); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			h.session.Close()
		}
	}()
	h.grace = h.given.Grace
	if h.how.HTTP { // runs get half of the grace to finish, and the server itself waits for the rest
		h.grace = h.how.HTTPGrace
		h.session.endRuns(ctx, h.grace/2, 0)
	} else { // the client has gone
		h.session.endRuns(ctx, 0, h.grace)
	}
	h.mounts = map[string]*mount{}
	if h.given.Graphs != nil && h.how.Resume && h.session.History != nil {
		h.looking = &resumers{house: h, store: h.session.History}
	}
	if h.how.Together {
		h.union = &union{house: h, parts: map[string]part{}}
	}
	for i, f := range files {
		m := &mount{GraphFile: f, print: fingerprintOf(h.given.filesOf(f.Path))}
		if projects[i] == nil {
			m.broken = errors.New("it has errors")
			h.session.rejected(f, loadError(ctx, h, f))
			h.mounts[f.Name] = m
			continue
		}
		if err = h.begin(ctx, m, projects[i]); err != nil {
			return err
		}
	}
	if h.union != nil {
		err = h.union.open(ctx)
	}
	if h.looking != nil && err == nil {
		h.stop = h.looking.start(ctx)
	}
	return err
}

// loadError loads a file again for what is wrong with it.
func loadError(ctx context.Context, h *house, f GraphFile) error {
	_, err := project.Load(ctx, f.Path, h.given.File)
	return err
}

// joined returns what is wrong with several files: the diagnostics of all, or else the errors.
func joined(errs []error) error {
	var all config.Diagnostics
	for _, err := range errs {
		var found config.Diagnostics
		if !errors.As(err, &found) {
			return errors.Join(errs...)
		}
		all = append(all, found...)
	}
	return all
}

// begin serves a graph file for the first time. h.mu is held, or h is not shared yet.
func (h *house) begin(ctx context.Context, m *mount, p *project.Project) error {
	l, err := h.session.Use(p)
	if err != nil {
		return err
	}
	l.warn()
	if err := m.open(ctx, l, h.how, h.union); err != nil {
		m.current.Store(nil)
		m.srv = nil
		l.Release()
		return err
	}
	if l.fleet != nil {
		m.stop = append(m.stop, l.fleet.serves(m.srv))
	}
	if err := h.resumes(ctx, m); err != nil {
		return err
	}
	h.mounts[m.Name] = m
	if h.site != nil {
		h.site.Put(pathOf(m.Name), m.srv)
	}
	return nil
}

// resumes resumes interrupted runs of the current version of a file, with Resume.
func (h *house) resumes(ctx context.Context, m *mount) error {
	if !h.how.Resume {
		return nil
	}
	resuming, err := h.session.Use(m.current.Load().Project)
	if err != nil {
		return err
	}
	if m.resumer != nil { // the file has changed
		m.resumer.use(resuming)
		return nil
	}
	m.resumer = newResumer(resuming, h.grace)
	m.resumer.called = h.looking != nil
	m.stop = append(m.stop, m.resumer.start(ctx))
	return nil
}

// end serves a file no more. Its calls in flight go on. h.mu is held.
func (h *house) end(m *mount) {
	delete(h.mounts, m.Name)
	if h.site != nil {
		h.site.Remove(pathOf(m.Name))
	}
	l := m.current.Load()
	if l == nil {
		return
	}
	if h.union != nil {
		h.union.remove(m)
	}
	l.offering.stop()
	ended, err := m.srv.Replace(nil, l.File.Secrets)
	if err == nil {
		l.releaseAfter(ended)
	}
	for _, stop := range m.stop {
		go stop() // those of resumed runs wait for these
	}
	l.Log.Info("the graph file is gone; it is not served any more", "file", m.Path)
}

// stopResuming ends what ends with the files, and waits for it.
func (h *house) stopResuming() {
	if h.stop != nil {
		h.stop()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.mounts {
		for _, stop := range slices.Backward(m.stop) {
			stop()
		}
	}
}

// follow loads changed files until ctx or the session ends.
func (h *house) follow(ctx context.Context, w *watcher) {
	s := h.session
	ctx, cancel := context.WithCancel(ctx)
	s.waiting.Go(func() {
		<-s.ending
		cancel()
	})
	s.waiting.Go(func() {
		for {
			if err := w.Next(ctx); ctx.Err() != nil || errors.Is(err, errWatchEnded) {
				return
			} else if err != nil {
				s.Log.Warn("changes of graph files may go unnoticed", "error", err)
				continue
			}
			h.refresh(ctx)
		}
	})
}

// refresh serves the files as they are now.
func (h *house) refresh(ctx context.Context) {
	files, err := h.files()
	if err != nil {
		h.session.Log.Error("the graph files cannot be listed; serving those that were there", "error", err)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.mounts { // one that does not look like a graph file any more has errors
		if _, err := os.Stat(m.Path); err == nil && !slices.ContainsFunc(files, func(f GraphFile) bool { return f.Name == m.Name }) {
			files = append(files, m.GraphFile)
		}
	}
	gone := maps.Clone(h.mounts)
	for _, f := range files {
		delete(gone, f.Name)
		m := h.mounts[f.Name]
		now := fingerprintOf(h.given.filesOf(f.Path))
		if m != nil && m.print == now && m.Path == f.Path {
			continue
		}
		if m == nil {
			m = &mount{GraphFile: f}
		}
		m.GraphFile, m.print = f, now
		if m.broken = h.load(ctx, m); ctx.Err() != nil {
			return
		}
		h.mounts[f.Name] = m
		if m.broken != nil {
			h.session.rejected(f, m.broken)
		}
	}
	if len(h.mounts) == len(gone) { // an only file that is gone may be saved again
		return
	}
	for _, m := range gone {
		h.end(m)
	}
}

// load takes a new version of a file into use, or a new file. h.mu is held.
func (h *house) load(ctx context.Context, m *mount) error {
	p, err := project.Load(ctx, m.Path, h.given.File)
	if err != nil {
		return err
	}
	served := m.current.Load()
	if served == nil {
		return h.begin(ctx, m, p)
	}
	next, err := h.session.Use(p)
	if err != nil {
		return err
	}
	ended, err := m.replace(ctx, next)
	if err != nil {
		next.Release()
		return err
	}
	served.releaseAfter(ended)
	return h.resumes(ctx, m)
}

// rejected logs why a version of a file is not served.
func (s *Session) rejected(f GraphFile, err error) {
	var found config.Diagnostics
	if errors.As(err, &found) {
		LogFindings(s.Log, found)
		err = errors.New("the file has errors")
	}
	s.Log.Error("reload failed; still serving the previous version", "file", f.Path, "error", err)
}

// served is what the transport serves.
func (h *house) served(ctx context.Context) *Served {
	s := &Served{Log: h.session.Log, Metrics: h.session.metrics, Title: h.title()}
	if f := h.session.fleet; f != nil {
		s.Ready = f.ready()
		s.Listening = func(address string) error { return f.serveAt(ctx, address) }
	}
	if only := h.mounts[""]; only != nil {
		s.Server, s.Log = only.srv, only.current.Load().Log
		return s
	}
	if h.union != nil {
		s.Server = h.union.srv
	}
	s.State = h.state
	s.Each = func(site *server.Site) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.site = site
		for _, m := range h.mounts {
			if m.srv != nil {
				site.Put(pathOf(m.Name), m.srv)
			}
		}
	}
	return s
}

// title says what is served: so many tools of a file, or of so many files.
func (h *house) title() string {
	tools, last := 0, ""
	for _, m := range h.mounts {
		if l := m.current.Load(); l != nil {
			tools += len(l.Listed())
			last = l.File.Path
		}
	}
	if len(h.mounts) > 1 {
		last = wording.Count(len(h.mounts), "graph file")
	}
	return wording.Count(tools, "tool") + " of " + last
}

// state writes a line for each file: where it is served, and whether as it is now.
func (h *house) state(w io.Writer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(h.mounts)) {
		m := h.mounts[name]
		switch {
		case m.broken == nil:
			fmt.Fprintf(w, "%s serves the file as it is\n", pathOf(name))
		case m.srv != nil:
			fmt.Fprintf(w, "%s serves the version before: the file has errors, see the log\n", pathOf(name))
		default:
			fmt.Fprintf(w, "%s serves nothing: the file has errors, see the log\n", pathOf(name))
		}
	}
}
