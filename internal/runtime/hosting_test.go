package runtime

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
)

const patientGraph = `server: {name: g, version: 1.0.0}
tools:
- name: t
  nodes:
  - {id: entry, type: entry, next: one}
  - {id: one, type: ask, message: "who?", next: exit}
  - {id: exit, type: exit}
`

// openHost opens a host of a graph file, as a worker does.
func openHost(t *testing.T, file, state string) *Host {
	t.Helper()
	host, err := OpenHost(t.Context(), hosting(state), []string{file})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(host.Close)
	return host
}

// hosting returns a worker that records runs at a place.
func hosting(place string) Options {
	return Options{Grace: 3 * time.Second, History: &History{Place: place, Required: true, MaxValue: 8 << 20}}
}

// A worker whose session cannot be opened ends with the reason.
func TestHostIsNotOpened(t *testing.T) {
	file := filepath.Join(t.TempDir(), "g.yaml")
	if err := os.WriteFile(file, []byte(patientGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenHost(t.Context(), hosting("mysql://db/runs"), []string{file}); err == nil || !strings.Contains(err.Error(), `the scheme "mysql"`) {
		t.Errorf("the error is %v", err)
	}
}

// patient is a user who never answers.
type patient struct{ asked chan struct{} }

func (p patient) Ask(ctx context.Context, _ execution.Question) (execution.Answer, error) {
	close(p.asked)
	<-ctx.Done()
	return execution.Answer{}, ctx.Err()
}

// The end of a cancelled run reaches the attempt that still has it, in the same process and in another one.
func TestHostEnds(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "g.yaml")
	if err := os.WriteFile(file, []byte(patientGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	one, other := openHost(t, file, dir), openHost(t, file, dir)
	for id, ends := range map[string]*Host{"SAME": one, "OTHER": other} {
		for hash := range one.Tools() {
			user := patient{asked: make(chan struct{})}
			over := make(chan error, 2)
			go func() {
				_, err := one.Make(t.Context(), Order{Run: id, Graph: hash, Args: value.NewObject(nil, nil), User: user})
				over <- err
			}()
			<-user.asked
			go func() {
				_, err := ends.Make(t.Context(), Order{Run: id, Graph: hash, End: true, User: user})
				over <- err
			}()
			for range 2 {
				select {
				case err := <-over:
					var step *execution.StepError
					if !errors.As(err, &step) || step.Code() != execution.CodeCancelled {
						t.Errorf("%s: %v, want a cancelled run", id, err)
					}
				case <-time.After(time.Minute):
					t.Fatalf("%s: hangs", id)
				}
			}
		}
	}
}

// suspending is a user whose answer is stored later: until then the run is suspended, as a worker of Temporal does it.
type suspending struct {
	host *Host
	run  string
	mark string
	stop chan struct{}
}

func (u *suspending) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	u.mark = markOf(q.At, q.Digest)
	a, err := u.host.Answer(ctx, u.run, q)
	if errors.Is(err, journal.ErrNotFound) {
		close(u.stop)
		return execution.Answer{}, execution.ErrSuspended
	}
	return a, err
}

// A run that a worker has suspended because of a question is not deleted by the policy, nor is its answer: it is
// taken afterwards.
func TestX26AnswerOfWorker(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "g.yaml")
	if err := os.WriteFile(file, []byte(patientGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	host := openHost(t, file, dir)
	history := host.session.History
	for hash := range host.Tools() {
		u := &suspending{host: host, run: "RUN", stop: make(chan struct{})}
		order := Order{Run: "RUN", Graph: hash, Args: value.NewObject(nil, nil), User: u, Stop: u.stop}
		if _, err := host.Make(t.Context(), order); !errors.Is(err, execution.ErrSuspended) {
			t.Fatalf("the run is not suspended: %v", err)
		}
		prune := func() {
			if n, err := history.Prune(t.Context(), journal.Retention{MaxAge: 1, MaxBytes: 1, MaxRuns: 1}); n != 0 || err != nil {
				t.Fatalf("%d runs deleted, %v", n, err)
			}
		}
		prune()
		if err := history.Attach(t.Context(), "RUN", u.mark, []byte(`{"action":"accept"}`)); err != nil {
			t.Fatal(err)
		}
		prune()
		order.Args, order.Stop = nil, nil // a recorded run
		if _, err := host.Make(t.Context(), order); err != nil {
			t.Errorf("the answer is not taken: %v", err)
		}
		if r, err := history.Exact(t.Context(), "RUN"); err != nil || r.Status != journal.Finished {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// The failure of a run that a worker reports has no secret of its graph file.
func TestHostText(t *testing.T) {
	t.Setenv("HOST_TEXT_TOKEN", "hunter2hunter2")
	file := filepath.Join(t.TempDir(), "g.yaml")
	servers := `mcpServers: {up: {type: http, url: "http://127.0.0.1:1/mcp", headers: {Authorization: "Bearer ${HOST_TEXT_TOKEN}"}}}` + "\n"
	if err := os.WriteFile(file, []byte(servers+patientGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	host := openHost(t, file, t.TempDir())
	for hash := range host.Tools() {
		if text := host.Text(hash, errors.New("the token hunter2hunter2 is refused")); strings.Contains(text, "hunter2") || !strings.HasSuffix(text, " is refused") {
			t.Error(text)
		}
	}
}

// A run is cancelled with a reason by its id: one that a process makes, and one that none has. One that has ended, or is not recorded,
// is left.
func TestCancelRecorded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "g.yaml")
	if err := os.WriteFile(file, []byte(patientGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	host := openHost(t, file, t.TempDir())
	var graph string
	for graph = range host.Tools() {
	}
	user, stop := patient{make(chan struct{})}, make(chan struct{})
	var seen []execution.EventKind
	order := Order{Run: "RUN", Graph: graph, Args: value.NewObject(nil, nil), User: user, Stop: stop, Observer: execution.ObserverFunc(func(e execution.Event) { seen = append(seen, e.Kind) })}
	made := make(chan error, 1)
	go func() {
		_, err := host.Make(t.Context(), order)
		made <- err
	}()
	<-user.asked
	check := func(id, want string) {
		t.Helper()
		run, err := host.Store().Exact(t.Context(), id)
		if err != nil || run.Status != journal.Cancelled || !strings.Contains(run.Failure.Message, want) {
			t.Errorf("%s: %+v, %v, %v", id, run, run.Failure, err)
		}
	}
	err := CancelRecorded(t.Context(), host.Store(), "RUN", "the month is wrong")
	for deadline := time.Now().Add(time.Minute); err != nil && strings.Contains(err.Error(), "it has just begun") && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond) // until its process takes messages
		err = CancelRecorded(t.Context(), host.Store(), "RUN", "the month is wrong")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := <-made; err == nil || !strings.Contains(err.Error(), "the run was cancelled: the month is wrong") {
		t.Errorf("the run ends with %v", err)
	}
	check("RUN", "the run was cancelled: the month is wrong")

	order.Run = "LATER"
	for range 2 { // the second attempt sees what the first has done
		given := patient{make(chan struct{})}
		order.User, seen = given, nil
		suspended, suspend := context.WithCancelCause(t.Context())
		go func() {
			<-given.asked
			suspend(execution.ErrSuspended)
		}()
		if _, err := host.Make(suspended, order); !errors.Is(err, execution.ErrSuspended) || seen[0] != execution.RunStarted {
			t.Fatal(err, seen)
		}
	}
	if err := CancelRecorded(t.Context(), host.Store(), "LATER", "it is not needed"); err != nil {
		t.Fatal(err)
	}
	check("LATER", "the run was cancelled while it was interrupted: it is not needed")
	for _, id := range []string{"LATER", "NONE"} {
		if err := CancelRecorded(t.Context(), host.Store(), id, "again"); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	seen = nil
	if _, err := host.Make(t.Context(), order); err == nil || len(seen) > 0 {
		t.Errorf("a run that has ended: %v, events %v", err, seen)
	}
}
