//go:build unix

package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"toolgraph/tests/pgtest"
	"toolgraph/tests/testbin"
)

const tasking = `version: "1.0"
server: {name: tasking, version: 1.0.0}
mcpServers:
  up: {command: $FAKE, args: [$ERA, 'tasks=$DIR', 'diary=$DIR/diary'], protocol: $PROTOCOL}
tools:
- name: pay
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: pay}
  - {id: pay, type: mcp, server: up, tool: task, args: {amount: 17}, timeoutMs: 600000, next: exit}
  - {id: exit, type: exit}
`

// tasksRun is a run whose call the server answers with a task, and where it is recorded.
type tasksRun struct {
	t            *testing.T
	dir          string
	graph, state string
}

func newTasksRun(t *testing.T, era, state string) *tasksRun {
	t.Helper()
	dir := t.TempDir()
	if state == "" {
		state = filepath.Join(dir, "state")
	}
	protocol := map[string]string{"modern": "modern", "both": "legacy"}[era]
	src := strings.NewReplacer("$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver"), "$DIR", dir, "$ERA", era, "$PROTOCOL", protocol).Replace(tasking)
	writeAll(t, dir, map[string]string{"graph.yaml": src})
	return &tasksRun{t: t, dir: dir, graph: filepath.Join(dir, "graph.yaml"), state: state}
}

// interrupted starts the run and ends its process with a signal while the task is awaited.
func (r *tasksRun) interrupted(signal syscall.Signal, asked string) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), testbin.Build(r.t, "toolgraph"), "run", "-g", r.graph, "pay", "--grace", "1ms", "--state", r.state)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	eventually(r.t, asked, func() bool { return r.count(asked) > 0 })
	if err := cmd.Process.Signal(signal); err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		r.t.Fatalf("the run ended before the signal: %s", out.String())
	}
}

func (r *tasksRun) count(line string) int {
	raw, _ := os.ReadFile(filepath.Join(r.dir, "diary"))
	return strings.Count(string(raw), line+"\n")
}

func (r *tasksRun) end() {
	r.t.Helper()
	writeAll(r.t, r.dir, map[string]string{"task-1.state": `{"status":"completed","result":{"content":[{"type":"text","text":"99"}]}}`})
}

func (r *tasksRun) resume(args ...string) (out, errs string) {
	r.t.Helper()
	eventually(r.t, "the database knows that the process has died", func() bool {
		cmd := exec.CommandContext(r.t.Context(), testbin.Build(r.t, "toolgraph"), append([]string{"resume", "last", "--state", r.state}, args...)...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run() // its output counts
		out, errs = strings.TrimSpace(stdout.String()), stderr.String()
		return !strings.Contains(errs, "is running in another process")
	})
	return out, errs
}

// A run whose process is killed, or stopped, while it awaits a task takes the task up again: the server gets one call.
// Without the task, the call is in doubt.
func TestTaskIsTakenUpAfterTheProcess(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		era, asked string
		signal     syscall.Signal
		postgres   bool
	}{
		"killed":                      {"modern", "get task-1", syscall.SIGKILL, false},
		"stopped":                     {"modern", "get task-1", syscall.SIGTERM, false},
		"killed, Postgres":            {"modern", "get task-1", syscall.SIGKILL, true},
		"killed, older era":           {"both", "result task-1", syscall.SIGKILL, false},
		"stopped, older era":          {"both", "result task-1", syscall.SIGTERM, false},
		"killed, older era, Postgres": {"both", "result task-1", syscall.SIGKILL, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := ""
			if test.postgres {
				state = pgtest.URL(t)
			}
			r := newTasksRun(t, test.era, state)
			r.interrupted(test.signal, test.asked)
			r.end()
			out, errs := r.resume()
			if out != "99" || r.count("task 1") != 1 || r.count("task 2") != 0 || r.count("cancel task-1") != 0 {
				t.Errorf("resume prints %q %s; the server got %d calls", out, errs, r.count("task 1")+r.count("task 2"))
			}
		})
	}
	t.Run("unknown", func(t *testing.T) {
		t.Parallel()
		r := newTasksRun(t, "modern", "")
		r.interrupted(syscall.SIGKILL, "get task-1")
		if err := os.Remove(filepath.Join(r.dir, "task-1")); err != nil {
			t.Fatal(err)
		}
		const want = "the process died during the call to up.task, and its outcome is unknown; check the server for idempotency key"
		for range 2 { // it asks each time
			if out, errs := r.resume(); !strings.Contains(errs, want) || !strings.Contains(errs, `its task task-1 was not found: server "up", tool "task": no task task-1`) {
				t.Errorf("resume prints %s %s", out, errs)
			}
		}
		if out, errs := r.resume("--answer", "12"); out != "12" {
			t.Errorf("resume prints %s %s", out, errs)
		}
		if r.count("task 1") != 1 || r.count("task 2") != 0 {
			t.Error("the call was repeated")
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		r := newTasksRun(t, "modern", "")
		r.interrupted(syscall.SIGINT, "get task-1")
		if r.count("cancel task-1") != 1 {
			t.Errorf("the task was cancelled %d times", r.count("cancel task-1"))
		}
	})
}

// Where tools can be called as tasks, a tool that can only be called so is like any other: for check, lock and run.
func TestTaskRequiredIsNoProblem(t *testing.T) {
	t.Parallel()
	r := newTasksRun(t, "both", "")
	r.end()
	for _, args := range [][]string{{"check", "--live", r.graph}, {"lock", r.graph}, {"run", "--locked", "-g", r.graph, "pay", "--no-history"}} {
		out, err := exec.Command(testbin.Build(t, "toolgraph"), args...).CombinedOutput()
		if err != nil || strings.Contains(string(out), "as a task") {
			t.Errorf("%v: %v, it prints %s", args, err, out)
		}
	}
}
