package runtime

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
)

// sweeping is a server that resumes runs when a test says so.
type sweeping struct {
	t     *testing.T
	p     *project.Project
	state string
	store *journal.Store
	ticks chan time.Time
	ended chan string   // the ids of runs that were resumed to their end
	quiet chan struct{} // closed when it takes no more runs
	log   lockedLog
	stop  func()

	resumer *resumer
}

type lockedLog struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedLog) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), text)
}

func sweepingGraph(t *testing.T) *project.Project {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g.yaml")
	if err := os.WriteFile(path, []byte(`server: {name: g, version: 1.0.0}
tools:
- name: t
  nodes:
  - {id: entry, type: entry, next: one}
  - {id: one, type: transform, transform: {expr: '1'}, next: exit}
  - {id: exit, type: exit}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(t.Context(), path, config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sweep starts such a server, which sweeps once.
func sweep(t *testing.T, p *project.Project, state string, more ...execution.Option) *sweeping {
	t.Helper()
	s := &sweeping{t: t, p: p, state: state, ticks: make(chan time.Time), ended: make(chan string, 100), quiet: make(chan struct{})}
	s.store = openStore(t, state)
	l, err := Start(t.Context(), Options{Log: Logging{To: &s.log, Level: "info"}}, p)
	if err != nil {
		t.Fatal(err)
	}
	l.History = s.store
	more = append(more, execution.WithObserver(execution.ObserverFunc(func(e execution.Event) {
		if e.End != nil {
			s.ended <- e.Run
		}
	})))
	l.options = more
	r := newResumer(l, time.Minute)
	s.resumer = r
	r.every = func() (<-chan time.Time, func()) { return s.ticks, func() { close(s.quiet) } }
	stop := r.start(t.Context())
	s.stop = sync.OnceFunc(func() {
		stop()
		l.Close()
	})
	t.Cleanup(s.stop)
	return s
}

// again returns when another sweep has begun.
func (s *sweeping) again() {
	s.t.Helper()
	select {
	case s.ticks <- time.Time{}:
	case <-time.After(time.Minute):
		s.t.Fatal("it does not sweep again")
	}
}

func (s *sweeping) wait() (run string) {
	s.t.Helper()
	select {
	case run = <-s.ended:
	case <-time.After(time.Minute):
		s.t.Fatal("no run was resumed to its end")
	}
	return run
}

func openStore(t *testing.T, state string) *journal.Store {
	t.Helper()
	store, err := sqlite.Open(state, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// begin records the beginning of a run.
func (s *sweeping) begin(store *journal.Store, run, graph string, secrets *config.Secrets) {
	s.t.Helper()
	args, err := value.Decode([]byte(`{"n": "hunter2hunter2"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	e := execution.Event{Kind: execution.RunStarted, Run: run, Time: time.Now(), Start: &execution.Start{Tool: "t", Graph: graph, Args: args}}
	if err := store.Journal(secrets, About(s.p)).Append(s.t.Context(), e); err != nil {
		s.t.Fatal(err)
	}
	if _, err := store.Run(s.t.Context(), run); err != nil {
		s.t.Fatal(err)
	}
}

// A run that is interrupted while a server serves is resumed by a later sweep, as soon as its
// process has ended and no sooner.
func TestSweepsAgain(t *testing.T) {
	p := sweepingGraph(t)
	s := sweep(t, p, t.TempDir())
	other := openStore(t, s.state)
	s.begin(other, "RUN", p.Graphs[0].Hash, nil)
	for range 3 {
		s.again()
	}
	if r, err := other.Run(t.Context(), "RUN"); err != nil || r.Status != journal.Running || len(s.ended) > 0 {
		t.Errorf("the run of a process that lives: %+v, %v", r, err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	s.again()
	s.wait()
	s.stop()
	if r, err := s.store.Run(t.Context(), "RUN"); err != nil || r.Steps != 3 || r.Status != journal.Finished {
		t.Errorf("%+v, %v", r, err)
	}
}

// Two servers that sweep at the same time resume each run once.
func TestSweepsShare(t *testing.T) {
	p := sweepingGraph(t)
	state := t.TempDir()
	a, b := sweep(t, p, state), sweep(t, p, state)
	other := openStore(t, state)
	const runs = 20
	for n := range runs {
		a.begin(other, fmt.Sprintf("RUN%02d", n), p.Graphs[0].Hash, nil)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	a.again()
	b.again()
	seen := map[string]int{}
	for range runs {
		select {
		case run := <-a.ended:
			seen[run]++
		case run := <-b.ended:
			seen[run]++
		case <-time.After(time.Minute):
			t.Fatalf("%d of %d runs were resumed", len(seen), runs)
		}
	}
	for range 2 {
		a.again()
		b.again()
	}
	a.stop()
	b.stop()
	if len(seen) != runs || len(a.ended)+len(b.ended) != 0 {
		t.Errorf("%v, and %d more", seen, len(a.ended)+len(b.ended))
	}
}

// What cannot be resumed is not tried for ever: neither by one process nor by one after
// the other.
func TestSweepsGiveUp(t *testing.T) {
	p := sweepingGraph(t)
	dir := t.TempDir()
	other, before := openStore(t, dir), &sweeping{t: t, p: p}
	before.begin(other, "CHANGED", "another graph", nil)
	before.begin(other, "SECRET", p.Graphs[0].Hash, config.NewSecrets("hunter2hunter2"))
	before.begin(other, "DEADLY", p.Graphs[0].Hash, nil)
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", other.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	// As after so many processes that died when they resumed it.
	if _, err := db.Exec(`UPDATE runs SET resumed = ? WHERE id = 'DEADLY'`, maxResumed); err != nil {
		t.Fatal(err)
	}
	s := sweep(t, p, dir)
	for end := time.Now().Add(time.Minute); s.log.count("cannot be resumed") < maxTries && time.Now().Before(end); {
		s.again() // a sweep does not wait for what the one before it began
	}
	for range 8 * maxTries {
		s.again()
	}
	s.stop()
	for text, want := range map[string]int{
		"its tool has changed or no longer exists":         1,
		"each time its process ended before the next step": 1,
	} {
		if n := s.log.count(text); n != want {
			t.Errorf("%q is logged %d times, want %d", text, n, want)
		}
	}
	if n := s.log.count("cannot be resumed"); n < maxTries || n > maxTries+maxResuming || len(s.ended) > 0 {
		t.Errorf("tried %d times, want about %d; %d runs ended:\n%s", n, maxTries, len(s.ended), &s.log.b)
	}
}

// A run that is suspended because its process ends is given back at once, although another run of that process
// keeps it.
func TestSweepsGiveBack(t *testing.T) {
	p := sweepingGraph(t)
	dir := t.TempDir()
	other, before := openStore(t, dir), &sweeping{t: t, p: p}
	free := map[string]chan struct{}{"SHORT": make(chan struct{}), "LONG": make(chan struct{})}
	for run := range free {
		before.begin(other, run, p.Graphs[0].Hash, nil)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	begun := make(chan string, len(free))
	s := sweep(t, p, dir, execution.WithObserver(execution.ObserverFunc(func(e execution.Event) {
		if e.Record != nil && e.Record.NodeID == "entry" {
			begun <- e.Run
			<-free[e.Run]
		}
	})))
	for range free {
		<-begun
	}
	go s.stop()
	<-s.quiet
	close(free["SHORT"])
	defer close(free["LONG"])
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	look := openStore(t, dir)
	for run, want := range map[string]journal.Status{"SHORT": journal.Interrupted, "LONG": journal.Running} {
		if _, err := look.Wait(ctx, run, func(r journal.Run) bool { return r.Status == want }); err != nil {
			t.Errorf("%s is not %s: %v", run, want, err)
		}
	}
}
