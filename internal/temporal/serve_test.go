package temporal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
	"toolgraph/internal/runtime"
	"toolgraph/internal/runtime/state"
)

// The steps of a run are reported to its client, in order.
func TestProgress(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	file := countingFile(t, u)
	p.worker(t, file)
	c := p.serve(t, file)
	id := c.call("count", `{"id":"p","n":4,"ms":150}`)
	last := 0.0
	for i := 0; i < 4; i++ {
		var said struct{ Progress float64 }
		decode(t, c.asked("notifications/progress").Params, &said)
		if said.Progress < last {
			t.Errorf("progress %v after %v", said.Progress, last)
		}
		last = said.Progress
	}
	if got := c.wait(id); got.text() != `{"sum":4,"id":"p"}` {
		t.Errorf("%s %s", got.Result, got.Error)
	}
	if last == 0 {
		t.Error("no step was reported")
	}
}

// A cancellation of the client reaches the call that is in flight, and the run is recorded as
// cancelled; also while no worker has it, and while it waits for an answer.
func TestCancel(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	dir := t.TempDir()
	write(t, dir, "ask.yaml", strings.ReplaceAll(asking, "$UP", u.URL))
	read, err := os.ReadFile(countingFile(t, u))
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, dir, "count.yaml", string(read))
	p.worker(t, dir, "--silence", "5s")
	c := p.serve(t, file)
	asks := p.serve(t, filepath.Join(dir, "ask.yaml"))

	id := c.call("once", `{"id":"c","n":5,"ms":60000}`)
	u.until(t, "the call", func() bool { return u.calls["c/0"] == 1 })
	began := time.Now()
	c.cancel(id)
	u.until(t, "the cancellation", func() bool { return !u.cancelled["c/0"].IsZero() })
	t.Logf("the cancellation took %v", time.Since(began).Round(time.Millisecond))

	id = asks.call("ask", `{"id":"w"}`)
	asks.asked("elicitation/create")
	asks.cancel(id)

	p.until(t, "both runs are cancelled", func(runs []journal.Run) bool {
		return len(runs) == 2 && runs[0].Status == journal.Cancelled && runs[1].Status == journal.Cancelled
	})
	if n := u.all; n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
}

// Runs that were started before a graph changed are continued by a worker that has the earlier file
// beside the new one.
func TestNewVersion(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	graphs := t.TempDir()
	read, err := os.ReadFile(countingFile(t, u))
	if err != nil {
		t.Fatal(err)
	}
	v1 := write(t, graphs, "v1.yaml", string(read))
	first := p.worker(t, v1)
	before := p.serve(t, v1)
	old := before.call("once", `{"id":"old","n":6,"ms":100}`)
	u.until(t, "two calls", func() bool { return u.all >= 2 })
	v2 := write(t, graphs, "v2.yaml", strings.ReplaceAll(string(read), `"id": $.entry.id`, `"id": $.entry.id, "version": 2`))
	first.kill()
	after := p.serve(t, v2)
	now := after.call("count", `{"id":"new","n":2,"ms":1}`)
	onlyNew := p.worker(t, v2)
	if got := after.wait(now); got.text() != `{"sum":2,"id":"new","version":2}` {
		t.Errorf("%s %s", got.Result, got.Error)
	}
	onlyNew.kill()
	p.worker(t, graphs)
	// The call in flight when the first worker was killed is in doubt, or had ended.
	if got := before.wait(old).text(); got != `{"sum":6,"id":"old"}` && !strings.Contains(got, "outcome is unknown") {
		t.Errorf("%s", got)
	}
	for i := range 6 {
		if n := u.count(fmt.Sprintf("old/%d", i)); n > 1 {
			t.Errorf("call %d was made %d times", i, n)
		}
	}
}

// Runs survive a restart of the Temporal server, also calls that are in flight meanwhile.
func TestServerRestart(t *testing.T) {
	t.Parallel()
	program := temporalProgram(t)
	s, err := startServer(program, filepath.Join(t.TempDir(), "temporal.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { s.stop() }()
	p, u := s.place(t), newUpstream(t)
	file := countingFile(t, u)
	p.worker(t, file, "--grace", "10ms")
	c := p.serve(t, file)
	var ids []string
	for i := range 5 {
		ids = append(ids, c.call("once", fmt.Sprintf(`{"id":"r%d","n":5,"ms":900}`, i)))
	}
	u.until(t, "a call of each", func() bool { return u.all >= 5 })
	s.stop()
	u.until(t, "calls without the server", func() bool { return u.all >= 20 })
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		if got := c.wait(id); got.text() != fmt.Sprintf(`{"sum":5,"id":"r%d"}`, i) {
			t.Errorf("run %d: %s %s", i, got.Result, got.Error)
		}
	}
	if u.all != 25 {
		t.Errorf("%d calls, want 25", u.all)
	}
}

// Arguments and results that are larger than what Temporal takes.
func TestLarge(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	file := countingFile(t, u)
	p.worker(t, file)
	c := p.serve(t, file)
	large := strings.Repeat("x", 3<<20)
	if got := c.wait(c.call("count", `{"id":"`+large+`","n":0,"ms":1}`)).text(); got != `{"sum":0,"id":"`+large+`"}` && len(got) < 3<<20 {
		t.Errorf("%d bytes: %.200s", len(got), got)
	}
}

// A run with the id of one that exists is that one: it is waited for, and nothing is started or
// called a second time, whether it is in progress or over.
func TestJoin(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	file := countingFile(t, u)
	p.worker(t, file)
	hash, err := hashOf(file, "once")
	if err != nil {
		t.Fatal(err)
	}
	r := &remote{client: p.client, queues: queues{p.queue}, log: slog.New(slog.DiscardHandler)}
	args := value.NewObject([]string{"id", "n", "ms"}, []value.Value{"j", 3.0, 100.0})
	one := runtime.Remote{ID: rand.Text(), Tool: "once", Graph: hash, Args: args}
	var both errgroup
	for range 3 {
		both.do(func() error { return r.Run(t.Context(), one) })
	}
	if err := both.wait(); err != nil {
		t.Error(err)
	}
	if err := r.Run(t.Context(), one); err != nil {
		t.Error(err)
	}
	if u.all != 3 {
		t.Errorf("%d calls, want 3", u.all)
	}
}

// errgroup runs functions and has the first of their errors.
type errgroup struct {
	sync.WaitGroup
	errs [8]error
	n    int
}

func (g *errgroup) do(f func() error) {
	i := g.n
	g.n++
	g.Go(func() { g.errs[i] = f() })
}

func (g *errgroup) wait() error {
	g.Wait()
	return errors.Join(g.errs[:]...)
}

// A serve that is stopped leaves its runs to the workers.
func TestServeStopped(t *testing.T) {
	t.Parallel()
	p, u := newPlace(t), newUpstream(t)
	file := countingFile(t, u)
	p.worker(t, file)
	c := p.serve(t, file, "--grace", "10ms")
	c.call("once", `{"id":"left","n":3,"ms":500}`)
	u.until(t, "a call", func() bool { return u.all == 1 })
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-c.exited
	p.until(t, "the run has finished", func(runs []journal.Run) bool { return len(runs) == 1 && runs[0].Status == journal.Finished })
	if u.all != 3 {
		t.Errorf("%d calls, want 3", u.all)
	}
}

// until waits until the recorded runs are as wanted.
func (p *place) until(t *testing.T, what string, is func([]journal.Run) bool) {
	t.Helper()
	store, err := state.Open(p.state, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for guard := time.Now().Add(hang); ; time.Sleep(50 * time.Millisecond) {
		runs, err := store.List(t.Context(), journal.Filter{})
		if err == nil && is(runs) {
			return
		}
		if time.Now().After(guard) {
			t.Fatalf("hangs: %s: %+v, %v", what, runs, err)
		}
	}
}

func hashOf(file, tool string) (string, error) {
	p, err := project.Load(context.Background(), file, config.Options{})
	if err != nil {
		return "", err
	}
	g, err := p.Graph(tool)
	if err != nil {
		return "", err
	}
	return g.HashWith(nil), nil
}
