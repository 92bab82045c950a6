package runtime_test

import (
	"bytes"
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
	"toolgraph/internal/runtime"
)

// client is a client whose requests are known before.
type client struct{ requests, answers bytes.Buffer }

func (c *client) Serve(ctx context.Context, s *runtime.Served) error {
	return s.Server.ServeStdio(ctx, &c.requests, &c.answers)
}

// A process that serves is options and a transport.
func TestServeWithoutCommandLine(t *testing.T) {
	c := &client{}
	c.requests.WriteString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}` + "\n")
	if err := runtime.Serve(t.Context(), runtime.Options{Graph: "testdata/greet.yaml"}, runtime.Service{Transport: c}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(c.answers.String(), "Hello, Ada") {
		t.Error(c.answers.String())
	}
}

// Processes that share a history find each other's runs in it.
func TestProcessesShareHistory(t *testing.T) {
	o := runtime.Options{Graph: "testdata/greet.yaml", History: &runtime.History{Place: t.TempDir(), Required: true, MaxValue: 1 << 20}}
	var processes [2]*runtime.Loaded
	for i := range processes {
		l, err := runtime.Load(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		processes[i] = l
	}
	one, other := processes[0], processes[1]
	result, err := one.Run(t.Context(), one.Engine(), one.Graphs[0], value.NewObject([]string{"name"}, []value.Value{"Ada"}))
	if err != nil {
		t.Fatal(err)
	}
	run, err := other.History.Wait(t.Context(), result.RunID, func(r journal.Run) bool { return r.HasEnded() })
	if err != nil || run.Status != journal.Finished {
		t.Errorf("%+v, %v", run, err)
	}
}

// hangs is a user who never answers.
type hangs struct{ asked chan string }

func (u hangs) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	u.asked <- q.Run
	<-ctx.Done()
	return execution.Answer{}, context.Cause(ctx)
}

// A run that a command makes, without clients, is cancelled by another process.
func TestRunOfACommandIsCancelled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "asks.yaml")
	if err := os.WriteFile(file, []byte(`version: "1.0"
server: {name: asks, version: 1.0.0}
tools:
- name: ask
  description: asks
  nodes: [{id: entry, type: entry, next: sure}, {id: sure, type: ask, message: "Go on?", next: exit}, {id: exit, type: exit}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	o := runtime.Options{Graph: file, History: &runtime.History{Place: t.TempDir(), Required: true, MaxValue: 1 << 20}}
	l, err := runtime.Load(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	other, err := runtime.Load(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	user := hangs{make(chan string, 1)}
	ended := make(chan error, 1)
	go func() {
		_, err := l.Run(t.Context(), l.Engine(), l.Graphs[0], value.NewObject(nil, nil), execution.WithUser(user))
		ended <- err
	}()
	run := <-user.asked
	for {
		_, err := runtime.CancelRun(t.Context(), other.History, run)
		if err == nil {
			break
		}
		if !strings.Contains(err.Error(), "has just begun") && !errors.Is(err, journal.ErrNotFound) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("the run ended with %v", err)
	}
}
