package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
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
	j := other.Journal(nil, aboutRuns(s.p))
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
	data, err := journal.SQLite(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	d := &sweptStore{Database: data, looked: make(chan struct{}, 100)}
	l.history = journal.New(d, journal.Options{})
	t.Cleanup(func() { _ = l.history.Close() })
	left, err := l.history.Interrupted(t.Context(), aboutRuns(p))
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

// Without a terminal, a resumed run stays interrupted at its question; --yes agrees to it, and a
// replay has the same answers.
func TestResumeWithoutTerminal(t *testing.T) {
	p := askingProject(t)
	dir := t.TempDir()
	store := openStore(t, dir)
	(&sweeping{t: t, p: p}).begin(store, "RUN", p.Graphs[0].Hash, nil)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	expect := func(want int, in string, args ...string) (text string) {
		t.Helper()
		code, out, errs := command(t, dir, strings.NewReader(""), args...)
		if code != want || !strings.Contains(out+errs, in) {
			t.Errorf("%q ended with %d: %s%s\nwant %d and %s", args, code, out, errs, want, in)
		}
		return out
	}
	for range 2 {
		expect(exitFailed, "run RUN stays interrupted, because its user has to answer first: ", "resume", "RUN")
	}
	expect(exitOK, "interrupted: Go on?", "runs", "list")
	expect(exitOK, "no runs", "runs", "list", "--status", "waiting")
	shown := expect(exitOK, "interrupted: its process ended while the run waited for its user, 1 step", "runs", "show", "RUN")
	if !strings.Contains(shown, "step 1, node sure, has waited for an answer since ") || !strings.Contains(shown, "\n  | Go on?\n") || !strings.Contains(shown, "toolgraph resume RUN\n") {
		t.Error(shown)
	}
	expect(exitOK, `"question": {`, "runs", "show", "RUN", "-f", "json")
	expect(exitOK, "{}", "resume", "RUN", "--yes")
	shown = expect(exitOK, "finished after", "runs", "show", "RUN")
	if !strings.Contains(shown, "{}  (accepted: Go on?)") || !strings.Contains(shown, "{}  (accepted: Really?)") {
		t.Error(shown)
	}
	if shown = expect(exitOK, "node \"sure\" (ask)", "runs", "show", "RUN", "--step", "1"); strings.Count(shown, "  | Go on?\n") != 3 || strings.Count(shown, "\nnot answered\n") != 2 || strings.Count(shown, "\naccepted at ") != 1 {
		t.Error(shown)
	}
	expect(exitOK, "the replay matches the recorded run: 4 steps, 0 calls and 2 questions answered from it", "replay", "RUN")
	expect(exitOK, `1`, "eval", "--run", "RUN", "--step", "2", "$count($keys($)) - 1")

	expect(exitOK, "is not a terminal", "run", "-g", p.File.Path, "refused")
	expect(exitOK, "the replay matches the recorded run: 3 steps, 0 calls and 1 question answered from it", "replay", "last")
	expect(exitFailed, "and this node asks", "run", "-g", p.File.Path, "t")
	expect(exitOK, "use a client that can ask its user", "runs", "show", "last")
	expect(exitOK, "diverge at step 2", "runs", "diff", "RUN", "last")
}

// lastingAsk is a user who does not answer while the run lives.
type lastingAsk struct{}

func (lastingAsk) Ask(ctx context.Context, _ execution.Question) (execution.Answer, error) {
	<-ctx.Done()
	return execution.Answer{}, ctx.Err()
}

// Without a terminal, the question of a run that another process has is not answered, and the run is not interrupted.
func TestResumeOfWaitingRun(t *testing.T) {
	p := askingProject(t)
	dir := t.TempDir()
	store := openStore(t, dir)
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		j := store.Journal(nil, aboutRuns(p))
		_, err := execution.New(nil, execution.WithJournal(j), execution.WithUser(lastingAsk{}), execution.WithRunID("RUN")).Run(ctx, p.Graphs[0], value.NewMap())
		ended <- err
	}()
	isWaiting := func(r journal.Run) bool { return r.Status == journal.Waiting }
	if _, err := store.Wait(t.Context(), "RUN", isWaiting); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, dir, strings.NewReader(""), "resume", "RUN")
	if code != exitFailed || !strings.Contains(errs, "run RUN waits in another process, because its user has to answer first: ") {
		t.Errorf("ended with %d: %s%s", code, out, errs)
	}
	if run, err := store.Exact(t.Context(), "RUN"); err != nil || !isWaiting(run) {
		t.Errorf("%+v, %v", run, err)
	}
	end()
	<-ended
}
