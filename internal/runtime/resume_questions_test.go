package runtime

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/internal/project"
)

const askingGraph = `server: {name: g, version: 1.0.0}
tools:
- name: t
  nodes:
  - {id: entry, type: entry, next: sure}
  - {id: sure, type: ask, message: 'Go on?', next: again}
  - {id: again, type: ask, message: 'Really?', onError: {codes: [declined], value: no}, next: exit}
  - {id: exit, type: exit}
- name: refused
  nodes:
  - {id: entry, type: entry, next: sure}
  - {id: sure, type: ask, message: 'Go on?', onError: {codes: [no-user], value: {expr: $failure.message}}, next: exit}
  - {id: exit, type: exit}
`

func askingProject(t *testing.T) *project.Project {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g.yaml")
	if err := os.WriteFile(path, []byte(askingGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(t.Context(), path, config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// askedUser answers each question with an action; the empty one ends the connection.
type askedUser struct{ actions map[string]execution.Action }

func (u askedUser) Ask(_ context.Context, q execution.Question) (execution.Answer, error) {
	if u.actions[q.Message] == "" {
		return execution.Answer{}, execution.ErrSuspended
	}
	return execution.Answer{Action: u.actions[q.Message]}, nil
}

// resumedElsewhere resumes a run as another process does whose user answers.
func (s *sweeping) resumedElsewhere(run string, u askedUser) {
	s.t.Helper()
	other := openStore(s.t, s.state)
	if err := other.Claim(s.t.Context(), run); err != nil {
		s.t.Fatal(err)
	}
	j := other.Journal(nil, About(s.p))
	events, err := j.Load(s.t.Context(), run)
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = execution.New(nil, execution.WithJournal(j), execution.WithUser(u)).Resume(s.t.Context(), s.p.Graphs[0], events)
	if err != nil && !errors.Is(err, execution.ErrSuspended) {
		s.t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// A run that needs its user is resumed in the background up to its question, and not again for that
// question: another process can resume it at once. It waits for the next question likewise.
func TestSweepsLeaveRunsThatWait(t *testing.T) {
	p := askingProject(t)
	dir := t.TempDir()
	before := openStore(t, dir)
	(&sweeping{t: t, p: p}).begin(before, "RUN", p.Graphs[0].Hash, nil)
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	s := sweep(t, p, dir)
	look := openStore(t, s.state)
	const waitsText = "waits for an answer of its user"
	waits := func(question string, asked, logged int) {
		t.Helper()
		for range 20 * maxTries {
			s.again()
		}
		var r journal.Run
		for { // a sweep does not wait for what it has begun
			var err error
			if r, err = look.Run(t.Context(), "RUN"); err != nil {
				t.Fatal(err)
			}
			if r.Status == journal.Interrupted && r.Question != nil && r.Question.Message == question && s.log.count(waitsText) >= logged {
				break
			}
			s.again()
		}
		for range maxTries {
			s.again()
		}
		if r.Resumed != 0 {
			t.Errorf("being suspended counts as a crash: %+v", r)
		}
		if r, err := look.Run(t.Context(), "RUN"); err != nil || r.Questions != asked {
			t.Errorf("the user was asked %d times, want %d, %v:\n%s", r.Questions, asked, err, &s.log.b)
		}
		if n := s.log.count(waitsText); n != logged {
			t.Errorf("logged %d times, want %d:\n%s", n, logged, &s.log.b)
		}
	}
	waits("Go on?", 1, 1)
	s.resumedElsewhere("RUN", askedUser{map[string]execution.Action{"Go on?": execution.Accept}})
	waits("Really?", 3, 2) // the other process has asked both
	s.resumedElsewhere("RUN", askedUser{map[string]execution.Action{"Really?": execution.Decline}})
	s.stop()
	if r, err := look.Run(t.Context(), "RUN"); err != nil || r.Status != journal.Finished || r.Question != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// A run that waits for its user is read once for each question, however often it is seen: there may be many.
func TestWaitingRunIsReadOnce(t *testing.T) {
	p := askingProject(t)
	dir := t.TempDir()
	s := &sweeping{t: t, p: p, state: dir}
	before := openStore(t, dir)
	s.begin(before, "RUN", p.Graphs[0].Hash, nil)
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	s.resumedElsewhere("RUN", askedUser{})
	l := joiner(t, sweepingGraph(t), t.TempDir())
	l.Project = p
	data, err := sqlite.New(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	d := &sweptStore{Database: data, looked: make(chan struct{}, 100)}
	l.History = journal.New(d, journal.Options{})
	t.Cleanup(func() { _ = l.History.Close() })
	left, err := l.History.Interrupted(t.Context(), About(p))
	if err != nil || len(left) != 1 || left[0].Question == nil {
		t.Fatalf("%+v, %v", left, err)
	}
	r := newResumer(l, time.Minute)
	for i := range 3 {
		looks := len(d.looked)
		if r.wanted(t.Context(), left[0]) {
			t.Error("it is resumed without a user")
		}
		if n := len(d.looked) - looks; (n > 0) != (i == 0) {
			t.Errorf("the database is looked at %d times when the run is seen for the %d. time", n, i+1)
		}
	}
}
