package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"toolgraph/tests/pgtest"
)

const (
	// patience is how long a process may take to start.
	patience = 60 * time.Second
	// inFlightEach is how many calls of the tool waits each process has in flight.
	inFlightEach = 8
)

// place is a way to make runs.
type place struct {
	name  string
	needs string
	dies  string // what becomes of the runs of a process that dies
	count int    // of processes that make runs
	temporal,
	postgres bool
}

func places() []*place {
	return []*place{
		{name: "one process", needs: "nothing: SQLite is in it", dies: "they wait until it is started again", count: 1},
		{name: "one process, Postgres", needs: "Postgres", dies: "the same", count: 1, postgres: true},
		{name: "two behind a balancer", needs: "Postgres, a balancer", count: 2, postgres: true},
		{name: "three behind a balancer", needs: "Postgres, a balancer", dies: "the others resume them", count: 3, postgres: true},
		{name: "Temporal, one worker", needs: "Temporal, Postgres", dies: "they wait until it is started again", count: 1, postgres: true, temporal: true},
		{name: "Temporal, two workers", needs: "Temporal, Postgres", count: 2, postgres: true, temporal: true},
		{name: "Temporal, three workers", needs: "Temporal, Postgres", dies: "the others resume them", count: 3, postgres: true, temporal: true},
	}
}

// programs are the executables, and the database, of all places.
type programs struct {
	dir, graph          string
	toolgraph, temporal string
	address             string // of the Temporal server; empty: none
	server              int    // its process
	postgres            *pgtest.Server
	database            func(name string) (string, error)
}

// running is a place in which runs can be made.
type running struct {
	*place
	programs *programs
	url      string
	state    string
	balancer *balancer
	makers   []*maker
	serve    *exec.Cmd // of Temporal: starts runs and waits for them
}

// maker is a process that makes runs; it can be killed and started again.
type maker struct {
	name string
	line []string
	ask  string // a URL that answers when it is ready; empty: it says so on standard error
	cmd  *exec.Cmd
}

// start starts the processes of a place.
func (p *place) start(ctx context.Context, with *programs, round int) (_ *running, err error) {
	r := &running{place: p, programs: with, state: filepath.Join(with.dir, fmt.Sprintf("state-%d-%s", round, strings.Map(letters, p.name)))}
	defer func() {
		if err != nil {
			r.stop()
		}
	}()
	if p.postgres {
		if r.state, err = with.database(fmt.Sprintf("scale_%d_%s", round, strings.Map(letters, p.name))); err != nil {
			return r, err
		}
	}
	var urls []string
	for i := range p.count {
		m := &maker{name: "p" + strconv.Itoa(i)}
		if p.temporal {
			m.line = []string{with.temporal, "worker", "-g", with.graph, "--state", r.state, "--address", with.address, "--queue", r.queue(round), "--log-level", "error"}
		} else {
			at, err := free()
			if err != nil {
				return r, err
			}
			urls, m.ask = append(urls, "http://"+at), "http://"+at+"/healthz"
			m.line = []string{with.toolgraph, "serve", "-g", with.graph, "--http", at, "--state", r.state, "--resume", "--log-level", "error"}
		}
		r.makers = append(r.makers, m)
		if err := m.start(ctx); err != nil {
			return r, err
		}
	}
	switch {
	case p.temporal:
		at, err := free()
		if err != nil {
			return r, err
		}
		front := &maker{name: "serve", ask: "http://" + at + "/healthz", line: []string{
			with.temporal, "serve", "-g", with.graph, "--http", at, "--state", r.state, "--address", with.address, "--queue", r.queue(round), "--log-level", "error",
		}}
		if err := front.start(ctx); err != nil {
			return r, err
		}
		r.serve, r.url = front.cmd, "http://"+at
	case p.count > 1:
		r.balancer = newBalancer(urls...)
		r.url = r.balancer.URL
	default:
		r.url = urls[0]
	}
	return r, nil
}

func (r *running) queue(round int) string {
	return fmt.Sprintf("scale%d%s", round, strings.Map(letters, r.name))
}

func letters(c rune) rune {
	if c >= 'a' && c <= 'z' {
		return c
	}
	return -1
}

func free() (string, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// start starts the process, and returns when it is ready.
func (m *maker) start(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, m.line[0], m.line[1:]...)
	cmd.Env = append(os.Environ(), "PROCESS="+m.name)
	var said saying
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return err
	}
	m.cmd = cmd
	for guard := time.Now().Add(patience); time.Now().Before(guard); time.Sleep(10 * time.Millisecond) {
		if m.ask == "" && strings.Contains(said.text(), "making runs of") {
			return nil
		}
		if m.ask != "" {
			if response, err := http.Get(m.ask); err == nil { //nolint:noctx // on loopback
				_ = response.Body.Close()
				return nil
			}
		}
	}
	return fmt.Errorf("%s did not start: %s", strings.Join(m.line, " "), said.text())
}

func (m *maker) kill() {
	if m.cmd != nil {
		_ = m.cmd.Process.Kill()
		_ = m.cmd.Wait() // says that it was killed
		m.cmd = nil
	}
}

func (r *running) stop() {
	for _, m := range r.makers {
		m.kill()
	}
	if r.serve != nil {
		_ = r.serve.Process.Kill()
		_ = r.serve.Wait()
	}
	if r.balancer != nil {
		r.balancer.stop()
	}
}

// memory returns the memory of the processes of the place, without databases and servers, in MB.
func (r *running) memory() (sum float64) {
	for _, m := range r.makers {
		sum += resident(m.cmd.Process.Pid)
	}
	if r.serve != nil {
		sum += resident(r.serve.Process.Pid)
	}
	return sum
}

// resident returns the memory of a process on Linux, in MB; 0 elsewhere.
func resident(pid int) float64 {
	src, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(src)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "Pss:" {
			kb, _ := strconv.Atoi(fields[1]) // 0 when it is no number
			return float64(kb) / 1000
		}
	}
	return 0
}

// ticks is how many clock ticks a second has in /proc, on all architectures of Linux.
const ticks = 100

// used returns the CPU time of a process on Linux, in seconds; 0 elsewhere.
func used(pid int) float64 {
	src, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, found := strings.Cut(string(src), ") ")
	fields := strings.Fields(after)
	if err != nil || !found || len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])   // 0 when it is no number
	system, _ := strconv.Atoi(fields[12]) // likewise
	return float64(user+system) / ticks
}

// cpu returns the CPU time of the processes of the place so far, and that of the Temporal server, in seconds.
func (r *running) cpu() (own, server float64) {
	for _, m := range r.makers {
		own += used(m.cmd.Process.Pid)
	}
	if r.serve != nil {
		own += used(r.serve.Process.Pid)
		server = used(r.programs.server)
	}
	return own, server
}

// temporalServer starts a dev server of the temporal CLI. It has one shard, which gives out 20 tasks a second by
// default; other servers have hundreds of shards.
func temporalServer(ctx context.Context, cli string) (address string, pid int, stop func(), err error) {
	at, err := free()
	if err != nil {
		return "", 0, nil, err
	}
	_, port, _ := net.SplitHostPort(at)
	cmd := exec.CommandContext(ctx, cli, "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", port, "--log-level", "never",
		"--dynamic-config-value", "history.transferProcessorMaxPollRPS=1000")
	var said saying
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return "", 0, nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	for guard := time.Now().Add(patience); time.Now().Before(guard); time.Sleep(100 * time.Millisecond) {
		out, err := exec.CommandContext(ctx, cli, "operator", "cluster", "health", "--address", at).Output()
		if err == nil && bytes.Contains(out, []byte("SERVING")) {
			return at, cmd.Process.Pid, stop, nil
		}
	}
	stop()
	return "", 0, nil, errors.New("the Temporal server did not start: " + said.text())
}
