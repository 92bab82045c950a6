package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/internal/runtime/state"
	"toolgraph/internal/serving/server"
	"toolgraph/tests/pgtest"
)

// parkingFile has tools that wait for an answer, for times, and for both at once.
const parkingFile = `version: "1.0"
server: {name: park, version: 1.0.0, taskAfterMs: 1}
executionLimits: {maxExecutionTimeMs: 36000000}
mcpServers:
  up: {type: http, url: "%s/mcp"}
tools:
- name: sure
  inputSchema: {type: object, properties: {n: {type: integer}}}
  nodes:
  - {id: entry, type: entry, next: before}
  - {id: before, type: mcp, server: up, tool: pay, next: sure}
  - {id: sure, type: ask, message: "Sure?", schema: {type: object, properties: {name: {type: string}}, required: [name]}, next: after}
  - {id: after, type: mcp, server: up, tool: pay, next: value}
  - {id: value, type: transform, transform: {expr: '$.sure.name & $.before & $.after'}, next: exit}
  - {id: exit, type: exit}
- name: often
  nodes:
  - {id: entry, type: entry, next: look}
  - {id: look, type: mcp, server: up, tool: look, effect: read, retry: {attempts: 9, delayMs: 3000, backoff: 1, until: $result >= 3}, next: exit}
  - {id: exit, type: exit}
- name: days
  nodes:
  - {id: entry, type: entry, next: look}
  - {id: look, type: mcp, server: up, tool: look, effect: read, retry: {attempts: 9, delayMs: 3600000, maxDelayMs: 3600000, until: $result >= 3}, next: exit}
  - {id: exit, type: exit}
`

// counting is an upstream server whose calls are answered with their number.
type counting struct {
	*httptest.Server
	mu    sync.Mutex // guards what follows
	calls map[string]int
	held  chan struct{} // closed when calls of tools may be answered; nil: at once
}

func startCounting(t *testing.T) *counting {
	t.Helper()
	u := &counting{calls: map[string]int{}}
	u.Server = httptest.NewServer(u)
	t.Cleanup(u.Close)
	return u
}

// hold lets calls of tools wait for their answers until release is called.
func (u *counting) hold(t *testing.T) (release func()) {
	t.Helper()
	u.mu.Lock()
	defer u.mu.Unlock()
	held := make(chan struct{})
	u.held = held
	release = sync.OnceFunc(func() { close(held) })
	t.Cleanup(release)
	return release
}

func (u *counting) count(tool string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.calls[tool]
}

// ServeHTTP answers one message of MCP.
func (u *counting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Name string }
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	result := "{}"
	switch {
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	case m.Method == "initialize":
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"up","version":"1"}}`
	case m.Method == "tools/list":
		result = `{"tools":[{"name":"pay","inputSchema":{"type":"object"}},{"name":"look","inputSchema":{"type":"object"}}]}`
	case m.Method == "tools/call":
		u.mu.Lock()
		u.calls[m.Params.Name]++
		result = fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, u.calls[m.Params.Name])
		held := u.held
		u.mu.Unlock()
		if held != nil {
			<-held
		}
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// parker is a process that serves over HTTP and parks soon.
type parker struct {
	t       *testing.T
	address string
	served  *Served
	ready   chan struct{}
	stop    func()
	log     lockedLog
}

func (p *parker) Serve(ctx context.Context, s *Served) error {
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p.address, p.served = on.Addr().String(), s
	if s.Listening != nil {
		if err := s.Listening(p.address); err != nil {
			return err
		}
	}
	close(p.ready)
	return s.Server.ServeHTTP(ctx, on, server.HTTPOptions{})
}

// soon parks runs that wait for a second or more.
func soon() *parks {
	return &parks{after: 20 * time.Millisecond, soon: 20 * time.Millisecond, least: time.Second, lag: 50 * time.Millisecond, every: 100 * time.Millisecond, news: make(chan struct{}, 1)}
}

func startParker(t *testing.T, u *counting, place string, how Service) *parker {
	t.Helper()
	return startParkerOf(t, parkingFile, u, place, how)
}

// startParkerOf serves a file of its own.
func startParkerOf(t *testing.T, text string, u *counting, place string, how Service) *parker {
	t.Helper()
	file := filepath.Join(t.TempDir(), "park.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, text, u.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &parker{t: t, ready: make(chan struct{})}
	how.Transport, how.HTTP, how.HTTPGrace = p, true, time.Second
	if how.parks == nil {
		how.parks = soon()
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, Options{
			Graph: file, File: config.Options{}, Asker: ClientAsker{}, History: &History{Place: place, Required: true, Serves: true},
			Log: Logging{To: &p.log, Level: "info"},
		}, how)
	}()
	p.stop = sync.OnceFunc(func() {
		cancel(ErrStop)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(p.stop)
	select {
	case <-p.ready:
	case err := <-done:
		done <- nil
		t.Fatal(err)
	}
	return p
}

const parkClient = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}%s}`

// send sends a request of a client of the modern era, with tasks or without, and returns the result.
func (p *parker) send(method, name, params string, tasks bool) (result map[string]any, raw string) {
	p.t.Helper()
	more := ""
	if tasks {
		more = `,"extensions":{"io.modelcontextprotocol/tasks":{}}`
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,"_meta":{%s}}}`, method, params, fmt.Sprintf(parkClient, more))
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, "http://"+p.address+"/mcp", strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	for key, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name, "Connection": "close"} {
		r.Header.Set(key, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	var m struct {
		Result map[string]any
		Error  any
	}
	text := new(strings.Builder)
	if err := json.NewDecoder(resp.Body).Decode(&m); err != nil {
		p.t.Fatal(err)
	}
	fmt.Fprint(text, m.Result, m.Error)
	return m.Result, text.String()
}

func (p *parker) call(tool, more string, tasks bool) (map[string]any, string) {
	p.t.Helper()
	return p.send("tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":{}%s`, tool, more), tasks)
}

// stores are where runs are recorded.
var parkPlaces = map[string]func(*testing.T) string{
	"SQLite":   func(t *testing.T) string { return t.TempDir() },
	"Postgres": func(t *testing.T) string { return pgtest.URL(t) },
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for guard := time.Now().Add(2 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(guard) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// store is the store that a test looks into, as another process.
func storeAt(t *testing.T, place string) *journal.Store {
	t.Helper()
	s, err := state.Open(place, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// parkedRuns returns the runs that are parked.
func parkedRuns(t *testing.T, s *journal.Store) (parked []journal.Run) {
	t.Helper()
	all, err := s.List(t.Context(), journal.Filter{Status: journal.Waiting, Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.Parked {
			parked = append(parked, r)
		}
	}
	return parked
}
