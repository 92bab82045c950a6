//go:build unix

package tests

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolgraph/tests/testbin"
)

// deafClient starts a server of a graph, shakes hands, and leaves the answers unread.
func deafClient(t *testing.T, graph string) (cmd *exec.Cmd, in io.Writer, out io.Closer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.yaml")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(graph, "$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver"))), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(testbin.Build(t, "toolgraph"), "-g", path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err = cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	cmd.Stderr = &lockedBuffer{}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	return cmd, in, out
}

// callTool writes calls with the ids from first on.
func callTool(t *testing.T, in io.Writer, tool, args string, first, n int) {
	t.Helper()
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", first+i, tool, args)
	}
	if _, err := io.WriteString(in, lines.String()); err != nil {
		t.Fatal(err)
	}
}

// endOf waits for a process and gives its exit code.
func endOf(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	return stateAtEnd(t, cmd).ExitCode()
}

func stateAtEnd(t *testing.T, cmd *exec.Cmd) *os.ProcessState {
	t.Helper()
	timer := time.AfterFunc(answerTimeout, func() {
		t.Error("it has not ended")
		_ = cmd.Process.Kill()
	})
	defer timer.Stop()
	state, err := cmd.Process.Wait() // cmd.Wait would close the pipe that stays open
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// Answers that the client does not read stay within bounds, and do not keep the program from ending.
func TestM12ClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	graph := strings.ReplaceAll(each(", args: ["+g.args()+"]", "structured"), "n: {expr: $.entry.n}", "n: {expr: $.entry.n}, size: 1000")
	cmd, in, _ := deafClient(t, graph)
	callTool(t, in, "structured", `{"n":1000}`, 1, 30) // 2 MB each
	g.wait("done structured", 30)
	pids, _ := children(t, cmd.Process.Pid)
	if mb := peakMB(t, cmd.Process.Pid); mb > 720 { // four times what it takes; internal/serving/server counts the bytes
		t.Errorf("60 MB of answers that are not read took %d MB", mb)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := endOf(t, cmd); code != 1 {
		t.Errorf("the exit code is %d, want 1: answers were lost", code)
	}
	allGone(t, pids)
}

// V16: a client that calls and calls and never reads loses its connection when more than
// 64 MiB wait for it; a gigabyte is never held.
func TestV16UnreadAnswers(t *testing.T) {
	t.Parallel()
	cmd, in, _ := deafClient(t, `version: "1.0"
server: {name: test, version: 1.0.0}
tools:
- name: big
  description: gives 1 MB
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: pad}
  - {id: pad, type: transform, transform: {expr: '{"x": $pad("", 500000, "x")}'}, next: exit}
  - {id: exit, type: exit}
`)
	go func() {
		for i := range 1000 {
			if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"big"}}`+"\n", i+1); err != nil {
				return // it has ended
			}
		}
	}()
	state := stateAtEnd(t, cmd)
	if said := cmd.Stderr.(*lockedBuffer).String(); state.ExitCode() != 1 || !strings.Contains(said, "the client has stopped reading its answers: more than 64 MiB are unread") {
		t.Errorf("it has ended with %d and said %q", state.ExitCode(), said)
	}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok && runtime.GOOS == "linux" {
		if mb := usage.Maxrss / 1024; mb > 600 { // three times what it takes; internal/serving/server counts the bytes
			t.Errorf("1 GB of answers that are not read took %d MB", mb)
		} else {
			t.Log(mb, "MB")
		}
	}
}

// A client whose end of the pipe is closed is gone, even when its input stays open.
func TestM12ClientThatIsGone(t *testing.T) {
	t.Parallel()
	cmd, in, out := deafClient(t, each("", "pid"))
	callTool(t, in, "pid", `{}`, 1, 1)
	eventually(t, "the server has started", func() bool {
		alive, _ := children(t, cmd.Process.Pid)
		return len(alive) == 2
	})
	pids, _ := children(t, cmd.Process.Pid)
	_ = out.Close()
	ended := make(chan struct{})
	defer close(ended)
	go func() { // a process that another test forks just now has the pipe, too, until it runs its program: then a first answer is lost, and no error
		for id := 2; ; id++ {
			if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"pid","arguments":{}}}`+"\n", id); err != nil {
				return
			}
			select {
			case <-ended:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	if code := endOf(t, cmd); code != 1 {
		t.Errorf("the exit code is %d, want 1: an answer was lost", code)
	}
	allGone(t, pids)
}

// Two hundred calls in one write hold up no ping that comes with them: it is answered
// before any of them.
func TestM13ManyCallsInOneWrite(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	s := start(t, g.holding(""))
	var lines strings.Builder
	var answers []<-chan reply
	for i := range 200 {
		answers = append(answers, s.expect(10_000+i))
		fmt.Fprintf(&lines, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"hold","arguments":{"id":%d}}}`+"\n", 10_000+i, i)
	}
	pong := s.expect(1)
	s.write(lines.String() + `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.await(pong)
	if n := answered(answers); n != 0 {
		t.Errorf("%d calls were answered before the gate was open", n)
	}
	g.open()
	for i, answer := range answers {
		ownResult(s, answer, i)
	}
}

// A line that does not end takes as much memory as a line may have, and one answer.
func TestM04EndlessLine(t *testing.T) {
	t.Parallel()
	s := start(t, each("", "pid"))
	block := strings.Repeat("x", 1<<20)
	for range 512 {
		if _, err := io.WriteString(s.in, block); err != nil {
			t.Fatal(err)
		}
	}
	s.write("")
	s.request("ping", `{}`)
	if mb := peakMB(t, s.cmd.Process.Pid); mb > 400 { // four times what it takes
		t.Errorf("a line of 512 MB took %d MB", mb)
	}
}

// What servers send on their own, and ask for, does not reach a client that has not
// offered it.
func TestM17NothingUnasked(t *testing.T) {
	t.Parallel()
	s := start(t, each("", "callback", "progress", "listchanged", "text"))
	for _, call := range [][2]string{{"progress", `{"n":50}`}, {"listchanged", `{}`}, {"callback", `{}`}, {"text", `{"text":"x"}`}} {
		if r := s.call(call[0], call[1]); r.IsError {
			t.Errorf("%s failed: %s", call[0], r.text(t))
		}
	}
	s.request("ping", `{}`)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, note := range s.notes {
		t.Errorf("the client was sent %s %s", note.Method, note.Params)
	}
	if len(s.asked) > 0 {
		t.Errorf("the client was asked %q", s.asked)
	}
}
