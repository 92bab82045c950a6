package journal_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
)

func ids(runs []journal.Run) (all []string) {
	for _, r := range runs {
		all = append(all, r.ID)
	}
	return all
}

// Filters select, the newest come first, and pages follow each other.
func TestList(t *testing.T) {
	s := open(t, journal.Options{})
	a, b := s.Journal(nil, journal.About{File: "/a.yaml"}), s.Journal(nil, journal.About{File: "/b.yaml"})
	write(t, a, "AAA1", decode(t, `{"city":"Köln"}`), "out")
	write(t, b, "AAB2", nil, "out")
	later := events("BBB3", nil, "out")
	for i := range later {
		later[i].Time = later[i].Time.Add(time.Hour)
	}
	later[0].Start.Tool = "other"
	later[4].End = &execution.End{Failure: &execution.Failure{Code: execution.CodeCancelled, Message: "the run was cancelled"}}
	for _, e := range later {
		if err := a.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Append(t.Context(), events("CCC4", nil, nil)[0]); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		filter journal.Filter
		want   string
	}{
		{journal.Filter{}, "[CCC4 BBB3 AAB2 AAA1]"},
		{journal.Filter{Limit: 2}, "[CCC4 BBB3]"},
		{journal.Filter{Limit: 2, Before: "BBB3"}, "[AAB2 AAA1]"},
		{journal.Filter{Tool: "other"}, "[BBB3]"},
		{journal.Filter{Status: journal.Cancelled}, "[BBB3]"},
		{journal.Filter{Status: journal.Running}, "[CCC4]"},
		{journal.Filter{File: "/b.yaml"}, "[AAB2]"},
		{journal.Filter{Text: "köln"}, "[AAA1]"},
		{journal.Filter{Text: "CANCELLED"}, "[BBB3]"},
		{journal.Filter{Since: began.Add(time.Minute)}, "[BBB3]"},
		{journal.Filter{Until: began.Add(time.Minute), Tool: "tool"}, "[CCC4 AAB2 AAA1]"},
		{journal.Filter{Tool: "' OR 1=1 --"}, "[]"},
	} {
		runs, err := s.List(t.Context(), c.filter)
		if got := fmt.Sprint(ids(runs)); err != nil || got != c.want {
			t.Errorf("%+v: got %s, want %s (%v)", c.filter, got, c.want, err)
		}
	}
	for id, want := range map[string]string{"AAA1": "AAA1", "B": "BBB3", "last": "CCC4"} {
		if r, err := s.Run(t.Context(), id); err != nil || r.ID != want {
			t.Errorf("%s: %s, %v", id, r.ID, err)
		}
	}
	if _, err := s.Run(t.Context(), "AA"); err == nil || !strings.Contains(err.Error(), "AAA1 (tool, ") {
		t.Error(err)
	}
	for _, id := range []string{"X", "", "%", "aaa1"} {
		if _, err := s.Run(t.Context(), id); !errors.Is(err, journal.ErrNotFound) && id != "" {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// What is out of bounds is deleted, the oldest first, and never what is running.
func TestRetention(t *testing.T) {
	s := open(t, journal.Options{})
	j := s.Journal(nil, journal.About{})
	if err := j.Append(t.Context(), events("RUNNING", nil, nil)[0]); err != nil {
		t.Fatal(err)
	}
	for i := range 250 {
		write(t, j, fmt.Sprintf("RUN%03d", i), nil, "out")
	}
	left := func() []string {
		runs, err := s.List(t.Context(), journal.Filter{Limit: -1})
		if err != nil {
			t.Fatal(err)
		}
		return ids(runs)
	}
	if n, err := s.Prune(t.Context(), journal.Retention{}); n != 0 || err != nil {
		t.Error(n, err)
	}
	if n, err := s.Prune(t.Context(), journal.Retention{MaxRuns: 100}); n != 150 || err != nil {
		t.Error(n, err)
	}
	if got := left(); len(got) != 101 || got[99] != "RUN150" || got[100] != "RUNNING" {
		t.Error(len(got), got)
	}
	r, err := s.Run(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.Prune(t.Context(), journal.Retention{MaxBytes: 10 * r.Bytes}); n != 90 || err != nil {
		t.Error(n, err)
	}
	if n, err := s.Delete(t.Context(), "RUN249", "RUN248", "RUNNING", "none"); n != 2 || err != nil {
		t.Error(n, err)
	}
	if n, err := s.Prune(t.Context(), journal.Retention{MaxAge: time.Since(began) + time.Hour}); n != 0 || err != nil {
		t.Error(n, err)
	}
	if n, err := s.Prune(t.Context(), journal.Retention{MaxAge: time.Hour}); n != 8 || err != nil {
		t.Error(n, err)
	}
	if got := left(); !slices.Equal(got, []string{"RUNNING"}) {
		t.Error(got)
	}
}

// A long run is read in parts, from any step on.
func TestLongRun(t *testing.T) {
	s := open(t, journal.Options{})
	j := s.Journal(nil, journal.About{})
	const steps = 3000
	all := events("LONG", nil, "out")
	if err := j.Append(t.Context(), all[0]); err != nil {
		t.Fatal(err)
	}
	for i := range steps {
		e := execution.Event{Kind: execution.StepFinished, Run: "LONG", Time: began, Record: &execution.Record{
			Index: i, NodeID: "n", NodeType: config.TransformNode, Start: began, End: began, Output: float64(i),
		}}
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	for _, from := range []int{0, 1, 511, 512, 1500, 2999, 3000} {
		got, err := s.Steps(t.Context(), "LONG", from, 10, 0)
		if err != nil || len(got) != min(10, steps-from) {
			t.Fatalf("from %d: %d steps, %v", from, len(got), err)
		}
		for i, step := range got {
			if step.Record.Index != from+i || string(step.Output.JSON) != fmt.Sprint(from+i) {
				t.Fatalf("from %d: %+v", from, step)
			}
		}
	}
}

// Runs that go on at the same time do not disturb each other, or those who read.
func TestManyRuns(t *testing.T) {
	s := open(t, journal.Options{})
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			j := s.Journal(nil, journal.About{})
			for k := range 10 {
				id := fmt.Sprintf("R%d-%d", i, k)
				write(t, j, id, decode(t, fmt.Sprintf(`{"i":%d}`, i)), float64(k))
				if r, err := s.Run(t.Context(), id); err != nil || r.Status != journal.Finished {
					t.Errorf("%+v %v", r, err)
				}
			}
		})
	}
	all.Wait()
	if runs, err := s.List(t.Context(), journal.Filter{Limit: -1}); err != nil || len(runs) != 200 {
		t.Error(len(runs), err)
	}
}
