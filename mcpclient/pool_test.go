package mcpclient

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution/call"
)

func TestCall(t *testing.T) {
	p := pool(t, fake(t))
	mustCall(t, p, "echo", `{"b":1,"a":[true,null,"x"]}`, `{"b":1,"a":[true,null,"x"]}`)
	mustCall(t, p, "inc", `{"n":41}`, `42`)
	mustCall(t, p, "text", `{"text":"plain"}`, `"plain"`)
	mustCall(t, p, "several", `{}`, `[{"a":1},"plain",3]`)
	mustCall(t, p, "image", `{}`, `["a picture",{"type":"image","data":"aGk=","mimeType":"image/png"}]`)
	mustCall(t, p, "unknowntype", `{}`, `{"type":"hologram","planes":[1,2]}`)
	for _, tool := range []string{"nothing", "nocontent"} {
		if got, err := p.CallTool(t.Context(), call.Call{Server: "fake", Tool: tool}); got != nil || err != nil {
			t.Errorf("%s: got %v (%v), want nothing", tool, got, err)
		}
	}
	failed := mustFail(t, p, "failstructured", `{"message":"too many","text":"x"}`, CodeToolError)
	if failed.Message != "too many\nstructuredContent: {\"status\":429,\"wait\":\"x\"}" || string(failed.StructuredContent()) != `{"status":429,"wait":"x"}` {
		t.Errorf("got %q and %s", failed.Message, failed.Structured)
	}
	mustCall(t, p, "nullstructured", `{}`, `7`)
}

func TestNoArguments(t *testing.T) {
	p := pool(t, fake(t))
	v, err := p.CallTool(context.Background(), call.Call{Server: "fake", Tool: "text"})
	if err != nil || v != "" {
		t.Fatalf("got %v, %v", v, err)
	}
}

// Both eras and every way of asking for them reach the server with the same value.
func TestEras(t *testing.T) {
	for _, c := range []struct {
		mode string
		want config.Protocol
		code string // of the error expected, or empty
		meta string // part of the _meta that arrives
		asks string // the requests of the handshake: no more than it takes
	}{
		{"legacy", config.ProtocolAuto, "", `{"run":"r1/0"}`, `"initialize"`},
		{"legacy", config.ProtocolLegacy, "", `{"run":"r1/0"}`, `"initialize"`},
		{"modern", config.ProtocolAuto, "", `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`, `"initialize","server/discover"`},
		{"modern", config.ProtocolModern, "", `"run":"r1/0"`, `"server/discover"`},
		{"modern", config.ProtocolLegacy, CodeServerStart, "", ""},
		{"both", config.ProtocolModern, "", `"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, `"server/discover"`},
		{"both", config.ProtocolAuto, "", `{"run":"r1/0"}`, `"initialize"`},
		{"nodiscover", config.ProtocolAuto, "", `{"run":"r1/0"}`, `"initialize"`},
	} {
		t.Run(c.mode+"/"+string(c.want), func(t *testing.T) {
			p := pool(t, fake(t, c.mode), withAdjust(func(s *settings) { s.Protocol = c.want }))
			v, err := p.CallTool(context.Background(), call.Call{Server: "fake", Tool: "meta", Meta: map[string]any{"run": "r1/0"}})
			if c.code != "" {
				wantError(t, "", err, c.code)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := encoded(t, v); !strings.Contains(got, c.meta) {
				t.Errorf("the server saw %s, want %s in it", got, c.meta)
			}
			if got, err := callTool(p, "heard", `{}`); err != nil || !strings.HasPrefix(got, `{"items":[`+c.asks+`,"tools/list"`) {
				t.Errorf("the server was asked %s, %v, want %s first", got, err, c.asks)
			}
			if tools, err := p.ListTools(context.Background(), "fake"); err != nil || len(tools) < 30 {
				t.Errorf("%d tools, %v", len(tools), err)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	p := pool(t, fake(t), newMovedTime().clock(nil, startsUpPause))
	if e := mustFail(t, p, "fail", `{"message":"disk full"}`, CodeToolError); e.Error() != `server "fake", tool "fail": disk full` {
		t.Errorf("got %q", e)
	}
	if e := mustFail(t, p, "rpcerror", `{"message":"7"}`, CodeRPCError); !strings.Contains(e.Error(), "quota used up: 7 (JSON-RPC error -32050)") {
		t.Errorf("got %q", e)
	}
	if e := mustFail(t, p, "ecko", `{}`, CodeUnknownTool); !strings.Contains(e.Error(), `did you mean "echo"?`) {
		t.Errorf("got %q", e)
	}
	mustFail(t, p, "inputrequired", `{}`, CodeInputRequired)
	mustFail(t, p, "fail", `{"message":"file not found"}`, CodeToolError)
	_, err := p.CallTool(context.Background(), call.Call{Server: "fakke", Tool: "echo"})
	if e := wantError(t, "", err, CodeUnknownServer); !strings.Contains(e.Error(), `did you mean "fake"?`) {
		t.Errorf("got %q", e)
	}
}

func TestCancel(t *testing.T) {
	p := pool(t, fake(t))
	cause := errors.New("the run's limit is reached")
	ctx, stop := context.WithCancelCause(context.Background())
	failed := make(chan error, 1)
	go func() {
		_, err := callWith(ctx, p, "hang", `{}`)
		failed <- err
	}()
	waitFor(t, "the call to reach the server", func() bool {
		got, err := callTool(p, "flying", `{}`)
		return err == nil && got == "1"
	})
	stop(cause)
	e := wantError(t, "", receive(t, failed, "the call's end"), CodeCancelled)
	if !errors.Is(e, cause) {
		t.Errorf("the cause is lost: %v", e)
	}
	waitFor(t, "the server to hear of it", func() bool {
		got, err := callTool(p, "canceled", `{}`)
		return err == nil && got == "1"
	})
	c, _ := live(p).link.(*conn)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) != 0 {
		t.Errorf("%d answers are still expected", len(c.pending))
	}
}

func TestCallTimeout(t *testing.T) {
	timers := &heldTimers{}
	p := pool(t, fake(t), timers.clock(), withAdjust(func(s *settings) { s.Timeout = 100 * time.Millisecond }))
	mustCall(t, p, "inc", `{"n":1}`, `2`)
	failed := make(chan error, 1)
	go func() {
		_, err := callTool(p, "hang", `{}`)
		failed <- err
	}()
	waitFor(t, "the call to reach the server", func() bool {
		got, err := callTool(p, "flying", `{}`)
		return err == nil && got == "1"
	})
	timers.expire()
	e := wantError(t, "", receive(t, failed, "the call's end"), CodeTimeout)
	if !strings.Contains(e.Error(), "did not answer within 100ms") {
		t.Errorf("got %q", e)
	}
	waitFor(t, "the server to hear of it", func() bool {
		got, err := callTool(p, "canceled", `{}`)
		return err == nil && got == "1"
	})
}

// A call whose context has ended is cancelled, wherever it is on its way to the server.
func TestCancelBeforeSending(t *testing.T) {
	p := pool(t, fake(t))
	mustCall(t, p, "inc", `{"n":1}`, `2`)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	for range 50 { // a free slot and the end of the context are equally likely to be seen first
		got, err := callWith(ctx, p, "inc", `{"n":1}`)
		wantError(t, got, err, CodeCancelled)
	}
}

func TestMaxInFlight(t *testing.T) {
	p := pool(t, fake(t), withAdjust(func(s *settings) { s.MaxInFlight = 1 }))
	mustCall(t, p, "inc", `{"n":1}`, `2`)
	ctx, stop := context.WithCancel(context.Background())
	first := make(chan error, 1)
	go func() {
		_, err := callWith(ctx, p, "hang", `{}`)
		first <- err
	}()
	waitFor(t, "the place to be taken", func() bool { return len(p.servers["fake"].slot) == 1 })
	over, cancel := context.WithCancel(context.Background())
	cancel()
	got, err := callWith(over, p, "inc", `{"n":1}`)
	if e := wantError(t, got, err, CodeCancelled); !strings.Contains(e.Error(), "waiting for one of 1 calls in flight") {
		t.Errorf("got %q", e)
	}
	stop()
	wantError(t, "", <-first, CodeCancelled)
	mustCall(t, p, "inc", `{"n":1}`, `2`)
}

func TestClosedPool(t *testing.T) {
	p := NewPool([]*config.Upstream{fake(t)})
	for range 2 {
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	mustFail(t, p, "echo", `{}`, CodeClosed)
}

func TestCloseDuringCallAndStart(t *testing.T) {
	for _, mode := range []string{"x", "noinit"} {
		p := NewPool([]*config.Upstream{fake(t, mode)})
		failed := make(chan error, 1)
		go func() {
			_, err := callTool(p, "hang", `{}`)
			failed <- err
		}()
		u := p.servers["fake"]
		waitFor(t, "the start", func() bool {
			u.mu.Lock()
			defer u.mu.Unlock()
			return u.starting != nil || u.current != nil
		})
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		wantError(t, "", <-failed, CodeClosed)
	}
}

func TestListTools(t *testing.T) {
	p := pool(t, fake(t))
	tools, err := p.ListTools(context.Background(), "fake")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Tool{}
	for _, tool := range tools {
		found[tool.Name] = tool
	}
	if len(found) != len(tools) || len(tools) < 30 {
		t.Errorf("%d tools, %d names", len(tools), len(found))
	}
	big := found["bigtool"]
	for _, keyword := range []string{"$schema", "9007199254740993", `"any":true`, "oneOf", "minProperties", "unevaluatedProperties"} {
		if !strings.Contains(string(big.InputSchema), keyword) {
			t.Errorf("inputSchema lost %s: %s", keyword, big.InputSchema)
		}
	}
	if !strings.Contains(string(big.OutputSchema), `"x-order":[3,1,2]`) || !strings.Contains(string(big.Annotations), `"x-custom":{"remaining":true}`) ||
		!strings.Contains(string(big.Raw), `"vendor":1`) || big.Title != "Big tool" {
		t.Errorf("something is lost: %s", big.Raw)
	}
	if string(found["oddtool"].InputSchema) != `{"type":["object","null"]}` {
		t.Errorf("oddtool: %s", found["oddtool"].InputSchema)
	}
	empty := pool(t, fake(t, "emptylist"))
	if tools, err := empty.ListTools(context.Background(), "fake"); err != nil || len(tools) != 0 {
		t.Errorf("got %v, %v", tools, err)
	}
}
