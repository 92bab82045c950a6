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

	"toolgraph/tests/testbin"
)

// slow makes two calls that are not safe to repeat; the second waits at a gate.
const slow = `version: "1.0"
server: {name: slow, version: 1.0.0}
mcpServers:
  up: {command: $FAKE, args: [$GATE]}
tools:
- name: pay
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: look}
  - {id: look, type: mcp, server: up, tool: flying, next: pay}
  - {id: pay, type: mcp, server: up, tool: hold, args: {n: 7}, next: after}
  - {id: after, type: mcp, server: up, tool: echo, args: {text: after}, next: exit}
  - {id: exit, type: exit}
`

// stopped is a run that is stopped during a call.
type stopped struct {
	*gate
	graph, state string
}

func newStopped(t *testing.T) stopped {
	g := newGate(t)
	dir := t.TempDir()
	src := strings.NewReplacer("$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver"), "$GATE", g.args()).Replace(slow)
	writeAll(t, dir, map[string]string{"graph.yaml": src})
	return stopped{gate: g, graph: filepath.Join(dir, "graph.yaml"), state: filepath.Join(dir, "state")}
}

// command gives its output, its standard error and its exit code.
func (s stopped) command(args ...string) (out, errs string, code int) {
	s.t.Helper()
	cmd := exec.Command(testbin.Build(s.t, "toolgraph"), append(args, "--state", s.state)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the exit code is what counts
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// signalled starts a command, sends a signal during the call, and waits until the command
// says that it stops.
func (s stopped) signalled(signal syscall.Signal, args ...string) (*exec.Cmd, *testbin.Said) {
	s.t.Helper()
	cmd, said := s.signalledOnly(signal, args...)
	if signal != syscall.SIGINT {
		eventually(s.t, "the command stops", func() bool { return strings.Contains(said.String(), "stopping: ") })
	}
	return cmd, said
}

// signalledOnly starts a command, and sends a signal during the call.
func (s stopped) signalledOnly(signal syscall.Signal, args ...string) (*exec.Cmd, *testbin.Said) {
	s.t.Helper()
	cmd := exec.Command(testbin.Build(s.t, "toolgraph"), append(args, "--state", s.state)...)
	said := &testbin.Said{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = cmd.Process.Kill() })
	s.wait("in ", 1)
	s.signal(cmd, signal)
	return cmd, said
}

func (s stopped) signal(cmd *exec.Cmd, signal syscall.Signal) {
	s.t.Helper()
	if err := cmd.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
}

// status is that of the one run.
func (s stopped) status() string {
	s.t.Helper()
	for _, status := range []string{"interrupted", "cancelled", "finished", "error", "running"} {
		if out, _, _ := s.command("runs", "list", "--status", status); strings.Contains(out, "pay") {
			return status
		}
	}
	return "none"
}

// After SIGTERM the call in flight ends and is recorded, nothing else begins, and the run is
// resumed from there: no call is in doubt.
func TestStopDuringCall(t *testing.T) {
	t.Parallel()
	t.Run("run", func(t *testing.T) {
		s := newStopped(t)
		cmd, said := s.signalled(syscall.SIGTERM, "run", s.graph, "pay", "--grace", "10m")
		s.open()
		if code := endOf(t, cmd); code != 143 {
			t.Errorf("the exit code is %d, want 143: %s", code, said.String())
		}
		eventually(t, "it says how to resume", func() bool { return strings.Contains(said.String(), "toolgraph resume ") })
		s.resumes()
	})
	t.Run("serve", func(t *testing.T) {
		s := newStopped(t)
		session := startCommand(t, nil, "-g", s.graph, "--state", s.state, "--grace", "10m", "--log-level", "info")
		session.handshake()
		_, answer := session.sendCall("pay", `{}`)
		s.wait("in ", 1)
		s.signal(session.cmd, syscall.SIGTERM)
		eventually(t, "the server stops", func() bool { return strings.Contains(session.stderr.String(), "stopping: ") })
		s.open()
		if r := session.result(session.await(answer)); !r.IsError || !strings.Contains(r.text(t), "the run is suspended") {
			t.Errorf("the answer is %+v", r)
		}
		if code := exitOf(t, session); code != 0 {
			t.Errorf("the exit code is %d, want 0", code)
		}
		s.resumes()
	})
}

// resumes checks that the run was stopped after its call, and goes on from there.
func (s stopped) resumes() {
	s.t.Helper()
	if status := s.status(); status != "interrupted" {
		s.t.Errorf("the run is %s: %q", status, s.lines(""))
	}
	out, errs, code := s.command("resume", "last")
	if code != 0 || len(s.lines("in ")) != 1 || !strings.Contains(out, `"after"`) {
		s.t.Errorf("resumed with %d: %s%s\n%q", code, out, errs, s.lines(""))
	}
}

// A call that takes longer than the grace is in doubt when its run is resumed.
func TestStopLongerThanGrace(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"run", "", "pay", "--grace", "1ms"}} {
		s := newStopped(t)
		args[1] = s.graph
		cmd, said := s.signalledOnly(syscall.SIGTERM, args...) // the grace may be over before it says that it stops
		if code := endOf(t, cmd); code != 143 {
			t.Errorf("the exit code is %d, want 143: %s", code, said.String())
		}
		if status := s.status(); status != "interrupted" {
			t.Errorf("the run is %s", status)
		}
		if _, errs, code := s.command("resume", "last"); code != 1 || !strings.Contains(errs, "idempotency key") || len(s.lines("in ")) != 1 {
			t.Errorf("resumed with %d: %s", code, errs)
		}
		// The call was made and returned nothing.
		if out, errs, code := s.command("resume", "last", "--answer-nothing"); code != 0 || len(s.lines("in ")) != 1 || !strings.Contains(out, `"after"`) {
			t.Errorf("answered with nothing: %d: %s%s", code, out, errs)
		}
	}
}

// A second signal ends the process at once, whatever the grace is; its call is in doubt.
func TestStopTwice(t *testing.T) {
	t.Parallel()
	s := newStopped(t)
	cmd, _ := s.signalled(syscall.SIGTERM, "run", s.graph, "pay", "--grace", "10m")
	s.signal(cmd, syscall.SIGTERM)
	if code := endOf(t, cmd); code != -1 {
		t.Errorf("the exit code is %d, want the signal's end", code)
	}
	if _, errs, code := s.command("resume", "last"); code != 1 || !strings.Contains(errs, "idempotency key") {
		t.Errorf("resumed with %d: %s", code, errs)
	}
}

// SIGINT is the user's: the run is cancelled at once, and over.
func TestInterruptCancels(t *testing.T) {
	t.Parallel()
	s := newStopped(t)
	cmd, said := s.signalled(syscall.SIGINT, "run", s.graph, "pay", "--grace", "10m")
	if code := endOf(t, cmd); code != 130 {
		t.Errorf("the exit code is %d, want 130: %s", code, said.String())
	}
	eventually(t, "it says that the run was cancelled", func() bool { return strings.Contains(said.String(), "the run was cancelled") })
	if status := s.status(); status != "cancelled" {
		t.Errorf("the run is %s", status)
	}
}

// A call whose arguments are validated by a schema that takes exponentially many steps is
// answered after the end of the input, and the process ends: the steps are bounded.
func TestV02EndOfInput(t *testing.T) {
	t.Parallel()
	list := filepath.Join(t.TempDir(), "list")
	const tool = `{"echo": {"name": "echo", "inputSchema": {"type": "object", "properties": {"child": {"allOf": [{"$dynamicRef": "#"}, {"$dynamicRef": "#"}]}}}}}`
	if err := os.WriteFile(list, []byte(tool), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, `version: "1.0"
server: {name: deep, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: ['rugpull=`+list+`']}}
tools:
- name: deep
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: list}
  - {id: list, type: mcp, server: up, tool: flying, next: call}
  - {id: call, type: mcp, server: up, tool: echo, args: {child: {expr: $.entry.child}}, next: exit}
  - {id: exit, type: exit}
`)
	_, answer := s.sendCall("deep", strings.Repeat(`{"child":`, 40)+`{}`+strings.Repeat("}", 40))
	s.request("ping", `{}`) // the call has been read
	_ = s.in.Close()
	if r := s.result(s.await(answer)); !r.IsError || !strings.Contains(r.text(t), "steps; simplify the schema") {
		t.Errorf("the answer is %+v", r)
	}
	if code := s.end(); code != 0 {
		t.Errorf("the exit code is %d, want 0: %s", code, s.stderr)
	}
}
