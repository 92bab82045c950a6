package journal_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/execution/journal"
)

// TestV07Header: whatever a byte of the store's header says, a run goes on; either it is
// recorded, or the log reports once that runs are not, and those who look get the reason
// and the remedy.
func TestV07Header(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join(closedStore(t), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for at := range 100 {
		for _, bits := range []byte{1, 0x80, 0xff} {
			sick := bytes.Clone(whole)
			sick[at] ^= bits
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "history.db"), sick, 0o600); err != nil {
				t.Fatal(err)
			}
			if sickStore(t, fmt.Sprintf("byte %d ^ %#x", at, bits), dir) != nil {
				refused++
			}
		}
	}
	if refused < 50 || refused > 250 {
		t.Errorf("%d of 300 stores are refused", refused)
	}
}

// TestV07Version: versions that no toolgraph writes.
func TestV07Version(t *testing.T) {
	for version, why := range map[int]string{
		-1: "is damaged (its version is -1", -1 << 31: "is damaged (its version is -2147483648", 0: "is damaged", 99: "recorded by a newer toolgraph (version 99",
	} {
		dir := closedStore(t)
		raw, err := journal.Raw(filepath.Join(dir, "history.db"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := raw.Exec(fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
			t.Fatal(err)
		}
		if err := raw.Close(); err != nil {
			t.Fatal(err)
		}
		if err := sickStore(t, fmt.Sprint("version ", version), dir); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

// TestV07File: a directory is refused; an empty file is a store without runs, as another
// process has it for a moment when it makes a new one.
func TestV07File(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "history.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := sickStore(t, "a directory", dir); err == nil || !strings.Contains(err.Error(), "is a directory, expected a file") {
		t.Error(err)
	}
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "history.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := sickStore(t, "an empty file", dir); err != nil {
		t.Error(err)
	}
	s := openAt(t, dir, journal.Options{})
	if runs, err := s.List(t.Context(), journal.Filter{}); err != nil || len(runs) != 1 {
		t.Error(runs, err)
	}
}

// closedStore is the directory of a store with one run, which no process has open.
func closedStore(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	s := openAt(t, dir, journal.Options{})
	write(t, s.Journal(nil, journal.About{File: "/x/graph.yaml"}), "OLD", decode(t, `{"n":1}`), "out")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sickStore uses a store and gives why it could not be written.
func sickStore(t *testing.T, what, dir string) error {
	t.Helper()
	var log bytes.Buffer
	s, err := journal.Open(dir, journal.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	_, listed := s.List(t.Context(), journal.Filter{})
	write(t, s.Journal(nil, journal.About{}), "NEW", nil, "out") // which no error may end
	closed := s.Close()
	lines := strings.Count(log.String(), "\n")
	switch {
	case closed == nil && (listed != nil || lines != 0):
		t.Errorf("%s: the run was recorded; list: %v; log: %s", what, listed, log.String())
	case closed != nil && lines != 1:
		t.Errorf("%s: %d lines in the log: %s", what, lines, log.String())
	}
	for _, err := range []error{listed, closed} {
		if err != nil && (!strings.Contains(err.Error(), filepath.Join(dir, "history.db")) || !strings.Contains(err.Error(), "; ")) {
			t.Errorf("%s: an error without a place or a remedy: %v", what, err)
		}
	}
	return closed
}
