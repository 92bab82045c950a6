package temporal

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"toolgraph/tests/pgtest"
)

// hang is how long a test waits before it says that something hangs.
const hang = 90 * time.Second

// childVariable makes the test binary the program.
const childVariable = "TOOLGRAPH_TEMPORAL_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		freeze()
		os.Exit(Main())
	}
	code := m.Run()
	stopShared()
	pgtest.Stop()
	os.Exit(code)
}

// place is a Temporal server of tests, and where the runs of one test are recorded.
type place struct {
	address string
	state   string
	queue   string
	client  client.Client
}

var shared struct {
	once sync.Once
	*server
	err error
}

func stopShared() {
	if shared.server != nil {
		shared.server.stop()
	}
}

// newPlace returns the Temporal server that all tests of the binary share.
func newPlace(t *testing.T) *place {
	t.Helper()
	program := temporalProgram(t)
	shared.once.Do(func() { shared.server, shared.err = startServer(program, "") })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.place(t)
}

// places runs a test over each kind of store.
func places(t *testing.T, run func(t *testing.T, p *place)) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		run(t, newPlace(t))
	})
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		p.state = pgtest.URL(t)
		run(t, p)
	})
}

// temporalProgram skips a test without the temporal CLI.
func temporalProgram(t *testing.T) string {
	t.Helper()
	program := os.Getenv("TOOLGRAPH_TEMPORAL")
	if program == "" {
		t.Skip("TOOLGRAPH_TEMPORAL is not set; it is the path of the temporal CLI, whose dev server the test uses (make temporal)")
	}
	if testing.Short() {
		t.Skip("-short: starts a Temporal server")
	}
	return program
}

// server is a dev server.
type server struct {
	program, address, file string

	cmd *exec.Cmd
}

// startServer starts a dev server; with a file it keeps what it knows there.
func startServer(program, file string) (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{program: program, address: listener.Addr().String(), file: file}
	_ = listener.Close()
	return s, s.start()
}

func (s *server) start() error {
	_, port, _ := net.SplitHostPort(s.address)
	args := []string{"server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", port, "--log-level", "never"}
	if s.file != "" {
		args = append(args, "--db-filename", s.file)
	}
	s.cmd = exec.Command(s.program, args...)
	endWithTest(s.cmd)
	var out bytes.Buffer
	s.cmd.Stdout, s.cmd.Stderr = &out, &out
	if err := s.cmd.Start(); err != nil {
		return err
	}
	for guard := time.Now().Add(hang); time.Now().Before(guard); time.Sleep(50 * time.Millisecond) {
		c, err := client.DialContext(context.Background(), client.Options{HostPort: s.address, Logger: silent})
		if err == nil {
			_, err = c.WorkflowService().DescribeNamespace(context.Background(), &workflowservice.DescribeNamespaceRequest{Namespace: "default"})
			c.Close()
		}
		if err == nil {
			return nil
		}
	}
	s.stop()
	return fmt.Errorf("the Temporal server did not start: %s", out.String())
}

func (s *server) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *server) place(t *testing.T) *place {
	t.Helper()
	c, err := client.DialContext(t.Context(), client.Options{HostPort: s.address, Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &place{address: s.address, state: t.TempDir(), queue: rand.Text(), client: c}
}

// process is a serve or a worker.
type process struct {
	*exec.Cmd
	name   string
	in     io.WriteCloser
	out    io.Reader
	log    *lockedBuffer
	exited chan struct{}
}

// lockedBuffer is what a process has printed on standard error.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
	add chan struct{} // closed and replaced when something is added
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.add)
	b.add = make(chan struct{})
	return b.buf.Write(p)
}

func (b *lockedBuffer) now() (string, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String(), b.add
}

// command starts the program, which is killed at the end of the test.
func (p *place) command(t *testing.T, words ...string) *process {
	t.Helper()
	words = append(words, "--address", p.address, "--state", p.state, "--queue", p.queue)
	cmd := exec.Command(os.Args[0], words...)
	cmd.Env = append(os.Environ(), childVariable+"=1", "GOCOVERDIR="+os.TempDir())
	endWithTest(cmd)
	one := &process{Cmd: cmd, name: words[0], log: &lockedBuffer{add: make(chan struct{})}, exited: make(chan struct{})}
	cmd.Stderr = one.log
	var err error
	if one.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if one.out, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = cmd.Process.Wait()
		close(one.exited)
	}()
	t.Cleanup(func() {
		one.kill()
		if text, _ := one.log.now(); t.Failed() {
			t.Logf("%s (%d): %s", one.name, cmd.Process.Pid, text)
		}
	})
	return one
}

// kill ends a process at once.
func (p *process) kill() {
	_ = p.Process.Kill()
	<-p.exited
}

// says waits until a process has printed a text on standard error.
func (p *process) says(t *testing.T, text string) {
	t.Helper()
	guard := time.After(hang)
	for {
		now, more := p.log.now()
		if strings.Contains(now, text) {
			return
		}
		select {
		case <-more:
		case <-p.exited:
			t.Fatalf("%s has ended: %s", p.name, now)
		case <-guard:
			t.Fatalf("%s does not say %q: %s", p.name, text, now)
		}
	}
}

// worker starts a worker that has graph files, or a directory of them.
func (p *place) worker(t *testing.T, files string, more ...string) *process {
	t.Helper()
	flag := "-g"
	if info, err := os.Stat(files); err == nil && info.IsDir() {
		flag = "--graph-dir"
	}
	w := p.command(t, append([]string{"worker", flag, files, "--silence", "1s"}, more...)...)
	w.says(t, "making runs of")
	return w
}

// mcp is a client of a serve over stdio.
type mcp struct {
	*process
	t *testing.T

	mu      sync.Mutex // guards what follows
	id      int
	answers map[string]chan message
	asks    chan message // requests and notifications of the server
}

// message is what a server sends.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// serve starts a serve with a client of the legacy era that can ask its user.
func (p *place) serve(t *testing.T, file string, more ...string) *mcp {
	t.Helper()
	c := &mcp{
		process: p.command(t, append([]string{"serve", file}, more...)...), t: t,
		answers: map[string]chan message{}, asks: make(chan message, 1000),
	}
	go c.read()
	got := c.wait(c.send("initialize", `{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}`))
	if got.Result == nil {
		t.Fatalf("initialize: %s", got.Error)
	}
	c.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *mcp) read() {
	lines := bufio.NewScanner(c.out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		if m.Method != "" {
			c.asks <- m
			continue
		}
		c.mu.Lock()
		answer := c.answers[string(m.ID)]
		c.mu.Unlock()
		if answer != nil {
			answer <- m
		}
	}
}

func (c *mcp) write(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.in, line+"\n")
}

// send sends a request and returns its id.
func (c *mcp) send(method, params string) string {
	c.mu.Lock()
	c.id++
	id := fmt.Sprint(c.id)
	c.answers[id] = make(chan message, 1)
	c.mu.Unlock()
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

// call calls a tool and returns the id of the request.
func (c *mcp) call(tool, args string) string {
	return c.send("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{"progressToken":"p"}}`, tool, args))
}

// wait waits for the answer to a request.
func (c *mcp) wait(id string) message {
	c.t.Helper()
	c.mu.Lock()
	answer := c.answers[id]
	c.mu.Unlock()
	select {
	case m := <-answer:
		return m
	case <-c.exited:
		c.t.Errorf("serve has ended")
	case <-time.After(hang):
		c.t.Errorf("hangs: request %s", id)
	}
	return message{}
}

// asked waits for a request of the server, or a notification, of a method.
func (c *mcp) asked(method string) message {
	c.t.Helper()
	guard := time.After(hang)
	for {
		select {
		case m := <-c.asks:
			if m.Method == method {
				return m
			}
		case <-guard:
			c.t.Fatalf("hangs: the server does not send %s", method)
		}
	}
}

// text returns the text of a tool's result.
func (m message) text() string {
	var result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	_ = json.Unmarshal(m.Result, &result)
	if len(result.Content) == 0 {
		return string(m.Error)
	}
	return result.Content[0].Text
}

// write writes a graph file and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// cancel cancels a request.
func (c *mcp) cancel(id string) {
	c.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
}

func decode(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}
