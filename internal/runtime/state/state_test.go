package state_test

import (
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/internal/runtime/state"
)

// The form of a place decides which database it is; nothing is opened yet.
func TestPlaces(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	for place, want := range map[string]string{
		dir: filepath.Join(dir, "history.db"),
		"postgres://user:secret@db.invalid:6432/runs?sslmode=require":     "postgres://user@db.invalid:6432/runs",
		"postgresql://user@db.invalid/runs?password=secret":               "postgres://user@db.invalid:5432/runs",
		"postgres://user:secret@db.invalid/runs?search_path=other":        "postgres://user@db.invalid:5432/runs?search_path=other",
		"postgres://user:secret@/runs?host=/var/run/postgresql&port=6000": "postgres://user@/runs?host=/var/run/postgresql",
	} {
		s, err := state.Open(place, journal.Options{})
		if err != nil {
			t.Errorf("%s: %v", place, err)
			continue
		}
		if s.Path() != want {
			t.Errorf("%s is %s, expected %s", place, s.Path(), want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An error about a URL never has the password in it, wherever that ended up.
func TestPasswordIsNotShown(t *testing.T) {
	for _, place := range []string{
		"mysql://user:hunter2@db.invalid/runs",
		"postgres://user:hunter2@db.invalid:port/runs",
		"postgres://user:hun/ter2@db.invalid/runs",
		"postgres://user:hun?ter2@db.invalid/runs",
		"postgres://user:hun#ter2@db.invalid/runs",
		"postgres://user:12/ter2@db.invalid/runs",
		"postgres://user:h@hun/ter2@db.invalid/runs",
		"postgres://user:hun@ter2@db.invalid/runs",
		"postgres://user:12?ter2@db.invalid/runs",
		"postgres://user:12#ter2@db.invalid/runs",
		"postgres://user@hun/ter2@db.invalid/runs",
		"postgres:/user:hunter2@db.invalid/runs",
		"postgresql:user:hunter2@db.invalid/runs",
		"host=db.invalid user=user password=hunter2 dbname=runs",
		"dbname=runs",
		"postgres://user:%zzter2@db.invalid/runs",
		"postgres://user:hunter2@db.invalid/runs?sslmode=no",
		"postgres://user:hunter2@db.invalid/runs?search_path=A,b",
		"postgres://user:hunter2@db.invalid/runs?pool_max_conns=x",
		"postgres://user@db.invalid/runs?password=hunter2&sslrootcert=/nowhere/ca.pem",
	} {
		s, err := state.Open(place, journal.Options{})
		if err == nil {
			t.Errorf("%s is accepted", place)
			_ = s.Close()
			continue
		}
		if strings.Contains(err.Error(), "ter2") || strings.Contains(err.Error(), "hun") || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%s: %v", place, err)
		}
	}
}
