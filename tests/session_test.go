package tests

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/tests/testbin"
)

// session is a running toolgraph, spoken to over its standard streams. Every line
// that it prints must be one JSON-RPC message.
type session struct {
	t      testing.TB
	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr *lockedBuffer

	mu      sync.Mutex // guards what follows
	next    int
	waiting map[int]chan reply
	notes   []reply
	asked   []string // methods of requests that the server has sent

	requests chan reply // gets these requests and their withdrawals; nil: they are only counted

	exited chan struct{}
}

// reply is one message of the server.
type reply struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    json.RawMessage
	} `json:"error"`

	status int // of the answer over HTTP
	before int // the notifications that came earlier
}

// toolResult is the result of tools/call.
type toolResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// text is the text of the one item of a result.
func (r toolResult) text(t testing.TB) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d content items, want one", len(r.Content))
	}
	return r.Content[0].Text
}

// start serves a graph, given as YAML in which $FAKE is the fake upstream server,
// and shakes hands.
func start(t testing.TB, graph string, env ...string) *session {
	t.Helper()
	fake := testbin.Build(t, "toolgraph/tests/fakeserver")
	path := filepath.Join(t.TempDir(), "graph.yaml")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(graph, "$FAKE", fake)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startCommand(t, env, "-g", path)
	s.handshake()
	return s
}

func startCommand(t testing.TB, env []string, args ...string) *session {
	t.Helper()
	return startProgram(t, env, append([]string{testbin.Build(t, "toolgraph")}, args...)...)
}

// startProgram starts toolgraph by a command of one's own.
func startProgram(t testing.TB, env []string, words ...string) *session {
	t.Helper()
	s := &session{
		t: t, stderr: &lockedBuffer{}, waiting: map[int]chan reply{}, exited: make(chan struct{}),
		cmd: exec.Command(words[0], words[1:]...),
	}
	s.cmd.Env = append(os.Environ(), env...)
	s.cmd.Stderr = s.stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.read(out)
	t.Cleanup(func() { s.end() })
	return s
}

func (s *session) handshake() {
	s.t.Helper()
	s.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	s.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (s *session) read(out io.Reader) {
	defer close(s.exited)
	lines := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			s.take(line)
		}
		if err != nil {
			return
		}
	}
}

func (s *session) take(line []byte) {
	var r reply
	if err := json.Unmarshal(line, &r); err != nil || !strings.Contains(string(line), `"jsonrpc":"2.0"`) {
		s.t.Errorf("standard output has a line that is no message: %.200q", line)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.ID == nil:
		s.notes = append(s.notes, r)
		if s.requests != nil && r.Method == "notifications/cancelled" {
			s.requests <- r
		}
		return
	case r.Method != "":
		s.asked = append(s.asked, r.Method)
		if s.requests != nil {
			s.requests <- r
		}
		return
	}
	id, err := strconv.Atoi(string(r.ID))
	if err != nil {
		return // the answer to a line that was no request
	}
	if c := s.waiting[id]; c != nil {
		delete(s.waiting, id)
		r.before = len(s.notes)
		c <- r
	}
}

func (s *session) write(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Errorf("writing: %v", err)
	}
}

// send sends a request and gives its id and where the answer will come.
func (s *session) send(method, params string) (int, <-chan reply) {
	s.t.Helper()
	s.mu.Lock()
	s.next++
	id := s.next
	s.mu.Unlock()
	answer := s.expect(id)
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	return id, answer
}

// expect is where the answer to a request with this id will come.
func (s *session) expect(id int) <-chan reply {
	answer := make(chan reply, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[id] = answer
	return answer
}

// answerTimeout is a guard against hanging, and is never waited for when a test passes.
const answerTimeout = 2 * time.Minute

func (s *session) await(answer <-chan reply) reply {
	s.t.Helper()
	select {
	case r := <-answer:
		return r
	case <-s.exited:
		s.t.Fatalf("the server ended without an answer; it said: %s", s.stderr)
	case <-time.After(answerTimeout):
		s.t.Fatalf("no answer within %v; the server said: %s", answerTimeout, s.stderr)
	}
	return reply{}
}

func (s *session) request(method, params string) reply {
	s.t.Helper()
	_, answer := s.send(method, params)
	return s.await(answer)
}

// sendCall sends a tools/call.
func (s *session) sendCall(tool, args string) (int, <-chan reply) {
	s.t.Helper()
	return s.send("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
}

// call calls a tool and gives its result.
func (s *session) call(tool, args string) toolResult {
	s.t.Helper()
	_, answer := s.sendCall(tool, args)
	return s.result(s.await(answer))
}

func (s *session) result(r reply) toolResult {
	s.t.Helper()
	if r.Error != nil {
		s.t.Fatalf("error %d: %s", r.Error.Code, r.Error.Message)
	}
	var result toolResult
	if err := json.Unmarshal(r.Result, &result); err != nil {
		s.t.Fatal(err)
	}
	return result
}

// end closes the server's input and waits for its end; it gives the exit code.
func (s *session) end() int {
	s.t.Helper()
	_ = s.in.Close() // closed already when a test ended the session itself
	select {
	case <-s.exited:
	case <-time.After(answerTimeout):
		_ = s.cmd.Process.Kill()
		s.t.Errorf("the server did not end; it said: %s", s.stderr)
	}
	_ = s.cmd.Wait() // the exit code is what counts
	return s.cmd.ProcessState.ExitCode()
}

// lockedBuffer is a buffer that a process writes while a test reads.
type lockedBuffer struct {
	mu  sync.Mutex
	buf strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
