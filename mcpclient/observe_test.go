package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolgraph/config"
)

// noter is an Observer that notes what it gets.
type noter struct {
	mu   sync.Mutex
	said []string
}

func (n *noter) note(text string, more ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = append(n.said, fmt.Sprintf(text, more...))
}

func (n *noter) Sending(_ context.Context, r Sending) func(error) {
	return func(err error) {
		n.note("%s(%s) of %s %s, id %v, session %v: %v", r.Method, r.Tool, r.Server, r.Protocol, r.ID != "", r.Session, err)
	}
}

func (n *noter) Started(server string, why error) {
	n.note("started %s %v", server, why)
}

func (n *noter) Opened(p Peer) func(error) {
	n.note("opened %s %s %s", p.Server, p.Protocol, p.Host)
	return func(why error) { n.note("ended %v", why) }
}

// count returns how often something that begins so was noted.
func (n *noter) count(beginning string) (times int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, one := range n.said {
		if strings.HasPrefix(one, beginning) {
			times++
		}
	}
	return times
}

func (n *noter) has(t *testing.T, expected ...string) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, one := range expected {
		if !slices.Contains(n.said, one) {
			t.Errorf("no %q in %q", one, n.said)
		}
	}
}

// Handshakes, requests and sessions are observed in both eras, over pipes and HTTP.
func TestObserver(t *testing.T) {
	for mode, handshake := range map[string]string{"legacy": "initialize", "modern": "server/discover"} {
		n := &noter{}
		p := pool(t, fake(t, mode), WithObserver(n))
		if _, err := callTool(p, "echo", `{"b":1}`); err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		version := map[string]string{"legacy": "2025-06-18", "modern": "2026-07-28"}[mode]
		n.has(t, fmt.Sprintf("%s() of fake , id false, session : <nil>", handshake), "opened fake "+version+" ",
			fmt.Sprintf("tools/call(echo) of fake %s, id true, session : <nil>", version), "ended <nil>")
	}
	w, n := newWeb(t, nil), &noter{}
	p := pool(t, w.upstream("/mcp"), withAdjust(allowPrivate), WithObserver(n))
	if _, err := callTool(p, "echo", `{}`); err != nil {
		t.Fatal(err)
	}
	n.has(t, "initialize() of fake , id false, session : <nil>", "opened fake 2025-06-18 127.0.0.1")
}

// The code of a JSON-RPC error is known to who does not import this package.
func TestJSONRPCCode(t *testing.T) {
	var coded interface{ JSONRPCCode() int }
	if err := error(&Error{Code: CodeRPCError, Err: &rpcError{code: -32000}}); !errors.As(err, &coded) || coded.JSONRPCCode() != -32000 {
		t.Errorf("%v has no code", err)
	}
}

// Each start is observed once, with its error; a pool that is closed meanwhile has not failed.
func TestStartsAreObserved(t *testing.T) {
	n := &noter{}
	p := pool(t, fake(t), WithObserver(n))
	mustCall(t, p, "inc", `{"n":1}`, `2`)
	mustCall(t, p, "inc", `{"n":1}`, `2`)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	n.has(t, "started fake <nil>")
	if starts := n.count("started "); starts != 1 {
		t.Errorf("%d starts", starts)
	}

	n = &noter{}
	missing := fake(t)
	missing.Command = text("/nonexistent/program")
	p = pool(t, missing, WithObserver(n))
	mustFail(t, p, "inc", `{"n":1}`, CodeServerStart)
	if starts := n.count(`started fake server "": cannot be started`); starts != 1 || n.count("started ") != 1 {
		t.Errorf("%d failed starts in %q", starts, n.said)
	}

	n = &noter{}
	p = pool(t, fake(t, "noinit"), WithObserver(n))
	failed := make(chan error, 1)
	go func() {
		_, err := callTool(p, "inc", `{"n":1}`)
		failed <- err
	}()
	waitFor(t, "the start", func() bool { return p.servers["fake"].load().Connecting == 1 })
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err == nil || n.count("started ") != 0 {
		t.Errorf("%v, %q", err, n.said)
	}
}

// The load of a server is that of all pools that are lent, and a name that shares its process adds none.
func TestLoads(t *testing.T) {
	u := fake(t)
	second := *u
	second.Name, second.Shares = text("second"), "fake"
	var shared Shared
	defer shared.Close()
	if loads := shared.Loads(); len(loads) != 0 {
		t.Errorf("%v", loads)
	}
	make := func() *Pool {
		return NewPool([]*config.Upstream{u, &second}, withAdjust(func(s *settings) {
			unlimited(s)
			s.MaxInFlight = 1
		}), withClock(unhurried))
	}
	p, done := shared.Lease([]*config.Upstream{u, &second}, "", make)
	if loads := shared.Loads(); len(loads) != 1 || loads["fake"] != (Load{}) {
		t.Errorf("before the first call: %v", loads)
	}
	var calls sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	for range 3 {
		calls.Go(func() { _, _ = callWith(ctx, p, "hang", `{}`) })
	}
	waitFor(t, "the calls", func() bool { return shared.Loads()["fake"] == Load{Running: 1, InFlight: 1, Waiting: 2} })
	other, otherDone := shared.Lease([]*config.Upstream{u}, "another", make) // the first one is in use
	mustCall(t, other, "inc", `{"n":1}`, `2`)
	if got := shared.Loads()["fake"]; got != (Load{Running: 2, InFlight: 1, Waiting: 2}) {
		t.Errorf("of two pools: %+v", got)
	}
	stop()
	calls.Wait()
	done()
	waitFor(t, "the end of the first pool", func() bool { return shared.Loads()["fake"] == Load{Running: 1} })
	otherDone()
}

// A server of type exec has no start and no connection to observe.
func TestProgramsAreNotObserved(t *testing.T) {
	u, _ := fakePrograms(t)
	n := &noter{}
	p := pool(t, u, WithPrograms(), WithObserver(n))
	mustCall(t, p, "cat", `{}`, `""`)
	if len(n.said) != 0 || p.servers["fake"].load() != (Load{}) {
		t.Errorf("%q, %+v", n.said, p.servers["fake"].load())
	}
}
