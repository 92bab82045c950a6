package runtime

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/serving/server"
)

const taskGraph = `server: {name: g, version: 1.0.0, taskAfterMs: 1}
tools:
- name: t
  nodes:
  - {id: entry, type: entry, next: who}
  - {id: who, type: ask, message: "who?", schema: {type: object, properties: {name: {type: string}}, required: [name]}, next: exit}
  - {id: exit, type: exit}
`

// away makes runs in another host, attempt after attempt, as a workflow does. A run that asks is given back, and goes on when the
// answer is stored.
type away struct {
	host *Host
	hold chan struct{} // closed: attempts may begin

	mu      sync.Mutex // guards what follows
	woken   chan struct{}
	changes []string
	over    error
}

func (a *away) Run(ctx context.Context, r Remote) error {
	order := Order{Run: r.ID, Graph: r.Graph, Args: r.Args, User: &storedUser{a.host, r.ID}}
	for {
		a.mu.Lock()
		woken := a.woken
		a.mu.Unlock()
		select {
		case <-a.hold:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		order.Stop = make(chan struct{})
		if _, err := a.host.Make(ctx, order); !errors.Is(err, execution.ErrSuspended) {
			return err
		}
		order.Args = nil
		select {
		case <-woken:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (a *away) Change(_ context.Context, _ string, answered *journal.Asked) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	kind := "cancelled"
	if answered != nil {
		kind = "answered " + answered.Node
	}
	a.changes = append(a.changes, kind)
	close(a.woken)
	a.woken = make(chan struct{})
	return nil
}

func (a *away) Over(context.Context, string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.over
}

// storedUser answers what has an answer in the store, and suspends the run at any other question.
type storedUser struct {
	host *Host
	run  string
}

func (u *storedUser) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	a, err := u.host.Answer(ctx, u.run, q)
	if err != nil {
		err = fmt.Errorf("%w: %w", execution.ErrSuspended, err)
	}
	return a, err
}

// talk is a client of a served process.
type talk struct {
	t     *testing.T
	in    io.WriteCloser
	out   *bufio.Scanner
	id    int
	ready chan struct{} // closed when the client can write
}

// Serve serves the client until ctx ends.
func (c *talk) Serve(ctx context.Context, s *Served) error {
	in, write := io.Pipe()
	read, out := io.Pipe()
	c.in, c.out = write, bufio.NewScanner(read)
	close(c.ready)
	context.AfterFunc(ctx, func() {
		_ = write.Close()
		_ = read.Close()
	})
	return s.Server.ServeStdio(ctx, in, out)
}

// ask sends a request of a client that declares tasks, and returns the result or the error.
func (c *talk) ask(method, params string) (result map[string]any) {
	c.t.Helper()
	c.id++
	fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{%q:{}}}}}}`+"\n",
		c.id, method, params, server.TasksExtension)
	for c.out.Scan() {
		var m struct {
			ID     int
			Result map[string]any
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(c.out.Bytes(), &m); err != nil || m.ID != c.id {
			continue
		}
		if m.Error != nil {
			return map[string]any{"refused": m.Error.Message}
		}
		return m.Result
	}
	c.t.Fatalf("%s has no answer", method)
	return nil
}

func (c *talk) get(id string) map[string]any {
	return c.ask("tasks/get", fmt.Sprintf(`"taskId":%q`, id))
}

func (c *talk) until(id, status string) map[string]any {
	c.t.Helper()
	for guard := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		of := c.get(id)
		if of["status"] == status {
			return of
		}
		if time.Now().After(guard) {
			c.t.Fatalf("the task is not %s: %v", status, of)
		}
	}
}

// serveAway serves the tool whose runs are made by a host, which waits for hold.
func serveAway(t *testing.T) (c *talk, a *away) {
	t.Helper()
	file, state := filepath.Join(t.TempDir(), "g.yaml"), t.TempDir()
	if err := os.WriteFile(file, []byte(taskGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	a = &away{host: openHost(t, file, state), hold: make(chan struct{}), woken: make(chan struct{})}
	c = &talk{t: t, ready: make(chan struct{})}
	o := hosting(state)
	o.Graph, o.Asker = file, ClientAsker{}
	o.Elsewhere = func(context.Context, *Session) (Elsewhere, func(), error) { return a, func() {}, nil }
	ended := make(chan error, 1)
	ctx, stop := context.WithCancelCause(context.Background())
	go func() { ended <- Serve(ctx, o, Service{Transport: c}) }()
	t.Cleanup(func() {
		stop(ErrStop)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	<-c.ready
	return c, a
}

// A run that is made elsewhere is a task before a worker has it. Its question is put once, its answer stored and passed on, and its end is that of
// the store; no answer but the first counts.
func TestTaskElsewhere(t *testing.T) {
	t.Parallel()
	c, a := serveAway(t)
	id, _ := c.ask("tools/call", `"name":"t","arguments":{}`)["taskId"].(string)
	if id == "" || c.get(id)["status"] != "working" {
		t.Fatalf("no task without a worker: %q", id)
	}
	close(a.hold)
	asks := c.until(id, "input_required")
	questions, _ := asks["inputRequests"].(map[string]any)
	if len(questions) != 1 {
		t.Fatalf("the questions: %v", asks)
	}
	for name := range questions {
		update := func(content string) map[string]any {
			return c.ask("tasks/update", fmt.Sprintf(`"taskId":%q,"inputResponses":{%q:{"action":"accept","content":%s}}`, id, name, content))
		}
		if of := update(`{}`); !strings.Contains(fmt.Sprint(of["refused"]), "does not match requestedSchema") {
			t.Errorf("a wrong answer: %v", of)
		}
		for _, said := range []string{"Ada", "Bo"} {
			if of := update(`{"name":"` + said + `"}`); of["refused"] != nil {
				t.Errorf("%s: %v", said, of)
			}
		}
	}
	if of := c.until(id, "completed"); !strings.Contains(fmt.Sprint(of["result"]), "Ada") {
		t.Errorf("the result: %v", of)
	}
	if got := strings.Join(a.changes, ", "); got != "answered who" {
		t.Errorf("changes: %s", got)
	}
	if of := c.get(id + "x"); !strings.Contains(fmt.Sprint(of["refused"]), "has no such task") {
		t.Errorf("another id: %v", of)
	}
}

// A task that is over elsewhere has failed, with the reason, also while it asks; a cancellation is passed on.
func TestTaskIsOverElsewhere(t *testing.T) {
	t.Parallel()
	c, a := serveAway(t)
	id, _ := c.ask("tools/call", `"name":"t","arguments":{}`)["taskId"].(string)
	if id == "" {
		t.Fatal("no task")
	}
	close(a.hold)
	c.until(id, "input_required")
	if of := c.ask("tasks/cancel", fmt.Sprintf(`"taskId":%q`, id)); of["refused"] != nil {
		t.Errorf("not cancelled: %v", of)
	}
	a.mu.Lock()
	a.over = errors.New("terminated by hand")
	changes := strings.Join(a.changes, ", ")
	a.mu.Unlock()
	if changes != "cancelled" {
		t.Errorf("changes: %s", changes)
	}
	if of := c.until(id, "failed"); !strings.Contains(fmt.Sprint(of["error"]), "terminated by hand") {
		t.Errorf("why: %v", of)
	}
}
