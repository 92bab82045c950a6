package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
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

func (n *noter) Opened(p Peer) func(error) {
	n.note("opened %s %s %s", p.Server, p.Protocol, p.Host)
	return func(why error) { n.note("ended %v", why) }
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
