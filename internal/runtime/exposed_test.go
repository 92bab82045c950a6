package runtime_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/internal/runtime"
	"toolgraph/tests/testbin"
)

// workers are where runs are made, and count them; none is ever made.
type workers struct{ runs atomic.Int32 }

func (w *workers) Run(ctx context.Context, _ runtime.Remote) error {
	w.runs.Add(1)
	return context.DeadlineExceeded
}

func (*workers) Change(context.Context, string, *journal.Asked) error { return nil }
func (*workers) Over(context.Context, string) error                   { return nil }

// Where workers make the runs of the file, the process that serves makes those of exposed tools itself, and records them.
func TestExposedCallsNeedNoWorker(t *testing.T) {
	t.Parallel()
	path, state := filepath.Join(t.TempDir(), "graph.yaml"), t.TempDir()
	file := "server: {name: one, version: 1.0.0}\nmcpServers: {up: {command: " + testbin.Build(t, "toolgraph/tests/fakeserver") + "}}\nexpose: [up.echo]\n" +
		"tools: [{name: own, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}]\n"
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	c, w := &client{}, &workers{}
	c.requests.WriteString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"up__echo","arguments":{"a":"passed"}}}` + "\n" +
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"own","arguments":{}}}` + "\n")
	o := runtime.Options{Graph: path, History: &runtime.History{Place: state, Required: true, MaxValue: 1 << 20}}
	o.Elsewhere = func(context.Context, *runtime.Session) (runtime.Elsewhere, func(), error) { return w, func() {}, nil }
	if err := runtime.Serve(t.Context(), o, runtime.Service{Transport: c}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(c.answers.String(), `"structuredContent":{"a":"passed"}`) || w.runs.Load() != 1 {
		t.Errorf("%d runs of workers: %s", w.runs.Load(), c.answers.String())
	}
}
