package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// cancelPost posts a cancellation and checks its status, and that a refusal is a JSON-RPC error.
func (h *site) cancelPost(want int, id any, headers ...string) {
	h.t.Helper()
	status, body := h.post(cancelOf(id), headers...)
	if status != want {
		h.t.Errorf("the cancellation of %v by %q: got %d, want %d: %s", id, headers, status, want, body)
	}
	if want != http.StatusNotFound {
		return
	}
	var said struct {
		JSONRPC string
		ID      any
		Error   struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal([]byte(body), &said); err != nil || said.JSONRPC != "2.0" || said.ID != nil || said.Error.Code != codeInvalidParams ||
		!strings.HasPrefix(said.Error.Message, fmt.Sprintf("requestId: this process has not received request %v ", id)) {
		h.t.Errorf("the cancellation of %v: got %s", id, body)
	}
}

// A cancellation of a request that this process has never had is an error, so that a
// client, or what stands between, learns that it went to the wrong process; one that comes
// too late is none.
func TestHTTPCancelUnknown(t *testing.T) {
	b := newBench(t, nil)
	h := serveSite(t, b.server, HTTPOptions{})
	mine := "Mcp-Session-Id: mine"
	h.cancelPost(http.StatusNotFound, 1, mine)
	h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"any"}}`, mine)
	h.post(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`, mine)
	h.cancelPost(http.StatusAccepted, 1, mine)
	h.cancelPost(http.StatusAccepted, `"list"`, mine)
	h.cancelPost(http.StatusNotFound, `"1"`, mine) // another id
	h.cancelPost(http.StatusNotFound, 1, "Mcp-Session-Id: another")
	h.cancelPost(http.StatusNotFound, 1) // without a session

	// The modern era has no sessions: a call ends with its stream, and by no other request.
	modern := []string{"MCP-Protocol-Version: 2026-07-28"}
	h.cancelPost(http.StatusNotFound, 7, modern...)
	call, headers := modernCall(7, "hold", `{"tag":"7"}`)
	answered := make(chan string, 1)
	go func() {
		_, body := h.post(call, headers...)
		answered <- body
	}()
	b.waitStarted(t, 1)
	h.cancelPost(http.StatusAccepted, 7, modern...)
	close(b.release)
	if body := <-answered; !strings.Contains(body, `"text":"\"7\""`) {
		t.Errorf("cancelled by another request: %s", body)
	}
	h.cancelPost(http.StatusAccepted, 7, modern...)
	h.cancelPost(http.StatusNotFound, 8, modern...)
	if status, body := h.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`, mine); status != http.StatusAccepted {
		t.Errorf("a cancellation of nothing: %d %s", status, body)
	}
}

// The memory of requests is bounded; the latest are always in it.
func TestHTTPCancelForgets(t *testing.T) {
	s := newSessions()
	const n = 5 * mostEnded
	for i := range n {
		s.begin(session{name: "s"}, []byte(fmt.Sprint(i)), func() {})()
		if last := fmt.Sprint(max(0, i-mostEnded+1)); i%1000 == 0 && !s.cancel(session{name: "s"}, []byte(last)) {
			t.Fatalf("request %s is forgotten after %d", last, i)
		}
		if kept := len(s.recent[0]) + len(s.recent[1]); kept > 2*mostEnded || len(s.flying) != 0 {
			t.Fatalf("%d requests are remembered and %d in flight", kept, len(s.flying))
		}
	}
	if s.cancel(session{name: "s"}, []byte("0")) {
		t.Error("the first request is remembered for ever")
	}
}
