package journal

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// Two processes think that they own a run, because one was taken for dead while it lives. What the
// second has written stays as it is; the first gets an error for each further event of the run,
// and its other runs are recorded.
func TestLostRunsAreNotWritten(t *testing.T) {
	all := flown("RUN")
	const cut = 4
	for name, lose := range map[string]func(t *testing.T, other *Store) (want []execution.Event){
		"interrupted": func(t *testing.T, other *Store) []execution.Event {
			if r, err := other.Run(t.Context(), "RUN"); err != nil || r.Status != Interrupted {
				t.Fatal(r.Status, err)
			}
			return all[:cut]
		},
		"claimed": func(t *testing.T, other *Store) []execution.Event {
			if err := other.Claim(t.Context(), "RUN"); err != nil {
				t.Fatal(err)
			}
			return all[:cut]
		},
		"continued": func(t *testing.T, other *Store) []execution.Event {
			if err := other.Claim(t.Context(), "RUN"); err != nil {
				t.Fatal(err)
			}
			recordAll(t, other, all[cut:cut+3])
			return all[:cut+3]
		},
		"ended": func(t *testing.T, other *Store) []execution.Event {
			if err := other.Claim(t.Context(), "RUN"); err != nil {
				t.Fatal(err)
			}
			recordAll(t, other, all[cut:])
			return all
		},
		"deleted": func(t *testing.T, other *Store) []execution.Event {
			if n, err := other.Delete(t.Context(), "RUN"); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			return nil
		},
	} {
		for _, durable := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				s, err := Open(t.TempDir(), Options{Durable: durable})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				other, err := Open(filepath.Dir(s.Path()), Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer other.Close()
				recordAll(t, s, all[:cut])
				Die(s)
				want := lose(t, other)

				j := s.Journal(nil, About{}).(*view)
				if err := j.Append(t.Context(), all[cut]); err != nil && !durable {
					t.Errorf("the queue: %v", err)
				}
				recordAll(t, s, flown("NEXT")) // in the same batch
				if err := j.Flush(t.Context(), "RUN"); !errors.Is(err, ErrTaken) || !strings.Contains(err.Error(), "RUN") {
					t.Errorf("flushed: %v", err)
				}
				for _, e := range []execution.Event{all[cut+1], all[len(all)-1]} {
					if err := j.Append(t.Context(), e); !errors.Is(err, ErrTaken) {
						t.Errorf("%s: %v", e.Kind, err)
					}
				}
				if s.writer.isTaken("RUN") {
					t.Error("the run has ended, and is not forgotten")
				}
				if got, err := other.Load(t.Context(), "NEXT"); err != nil || !reflect.DeepEqual(got, flown("NEXT")) {
					t.Errorf("another run: %v", err)
				}
				got, err := other.Load(t.Context(), "RUN")
				if want == nil && !errors.Is(err, ErrNotFound) || want != nil && (err != nil || !reflect.DeepEqual(got, want)) {
					t.Errorf("%d events, want %d: %v", len(got), len(want), err)
				}
			})
		}
	}
}

// An event that a run waits for is refused itself: no call follows it.
func TestLostRunMakesNoCall(t *testing.T) {
	s, err := Open(t.TempDir(), Options{Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f := newFlow("RUN", value.Null)
	f.call("1", 0)
	recordAll(t, s, f.events[:1])
	Die(s)
	other, err := Open(filepath.Dir(s.Path()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Interrupted(t.Context(), About{}); err != nil { // which looks for dead processes
		t.Fatal(err)
	}
	if err := s.Journal(nil, About{}).Append(t.Context(), f.events[1]); !errors.Is(err, ErrTaken) {
		t.Errorf("%s: %v", f.events[1].Kind, err)
	}
}

// A run that another process has given a row, from a note, is lost before its first event is
// written; a run that was not claimed is lost as well.
func TestRunOfAnotherProcess(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	recordAll(t, s, flown("RUN")[:3])
	for _, e := range flown("RUN")[:2] {
		other, err := Open(filepath.Dir(s.Path()), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		j := other.Journal(nil, About{}).(*view)
		if err := j.Append(t.Context(), e); err != nil {
			t.Error(e.Kind, err)
		}
		recordAll(t, other, flown("AFTER"+string(e.Kind)))
		if err := j.Flush(t.Context(), "RUN"); !errors.Is(err, ErrTaken) {
			t.Errorf("%s: %v", e.Kind, err)
		}
		if got, err := other.Load(t.Context(), "AFTER"+string(e.Kind)); err != nil || len(got) != len(flown("")) {
			t.Errorf("%d events, %v", len(got), err)
		}
	}
	if got, err := s.Load(t.Context(), "RUN"); err != nil || len(got) != 3 {
		t.Errorf("%d events, %v", len(got), err)
	}
}

// recordAll records events, which are in the database then.
func recordAll(t *testing.T, s *Store, events []execution.Event) {
	t.Helper()
	j := s.Journal(nil, About{}).(*view)
	for _, e := range events {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(e.Kind, err)
		}
	}
	if err := j.Flush(t.Context(), events[0].Run); err != nil {
		t.Fatal(err)
	}
}
