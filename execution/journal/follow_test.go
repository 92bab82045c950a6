package journal_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolgraph/execution/journal"
)

// looker returns a function that looks once and describes the runs that changed.
func looker(t *testing.T, s *journal.Store, file string) (look func() string, reads func() int) {
	t.Helper()
	f := journal.FollowerOf(s, file)
	t.Cleanup(f.Close)
	n := 0
	return func() string {
		t.Helper()
		parts, count, err := f.Look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n = count
		var all []string
		for _, part := range parts {
			for _, r := range part {
				all = append(all, fmt.Sprintf("%s %s %d", r.ID, r.Status, r.Steps))
			}
		}
		return strings.Join(all, ", ")
	}, func() int { return n }
}

// A store that follows sees the runs of another one begin, continue, end, be interrupted and be
// resumed; of runs of other files and of old ones it sees nothing.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	watching := openAt(t, dir, journal.Options{})
	look, _ := looker(t, watching, "/a.yaml")
	if got := look(); got != "" {
		t.Errorf("no store: %s", got)
	}
	working := openAt(t, dir, journal.Options{})
	a, b := working.Journal(nil, journal.About{File: "/a.yaml"}), working.Journal(nil, journal.About{File: "/b.yaml"})
	flush := func() {
		t.Helper()
		if _, err := working.State(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(when, want string) {
		t.Helper()
		flush()
		if got := look(); got != want {
			t.Errorf("%s: got %q, want %q", when, got, want)
		}
	}
	write(t, a, "OLD", nil, "out")
	expect("the first run", "OLD finished 3")
	expect("nothing has happened", "")

	all := events("RUN", nil, "out")
	appendAll(t, a, all[:2])
	write(t, b, "OTHER", nil, "out")
	expect("begins", "RUN running 1")
	appendAll(t, a, all[2:4])
	expect("continues", "RUN running 3")
	write(t, a, "SHORT", nil, "out")
	appendAll(t, a, all[4:])
	expect("ends, and another one begins and ends", "RUN finished 3, SHORT finished 3")

	appendAll(t, a, events("LOST", nil, "out")[:2])
	expect("begins", "LOST running 1")
	journal.Die(working)
	if got := look(); got != "LOST interrupted 1" {
		t.Errorf("its process has died: %q", got)
	}
	if got := look(); got != "" {
		t.Errorf("and stays so: %q", got)
	}
	third := openAt(t, dir, journal.Options{})
	if err := third.Claim(t.Context(), "LOST"); err != nil {
		t.Fatal(err)
	}
	appendAll(t, third.Journal(nil, journal.About{}), events("LOST", nil, "out")[2:])
	if _, err := third.State(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := look(); got != "LOST finished 3" {
		t.Errorf("resumed and ended between two looks: %q", got)
	}
}

// The first look reports the runs in progress alone.
func TestFollowBegins(t *testing.T) {
	s := open(t, journal.Options{})
	j := s.Journal(nil, journal.About{File: "/a.yaml"})
	write(t, j, "OLD", nil, "out")
	appendAll(t, j, events("RUN", nil, "out")[:3])
	for range 2 { // the second waits for the pruning after the first
		if _, err := s.State(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	look, reads := looker(t, s, "")
	if got := look(); got != "RUN running 2" {
		t.Error(got)
	}
	before := reads()
	for range 100 {
		if got := look(); got != "" {
			t.Error(got)
		}
	}
	if reads() != before {
		t.Errorf("rows were read %d times although nothing was written", reads()-before)
	}
}

// The number of a deleted run is used again; many new runs come in parts.
func TestFollowNumbers(t *testing.T) {
	s := open(t, journal.Options{})
	j := s.Journal(nil, journal.About{File: "/a.yaml"})
	write(t, j, "FIRST", nil, "out")
	write(t, j, "SECOND", nil, "out")
	if _, err := s.State(t.Context()); err != nil {
		t.Fatal(err)
	}
	look, _ := looker(t, s, "/a.yaml")
	if got := look(); got != "" {
		t.Error(got)
	}
	if n, err := s.Delete(t.Context(), "SECOND"); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	write(t, j, "THIRD", nil, "out")
	if _, err := s.State(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := look(); got != "THIRD finished 3" {
		t.Error(got)
	}
	if n, err := s.Delete(t.Context(), "THIRD"); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if got := look(); got != "" {
		t.Error(got)
	}
	for i := range 501 {
		write(t, j, fmt.Sprintf("R%03d", i), nil, "out")
	}
	if _, err := s.State(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := look()
	if n := strings.Count(got, "finished"); n != 501 {
		t.Errorf("%d runs: %.200s", n, got)
	}
	for i := range 501 { // runs that were recorded together come in any order
		if !strings.Contains(got, fmt.Sprintf("R%03d finished 3", i)) {
			t.Errorf("run %d is missing", i)
		}
	}
}

// Follow ends with its context or its store, or with the error of the function that it calls.
func TestFollowEnds(t *testing.T) {
	s := open(t, journal.Options{})
	j := s.Journal(nil, journal.About{File: "/a.yaml"})
	appendAll(t, j, events("RUN", nil, "out")[:3])
	if _, err := s.State(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.Follow(ctx, "/a.yaml", func(runs []journal.Run) error { cancel(); return nil }); err != nil {
		t.Error(err)
	}
	stop := errors.New("stop")
	if err := s.Follow(t.Context(), "", func([]journal.Run) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
	if err := s.Follow(t.Context(), "", func([]journal.Run) error {
		go func() { _ = s.Close() }()
		return nil
	}); err != nil {
		t.Error(err)
	}
}
