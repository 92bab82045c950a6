package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// site is a Server over HTTP and a client of it.
type site struct {
	t      testing.TB
	addr   string
	client *http.Client
	cancel context.CancelFunc
	ended  chan error
}

func serveSite(t testing.TB, s *Server, opts HTTPOptions) *site {
	t.Helper()
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	h := &site{
		t: t, addr: on.Addr().String(), cancel: cancel, ended: make(chan error, 1),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}, Timeout: patience},
	}
	go func() { h.ended <- s.ServeHTTP(ctx, on, opts) }()
	t.Cleanup(func() {
		h.client.CloseIdleConnections()
		h.end()
	})
	return h
}

// end ends the server as a signal would, and waits for it; a second time is nothing.
func (h *site) end() {
	h.t.Helper()
	h.cancel()
	select {
	case err, open := <-h.ended:
		if err != nil {
			h.t.Errorf("ServeHTTP: %v", err)
		}
		if open {
			close(h.ended)
		}
	case <-time.After(patience):
		h.t.Error("ServeHTTP does not return")
	}
}

// request is a POST of a message; headers are "Name: value". An empty value leaves a
// header out that would be there.
func (h *site) request(ctx context.Context, message string, headers ...string) *http.Request {
	h.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+h.addr+Endpoint, strings.NewReader(message))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	setHeaders(r, headers)
	return r
}

func setHeaders(r *http.Request, headers []string) {
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		switch {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(strings.TrimSuffix(name, ":"))
		default:
			r.Header.Add(name, value)
		}
	}
}

// do sends a request and gives the status and the whole body.
func (h *site) do(r *http.Request) (status int, body string, header http.Header) {
	h.t.Helper()
	resp, err := h.client.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return resp.StatusCode, string(raw), resp.Header
}

func (h *site) post(message string, headers ...string) (status int, body string) {
	h.t.Helper()
	status, body, _ = h.do(h.request(context.Background(), message, headers...))
	return status, body
}

// stream is an answer that is read event by event.
type stream struct {
	t      testing.TB
	resp   *http.Response
	lines  *bufio.Reader
	cancel context.CancelFunc
}

// open sends a request whose answer is a stream.
func (h *site) open(r *http.Request) *stream {
	h.t.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	resp, err := h.client.Do(r.WithContext(ctx)) //nolint:bodyclose // the stream closes it
	if err != nil {
		cancel()
		h.t.Fatal(err)
	}
	if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" {
		h.t.Errorf("status %d, Content-Type %q", resp.StatusCode, kind)
	}
	s := &stream{t: h.t, resp: resp, lines: bufio.NewReader(resp.Body), cancel: cancel}
	h.t.Cleanup(s.close)
	return s
}

func (s *stream) close() {
	s.cancel()
	_ = s.resp.Body.Close()
}

// next is the data of the next event, or "" at the end.
func (s *stream) next() string {
	s.t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return ""
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return strings.TrimSuffix(data, "\n")
		}
	}
}

func (s *stream) want(data string) {
	s.t.Helper()
	if got := s.next(); got != data {
		s.t.Errorf("got  %s\nwant %s", got, data)
	}
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// modernCall is a call in the modern era, and its headers.
func modernCall(id int, tool, arguments string) (string, []string) {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`, id, tool, arguments, modernMeta),
		[]string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: " + tool}
}
