package runtime_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

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
