package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/tests/pgtest"
)

// both runs a test over SQLite and Postgres; open opens the same store each time.
func both(t *testing.T, test func(t *testing.T, open func(journal.Options) *journal.Store)) {
	t.Helper()
	opener := func(t *testing.T, open func(string, journal.Options) (*journal.Store, error), place string) func(journal.Options) *journal.Store {
		t.Helper()
		return func(opts journal.Options) *journal.Store {
			s, err := open(place, opts)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			return s
		}
	}
	t.Run("SQLite", func(t *testing.T) { test(t, opener(t, journal.Open, t.TempDir())) })
	t.Run("Postgres", func(t *testing.T) { test(t, opener(t, postgres.Open, pgtest.URL(t))) })
}

// The run list says which process has a run, and others see the processes that serve.
func TestProcesses(t *testing.T) {
	both(t, func(t *testing.T, open func(journal.Options) *journal.Store) {
		a, b := open(journal.Options{}), open(journal.Options{})
		if all, err := b.Processes(t.Context()); err != nil || len(all) != 0 {
			t.Fatal(all, err)
		}
		if err := a.Announce(t.Context(), "http://127.0.0.1:8080", false); err != nil {
			t.Fatal(err)
		}
		me, err := a.Process(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all, err := b.Processes(t.Context())
		if err != nil || len(all) != 1 || all[0].Name != me.Name || all[0].PID != os.Getpid() || all[0].Host == "" ||
			all[0].Address != "http://127.0.0.1:8080" || all[0].Draining || time.Since(all[0].Started) > time.Hour {
			t.Fatalf("%+v, %v", all, err)
		}
		if err := a.Announce(t.Context(), "http://127.0.0.1:8080", true); err != nil {
			t.Fatal(err)
		}
		if all, err := b.Processes(t.Context()); err != nil || len(all) != 1 || !all[0].Draining {
			t.Fatalf("%+v, %v", all, err)
		}
		j := a.Journal(nil, journal.About{})
		for _, e := range events("RUN", "in", "out")[:2] {
			if err := j.Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := a.Run(t.Context(), "RUN"); err != nil { // it is written now
			t.Fatal(err)
		}
		r, err := b.Run(t.Context(), "RUN")
		if err != nil || r.Owner != me.Name || r.Process == nil || r.Process.PID != os.Getpid() || r.Process.Host != me.Host {
			t.Errorf("%+v, %v", r, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if all, err := b.Processes(t.Context()); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
		if r, err = b.Run(t.Context(), "RUN"); err != nil || r.Status != journal.Interrupted || r.Process != nil {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// A message reaches the process that it is for, once, also when it was sent before that one receives.
func TestMail(t *testing.T) {
	both(t, func(t *testing.T, open func(journal.Options) *journal.Store) {
		a, b := open(journal.Options{}), open(journal.Options{})
		me, err := a.Process(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		other, err := b.Process(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		short, _, _ := strings.Cut(me.Name, ".")
		send := func(to, run string) {
			t.Helper()
			if err := b.Send(t.Context(), to, journal.Message{Run: run, Kind: "answer", Body: json.RawMessage(`{"z":"\u0000","a":1}`)}); err != nil {
				t.Fatal(err)
			}
		}
		send(me.Name, "1")
		send(other.Name, "not for a")
		send(short, "2")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var got []string
		err = a.Receive(ctx, func(m journal.Message) {
			if m.Kind != "answer" || string(m.Body) != `{"z":"\u0000","a":1}` {
				t.Errorf("%+v", m)
			}
			got = append(got, m.Run)
			switch m.Run {
			case "2":
				send(me.Name, "3")
			case "3":
				send(me.Name, "4")
			case "4":
				cancel()
			}
		})
		if err != nil || !slices.Equal(got, []string{"1", "2", "3", "4"}) {
			t.Errorf("%v, %v", got, err)
		}
		for _, nobody := range []string{"", "%", "nobody", short[:4], me.Name + ".x"} {
			if err := b.Send(t.Context(), nobody, journal.Message{Run: "5", Kind: "cancel"}); !errors.Is(err, journal.ErrNoProcess) {
				t.Errorf("to %q: %v", nobody, err)
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if err := b.Send(t.Context(), me.Name, journal.Message{Run: "6", Kind: "cancel"}); !errors.Is(err, journal.ErrNoProcess) {
			t.Errorf("to a process that has ended: %v", err)
		}
	})
}
