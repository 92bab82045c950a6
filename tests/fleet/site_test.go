//go:build unix

package fleet

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/tests/pgtest"
	"toolgraph/tests/testbin"
)

// site is an installation as docs/scaling.md describes it: three processes over Postgres behind a balancer. Each is
// started again a second after it has ended, as systemd does it.
type site struct {
	*fleet // of the upstream server and the history; the processes are those of the posts

	db       *pgtest.Server
	wire     *wire
	posts    []*post
	balancer balancer
	url      string // of the balancer
}

// post is where one process after the other runs.
type post struct {
	addr, dir, program string
	args               []string

	mu       sync.Mutex // guards what follows
	now      *process
	logs     []*testbin.Said // of all processes so far
	failed   int             // processes that ended before they listened
	stopping bool
	ended    chan struct{}
}

// newSite starts an installation whose processes serve these graph files by name, each with %s in place of the address
// of the upstream server.
func newSite(t *testing.T, files map[string]string) *site {
	t.Helper()
	s := &site{fleet: &fleet{t: t, up: startUpstream(t)}, db: pgtest.Start(t)}
	s.state = s.db.URL(t)
	var place string
	s.wire, place = startWire(t, s.state)
	var behind []string
	for range 3 {
		p := &post{
			addr: freeAddress(t), dir: t.TempDir(), program: testbin.Build(t, "toolgraph"), ended: make(chan struct{}),
		}
		for name, text := range files {
			s.write(p, name, text)
		}
		p.args = []string{
			"serve", p.dir, "--watch", "--http", p.addr, "--resume", "--http-grace", "4s", "--metrics", "--log-level", "info", "--state", place,
		}
		behind, s.posts = append(behind, p.addr), append(s.posts, p)
		go p.supervise(t)
	}
	t.Cleanup(s.end)
	for _, p := range s.posts {
		s.wait("the process is ready", p.ready)
	}
	at := freeAddress(t)
	var name string
	s.balancer, name = startBalancer(t, at, behind)
	t.Logf("three processes over Postgres behind %s", name)
	s.url = "http://" + at
	s.wait("the balancer has found the processes", func() bool {
		status, _, err := s.send("/shop/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, http.Header{})
		return err == nil && status == http.StatusOK
	})
	return s
}

func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := testbin.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", port)
}

// write replaces a graph file as an editor does it.
func (s *site) write(p *post, name, text string) {
	s.t.Helper()
	file := filepath.Join(p.dir, name)
	if err := os.WriteFile(file+".new", fmt.Appendf(nil, text, s.up.URL), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		s.t.Fatal(err)
	}
}

// supervise runs one process after the other until the test ends.
func (p *post) supervise(t *testing.T) {
	defer close(p.ended)
	for {
		p.mu.Lock()
		if p.stopping {
			p.mu.Unlock()
			return
		}
		now := launch(t, p.program, p.args...)
		p.now, p.logs = now, append(p.logs, now.log)
		p.mu.Unlock()
		<-now.exited
		p.mu.Lock()
		if !strings.Contains(now.log.String(), "at http://") {
			p.failed++
		}
		p.mu.Unlock()
		time.Sleep(time.Second) // RestartSec
	}
}

// end ends all processes, and shows what they have logged if the test has failed.
func (s *site) end() {
	for _, p := range s.posts {
		p.mu.Lock()
		p.stopping = true
		if p.now != nil {
			_ = p.now.cmd.Process.Kill()
		}
		p.mu.Unlock()
	}
	for _, p := range s.posts {
		<-p.ended
		if s.t.Failed() || os.Getenv("FLEET_LOG") != "" {
			s.t.Logf("%s:\n%s", p.addr, p.log())
		}
	}
}

// process returns the process that runs now, or has ended last.
func (p *post) process() *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// log returns what all processes of the post have logged.
func (p *post) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all strings.Builder
	for _, one := range p.logs {
		all.WriteString(one.String())
	}
	return all.String()
}

// starts returns how many processes have ended before they listened.
func (p *post) starts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

var asker = &http.Client{Timeout: 3 * time.Second}

func (p *post) ready() bool {
	resp, err := asker.Get("http://" + p.addr + "/readyz")
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// metric returns the sum of a metric of the process that runs; 0 when it does not answer.
func (p *post) metric(name string) (sum int) {
	resp, err := asker.Get("http://" + p.addr + "/metrics")
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		series, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		series, _, _ = strings.Cut(series, "{")
		if n, err := strconv.ParseFloat(value, 64); err == nil && series == name {
			sum += int(n)
		}
	}
	return sum
}

// metric returns the sum of a metric of all processes.
func (s *site) metric(name string) (sum int) {
	for _, p := range s.posts {
		sum += p.metric(name)
	}
	return sum
}

// logged returns how often a text was logged by all processes.
func (s *site) logged(text string) (n int) {
	for _, p := range s.posts {
		n += strings.Count(p.log(), text)
	}
	return n
}

// allReady waits until all processes take calls.
func (s *site) allReady() {
	s.t.Helper()
	for _, p := range s.posts {
		s.wait("all processes are ready", p.ready)
	}
}

// callers is what clients send with: as many connections as they have calls in flight.
var callers = &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// send sends a message to the balancer.
func (s *site) send(path, body string, headers http.Header) (status int, answer string, err error) {
	r, err := http.NewRequest(http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header = headers.Clone()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	resp, err := callers.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw), err
}
