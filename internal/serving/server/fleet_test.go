package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// twoServers are processes that reach each other.
type twoServers struct {
	mu      sync.Mutex // guards servers
	servers map[string]*Server
}

type processOfTwo struct {
	*twoServers
	name string
}

func (p processOfTwo) Process() string { return p.name }

func (p processOfTwo) Send(_ context.Context, process, kind string, body []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	sent := false
	for name, s := range p.servers {
		if name == process || process == "" && name != p.name {
			s.Deliver(kind, body)
			sent = true
		}
	}
	if !sent {
		return errors.New("no such process")
	}
	return nil
}

// serveTwo serves the same tools in two processes.
func serveTwo(t *testing.T, tools ...Tool) (one, other *site) {
	t.Helper()
	all := &twoServers{servers: map[string]*Server{}}
	var sites []*site
	for _, name := range []string{"ONE", "OTHER"} {
		s, err := New(Options{Info: Info{Name: "t", Version: "1"}, Tools: tools, Fleet: processOfTwo{all, name}})
		if err != nil {
			t.Fatal(err)
		}
		all.servers[name] = s
		sites = append(sites, serveSite(t, s, HTTPOptions{}))
	}
	return sites[0], sites[1]
}

func definition(name string) *config.Tool {
	return &config.Tool{Name: config.Text{Value: name}}
}

// The name of a call reaches the run; one that is no name is refused, with what is expected.
func TestKey(t *testing.T) {
	seen := make(chan string, 1)
	h, _ := serveTwo(t, Tool{Def: definition("run"), Run: func(ctx context.Context, _ value.Value, _ Watch) (Answer, error) {
		seen <- CalledBy(ctx).Key
		return Answer{Value: "done"}, nil
	}})
	for _, test := range []struct{ key, want string }{
		{`"a key"`, ""},
		{`"` + strings.Repeat("x", longestKey) + `"`, ""},
		{`"` + strings.Repeat("x", longestKey+1) + `"`, "got 201 bytes"},
		{`""`, `got the string`},
		{`" a"`, `got the string`},
		{`"a\u0007"`, `got the string`},
		{`17`, "got 17"},
		{`{}`, "got an object"},
		{`null`, "got null"},
	} {
		for _, era := range []string{"", `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},`} {
			headers := []string{}
			if era != "" {
				headers = []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: run"}
			}
			_, body := h.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","_meta":{%s"toolgraph/key":%s}}}`, era, test.key), headers...)
			if test.want != "" {
				if !strings.Contains(body, `"code":-32602`) || !strings.Contains(body, test.want) || !strings.Contains(body, "such as a UUID") {
					t.Errorf("%s: %s", test.key, body)
				}
				continue
			}
			if key := <-seen; `"`+key+`"` != test.key {
				t.Errorf("%s: the run sees %q: %s", test.key, key, body)
			}
		}
	}
}

// A call with a key goes on when its connection ends; another one does not. Both are cancelled by a
// notification, which may reach another process.
func TestKeyOutlivesConnection(t *testing.T) {
	begun, ended := make(chan struct{}, 1), make(chan error, 1)
	finish := make(chan struct{})
	one, other := serveTwo(t, Tool{Def: definition("run"), Run: func(ctx context.Context, _ value.Value, _ Watch) (Answer, error) {
		begun <- struct{}{}
		select {
		case <-ctx.Done():
		case <-finish:
		}
		ended <- ctx.Err()
		return Answer{Value: "done"}, nil
	}})
	const session = "Mcp-Session-Id: a-session-with-a-long-enough-name"
	for i, test := range []struct { // the id of the last one is not in use: what ends the others goes on for a moment
		meta   string
		end    func(leave context.CancelFunc)
		wanted error
	}{
		{"", func(leave context.CancelFunc) { leave() }, context.Canceled},
		{`,"_meta":{"toolgraph/key":"k"}`, func(leave context.CancelFunc) {
			leave()
			time.Sleep(20 * time.Millisecond) // for a cancellation that does not come
			finish <- struct{}{}
		}, nil},
		{`,"_meta":{"toolgraph/key":"k"}`, func(context.CancelFunc) {
			status, body := other.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, session)
			if status != http.StatusAccepted {
				t.Errorf("%d: %s", status, body)
			}
		}, context.Canceled},
	} {
		ctx, leave := context.WithCancel(t.Context())
		r := one.request(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"run"%s}}`, i, test.meta), session)
		var calling sync.WaitGroup
		calling.Go(func() {
			if resp, err := one.client.Do(r); err == nil {
				_ = resp.Body.Close()
			}
		})
		<-begun
		test.end(leave)
		if err := <-ended; !errors.Is(err, test.wanted) {
			t.Errorf("%s: the run ends with %v, expected %v", test.meta, err, test.wanted)
		}
		calling.Wait()
		leave()
	}
}

// The answer to a question of the legacy era reaches the process that asks, if the client is the one that was asked.
func TestResponseElsewhere(t *testing.T) {
	one, other := serveTwo(t, Tool{Def: definition("run"), Run: func(ctx context.Context, _ value.Value, _ Watch) (Answer, error) {
		raw, err := Ask(ctx, Question{Params: []byte(`{"message":"Go on?","requestedSchema":{"type":"object","properties":{}}}`)})
		return Answer{Value: string(raw)}, err
	}})
	_, _, header := one.do(one.request(t.Context(), strings.Replace(strings.TrimSpace(initLine), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1)))
	session := "Mcp-Session-Id: " + header.Get("Mcp-Session-Id")
	stream := one.open(one.request(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run"}}`, session))
	question := stream.next()
	if !strings.Contains(question, `"id":"toolgraph-ONE-1"`) {
		t.Fatal(question)
	}
	const response = `{"jsonrpc":"2.0","id":"toolgraph-%s-1","result":{"action":"accept"}}`
	for process, want := range map[string]int{"NONE": http.StatusBadRequest, "OTHER": http.StatusBadRequest} {
		if status, body := other.post(fmt.Sprintf(response, process), session); status != want {
			t.Errorf("%s: %d: %s", process, status, body)
		}
	}
	if status, _ := other.post(fmt.Sprintf(response, "ONE"), "Mcp-Session-Id: another-session-with-a-long-name-form"); status != http.StatusAccepted {
		t.Errorf("an answer that may be right: %d", status) // only the process that asks can say that it is not
	}
	if status, body := other.post(fmt.Sprintf(response, "ONE"), session); status != http.StatusAccepted {
		t.Errorf("%d: %s", status, body)
	}
	if got := stream.next(); !strings.Contains(got, `accept`) {
		t.Error(got)
	}
}

// The state of a question that another process has asked leads to the run, which the run of the call
// joins; the answer to a question of an upstream server is forwarded.
func TestStateElsewhere(t *testing.T) {
	joined := make(chan Continued, 1)
	var forward *Server
	one, other := serveTwo(t, Tool{Def: definition("run"), Run: func(ctx context.Context, args value.Value, _ Watch) (Answer, error) {
		called := CalledBy(ctx)
		if c := called.Continued; c != nil {
			if !forward.Forward(ctx, c) && c.Mark == "" {
				return Answer{}, NotWaiting()
			}
			joined <- *c
			return Answer{Value: "joined"}, nil
		}
		mark, _ := member(args, "mark").(string)
		raw, err := Ask(ctx, Question{Params: []byte(`{"message":"Go on?","requestedSchema":{"type":"object","properties":{}}}`), Name: "sure", Run: "RUN", Mark: mark})
		return Answer{Value: string(raw)}, err
	}})
	var err error
	if forward, err = New(Options{Info: Info{Name: "t"}, Fleet: processOfTwo{&twoServers{}, "THIRD"}}); err != nil {
		t.Fatal(err)
	}
	_ = one
	headers := []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: run"}
	call := func(h *site, more string) string {
		_, body := h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":{"mark":"abc"},`+askingMeta+more+`}}`, headers...)
		return body
	}
	question := call(one, "")
	_, rest, found := strings.Cut(question, `"requestState":"`)
	state, _, _ := strings.Cut(rest, `"`)
	if !found || !strings.HasPrefix(state, "ONE.") || !strings.HasSuffix(state, ".RUN.abc") {
		t.Fatal(question)
	}
	if got := call(other, `,"requestState":"`+state+`","inputResponses":{"sure":{"action":"accept"}}`); !strings.Contains(got, "joined") {
		t.Error(got)
	}
	if c := <-joined; c.Run != "RUN" || c.Mark != "abc" || string(c.Answers["sure"]) != `{"action":"accept"}` {
		t.Errorf("%+v", c)
	}
	for more, want := range map[string]string{
		`,"requestState":"` + state + `"`:                                                                   "expected an object with the answer",
		`,"requestState":"` + state + `","inputResponses":{"sure":{"action":"perhaps"}}`:                    "whose action is accept, decline or cancel",
		`,"requestState":"ONE.x..","inputResponses":{"sure":{"action":"accept"}}`:                           "requestState is unknown",
		`,"requestState":"a.b.c.d.e","inputResponses":{"sure":{"action":"accept"}}`:                         "requestState is unknown",
		`,"requestState":"ONE.secret.RUN.","inputResponses":{"sure":{"action":"accept"}}`:                   "requestState is unknown",
		`,"requestState":"` + strings.Repeat(".", 1000) + `","inputResponses":{"sure":{"action":"accept"}}`: "requestState is unknown",
	} {
		if got := call(other, more); !strings.Contains(got, want) {
			t.Errorf("%s:\ngot  %s\nwant %s", more, got, want)
		}
	}
	if got := call(one, `,"requestState":"`+state+`","inputResponses":{"sure":{"action":"accept"}}`); !strings.Contains(got, "accept") {
		t.Error(got) // the run was still waiting
	}
	// The client whose connection has broken sends its answer again, also to the process that has asked.
	if got := call(one, `,"requestState":"`+state+`","inputResponses":{"sure":{"action":"accept"}}`); !strings.Contains(got, "joined") {
		t.Error(got)
	}
}

// A run that goes on elsewhere makes the client repeat its call.
func TestAgain(t *testing.T) {
	h, _ := serveTwo(t, Tool{Def: definition("run"), Run: func(context.Context, value.Value, Watch) (Answer, error) {
		return Answer{}, &AgainError{"call again"}
	}})
	for _, meta := range []string{"", `,` + askingMeta} {
		headers := []string{}
		if meta != "" {
			headers = []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: run"}
		}
		status, body, header := h.do(h.request(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run"`+meta+`}}`, headers...))
		if status != http.StatusServiceUnavailable || header.Get("Retry-After") != "1" || !strings.Contains(body, `"error":{"code":-32603,"message":"call again"}`) {
			t.Errorf("%d: %s", status, body)
		}
	}
}

// A process is not ready while its history cannot be written.
func TestReady(t *testing.T) {
	var why error
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{Token: token, Ready: func(context.Context) error { return why }})
	for _, test := range []struct {
		why  error
		want int
	}{{nil, http.StatusOK}, {errors.New("disk full at /secret/place"), http.StatusServiceUnavailable}} {
		why = test.why
		if status, body, _ := h.get("/readyz"); status != test.want || strings.Contains(body, "place") {
			t.Errorf("%v: %d, %s", test.why, status, body)
		}
	}
}
