package journal

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/tests/thorough"
)

// together records runs in one batch.
func together(t *testing.T, s *Store, runs ...[]execution.Event) {
	t.Helper()
	c, err := newCommitter(s)
	if err != nil {
		t.Fatal(err)
	}
	var batch []queued
	for _, events := range runs {
		for _, e := range events {
			batch = append(batch, newQueued(&view{store: s, about: About{File: "/x/graph.yaml", Server: "demo"}}, e))
		}
	}
	if err := c.commit(batch); err != nil {
		t.Fatal(err)
	}
}

// many returns runs, and in their middle one that has not ended and one with a long value.
func many(t *testing.T) (runs [][]execution.Event) {
	t.Helper()
	for i := range 40 {
		events := flown(fmt.Sprintf("RUN%d", i))
		switch i {
		case 17:
			events = events[:5]
		case 23:
			last := &events[len(events)-1]
			last.End = &execution.End{Value: strings.Repeat("a long value ", 10_000)}
		case 29:
			last := &events[len(events)-1]
			last.End = &execution.End{Failure: &execution.Failure{Code: execution.CodeTool, Message: "failed"}}
		}
		runs = append(runs, events)
	}
	return runs
}

func rowsOf(t *testing.T, s *Store, table string) (n int) {
	t.Helper()
	raw, err := Raw(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if err := raw.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// The runs of a batch that have ended are one row until they are read: by this process, by another
// one, when this one is killed, and when it closes the store.
func TestRunsOfABatchAreOneRow(t *testing.T) {
	want := many(t)
	for name, read := range map[string]func(t *testing.T, s, other *Store) *Store{
		"this process":    func(_ *testing.T, s, _ *Store) *Store { return s },
		"another process": func(_ *testing.T, _, other *Store) *Store { return other },
		"after its death": func(_ *testing.T, s, other *Store) *Store { Die(s); return other },
		"after its end": func(t *testing.T, s, other *Store) *Store {
			if err := s.Close(); err != nil || rowsOf(t, s, "packs") != 0 {
				t.Error("closing leaves packs", err)
			}
			return other
		},
		"followed": func(t *testing.T, s, _ *Store) *Store {
			f := FollowerOf(s, "")
			defer f.Close()
			f.begun = true
			if runs, _, err := f.Look(t.Context()); err != nil || len(runs) != 1 || len(runs[0]) != len(want) {
				t.Errorf("%d, %v", len(runs), err)
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := inStore(t, nil)
			other, err := Open(filepath.Dir(s.Path()), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			together(t, s, want...)
			if rows, packs := rowsOf(t, s, "runs"), rowsOf(t, s, "packs"); rows != 2 || packs != 1 {
				t.Fatalf("%d rows and %d packs", rows, packs)
			}
			reader := read(t, s, other)
			runs, err := reader.List(t.Context(), Filter{Limit: -1})
			if n := rowsOf(t, s, "packs"); err != nil || len(runs) < len(want) || n != 0 {
				t.Fatalf("%d runs, %d packs, %v", len(runs), n, err)
			}
			for i, events := range want {
				r, err := reader.Run(t.Context(), events[0].Run)
				if name := fmt.Sprintf("RUN%d", i); err != nil && !strings.Contains(err.Error(), "several") {
					t.Errorf("%s: %v", name, err)
				} else if err == nil && (r.Damaged != "" || r.File != "/x/graph.yaml" || r.Owner == "") {
					t.Errorf("%+v", r)
				}
				if got, err := reader.Load(t.Context(), events[0].Run); err != nil || !reflect.DeepEqual(got, events) {
					t.Errorf("%s: %d events, %v", r.ID, len(got), err)
				}
			}
		})
	}
}

// Whatever of a pack is changed, its runs are as they were recorded, or damaged; those that are lost
// leave a trace.
func TestDamagedPack(t *testing.T) {
	var want [][]execution.Event
	for i := range 16 {
		want = append(want, flown(fmt.Sprintf("RUN%d", i))[:1])
		want[i] = append(want[i], execution.Event{Kind: execution.RunFinished, Run: want[i][0].Run, Time: want[i][0].Time, End: &execution.End{Value: "out"}})
	}
	s := inStore(t, nil)
	together(t, s, want...)
	raw, err := Raw(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	var body []byte
	if err := raw.QueryRow("SELECT body FROM packs").Scan(&body); err != nil {
		t.Fatal(err)
	}
	variants := [][]byte{{}, body[:len(body)/2]}
	for at := 0; at < len(body); at += 7 * thorough.Step(20) {
		sick := bytes.Clone(body)
		sick[at] ^= 1 << (at % 8)
		variants = append(variants, sick)
	}
	for i, v := range variants {
		if _, err := raw.Exec("DELETE FROM runs; DELETE FROM packs; INSERT INTO packs (owner, runs, body) VALUES ('x', ?, ?)", len(want), v); err != nil {
			t.Fatal(err)
		}
		runs, err := s.List(t.Context(), Filter{Limit: -1})
		if err != nil {
			t.Fatal(i, err)
		}
		damaged := 0
		for _, r := range runs {
			if r.Damaged != "" {
				damaged++
				continue
			}
			var n int
			if _, err := fmt.Sscanf(r.ID, "RUN%d", &n); err != nil {
				t.Errorf("variant %d: %+v", i, r)
				continue
			}
			if got, err := s.Load(t.Context(), r.ID); err == nil && !reflect.DeepEqual(got, want[n]) {
				t.Errorf("variant %d: %s is %+v", i, r.ID, got)
			}
		}
		if damaged == 0 {
			t.Errorf("variant %d: no run of %d is damaged", i, len(runs))
		}
	}
}
