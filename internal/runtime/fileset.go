package runtime

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"toolgraph/config"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/server"
)

// fileSet is the graph files that a process serves: they share its session, and each has a server of its own. With Watch
// files come and go, and a version with errors leaves the one before it serving. Safe for concurrent use once it is open.
type fileSet struct {
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
	stop    []func()  // ends what looks for runs of all files
}

// mount is a graph file that is served.
type mount struct {
	GraphFile
	current atomic.Pointer[Loaded]
	srv     *server.Server
	shelf   *shelf // of its tools

	resources server.Resources // nil: clients can read none
	prompts   prompts          // that the file passes on
	resumer   *resumer         // nil: no runs are resumed

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
func (set *fileSet) watched() (all []string) {
	files, _ := set.files() // that it cannot be listed is reported when the files are loaded
	for _, f := range files {
		all = append(all, set.given.filesOf(f.Path)...)
	}
	return append(all, set.given.Directories...)
}

// open loads the graph files and serves them. Without Watch all must be valid; with it at least one.
func (set *fileSet) open(ctx context.Context) error {
	files, err := set.files()
	if err != nil {
		return err
	}
	var mounts []*mount
	var projects []*project.Project // nil: the file has errors
	var secrets []*config.Secrets
	var wrong []error
	for _, f := range files {
		m := &mount{GraphFile: f}
		if set.how.Watch { // before the file is loaded, so that no later change is missed
			m.print = fingerprintOf(set.given.filesOf(f.Path))
		}
		p, err := project.Load(ctx, f.Path, set.given.File)
		if m.broken = err; err != nil {
			wrong = append(wrong, err)
		} else {
			secrets = append(secrets, p.File.Secrets)
		}
		mounts, projects = append(mounts, m), append(projects, p)
	}
	if len(wrong) > 0 && (!set.how.Watch || len(secrets) == 0 || len(files) == 1) {
		return joined(wrong)
	}
	if set.session, err = Open(ctx, set.given, config.JoinSecrets(secrets...)); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			set.stopResuming()
			set.session.Close()
		}
	}()
	if set.session.History != nil && set.session.elsewhere == nil && !set.how.Holds {
		set.session.parks = cmp.Or(set.how.parks, usualParks())
	}
	set.grace = set.given.Grace
	if set.how.HTTP { // runs get half of the grace to finish, and the server itself waits for the rest
		set.grace = set.how.HTTPGrace
		set.session.endRuns(ctx, set.grace/2, 0)
	} else { // the client has gone
		set.session.endRuns(ctx, 0, set.grace)
	}
	set.mounts = map[string]*mount{}
	if set.given.Graphs != nil && set.how.Resume && set.session.History != nil {
		set.looking = &resumers{set: set, store: set.session.History}
	}
	if set.how.Together {
		set.union = &union{set: set, parts: map[string]part{}}
	}
	for i, m := range mounts {
		if m.broken != nil {
			set.rejected(m)
			set.mounts[m.Name] = m
			continue
		}
		var l *Loaded
		if l, err = set.session.Use(projects[i]); err == nil {
			err = set.begin(ctx, m, l)
		}
		if err != nil {
			return err
		}
	}
	if set.union != nil {
		err = set.union.open()
	}
	if err != nil {
		return err
	}
	if set.looking != nil {
		set.stop = append(set.stop, set.looking.start(ctx))
	}
	if set.session.parks != nil {
		u := &unparker{set: set, store: set.session.History, parks: set.session.parks}
		set.stop = append(set.stop, u.start(ctx))
	}
	return nil
}

// joined returns what is wrong with several files: the diagnostics of all, or else the errors.
func joined(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
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

// begin serves a graph file for the first time. set.mu is held, or the set is not shared yet.
func (set *fileSet) begin(ctx context.Context, m *mount, l *Loaded) error {
	l.warn()
	if err := m.open(ctx, l, set.how, set.union); err != nil {
		m.current.Store(nil)
		m.srv = nil
		l.Release()
		return err
	}
	if l.fleet != nil {
		m.stop = append(m.stop, l.fleet.serves(m.srv))
	}
	if err := set.resumes(ctx, m); err != nil {
		return err
	}
	set.mounts[m.Name] = m
	if set.site != nil {
		set.site.Put(pathOf(m.Name), m.srv)
	}
	return nil
}

// resumes begins to resume the parked runs of the current version of a file, with Resume also the interrupted ones.
func (set *fileSet) resumes(ctx context.Context, m *mount) error {
	if !set.how.Resume && set.session.parks == nil {
		return nil
	}
	resuming, err := set.session.Use(m.current.Load().Project)
	if err != nil {
		return err
	}
	if !set.how.Resume { // parked runs get servers when they go on
		resuming.Release()
	}
	if m.resumer != nil { // the file has changed
		m.resumer.use(resuming)
		return nil
	}
	m.resumer = newResumer(resuming, set.grace)
	m.resumer.called, m.resumer.parked = set.looking != nil, !set.how.Resume
	m.stop = append(m.stop, m.resumer.start(ctx))
	return nil
}

// end serves a file no more. Its calls in flight go on. set.mu is held.
func (set *fileSet) end(m *mount) {
	delete(set.mounts, m.Name)
	if set.site != nil {
		set.site.Remove(pathOf(m.Name))
	}
	l := m.current.Load()
	if l == nil {
		return
	}
	if set.union != nil {
		set.union.remove(m)
	}
	l.offering.stop()
	ended, err := m.srv.Replace(nil, l.File.Secrets)
	if err == nil {
		l.releaseAfter(ended)
	}
	for _, stop := range m.stop {
		set.session.waiting.Go(stop) // those of resumed runs wait for these
	}
	l.Log.Info("the graph file is gone; it is not served any more", "file", m.Path)
}

// stopResuming ends what ends with the files, and waits for it.
func (set *fileSet) stopResuming() {
	for _, stop := range set.stop {
		stop()
	}
	set.mu.Lock()
	defer set.mu.Unlock()
	for _, m := range set.mounts {
		for _, stop := range slices.Backward(m.stop) {
			stop()
		}
	}
}

// refresh serves the files as they are now.
func (set *fileSet) refresh(ctx context.Context) {
	files, err := set.files()
	if err != nil {
		set.session.Log.Error("the graph files cannot be listed; serving those that were there", "error", err)
		return
	}
	set.mu.Lock()
	defer set.mu.Unlock()
	for _, m := range set.mounts { // one that does not look like a graph file any more has errors
		if _, err := os.Stat(m.Path); err == nil && !slices.ContainsFunc(files, func(f GraphFile) bool { return f.Name == m.Name }) {
			files = append(files, m.GraphFile)
		}
	}
	gone := maps.Clone(set.mounts)
	for _, f := range files {
		delete(gone, f.Name)
		m := set.mounts[f.Name]
		now := fingerprintOf(set.given.filesOf(f.Path))
		if m != nil && m.print == now && m.Path == f.Path {
			continue
		}
		if m == nil {
			m = &mount{GraphFile: f}
		}
		m.GraphFile, m.print = f, now
		if m.broken = set.load(ctx, m); ctx.Err() != nil {
			return
		}
		set.mounts[f.Name] = m
		if m.broken != nil {
			set.rejected(m)
		}
	}
	if len(set.mounts) == len(gone) { // an only file that is gone may be saved again
		return
	}
	for _, m := range gone {
		set.end(m)
	}
}

// load takes a new version of a file into use, or a new file. set.mu is held.
func (set *fileSet) load(ctx context.Context, m *mount) error {
	next, err := set.session.load(ctx, m.Path)
	if err != nil {
		return err
	}
	served := m.current.Load()
	if served == nil {
		return set.begin(ctx, m, next)
	}
	ended, err := m.replace(ctx, next)
	if err != nil {
		next.Release()
		return err
	}
	served.releaseAfter(ended)
	return set.resumes(ctx, m)
}

// rejected logs why a version of a file is not served.
func (set *fileSet) rejected(m *mount) {
	log, err := set.session.Log, m.broken
	var found config.Diagnostics
	if errors.As(err, &found) {
		LogFindings(log, found)
		err = errors.New("the file has errors")
	}
	if m.current.Load() == nil {
		log.Error("a graph file is not served until it is valid", "file", m.Path, "error", err)
		return
	}
	log.Error("reload failed; still serving the previous version", "file", m.Path, "error", err)
}
