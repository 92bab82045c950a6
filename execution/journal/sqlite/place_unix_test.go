//go:build unix

package sqlite

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// fill writes short runs, and one of a number of steps with long values.
func fill(t *testing.T, s *journal.Store, short, long int) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	j := s.Journal(nil, journal.About{})
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	run := func(id string, values, length int) {
		all := []execution.Event{{Kind: execution.RunStarted, Run: id, Time: at, Start: &execution.Start{Tool: "tool", Graph: "hash", Args: "args"}}}
		for i := range values {
			var text strings.Builder
			for text.Len() < length {
				fmt.Fprintf(&text, "%016x", random.Uint64())
			}
			all = append(all, execution.Event{Kind: execution.StepFinished, Run: id, Time: at, Record: &execution.Record{
				Index: i, NodeID: "n", NodeType: config.TransformNode, Start: at, End: at, Output: text.String(),
			}})
		}
		for _, e := range append(all, execution.Event{Kind: execution.RunFinished, Run: id, Time: at, End: &execution.End{Value: "end"}}) {
			if err := j.Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range short {
		run(fmt.Sprintf("SHORT%04d", i), 1, 2000)
	}
	run("LONG", long, 60_000)
}

// filled returns the directory of a closed store with runs.
func filled(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(dir, journal.Options{})
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
	data := newDatabase(dir, false)
	data.user++ // as if the files were of another
	s := journal.New(data, journal.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if _, err := s.List(t.Context(), journal.Filter{}); err == nil || !strings.Contains(err.Error(), " belongs to user ") {
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
		s, err := Open(dir, journal.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if runs, err := s.List(t.Context(), journal.Filter{}); err != nil || len(runs) != 2 {
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
		data := newDatabase(dir, false)
		alive := journal.New(data, journal.Options{})
		defer alive.Close()
		other, err := Open(dir, journal.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		j := alive.Journal(nil, journal.About{})
		if err := j.Append(t.Context(), execution.Event{Kind: execution.RunStarted, Run: "RUN", Time: at, Start: &execution.Start{Tool: "tool", Args: "args"}}); err != nil {
			t.Fatal(err)
		}
		status := func(s *journal.Store, want journal.Status) {
			t.Helper()
			if r, err := s.Run(t.Context(), "RUN"); err != nil || r.Status != want {
				t.Errorf("noted %t: %s, want %s, %v", noted, r.Status, want, err)
			}
		}
		status(alive, journal.Running)
		if err := os.RemoveAll(leaseDir(dir)); err != nil {
			t.Fatal(err)
		}
		status(other, journal.Running)
		status(alive, journal.Running)
		if noted {
			visit := &execution.Visit{NodeID: "call", NodeType: config.MCPNode, Server: "mail", Tool: "send"}
			call := execution.Event{Kind: execution.CallStarted, Run: "RUN", Time: at, Step: visit, Sync: true}
			note, err := json.Marshal(journal.Note{Event: call})
			if err != nil || !data.Note("RUN", journal.NoteName{At: visit.At(), Attempt: 1}, note) {
				t.Error("the call is not noted", err)
			}
			status(other, journal.Running)
		}
		if err := data.Close(false); err != nil { // as the end of the process does it
			t.Error(err)
		}
		status(other, journal.Interrupted)
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
	data := newDatabase(dir, false)
	s := journal.New(data, journal.Options{})
	defer s.Close()
	fill(t, s, 1, 40)
	if runs, err := s.List(t.Context(), journal.Filter{}); err != nil || len(runs) != 2 { // which writes all
		t.Fatal(runs, err)
	}
	db, err := data.Open(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
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
	n, err := data.Deleting(t.Context(), func(db *sql.DB) (int, error) {
		if tried++; tried == 1 {
			return 1, full
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Error("the reserve is not given up")
		}
		done, err := db.ExecContext(t.Context(), "DELETE FROM runs")
		if err != nil {
			return 0, err
		}
		rows, err := done.RowsAffected()
		return int(rows), err
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
		if _, err := data.Deleting(t.Context(), func(*sql.DB) (int, error) { return 0, full }); err == nil || !strings.Contains(data.Explain(err).Error(), "the disk is full") {
			t.Errorf("with a reserve %t: %v", reserved, err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
