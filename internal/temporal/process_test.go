package temporal

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"toolgraph/tests/pgtest"
	"toolgraph/tests/testbin"
)

// hang is how long a test waits before it says that something hangs.
const hang = 90 * time.Second

// childVariable makes the test binary the program.
const childVariable = "TOOLGRAPH_TEMPORAL_CHILD"

// prototypeChild is its value that makes the test binary the worker of bench_test.go instead; prototype is that, if it is
// built.
const prototypeChild = "prototype"

var prototype = func() {}

func TestMain(m *testing.M) {
	switch os.Getenv(childVariable) {
	case "":
	case prototypeChild:
		prototype()
		os.Exit(0)
	default:
		sweepPause = time.Second
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
		shared.stop()
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
	more                   []string // flags

	cmd *exec.Cmd
}

// startServer starts a dev server; with a file it keeps what it knows there.
func startServer(program, file string, more ...string) (*server, error) {
	port, err := testbin.FreePorts(1)
	if err != nil {
		return nil, err
	}
	s := &server{program: program, address: fmt.Sprintf("127.0.0.1:%d", port), file: file, more: more}
	return s, s.start()
}

func (s *server) start() error {
	_, port, _ := net.SplitHostPort(s.address)
	args := []string{"server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", port, "--log-level", "never"}
	args = append(args, s.more...)
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
