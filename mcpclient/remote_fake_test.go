package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"toolgraph/config"
)

// web is a fake upstream server over HTTP, of the older era unless modern.
type web struct {
	*httptest.Server
	modern  bool
	listen  bool              // modern: takes subscriptions, whose events come from events
	stream  bool              // answers calls as events
	listing func()            // called when the answer to tools/list is made and not sent yet
	before  string            // an event before the answer of a call, when stream or sse; TOKEN is its progressToken
	lost    bool              // knows no request that is to be cancelled
	more    string            // what tools/list answers with a cursor
	says    map[string]string // results by method, in place of others

	mu       sync.Mutex // guards what follows
	tools    string     // what tools/list answers
	session  int
	headers  []http.Header
	methods  []string
	canceled chan string
	events   chan string // sse: what goes down the stream
	answers  chan string // to the requests that the server sent
}

func newWeb(t testing.TB, change func(*web)) *web {
	t.Helper()
	w := &web{canceled: make(chan string, 10), events: make(chan string, 10), tools: webTools("echo", "hang", "end", "ask"), answers: make(chan string, 10)}
	if change != nil {
		change(w)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mcp", w.post)
	mux.HandleFunc("DELETE /mcp", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /sse", w.open)
	mux.HandleFunc("POST /message", w.message)
	w.Server = httptest.NewServer(mux)
	t.Cleanup(w.Close)
	return w
}

func (w *web) upstream(path string) *config.Upstream {
	kind := config.StreamableHTTP
	if path == "/sse" {
		kind = config.SSE
	}
	return &config.Upstream{
		Name: text("fake"), Transport: kind, URL: text(w.URL + path),
		Headers: []config.Setting{{Name: text("Authorization"), Value: text("Bearer s3cret-token")}},
	}
}

// webTools is a tools/list of these tools, which take any object.
func webTools(names ...string) string {
	var list []string
	for _, name := range names {
		list = append(list, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name))
	}
	return `{"tools":[` + strings.Join(list, ",") + `]}`
}

// offer changes what tools/list answers.
func (w *web) offer(tools string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tools = tools
}

// asked is how often a method has come.
func (w *web) asked(method string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, m := range w.methods {
		if m == method {
			n++
		}
	}
	return n
}

// answer is the result for a request, "" when it gets none.
func (w *web) answer(m rpc) string {
	if said := w.says[m.Method]; said != "" {
		return said
	}
	switch m.Method {
	case "initialize":
		return `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}`
	case "server/discover":
		return fmt.Sprintf(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":%t}}}`, w.listen)
	case "tools/list":
		w.mu.Lock()
		tools := w.tools
		w.mu.Unlock()
		if bytes.Contains(m.Params, []byte(`"cursor"`)) {
			return w.more
		}
		if w.listing != nil {
			w.listing()
		}
		return tools
	case "tools/call":
		return `{"structuredContent":` + string(m.Params) + `,"content":[]}`
	}
	return ""
}

type rpc struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// ask is a tool that asks {method} of the client, as its era does, and answers with
// what came back.
func (w *web) ask(ctx context.Context, out http.ResponseWriter, m rpc) {
	var p struct {
		Arguments struct {
			Method string `json:"method"`
		} `json:"arguments"`
		Responses json.RawMessage `json:"inputResponses"`
		State     string          `json:"requestState"`
	}
	_ = json.Unmarshal(m.Params, &p)
	question := fmt.Sprintf(`{"method":%q,"params":{"message":"sure?","requestedSchema":{"type":"object"}}}`, p.Arguments.Method)
	finish := func(v string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"structuredContent":%s,"content":[]}}`, m.ID, v)
	}
	if w.modern {
		out.Header().Set("Content-Type", "application/json")
		switch {
		case p.State == "waits":
			_, _ = fmt.Fprint(out, finish(string(p.Responses)))
		case p.Arguments.Method == "":
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{}}}`, m.ID)
		default:
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{"q 1":%s},"requestState":"waits"}}`, m.ID, question)
		}
		return
	}
	out.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(out, "data: {\"jsonrpc\":\"2.0\",\"id\":7,%s\n\n", question[1:])
	out.(http.Flusher).Flush()
	select {
	case answer := <-w.answers:
		_, _ = fmt.Fprintf(out, "data: %s\n\n", finish(answer))
	case <-ctx.Done(): // the call was given up
	}
}

func (w *web) read(r *http.Request) rpc {
	var m rpc
	raw, _ := io.ReadAll(r.Body) // to its end, else the end of the client is not noticed
	_ = json.Unmarshal(raw, &m)
	w.mu.Lock()
	w.headers = append(w.headers, r.Header.Clone())
	w.methods = append(w.methods, m.Method)
	w.mu.Unlock()
	if m.Method == "notifications/cancelled" {
		w.canceled <- string(m.Params)
	}
	return m
}

func (w *web) post(out http.ResponseWriter, r *http.Request) {
	m := w.read(r)
	w.mu.Lock()
	if m.Method == "initialize" && !w.modern {
		w.session++
		out.Header().Set("Mcp-Session-Id", fmt.Sprint(w.session))
	}
	session := fmt.Sprint(w.session)
	w.mu.Unlock()
	refused := w.modern && m.Method == "initialize" || !w.modern && m.Method == "server/discover"
	switch {
	case m.Method == "" && m.ID != nil:
		w.answers <- string(m.Result) + string(m.Error)
		out.WriteHeader(http.StatusAccepted)
		return
	case m.ID == nil && m.Method == "notifications/cancelled" && w.lost:
		http.Error(out, "no such request", http.StatusNotFound)
		return
	case m.ID == nil:
		out.WriteHeader(http.StatusAccepted)
		return
	case m.Method == "subscriptions/listen":
		w.passOn(out, r)
		return
	case strings.Contains(string(m.Params), `"name":"ask"`):
		w.ask(r.Context(), out, m)
		return
	case refused:
		out.Header().Set("Content-Type", "application/json")
		out.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
		return
	case !w.modern && m.Method != "initialize" && r.Header.Get("Mcp-Session-Id") != session:
		http.Error(out, "no such session", http.StatusNotFound)
		return
	case strings.Contains(string(m.Params), `"name":"hang"`):
		<-r.Context().Done()
		return
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, w.answer(m))
	if w.stream && m.Method == "tools/call" {
		out.Header().Set("Content-Type", "text/event-stream")
		if w.before != "" {
			_, _ = fmt.Fprintf(out, "event: message\ndata: %s\n\n", w.reporting(m))
		}
		_, _ = fmt.Fprintf(out, "event: message\ndata: %s\n\n", body)
		return
	}
	out.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprint(out, body)
}

// reporting is the event before the answer of a call.
func (w *web) reporting(m rpc) string {
	var p struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &p)
	return strings.ReplaceAll(w.before, "TOKEN", string(p.Meta.Token))
}

// open is the stream of the SSE transport.
func (w *web) open(out http.ResponseWriter, r *http.Request) {
	out.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprint(out, "event: endpoint\ndata: /message\n\n")
	w.passOn(out, r)
}

// passOn writes events until one is "end".
func (w *web) passOn(out http.ResponseWriter, r *http.Request) {
	out.Header().Set("Content-Type", "text/event-stream")
	out.(http.Flusher).Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case e := <-w.events:
			if e == "end" {
				return
			}
			_, _ = fmt.Fprint(out, e)
			out.(http.Flusher).Flush()
		}
	}
}

func (w *web) message(out http.ResponseWriter, r *http.Request) {
	m := w.read(r)
	out.WriteHeader(http.StatusAccepted)
	switch {
	case strings.Contains(string(m.Params), `"name":"end"`):
		w.events <- "end"
	case strings.Contains(string(m.Params), `"name":"hang"`):
	case m.ID != nil:
		if w.before != "" && m.Method == "tools/call" {
			w.events <- fmt.Sprintf("event: message\ndata: %s\n\n", w.reporting(m))
		}
		w.events <- fmt.Sprintf("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", m.ID, w.answer(m))
	}
}

func allowPrivate(s *settings) { s.AllowPrivate = true }
