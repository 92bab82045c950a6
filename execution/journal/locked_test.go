package journal_test

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// lock takes the lock that writing needs, as another process does; the result gives it back.
func lock(t *testing.T, s *journal.Store) (unlock func()) {
	t.Helper()
	db, err := journal.Raw(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := db.Close(); err != nil { // which ends the transaction
			t.Error(err)
		}
	}
}

// paced is a store with a recorded run, whose attempts to write a test paces.
func paced(t *testing.T, opts journal.Options) (*journal.Store, journal.Attempts) {
	t.Helper()
	s := openAt(t, t.TempDir(), opts)
	attempts := journal.Paced(s)
	write(t, s.Journal(nil, journal.About{}), "BEFORE", decode(t, `{}`), "out")
	if _, err := s.Run(t.Context(), "BEFORE"); err != nil {
		t.Fatal(err)
	}
	return s, attempts
}

// fails waits until an attempt to write has failed.
func fails(t *testing.T, a journal.Attempts) {
	t.Helper()
	select {
	case <-a.Failed:
	case <-time.After(time.Minute):
		t.Fatal("no attempt to write failed")
	}
}

func again(t *testing.T, a journal.Attempts) {
	t.Helper()
	select {
	case a.Again <- time.Time{}:
	case <-time.After(time.Minute):
		t.Fatal("the writer does not wait for another attempt")
	}
}

// release lets attempts fail until an event that waits for one is released, and gives its
// error. Before and after it the writer waits for another attempt.
func release(t *testing.T, a journal.Attempts, appended <-chan error) error {
	t.Helper()
	hung := time.After(time.Minute)
	for {
		select {
		case err := <-appended:
			return err
		case a.Again <- time.Time{}:
			fails(t, a)
		case <-hung:
			t.Fatal("the event waits for the store")
		}
	}
}

func appendAll(t *testing.T, j execution.Journal, all []execution.Event) {
	t.Helper()
	for _, e := range all {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// unsafe is the beginning of a call that is not safe to repeat, of the step of a run.
func unsafe(run string, step int) execution.Event {
	visit := execution.Visit{Index: step, NodeID: "call", NodeType: config.MCPNode, Server: "mail", Tool: "send"}
	return execution.Event{Kind: execution.CallStarted, Run: run, Time: began, Step: &visit, Sync: true}
}

// A store that another process has locked delays the recording and loses nothing: neither
// of a run that has begun nor of one that begins meanwhile.
func TestV17LockedStore(t *testing.T) {
	var log bytes.Buffer
	s, attempts := paced(t, journal.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	j := s.Journal(nil, journal.About{})
	begun := events("BEGUN", decode(t, `{}`), "out")
	appendAll(t, j, begun[:2])
	if _, err := s.Run(t.Context(), "BEGUN"); err != nil {
		t.Fatal(err)
	}
	unlock := lock(t, s)
	appendAll(t, j, begun[2:])
	write(t, j, "DURING", decode(t, `{}`), "out")
	for range 5 {
		fails(t, attempts)
		again(t, attempts)
	}
	fails(t, attempts)
	unlock()
	again(t, attempts)
	write(t, j, "LATEST", decode(t, `{}`), "out")
	sizes := map[int64]bool{}
	for _, id := range []string{"BEFORE", "BEGUN", "DURING", "LATEST"} {
		loaded, err := j.Load(t.Context(), id)
		if err != nil || len(loaded) != 5 {
			t.Errorf("%s: %d events, %v", id, len(loaded), err)
		}
		r, err := s.Run(t.Context(), id)
		if err != nil || r.Status != journal.Finished || r.Lost != 0 {
			t.Errorf("%+v, %v", r, err)
		}
		if id != "BEGUN" { // which has one chunk more
			sizes[r.Bytes] = true
		}
	}
	if len(sizes) != 1 {
		t.Errorf("runs of the same size take %v bytes", sizes)
	}
	for _, said := range []string{"run history cannot be written now", "run history is written again", "run history is disabled"} {
		if n := strings.Count(log.String(), said); n != 1 && (said != "run history is disabled" || n != 0) {
			t.Errorf("the log has %q %d times:\n%s", said, n, &log)
		}
	}
}

var large = strings.Repeat("x", 10_000)

// steps of a large value are twice as many as the queue has room for.
const steps = 2 * journal.QueueMost / (4 * 10_000)

// step is a step of the run LONG.
func step(n int, text string) execution.Event {
	at := began.Add(time.Duration(n) * time.Millisecond)
	return execution.Event{Kind: execution.StepFinished, Run: "LONG", Time: at, Record: &execution.Record{
		Index: n, NodeID: "make", NodeType: config.TransformNode, Start: at, End: at, Output: text, Bytes: len(text) + 2,
	}}
}

// A run waits for room in the queue while a lock is short, and loses nothing.
// What finds no room in the queue while the store is locked is lost, and nothing waits for
// it; the run says how much, and is not resumed. Its end is recorded all the same.
// While the store is locked, a call that is not safe to repeat is made once it is noted in
// the lease: also when it is the first that its process does, with arguments of any length.
// Where it can be noted nowhere, it is not made.
func TestV17CallsWhileLocked(t *testing.T) {
	s, attempts := paced(t, journal.Options{})
	j := s.Journal(nil, journal.About{})
	known := events("KNOWN", decode(t, `{}`), "out")
	appendAll(t, j, known[:2])
	if _, err := s.Run(t.Context(), "KNOWN"); err != nil {
		t.Fatal(err)
	}
	unlock := lock(t, s)
	appendAll(t, j, []execution.Event{unsafe("KNOWN", 1)}) // before any attempt was made

	long := map[string]any{"text": strings.Repeat("long ", 1000)}
	appendAll(t, j, events("LONG", long, "out")[:2])
	appended := make(chan error)
	go func() { appended <- j.Append(t.Context(), unsafe("LONG", 1)) }()
	fails(t, attempts)
	if err := release(t, attempts, appended); err != nil {
		t.Error(err)
	}

	if err := journal.BreakLease(s); err != nil {
		t.Fatal(err)
	}
	go func() { appended <- j.Append(t.Context(), unsafe("KNOWN", 2)) }()
	if err := release(t, attempts, appended); err == nil || !strings.Contains(err.Error(), "not safe to repeat") || !strings.Contains(err.Error(), "locked") {
		t.Errorf("a call that is noted nowhere: %v", err)
	}
	unlock()
	again(t, attempts)
	if all, err := s.Load(t.Context(), "LONG"); err != nil || len(all) != 3 || encode(t, all[0].Start.Args) != encode(t, long) {
		t.Errorf("%d events, %v", len(all), err)
	}
}

// A run that has to be durable waits for the lock to end, and fails when that takes long.
func TestV17DurableWaits(t *testing.T) {
	s, attempts := paced(t, journal.Options{Durable: true})
	j := s.Journal(nil, journal.About{})
	unlock := lock(t, s)
	all := events("RUN", decode(t, `{}`), "out")
	appended := make(chan error)
	go func() { appended <- j.Append(t.Context(), all[0]) }()
	for range journal.DurableAttempts - 2 {
		fails(t, attempts)
		again(t, attempts)
	}
	fails(t, attempts)
	unlock()
	again(t, attempts)
	if err := <-appended; err != nil {
		t.Errorf("it did not wait: %v", err)
	}
	unlock = lock(t, s)
	go func() { appended <- j.Append(t.Context(), unsafe("RUN", 0)) }()
	for range journal.DurableAttempts - 1 {
		fails(t, attempts)
		again(t, attempts)
	}
	fails(t, attempts)
	if err := <-appended; err == nil || !strings.Contains(err.Error(), "--durable") || !strings.Contains(err.Error(), "locked") {
		t.Error(err)
	}
	go func() { appended <- j.Append(t.Context(), all[4]) }()
	unlock()
	again(t, attempts)
	if err := <-appended; err != nil {
		t.Error(err)
	}
	if r, err := s.Run(t.Context(), "RUN"); err != nil || r.Status != journal.Finished {
		t.Errorf("%+v, %v", r, err)
	}
}

// A store that is closed while it is locked says so, and leaves its notes for the next
// process: a call that was made is known.
func TestV17ClosedWhileLocked(t *testing.T) {
	s, attempts := paced(t, journal.Options{})
	j := s.Journal(nil, journal.About{})
	appendAll(t, j, events("RUN", decode(t, `{}`), "out")[:3])
	if _, err := s.Run(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	unlock := lock(t, s)
	appendAll(t, j, []execution.Event{unsafe("RUN", 2)})
	fails(t, attempts)
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("closed: %v", err)
	}
	unlock()
	s = openAt(t, strings.TrimSuffix(s.Path(), "/history.db"), journal.Options{})
	all, err := s.Load(t.Context(), "RUN")
	if err != nil || len(all) != 4 || all[3].Step == nil || all[3].Step.Tool != "send" {
		t.Errorf("%+v, %v", all, err)
	}
	if live, err := os.ReadDir(strings.TrimSuffix(s.Path(), "history.db") + "live"); err != nil || len(live) != 0 {
		t.Errorf("%v, %v", live, err)
	}
}

// Reading takes no lock of the writer's: another process may hold it, from the first
// connection on and for each one that follows.
func TestV17ReadingWhileLocked(t *testing.T) {
	dir := t.TempDir()
	first := openAt(t, dir, journal.Options{})
	write(t, first.Journal(nil, journal.About{}), "BEFORE", decode(t, `{}`), "out")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, dir, journal.Options{})
	journal.Paced(s)
	unlock := lock(t, s)
	defer unlock()
	if runs, err := s.List(t.Context(), journal.Filter{}); err != nil || len(runs) != 1 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}
