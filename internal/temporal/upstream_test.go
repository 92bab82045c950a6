package temporal

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// upstream is an MCP server over HTTP in the process of the test, so that it counts calls also when
// workers are killed. Its tool step takes a key, says progress, and takes ms milliseconds.
type upstream struct {
	*httptest.Server

	mu        sync.Mutex // guards what follows
	calls     map[string]int
	all       int
	inFlight  int
	most      int                  // calls in flight at a time
	cancelled map[string]time.Time // keys of calls that were cancelled
	flying    map[string]context.CancelFunc
	changed   chan struct{} // closed and replaced when something above has changed
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{
		calls: map[string]int{}, cancelled: map[string]time.Time{}, flying: map[string]context.CancelFunc{}, changed: make(chan struct{}),
	}
	u.Server = httptest.NewServer(u)
	t.Cleanup(func() {
		u.CloseClientConnections()
		u.Close()
	})
	return u
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			RequestID json.RawMessage `json:"requestId"`
			Arguments struct {
				Key string `json:"key"`
				Ms  int    `json:"ms"`
			} `json:"arguments"`
		} `json:"params"`
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		http.Error(w, "not here", http.StatusMethodNotAllowed)
		return
	}
	var answer string
	switch {
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	case m.Method == "initialize":
		answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"up","version":"1"}}`
	case m.Method == "tools/list":
		answer = `"result":{"tools":[{"name":"step","inputSchema":{"type":"object"}}]}`
	case m.Method == "tools/call":
		u.step(r.Context(), m.Params.Arguments.Key, time.Duration(m.Params.Arguments.Ms)*time.Millisecond)
		answer = fmt.Sprintf(`"result":{"content":[],"structuredContent":{"v":1,"key":%q}}`, m.Params.Arguments.Key)
	default:
		answer = `"error":{"code":-32601,"message":"no such method"}`
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
}

// step is one call. Its client closes the connection when it cancels.
func (u *upstream) step(ctx context.Context, key string, takes time.Duration) {
	u.change(func() { u.calls[key]++; u.all++; u.inFlight++; u.most = max(u.most, u.inFlight) })
	defer u.change(func() { u.inFlight-- })
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		u.change(func() { u.cancelled[key] = time.Now() })
	}
}

func (u *upstream) change(f func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	f()
	close(u.changed)
	u.changed = make(chan struct{})
}

// until waits until a condition of the counts is true.
func (u *upstream) until(t *testing.T, what string, is func() bool) {
	t.Helper()
	guard := time.After(hang)
	for {
		u.mu.Lock()
		ok, changed := is(), u.changed
		u.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-guard:
			t.Fatalf("hangs: %s", what)
		}
	}
}

// count returns how often a call with a key was made.
func (u *upstream) count(key string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.calls[key]
}
