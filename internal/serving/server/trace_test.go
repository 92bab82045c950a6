package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// watcher is an Observer that notes each request when it ends.
type watcher struct {
	ended    chan string
	sessions chan string
}

func newWatcher() *watcher {
	return &watcher{ended: make(chan string, 100), sessions: make(chan string, 100)}
}

type watched struct {
	of *watcher
	r  *Request
}

type watchedKey struct{}

func (w *watcher) Request(r *Request) Observed { return &watched{w, r} }

func (w *watcher) SessionEnded(version string, lasted time.Duration, err error) {
	w.sessions <- fmt.Sprint(version, " ", lasted >= 0, " ", err)
}

func (o *watched) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchedKey{}, o.r.ID)
}

func (o *watched) End(how Outcome) {
	o.of.ended <- fmt.Sprintf("%s(%s) %s %s %+v", o.r.Method, o.r.Tool, o.r.ID, o.r.Version, how)
}

func (w *watcher) want(t *testing.T, expected string) {
	t.Helper()
	select {
	case got := <-w.ended:
		if got != expected {
			t.Errorf("got  %s\nwant %s", got, expected)
		}
	case <-time.After(patience):
		t.Errorf("nothing was observed, want %s", expected)
	}
}

func TestTraceContextOfARequest(t *testing.T) {
	for meta, want := range map[string]string{
		`{}`:                   `map[]`,
		`{"tracestate":"a=1"}`: `map[]`,
		`{"traceparent":5}`:    `map[]`,
		`{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","tracestate":"a=1","baggage":"k=v"}`: `map[baggage:k=v ` +
			`traceparent:00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 tracestate:a=1]`,
	} {
		m := &message{}
		if _, fault := m.parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":`+meta+`}}`), nil); fault != nil {
			t.Fatal(fault.message)
		}
		if got := fmt.Sprint(map[string]string(traceContext(m))); got != want {
			t.Errorf("%s: got %s, want %s", meta, got, want)
		}
	}
}

const observedMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// Each request is observed once, with the outcome that its client sees.
func TestRequestsAreObserved(t *testing.T) {
	w := newWatcher()
	b := newBench(t, func(o *Options) { o.Observer, o.Resources = w, shelf{"run://a": "text"} })
	h := connect(t, b.server).handshake()
	w.want(t, `initialize() init  {Code:0 Failed:false Waits:false Cancelled:false Version:2025-11-25}`)
	for _, one := range [][2]string{
		{`"id":1,"method":"tools/list"`, `tools/list() 1 2025-11-25 {Code:0 Failed:false Waits:false Cancelled:false Version:}`},
		{`"id":2,"method":"tools/call","params":{"name":"any","arguments":{}}`, `tools/call(any) 2 2025-11-25 {Code:0 Failed:false Waits:false Cancelled:false Version:}`},
		{`"id":"x\ny","method":"tools/call","params":{"name":"panic"}`, "tools/call(panic) x\ny 2025-11-25 {Code:0 Failed:true Waits:false Cancelled:false Version:}"},
		{`"id":3,"method":"tools/call","params":{"name":"nothing"}`, `tools/call() 3 2025-11-25 {Code:-32602 Failed:false Waits:false Cancelled:false Version:}`},
		{`"id":4,"method":"none"`, `none() 4 2025-11-25 {Code:-32601 Failed:false Waits:false Cancelled:false Version:}`},
		{`"id":5,"method":"resources/read","params":{"uri":"run://a"}`, `resources/read() 5 2025-11-25 {Code:0 Failed:false Waits:false Cancelled:false Version:}`},
		{`"id":6,"method":"resources/read","params":{"uri":"run://c"}`, `resources/read() 6 2025-11-25 {Code:-32002 Failed:false Waits:false Cancelled:false Version:}`},
		{`"id":7,"method":"logging/setLevel","params":{"level":"info"}`, `logging/setLevel() 7 2025-11-25 {Code:0 Failed:false Waits:false Cancelled:false Version:}`},
		{`"id":8,"method":"logging/setLevel","params":{"level":"loud"}`, `logging/setLevel() 8 2025-11-25 {Code:-32602 Failed:false Waits:false Cancelled:false Version:}`},
		{`"id":9,"method":"tools/call","params":{"name":"any",` + observedMeta + `}`, `tools/call(any) 9 2026-07-28 {Code:0 Failed:false Waits:false Cancelled:false Version:}`},
	} {
		h.send(`{"jsonrpc":"2.0",` + one[0] + `}`)
		w.want(t, one[1])
	}
	h.send(`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"hold","arguments":{"tag":"a"}}}`)
	<-b.started
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":10}}`)
	<-b.stopped
	w.want(t, `tools/call(hold) 10 2025-11-25 {Code:0 Failed:true Waits:false Cancelled:true Version:}`)
	if err := h.close(); err != nil {
		t.Error(err)
	}
	if got := <-w.sessions; got != "2025-11-25 true <nil>" {
		t.Errorf("the session: %s", got)
	}
}

// A call that ends with a question is observed as one, and so is the call that answers.
func TestQuestionsAreObserved(t *testing.T) {
	w := newWatcher()
	b := newBench(t, func(o *Options) { o.Observer = w })
	h := connect(t, b.server)
	h.send(askCall(1, "ask", ""))
	state := stateOf(t, h.next())
	w.want(t, `tools/call(ask) 1 2026-07-28 {Code:0 Failed:false Waits:true Cancelled:false Version:}`)
	h.send(askCall(2, "ask", answering(state, accepted)))
	w.want(t, `tools/call(ask) 2 2026-07-28 {Code:0 Failed:false Waits:false Cancelled:false Version:}`)
	h.send(askCall(3, "ask", answering(state, accepted)))
	w.want(t, `tools/call(ask) 3 2026-07-28 {Code:-32602 Failed:false Waits:false Cancelled:false Version:}`)
	h.send(askCall(4, "panic", ""))
	w.want(t, `tools/call(panic) 4 2026-07-28 {Code:0 Failed:true Waits:false Cancelled:false Version:}`)
}

func TestRequestsOverHTTPAreObserved(t *testing.T) {
	w := newWatcher()
	b := newBench(t, func(o *Options) { o.Observer = w })
	h := serveSite(t, b.server, HTTPOptions{})
	for _, one := range []struct{ body, headers, expected string }{
		{
			`"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`, "",
			`initialize() 1  {Code:0 Failed:false Waits:false Cancelled:false Version:2025-11-25}`,
		},
		{`"id":2,"method":"tools/call","params":{"name":"panic"}`, "2025-11-25", `tools/call(panic) 2 2025-11-25 {Code:0 Failed:true Waits:false Cancelled:false Version:}`},
		{`"id":3,"method":"tools/call","params":{"name":"nothing"}`, "2025-11-25", `tools/call() 3 2025-11-25 {Code:-32602 Failed:false Waits:false Cancelled:false Version:}`},
		{`"id":4,"method":"tools/list"`, "secret-version", `tools/list() 4  {Code:-32602 Failed:false Waits:false Cancelled:false Version:}`},
	} {
		headers := []string{}
		if one.headers != "" {
			headers = append(headers, "MCP-Protocol-Version: "+one.headers)
		}
		h.post(`{"jsonrpc":"2.0",`+one.body+`}`, headers...)
		w.want(t, one.expected)
	}
}

// The run of a call is in the context of its request, also when it outlives the call.
func TestRunIsInTheContextOfItsRequest(t *testing.T) {
	w := newWatcher()
	found := make(chan string, 2)
	look := func(ctx context.Context, _ Watch) { found <- fmt.Sprint(ctx.Value(watchedKey{})) }
	b := newBench(t, func(o *Options) { o.Observer, o.Tools = w, []Tool{toolOf(t, "do", "", "")} })
	b.do = look
	h := connect(t, b.server).handshake()
	h.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"do"}}`)
	h.send(askCall(6, "do", ""))
	var got []string
	for range 2 {
		select {
		case id := <-found:
			got = append(got, id)
		case <-time.After(patience):
			t.Fatal("the runs do not start")
		}
	}
	if slices.Sort(got); strings.Join(got, " ") != "5 6" {
		t.Errorf("the runs are in the contexts of %v", got)
	}
}

// Without an observer a request costs no memory more.
func TestUnobservedRequestsAllocateNothing(t *testing.T) {
	s := newBench(t, nil).server
	m := &message{}
	if _, fault := m.parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"any"}}`), nil); fault != nil {
		t.Fatal(fault.message)
	}
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		o := s.observe(m, "2025-11-25", nil)
		if o.context(ctx) != ctx {
			t.Error("another context")
		}
		o.end(Outcome{})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
