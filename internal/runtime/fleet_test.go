package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/server"
)

// A process has a run once, however many of its calls have the key; messages of others reach it there,
// and those that fit nothing are ignored.
func TestLocalRun(t *testing.T) {
	s := &Session{History: openStore(t, t.TempDir()), Log: slog.New(slog.DiscardHandler)}
	f := newFleet(s)
	defer s.closers[0]()
	runs, local, isNew := f.begin(t.Context(), "RUN", "caller")
	if !isNew || localRunOf(runs) != local {
		t.Fatal("the first call does not have the run")
	}
	if _, other, isNew := f.begin(t.Context(), "RUN", "caller"); isNew || other != local {
		t.Fatal("another call has the run as well")
	}

	got := make(chan execution.Answer, 2)
	over := local.await("mark", func(a execution.Answer) { got <- a })
	for _, m := range []journal.Message{
		{Run: "RUN", Kind: kindAnswer, Body: json.RawMessage(`{"mark":"other","answer":{"action":"decline"}}`)},
		{Run: "NONE", Kind: kindAnswer, Body: json.RawMessage(`{"mark":"mark","answer":{"action":"decline"}}`)},
		{Run: "RUN", Kind: kindAnswer, Body: json.RawMessage(`[]`)},
		{Run: "RUN", Kind: "unknown"},
		{Kind: kindServer + "state", Body: json.RawMessage(`{}`)},
		{Run: "NONE", Kind: kindCancel},
		{Run: "RUN", Kind: kindAnswer, Body: json.RawMessage(`{"mark":"mark","answer":{"action":"accept","content":{"n":1}}}`)},
		{Run: "RUN", Kind: kindAnswer, Body: json.RawMessage(`{"mark":"mark","answer":{"action":"decline"}}`)}, // sent again
	} {
		f.take(m)
	}
	over()
	if a := <-got; a.Action != execution.Accept || a.Content == nil || len(got) > 0 {
		t.Errorf("the answer is %+v, and %d more", a, len(got))
	}
	if runs.Err() != nil {
		t.Fatal("the run has ended")
	}
	f.take(journal.Message{Run: "RUN", Kind: kindCancel})
	if !errors.Is(runs.Err(), context.Canceled) {
		t.Error("the run is not cancelled")
	}
	local.finish(&execution.Result{RunID: "RUN"}, nil)
	if local.over.Err() == nil || f.localRun("RUN") != nil {
		t.Error("the run has not ended")
	}
	if _, again, isNew := f.begin(t.Context(), "RUN", ""); !isNew || again == local {
		t.Error("the run cannot begin again")
	}
}

// A call whose process ends before the run that another process has gets an error with the way to its result.
func TestJoinIsLeft(t *testing.T) {
	p := sweepingGraph(t)
	dir := t.TempDir()
	(&sweeping{t: t, p: p}).begin(openStore(t, dir), "RUN", p.Graphs[0].Hash, nil)
	s := &Session{History: openStore(t, dir), Log: slog.New(slog.DiscardHandler)}
	l := &Loaded{Session: s, Project: p}
	l.fleet = newFleet(s)
	defer s.closers[0]()
	ctx, end := context.WithCancelCause(t.Context())
	end(execution.ErrSuspended)
	suspended := &execution.StepError{Run: "RUN", Err: execution.ErrSuspended}
	result, err := l.join(ctx, &joining{id: "RUN", state: leaving{&execution.Result{RunID: "RUN"}, suspended}})
	if text := WithRemedy(err).Error(); result == nil || result.RunID != "RUN" || !errors.Is(err, execution.ErrSuspended) ||
		!strings.HasSuffix(text, "toolgraph runs show RUN") || strings.Contains(text, "resume") {
		t.Errorf("%+v, %v", result, err)
	}
}

// joiner is a process with the history of a directory, in which the run RUN is interrupted.
func joiner(t *testing.T, p *project.Project, dir string) *Loaded {
	t.Helper()
	before := openStore(t, dir)
	(&sweeping{t: t, p: p}).begin(before, "RUN", p.Graphs[0].Hash, nil)
	if err := before.Release(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	l, err := Start(t.Context(), Options{}, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	l.History = openStore(t, dir)
	l.fleet = newFleet(l.Session)
	return l
}

// A call that has resumed its run has the result when others see the end.
func TestTakeOverIsRecorded(t *testing.T) {
	p := sweepingGraph(t)
	dir := t.TempDir()
	l, other := joiner(t, p, dir), openStore(t, dir)
	result, err := l.join(t.Context(), &joining{id: "RUN"})
	if err != nil || result.Value != 1.0 {
		t.Errorf("%+v, %v", result, err)
	}
	if r, err := other.Exact(t.Context(), "RUN"); err != nil || r.Status != journal.Finished {
		t.Errorf("%+v, %v", r, err)
	}
}

// While this process has a run, its calls get the end from there, and not those of another client or with
// other arguments.
func TestJoinOfLocalRun(t *testing.T) {
	l := joiner(t, sweepingGraph(t), t.TempDir())
	_, local, _ := l.fleet.begin(t.Context(), "RUN", "caller")
	local.result = &execution.Result{RunID: "RUN"}
	local.end() // it finishes later, so that both calls find it
	defer local.finish(nil, nil)
	if result, err := l.join(t.Context(), &joining{id: "RUN", identity: identity{caller: "caller", refused: errKeyUsed}}); result != local.result || err != nil {
		t.Errorf("%+v, %v", result, err)
	}
	if result, err := l.join(t.Context(), &joining{id: "RUN", identity: identity{caller: "other", refused: errKeyUsed}}); !errors.Is(err, errKeyUsed) {
		t.Errorf("another call: %+v, %v", result, err)
	}
}

// sweptStore is a database that reports each look at it.
type sweptStore struct {
	journal.Database
	looked chan struct{}
}

func (d *sweptStore) Sweep(ctx context.Context) error {
	select {
	case d.looked <- struct{}{}:
	default:
	}
	return d.Database.Sweep(ctx)
}

// A call that joins a run which is interrupted in the history while this process still has it waits for the end of
// that, and does not look again and again.
func TestJoinOfLostRun(t *testing.T) {
	dir := t.TempDir()
	l := joiner(t, sweepingGraph(t), dir)
	data, err := sqlite.New(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	d := &sweptStore{Database: data, looked: make(chan struct{})}
	l.History = journal.New(d, journal.Options{})
	t.Cleanup(func() { _ = l.History.Close() })
	_, local, _ := l.fleet.begin(t.Context(), "RUN", "")
	type news struct {
		finished *localRun
		err      error
	}
	got := make(chan news, 1)
	go func() {
		_, finished, err := l.news(t.Context(), &joining{id: "RUN"})
		got <- news{finished, err}
	}()
	<-d.looked
	select {
	case n := <-got:
		t.Fatalf("there are news although nothing has happened: %+v", n)
	case <-time.After(100 * time.Millisecond):
	}
	local.finish(&execution.Result{RunID: "RUN"}, nil)
	if n := <-got; n.finished != local || n.err != nil {
		t.Errorf("%+v", n)
	}
}

// lateClaim is a database whose first claim waits.
type lateClaim struct {
	journal.Database
	first       sync.Once
	asked, free chan struct{}
}

func (d *lateClaim) Process(ctx context.Context) (journal.Process, error) {
	d.first.Do(func() { close(d.asked) })
	<-d.free
	return d.Database.Process(ctx)
}

// Two calls join an interrupted run, and a process is faster than the one that resumes it: the other one
// looks for itself as well.
func TestTakeOverTooLate(t *testing.T) {
	p := sweepingGraph(t)
	dir := t.TempDir()
	l, other := joiner(t, p, dir), openStore(t, dir)
	seen, err := l.History.Exact(t.Context(), "RUN")
	if err == nil {
		err = other.Claim(t.Context(), "RUN")
	}
	if err != nil {
		t.Fatal(err)
	}
	d := &lateClaim{asked: make(chan struct{}), free: make(chan struct{})}
	if d.Database, err = sqlite.New(dir, false); err != nil {
		t.Fatal(err)
	}
	l.History = journal.New(d, journal.Options{})
	t.Cleanup(func() { _ = l.History.Close() })
	ended := make(chan bool, 1)
	go func() {
		result, err, end := l.takeOver(t.Context(), &joining{id: "RUN", leave: func() {}}, seen)
		ended <- result != nil || err != nil || end
	}()
	select {
	case <-d.asked:
	case <-ended:
		t.Fatal("it does not claim the run")
	}
	local := l.fleet.localRun("RUN")
	close(d.free)
	if <-ended {
		t.Error("the call does not go on")
	}
	if local.result != nil || local.err != nil {
		t.Errorf("others get %+v, %v", local.result, local.err)
	}
}

// A call that joins a run reports its steps while another process makes it, and gets its end.
func TestJoinReportsSteps(t *testing.T) {
	p := sweepingGraph(t)
	dir := t.TempDir()
	l := joiner(t, p, dir)
	j := openStore(t, dir).Journal(nil, About(p))
	steps := make(chan string, 10)
	there := make(chan error, 1)
	go func() {
		first := execution.ObserverFunc(func(e execution.Event) {
			if e.Record != nil && e.Record.NodeID == "one" {
				if node := <-steps; node != "entry" {
					t.Errorf("the first step is %s", node)
				}
			}
		})
		_, err := execution.New(nil, execution.WithJournal(j), execution.WithObserver(first), execution.WithRunID("NEW"), execution.WithCaller("", true)).
			Run(t.Context(), p.Graphs[0], value.NewObject(nil, nil))
		there <- err
	}()
	report := newReporter(server.Watch{Step: func(node string, _ int) { steps <- node }})
	result, err := l.join(t.Context(), &joining{id: "NEW", report: report})
	if err != nil || result.Value != 1.0 {
		t.Errorf("%+v, %v", result, err)
	}
	if err := <-there; err != nil {
		t.Error(err)
	}
	if len(steps) != 2 { // all before the end
		t.Errorf("%d more steps, want 2", len(steps))
	}
}

// lockedAtEnd is a database that is locked when the end of a run is written.
type lockedAtEnd struct {
	journal.Database
	locked atomic.Bool
}

var errLocked = errors.New("the database is locked")

func (d *lockedAtEnd) Write(ctx context.Context, batch []*journal.Pending) error {
	if d.locked.Load() && slices.ContainsFunc(batch, func(p *journal.Pending) bool { return p.Ended > 0 }) {
		return errLocked
	}
	return d.Database.Write(ctx, batch)
}

func (d *lockedAtEnd) Trouble(err error) journal.Trouble {
	if errors.Is(err, errLocked) {
		return journal.Locked
	}
	return d.Database.Trouble(err)
}

// A call whose end cannot be recorded is to be made again, and gets the result when it is recorded.
func TestCallIsMadeAgain(t *testing.T) {
	p := sweepingGraph(t)
	for name, call := range map[string]func(*Loaded) (*execution.Result, error){
		"of its own": func(l *Loaded) (*execution.Result, error) {
			ctx := server.WithCalled(t.Context(), server.Called{Key: "key"})
			return l.answerCall(ctx, l.Engine(), p.Graphs[0], value.NewObject(nil, nil), nil)
		},
		"resumed": func(l *Loaded) (*execution.Result, error) { return l.join(t.Context(), &joining{id: "RUN"}) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			l := joiner(t, p, dir)
			d := &lockedAtEnd{}
			var err error
			if d.Database, err = sqlite.New(dir, false); err != nil {
				t.Fatal(err)
			}
			l.History = journal.New(d, journal.Options{})
			t.Cleanup(func() { _ = l.History.Close() })
			d.locked.Store(true)
			result, err := call(l)
			if again := new(server.AgainError); !errors.As(err, &again) || result != nil {
				t.Errorf("while the end is not recorded: %+v, %v", result, err)
			}
			d.locked.Store(false)
			if result, err = call(l); err != nil || result.Value != 1.0 {
				t.Errorf("later: %+v, %v", result, err)
			}
		})
	}
}
