package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/runtime"
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

// openStore opens the store of a directory, as a process of its own does.
func openStore(t *testing.T, state string) *journal.Store {
	t.Helper()
	store, err := sqlite.Open(state, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// beginRun records the beginning of a run of the first graph.
func beginRun(t *testing.T, store *journal.Store, p *project.Project) {
	t.Helper()
	start := &execution.Start{Tool: "t", Graph: p.Graphs[0].Hash, Args: value.NewMap()}
	e := execution.Event{Kind: execution.RunStarted, Run: "RUN", Time: time.Now(), Start: start}
	if err := store.Journal(nil, runtime.About(p)).Append(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Run(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
}

// Without a terminal, a resumed run stays interrupted at its question; --yes agrees to it, and a
// replay has the same answers.
func TestResumeWithoutTerminal(t *testing.T) {
	p := askingProject(t)
	dir := t.TempDir()
	store := openStore(t, dir)
	beginRun(t, store, p)
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
		expect(program.ExitFailed, "run RUN stays interrupted, because its user has to answer first: ", "resume", "RUN")
	}
	expect(program.ExitOK, "interrupted: Go on?", "runs", "list")
	expect(program.ExitOK, "no runs", "runs", "list", "--status", "waiting")
	shown := expect(program.ExitOK, "interrupted: its process ended while the run waited for its user, 1 step", "runs", "show", "RUN")
	if !strings.Contains(shown, "step 1, node sure, has waited for an answer since ") || !strings.Contains(shown, "\n  | Go on?\n") || !strings.Contains(shown, "toolgraph resume RUN\n") {
		t.Error(shown)
	}
	expect(program.ExitOK, `"question": {`, "runs", "show", "RUN", "-f", "json")
	expect(program.ExitOK, "{}", "resume", "RUN", "--yes")
	shown = expect(program.ExitOK, "finished after", "runs", "show", "RUN")
	if !strings.Contains(shown, "{}  (accepted: Go on?)") || !strings.Contains(shown, "{}  (accepted: Really?)") {
		t.Error(shown)
	}
	if shown = expect(program.ExitOK, "node \"sure\" (ask)", "runs", "show", "RUN", "--step", "1"); strings.Count(shown, "  | Go on?\n") != 3 || strings.Count(shown, "\nnot answered\n") != 2 || strings.Count(shown, "\naccepted at ") != 1 {
		t.Error(shown)
	}
	expect(program.ExitOK, "the replay matches the recorded run: 4 steps, 0 calls and 2 questions answered from it", "replay", "RUN")
	expect(program.ExitOK, `1`, "eval", "--run", "RUN", "--step", "2", "$count($keys($)) - 1")

	expect(program.ExitOK, "is not a terminal", "run", "-g", p.File.Path, "refused")
	expect(program.ExitOK, "the replay matches the recorded run: 3 steps, 0 calls and 1 question answered from it", "replay", "last")
	expect(program.ExitFailed, "and this node asks", "run", "-g", p.File.Path, "t")
	expect(program.ExitOK, "use a client that can ask its user", "runs", "show", "last")
	expect(program.ExitOK, "diverge at step 2", "runs", "diff", "RUN", "last")
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
		j := store.Journal(nil, runtime.About(p))
		_, err := execution.New(nil, execution.WithJournal(j), execution.WithUser(lastingAsk{}), execution.WithRunID("RUN")).Run(ctx, p.Graphs[0], value.NewMap())
		ended <- err
	}()
	isWaiting := func(r journal.Run) bool { return r.Status == journal.Waiting }
	if _, err := store.Wait(t.Context(), "RUN", isWaiting); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, dir, strings.NewReader(""), "resume", "RUN")
	if code != program.ExitFailed || !strings.Contains(errs, "run RUN waits in another process, because its user has to answer first: ") {
		t.Errorf("ended with %d: %s%s", code, out, errs)
	}
	if run, err := store.Exact(t.Context(), "RUN"); err != nil || !isWaiting(run) {
		t.Errorf("%+v, %v", run, err)
	}
	end()
	<-ended
}
