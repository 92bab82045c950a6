package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/program"
)

// output is a buffer that can be read while it is written.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// awaits waits for a text in what a command prints.
func (o *output) awaits(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !strings.Contains(o.String(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%q never came: %q", text, o.String())
		}
	}
}

const watchedGraph = `version: "1.0"
server: {name: s, version: 1.0.0}
tools:
- {name: good, description: d, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}
- {name: bad, description: d, nodes: [{id: entry, type: entry, next: no}, {id: no, type: transform, transform: {expr: '$error("no")'}, next: exit}, {id: exit, type: exit}]}
`

// Runs of other processes are followed: a line for each, as text or JSON, and Ctrl-C is a good end.
func TestRunsWatch(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "g.yaml")
	if err := os.WriteFile(file, []byte(watchedGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(dir, "state")
	tool := func(name string) (code int) {
		var out bytes.Buffer
		return Run(t.Context(), []string{"run", file, name, "--state", state}, program.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
	}
	if code := tool("good"); code != program.ExitOK { // before: it is no news
		t.Fatal(code)
	}
	watches := map[string]*output{"": {}, "--json": {}, "--status=error": {}, "--tool=good": {}}
	ctx, cancel := context.WithCancelCause(t.Context())
	var done sync.WaitGroup
	for flag, out := range watches {
		done.Go(func() {
			args := append([]string{"runs", "watch", file, "--state", state}, strings.Fields(flag)...)
			if code := Run(ctx, args, program.Streams{In: strings.NewReader(""), Out: out, Err: out}); code != program.ExitOK {
				t.Errorf("%q: exit code %d: %s", flag, code, out)
			}
		})
	}
	ran := func() { // until each of them looks: what it sees first is no news
		if tool("good") != program.ExitOK {
			t.Error("the run failed")
		}
	}
	for end := time.Now().Add(time.Minute); !strings.Contains(watches[""].String(), "good") || !strings.Contains(watches["--json"].String(), "good") ||
		!strings.Contains(watches["--tool=good"].String(), "good"); time.Sleep(50 * time.Millisecond) {
		if ran(); time.Now().After(end) {
			t.Fatal(watches)
		}
	}
	if code := tool("bad"); code != program.ExitFailed {
		t.Error(code)
	}
	for _, flag := range []string{"", "--json", "--status=error"} {
		watches[flag].awaits(t, "bad")
	}
	ran()
	cancel(program.SignalError{Signal: syscall.SIGINT})
	done.Wait()
	if text := watches[""].String(); !strings.Contains(text, "  bad   failed          2 steps  ") || !strings.Contains(text, "  good  finished        2 steps  ") {
		t.Errorf("%q", text)
	}
	if text := watches["--status=error"].String(); strings.Count(text, "\n") != 1 {
		t.Errorf("%q", text)
	}
	if text := watches["--tool=good"].String(); strings.Contains(text, "bad") {
		t.Errorf("%q", text)
	}
	for line := range strings.Lines(watches["--json"].String()) {
		var r journal.Run
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.ID == "" || r.Tool == "" || r.Status == "" {
			t.Errorf("%v: %q", err, line)
		}
	}

	// One run: its outcome is the exit code. A signal that ends the process has its own.
	for name, want := range map[string]int{"last": program.ExitFailed, "nothing": program.ExitFailed} {
		if tool("bad") != program.ExitFailed {
			t.Error("the run did not fail")
		}
		var out bytes.Buffer
		if code := Run(t.Context(), []string{"runs", "watch", name, "--state", state}, program.Streams{Out: &out, Err: &out}); code != want {
			t.Errorf("%s: exit code %d, want %d: %s", name, code, want, &out)
		}
	}
	tool("good")
	var out bytes.Buffer
	if code := Run(t.Context(), []string{"runs", "watch", "last", "--state", state}, program.Streams{Out: &out, Err: &out}); code != program.ExitOK || strings.Count(out.String(), "finished") != 1 {
		t.Errorf("exit code %d: %s", code, &out)
	}
	out.Reset()
	if code := Run(t.Context(), []string{"runs", "watch", "--for", "1ms", "--state", state}, program.Streams{Out: &out, Err: &out}); code != program.ExitOK || out.Len() > 0 {
		t.Errorf("exit code %d: %s", code, &out)
	}
	stopped, stop := context.WithCancelCause(t.Context())
	stop(program.SignalError{Signal: syscall.SIGTERM})
	if code := Run(stopped, []string{"runs", "watch", "--state", state}, program.Streams{Out: &out, Err: &out}); code != 143 {
		t.Errorf("exit code %d: %s", code, &out)
	}
}

// On a terminal runs in progress are drawn in place below those that have ended, no more of them than
// it has lines; nothing of a run acts on the terminal.
func TestRunsWatchDraws(t *testing.T) {
	var out bytes.Buffer
	w := newRunWatcher(&out, terminal.Sized(60, 5, false), journal.Filter{}, false)
	began := time.Now().Add(-time.Hour)
	r := func(id string, status journal.Status, steps int) journal.Run {
		return journal.Run{ID: id, Tool: "to\x1b[31m\u202eol", Status: status, Steps: steps, Started: began, Duration: 1200}
	}
	do := func(runs ...journal.Run) string {
		t.Helper()
		out.Reset()
		if err := w.changed(runs); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimRight(line[strings.LastIndex(line, "\x1b[J")+1:], "\n")
			if terminal.Width(line) > 62 || strings.ContainsAny(strings.TrimPrefix(line, "[J"), "\x1b\u202e") {
				t.Errorf("%q", line)
			}
		}
		return out.String()
	}
	if got := do(r("A", journal.Running, 1), r("B", journal.Waiting, 2)); strings.Count(got, "\n") != 2 || !strings.Contains(got, `  A  to\x1b[31m\u202eol  running          1 step   …`) {
		t.Errorf("%q", got)
	}
	failed := r("A", journal.Failed, 3)
	failed.Failure = &execution.Failure{Message: "server\x1b[31m said no " + strings.Repeat("漢", 40)}
	if got := do(failed); !strings.HasPrefix(got, "\x1b[2A\x1b[J") || strings.Count(got, "\n") != 2 || strings.Index(got, "error") > strings.Index(got, "waiting") || !strings.Contains(got, "…\n") {
		t.Errorf("%q", got)
	}
	if got := do(r("C", journal.Running, 0), r("D", journal.Running, 0), r("E", journal.Running, 0)); !strings.Contains(got, "1 run more in progress\n") || strings.Count(got, "\n") != 4 || !strings.HasPrefix(got, "\x1b[1A") {
		t.Errorf("%q", got)
	}
	if got := do(r("B", journal.Finished, 9), r("C", journal.Interrupted, 0)); !strings.HasPrefix(got, "\x1b[4A\x1b[J") || strings.Count(got, "\n") != 4 {
		t.Errorf("%q", got)
	}
	w.only = "E"
	if err := w.changed([]journal.Run{r("D", journal.Finished, 1), r("E", journal.Cancelled, 1)}); !errors.Is(err, errWatched) || !errors.Is(w.ended(err), program.ErrReported) {
		t.Error(err)
	}
}
