package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
)

// A server that refuses the version, and lists it as supported, is asked once more; initialize is not
// sent in the modern era.
func TestDiscoverIsRepeatedOnce(t *testing.T) {
	for _, c := range []struct {
		refusals  int
		supported string
		asked     int
		want      string
	}{
		{1, `["2026-07-28"]`, 2, ""},
		{9, `["2026-07-28"]`, 2, "unsupported protocol version"},
		{9, `["2030-01-01"]`, 1, "unsupported protocol version"},
	} {
		w := newWeb(t, func(w *web) { w.modern = true })
		inner, refused := w.Config.Handler, 0
		w.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(raw)))
			var m rpc
			if _ = json.Unmarshal(raw, &m); m.Method != "server/discover" || refused == c.refusals {
				inner.ServeHTTP(out, r)
				return
			}
			refused++
			w.read(&http.Request{Header: r.Header, Body: r.Body})
			out.Header().Set("Content-Type", "application/json")
			out.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"no","data":{"supported":%s,"requested":"2026-07-28"}}}`, m.ID, c.supported)
		})
		u := w.upstream("/mcp")
		u.Protocol = config.ProtocolModern
		_, err := callTool(pool(t, u, withAdjust(allowPrivate)), "echo", `{}`)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
		if w.asked("server/discover") != c.asked || w.asked("initialize") != 0 {
			t.Errorf("%+v: asked %v", c, w.methods)
		}
	}
}

// A server that does not say to which call its question belongs sends it on the stream that is always
// open: it is that of the one call in flight.
func TestQuestionOnTheOpenStream(t *testing.T) {
	w := newWeb(t, nil)
	inner := w.Config.Handler
	opened := make(chan struct{})
	w.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.Path == "/mcp" {
			close(opened)
			w.passOn(out, r)
			return
		}
		raw, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(raw)))
		var m rpc
		if _ = json.Unmarshal(raw, &m); m.Method != "tools/call" {
			inner.ServeHTTP(out, r)
			return
		}
		select {
		case <-opened:
		case <-time.After(patience):
			http.Error(out, "no stream was opened", http.StatusInternalServerError)
			return
		}
		w.events <- "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"elicitation/create\",\"params\":{\"message\":\"sure?\",\"requestedSchema\":{\"type\":\"object\"}}}\n\n"
		out.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"structuredContent":%s,"content":[]}}`, m.ID, <-w.answers)
	})
	u := w.upstream("/mcp")
	u.AllowElicit, u.Protocol = true, config.ProtocolLegacy
	asked := 0
	p := pool(t, u, withAdjust(allowPrivate), WithElicitor(func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		asked++
		return json.RawMessage(`{"action":"accept","content":{}}`), nil
	}))
	if v, err := callTool(p, "echo", `{}`); err != nil || asked != 1 {
		t.Errorf("%v, asked %d times: %v", v, asked, err)
	}
}
