package tests

import (
	"bytes"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/tests/testbin"
)

// All runs are recorded, 500 or with TOOLGRAPH_SOAK=1 10,000, while other processes delete older
// ones and vacuum the store, and while one of them holds the lock until the recording fails.
func TestV17RunsBesideDeletionAndVacuum(t *testing.T) {
	t.Parallel()
	testbin.Build(t, "toolgraph") // here, and not first in a goroutine, which cannot skip the test
	runs := 500
	if os.Getenv("TOOLGRAPH_SOAK") != "" {
		runs = 10_000
	}
	dir := t.TempDir()
	keepRuns(t, dir, runs, time.Now().AddDate(0, -1, 0))
	said := &lockedBuffer{}
	store, err := sqlite.Open(dir, journal.Options{Logger: slog.New(slog.NewTextHandler(said, nil))})
	if err != nil {
		t.Fatal(err)
	}
	var beside sync.WaitGroup
	var deletions int
	beside.Go(func() { deletions = removeRuns(t, dir) })
	j := store.Journal(nil, journal.About{File: "/graph.yaml", Server: "demo"})
	began := time.Now()
	var vacuumed <-chan struct{}
	for n := range runs {
		keepRun(t, j, fmt.Sprintf("NEW%05d", n), n, began)
		switch n % (runs / 10) {
		case 0:
			if _, err := store.Run(t.Context(), "last"); err != nil { // which writes what is waiting
				t.Fatal(err)
			}
			vacuumed = vacuum(t, store.Path())
		case min(100, runs/20): // no more than there is room for, however long it takes
			<-vacuumed
		}
		if n == runs/2+runs/20 {
			lockUntil(t, store.Path(), func() bool { return strings.Contains(said.String(), "cannot be written now") }, func() {
				keepRun(t, j, "LOCKED", n, began)
			})
		}
	}
	took := time.Since(began)
	beside.Wait()
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	t.Logf("%d runs in %v beside %d calls of runs rm and 10 vacuums; %s", runs, took, deletions, said.String())

	if store, err = sqlite.Open(dir, journal.Options{}); err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	kept, err := store.List(t.Context(), journal.Filter{Limit: -1})
	if err != nil || len(kept) != runs+1 { // and LOCKED; none of the older ones
		t.Errorf("%d runs are recorded, want %d; %v", len(kept), runs+1, err)
	}
	for _, r := range kept {
		if r.Status != journal.Finished || r.Steps != 20 || r.Lost != 0 || strings.HasPrefix(r.ID, "RUN") {
			t.Fatalf("%+v", r)
		}
	}
}

// vacuum vacuums a database, and closes the channel at the end.
func vacuum(t *testing.T, path string) <-chan struct{} {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(120000)")
		if err != nil {
			t.Error(err)
			return
		}
		defer db.Close()
		if _, err := db.Exec("VACUUM"); err != nil {
			t.Error(err)
		}
	}()
	return done
}

// removeRuns deletes the runs of last month with toolgraph runs rm, which is called again
// when the lock of others has lasted too long for it.
func removeRuns(t *testing.T, dir string) (calls int) {
	t.Helper()
	for {
		var errs bytes.Buffer
		cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), "runs", "rm", "--older-than", "7d", "--state", dir)
		cmd.Stderr = &errs
		err := cmd.Run()
		calls++
		if err == nil {
			return calls
		}
		if calls == 100 || !strings.Contains(errs.String(), "locked") {
			t.Errorf("runs rm: %v %s", err, errs.String())
			return calls
		}
	}
}

// lockUntil does something while the lock is held, and gives the lock back when something has
// come to be.
func lockUntil(t *testing.T, path string, until func() bool, do func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(120000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	do()
	eventually(t, "recording fails", until)
}
