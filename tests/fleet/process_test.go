//go:build unix

package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"toolgraph/tests/testbin"
)

// patience is a guard against a hang.
const patience = 2 * time.Minute

// fleet is processes that serve one graph file from directories of their own, and share a history.
type fleet struct {
	t     *testing.T
	up    *upstream
	state string
	graph string // the graph file, with the address of the upstream left out

	mu        sync.Mutex // guards what follows
	processes []*process

	turn atomic.Int64

	asking *process // which asked a question that is not answered yet
	open   string   // the state for the answer
}

// process is one toolgraph serve --http.
type process struct {
	cmd    *exec.Cmd
	addr   string
	log    *testbin.Said
	exited chan struct{}
	ready  atomic.Bool
	apart  bool // the balancer does not know it
}

var address = regexp.MustCompile(`at http://(\S+)/mcp`)

func newFleet(t *testing.T, state string, processes int) *fleet {
	return newFleetOf(t, graphFile, state, processes)
}

func newFleetOf(t *testing.T, graph, state string, processes int) *fleet {
	f := &fleet{t: t, up: startUpstream(t), state: state, graph: graph}
	for range processes {
		f.start()
	}
	ctx, stop := context.WithCancel(context.Background())
	checked := make(chan struct{})
	go func() {
		defer close(checked)
		f.check(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-checked
		for _, p := range f.all() {
			_ = p.cmd.Process.Kill()
			<-p.exited
			if t.Failed() || os.Getenv("FLEET_LOG") != "" {
				t.Logf("%s:\n%s", p.addr, p.log)
			}
		}
	})
	return f
}

// start starts one more process, with its graph file at a path of its own.
func (f *fleet) start() *process { return f.run(false) }

func (f *fleet) run(apart bool, flags ...string) *process {
	f.t.Helper()
	return f.runProgram(testbin.Build(f.t, "toolgraph"), apart, flags...)
}

// runProgram starts a process of another build of toolgraph.
func (f *fleet) runProgram(program string, apart bool, flags ...string) *process {
	f.t.Helper()
	file := filepath.Join(f.t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, f.graph, f.up.URL), 0o600); err != nil {
		f.t.Fatal(err)
	}
	args := append([]string{"serve", file, "--http", "127.0.0.1:0", "--resume", "--http-grace", "4s", "--log-level", "info", "--state", f.state}, flags...)
	p := launch(f.t, program, args...)
	p.apart = apart
	f.wait("the process listens", func() bool {
		if found := address.FindStringSubmatch(p.log.String()); found != nil {
			p.addr = found[1]
		}
		return p.addr != ""
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.processes = append(f.processes, p)
	return p
}

// launch starts a program that serves.
func launch(t *testing.T, program string, args ...string) *process {
	t.Helper()
	p := &process{log: &testbin.Said{}, exited: make(chan struct{})}
	p.cmd = exec.Command(program, args...)
	p.cmd.Stderr = p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ends is the test's
		close(p.exited)
	}()
	return p
}

func (f *fleet) wait(what string, is func() bool) {
	f.t.Helper()
	if !testbin.Eventually(patience, is) {
		f.t.Fatalf("not in time: %s", what)
	}
}

func (f *fleet) all() []*process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]*process(nil), f.processes...)
}

// check is what a balancer does all the time.
func (f *fleet) check(ctx context.Context) {
	client := &http.Client{Timeout: 5 * time.Second}
	defer client.CloseIdleConnections()
	for ctx.Err() == nil {
		for _, p := range f.all() {
			if p.apart {
				continue
			}
			resp, err := client.Get("http://" + p.addr + "/readyz")
			p.ready.Store(err == nil && resp.StatusCode == http.StatusOK)
			if err == nil {
				_ = resp.Body.Close()
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

var errNoProcess = errors.New("no process is ready")

// balance sends a request to one process after the other until one takes it. Of those that may have
// taken it, it makes the client repeat it.
func (f *fleet) balance(body string, headers http.Header) (status int, answer string, err error) {
	all := f.all()
	first := int(f.turn.Add(1))
	err = errNoProcess
	for i := range all {
		p := all[(first+i)%len(all)]
		if !p.ready.Load() {
			continue
		}
		status, answer, err = p.post(body, headers)
		var failed *net.OpError
		refused := errors.As(err, &failed) && failed.Op == "dial"
		if !refused && status != http.StatusServiceUnavailable {
			return status, answer, err
		}
	}
	return status, answer, err
}

var client = &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 32}}

// post sends a message to one process.
func (p *process) post(body string, headers http.Header) (status int, answer string, err error) {
	r, err := http.NewRequest(http.MethodPost, "http://"+p.addr+"/mcp", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header = headers.Clone()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	resp, err := client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw), err
}

func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.exited
}

// drain stops a process as a service manager does.
func (p *process) drain(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.exited:
	case <-time.After(patience):
		t.Fatal("the process does not end")
	}
}

// toolgraph runs another command on the same history.
func (f *fleet) toolgraph(args ...string) (string, error) {
	return f.command(testbin.Build(f.t, "toolgraph"), args...)
}

// command runs a command of any build of toolgraph on the same history.
func (f *fleet) command(program string, args ...string) (string, error) {
	cmd := exec.Command(program, append(args, "--state", f.state)...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
