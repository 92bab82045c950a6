package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/debugger/debug"
	"toolgraph/internal/project"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// graphFile counts from 0 to entry.n by calls that add one.
const graphFile = `version: "1.0"
server: {name: test, version: 1.0.0, title: A test}
executionLimits: {maxNodeExecutions: 100000}
mcpServers:
  up: {command: up, env: {TOKEN: "${TOKEN}", PLAIN: "", OTHER: public}}
tools:
- name: count
  description: counts
  inputSchema:
    type: object
    properties:
      n: {type: integer, minimum: 0}
      note: {type: string, default: none}
      deep: {type: object, properties: {list: {type: array, items: {type: integer}}}}
    required: [n]
  outputSchema: {type: object, properties: {n: {type: integer}}}
  nodes:
  - {id: entry, type: entry, next: begin}
  - {id: begin, type: transform, transform: {expr: '0'}, next: more}
  - id: more
    type: switch
    conditions: [{rule: {"<": [{var: '$exists($.add) ? $.add : 0'}, {var: $.entry.n}]}, next: add}]
    next: end
  - {id: add, type: mcp, server: up, tool: inc, args: {n: {expr: '$exists($.add) ? $.add : $.begin'}}, next: more}
  - {id: end, type: transform, transform: {expr: '{"n": $.add, "turns": $executionCount("add"), "note": $.entry.note}'}, next: exit}
  - {id: exit, type: exit}
- name: fail
  description: fails
  nodes:
  - {id: entry, type: entry, next: bad}
  - {id: bad, type: transform, transform: {expr: '$.entry.x + {}'}, next: exit}
  - {id: exit, type: exit}
`

// Secrets: one that is the same in JSON, URLs and text, and one that is not.
const (
	token       = "s3cret-t0ken-value"
	quotedToken = `s3c"ret t0ken/&value`
)

// inc answers n+1.
type inc struct{}

func (inc) CallTool(_ context.Context, c execution.Call) (value.Value, error) {
	n, _ := c.Args.(value.Object).Get("n")
	f, _ := n.(float64)
	return f + 1, nil
}

// client is a browser of the test.
type client struct {
	t      *testing.T
	server *Server
	base   string // http://127.0.0.1:…
	http   *http.Client
	last   atomic.Pointer[http.Request] // after redirects
}

func parse(t *testing.T, src string) *project.Project {
	t.Helper()
	p, err := project.Parse(t.Context(), "graph.yaml", []byte(src), config.Options{LookupEnv: func(name string) (string, bool) {
		return map[string]string{"TOKEN": token, "QUOTED_TOKEN": quotedToken}[name], true
	}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func projectOf(t *testing.T, src string, store *journal.Store) Project {
	p := parse(t, src)
	var opts []execution.Option
	if store != nil {
		path := newLoaded(Project{Project: p}).path
		opts = append(opts, execution.WithJournal(store.Journal(p.File.Secrets, journal.About{File: path, Server: "test"})))
	}
	return Project{Project: p, Source: src, Engine: execution.New(inc{}, opts...)}
}

// serve serves a page until the test ends, and is a browser without a session.
func serve(t *testing.T, src string, store *journal.Store, prepare ...func(*Server)) *client {
	t.Helper()
	return serveAll(t, src, store, nil, prepare...)
}

// serveAll is serve with the pages of other files beside it.
func serveAll(t *testing.T, src string, store *journal.Store, beside []*Server, prepare ...func(*Server)) *client {
	t.Helper()
	s := New(Options{
		Controller: debug.New(), Project: projectOf(t, src, store), Store: store,
		Version: "test", Logger: slog.New(slog.DiscardHandler),
	})
	for _, f := range prepare {
		f(s)
	}
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	site := NewSite(append([]*Server{s}, beside...)...)
	go func() { ended <- site.Serve(ctx, on) }()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, server: s, base: "http://" + on.Addr().String(), http: &http.Client{Jar: jar, Transport: &http.Transport{}, Timeout: 2 * time.Minute}}
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		c.http.CloseIdleConnections()
	})
	return c
}

// open is serve with a session.
func open(t *testing.T, store *journal.Store) *client {
	t.Helper()
	return openFile(t, graphFile, store)
}

func openFile(t *testing.T, src string, store *journal.Store, prepare ...func(*Server)) *client {
	t.Helper()
	c := serve(t, src, store, prepare...)
	if status, body := c.ask("POST", "/api/session", fmt.Sprintf(`{"token": %q}`, c.server.token)); status != http.StatusNoContent {
		t.Fatalf("no session: %d %s", status, body)
	}
	return c
}

// ask asks with headers "Name: value" put on top.
func (c *client) ask(method, path, body string, headers ...string) (status int, answer string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if name == "Host" {
			req.Host = value
		}
		req.Header.Add(name, value)
		if name == "Content-Type" {
			req.Header.Set(name, value)
		}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	c.last.Store(resp.Request)
	src, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, string(src)
}

// good is a request that works; its answer goes into a value.
func good[T any](c *client, method, path, body string) T {
	c.t.Helper()
	status, answer := c.ask(method, path, body)
	var out T
	if status != http.StatusOK {
		c.t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	if err := json.NewDecoder(bytes.NewReader([]byte(answer))).Decode(&out); err != nil {
		c.t.Fatalf("%s %s: %v: %s", method, path, err, answer)
	}
	return out
}

// until asks for a run until it has the status, for a minute and more.
func (c *client) until(id, status string) info {
	c.t.Helper()
	for range 12_000 {
		i := good[info](c, "GET", "/api/runs/"+id, "")
		if i.Status == status {
			return i
		}
		time.Sleep(5 * time.Millisecond)
	}
	c.t.Fatalf("the run does not become %s", status)
	return info{}
}

func (c *client) start(body string) string {
	c.t.Helper()
	return good[info](c, "POST", "/api/runs", body).ID
}

// breakAt sets a breakpoint of a tool.
func (c *client) breakAt(tool, body string) []breakpointJSON {
	c.t.Helper()
	return good[breakpointsJSON](c, "PUT", "/api/breakpoints/"+tool, body).Breakpoints
}

func (c *client) level(id, of string, at int, path ...any) level {
	c.t.Helper()
	src, err := json.Marshal(path)
	if err != nil {
		c.t.Fatal(err)
	}
	return good[level](c, "GET", fmt.Sprintf("/api/runs/%s/value?of=%s&at=%d&path=%s", id, of, at, url.QueryEscape(string(src))), "")
}

// ran runs a tool without the page.
func ran(t *testing.T, p Project, tool, args string) (v value.Value, result *execution.Result, failed error) {
	t.Helper()
	g, err := p.Graph(tool)
	if err != nil {
		t.Fatal(err)
	}
	if v, err = value.Decode([]byte(args)); err != nil {
		t.Fatal(err)
	}
	result, failed = p.Engine.Run(t.Context(), g, v)
	return v, result, failed
}
