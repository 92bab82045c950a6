//go:build unix

package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

// filled returns the directory of a closed store with runs.
func filled(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, s, 1, 0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestV14Owner: a store of another user is neither read nor written, and says why.
func TestV14Owner(t *testing.T) {
	dir := filled(t)
	var log bytes.Buffer
	s, err := Open(dir, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	s.data.(*sqlite).user++ // as if the files were of another
	if _, err := s.List(t.Context(), Filter{}); err == nil || !strings.Contains(err.Error(), " belongs to user ") {
		t.Errorf("listed: %v", err)
	}
	fill(t, s, 1, 0)
	if err := s.Close(); err == nil || strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), " belongs to user ") {
		t.Errorf("%v; log: %s", err, log.String())
	}
}

// TestV14Modes: the mode of files that other users could read is changed, except for a directory with other files.
func TestV14Modes(t *testing.T) {
	for _, shared := range []bool{false, true} {
		dir := filled(t)
		modes := map[string]fs.FileMode{".": 0o755, "history.db": 0o644, "live": 0o755}
		want := map[string]fs.FileMode{".": 0o700, "history.db": 0o600, "live": 0o700}
		if shared {
			if err := os.WriteFile(filepath.Join(dir, "graph.yaml"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			want["."] = 0o755
		}
		for name, mode := range modes {
			if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if runs, err := s.List(t.Context(), Filter{}); err != nil || len(runs) != 2 {
			t.Error(runs, err)
		}
		if state, err := s.State(t.Context()); err != nil || state.Readable {
			t.Errorf("%+v %v", state, err)
		}
		for name, mode := range want {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != mode {
				t.Errorf("shared %t: %s has mode %v, want %v", shared, name, info.Mode(), mode)
			}
		}
	}
}

// TestV14LiveRemoved: a run of a process that lives is running, also when the files that
// say so were removed; a call is noted where others find it, and when the process dies the
// run is interrupted.
func TestV14LiveRemoved(t *testing.T) {
	for _, noted := range []bool{false, true} {
		dir := t.TempDir()
		alive, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer alive.Close()
		other, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		j := alive.Journal(nil, About{})
		if err := j.Append(t.Context(), execution.Event{Kind: execution.RunStarted, Run: "RUN", Time: at, Start: &execution.Start{Tool: "tool", Args: "args"}}); err != nil {
			t.Fatal(err)
		}
		status := func(s *Store, want Status) {
			t.Helper()
			if r, err := s.Run(t.Context(), "RUN"); err != nil || r.Status != want {
				t.Errorf("noted %t: %s, want %s, %v", noted, r.Status, want, err)
			}
		}
		status(alive, Running)
		if err := os.RemoveAll(leaseDir(dir)); err != nil {
			t.Fatal(err)
		}
		status(other, Running)
		status(alive, Running)
		if noted {
			visit := &execution.Visit{NodeID: "call", NodeType: config.MCPNode, Server: "mail", Tool: "send"}
			call := execution.Event{Kind: execution.CallStarted, Run: "RUN", Time: at, Step: visit, Sync: true}
			if !alive.writer.note(call, wholeNote) {
				t.Error("the call is not noted")
			}
			status(other, Running)
		}
		Die(alive)
		status(other, Interrupted)
		all, err := other.Load(t.Context(), "RUN")
		if last := all[len(all)-1]; err != nil || noted != (last.Kind == execution.CallStarted) {
			t.Errorf("noted %t: the last event is %+v, %v", noted, last, err)
		}
	}
}

// TestV14Reserve: when the disk is full, deleting gets the room of the reserve, which is
// there again in the end.
func TestV14Reserve(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fill(t, s, 1, 40)
	db, err := s.reader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data := s.data.(*sqlite)
	data.reserve()
	path := filepath.Join(dir, reserveName)
	if size := sizeOfFile(path); size < reserveLeast || size < sizeOfFile(s.Path()) {
		t.Errorf("the reserve of %d bytes has %d", sizeOfFile(s.Path()), size)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "PRAGMA max_page_count = 1"); err != nil { // as many as there are
		t.Fatal(err)
	}
	_, full := conn.ExecContext(t.Context(), "INSERT INTO spills (run, id, body) VALUES (9, 9, zeroblob(1000000))")
	tried := 0
	n, err := s.deleting(t.Context(), func(_ executor, step stepper) (int, error) {
		if tried++; tried == 1 {
			return 1, full
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Error("the reserve is not given up")
		}
		return deleteNamed(t.Context(), step, []string{"LONG", "SHORT0000"})
	})
	if n != 3 || err != nil || tried != 2 {
		t.Errorf("%d deleted in %d attempts, %v", n, tried, err)
	}
	if sizeOfFile(path) < reserveLeast {
		t.Error("the reserve is not there again")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for _, reserved := range []bool{false, true} {
		if reserved {
			data.reserve()
		}
		if _, err := s.deleting(t.Context(), func(executor, stepper) (int, error) { return 0, full }); err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("with a reserve %t: %v", reserved, err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
