package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// server is the state of one process.
type server struct {
	modes map[string]string

	out     sync.Mutex    // guards stdout
	writing sync.Mutex    // guards the diary
	gate    chan struct{} // closed when the gate is open

	calls    atomic.Int64
	mu       sync.Mutex                      // guards the maps below
	flying   map[string]chan struct{}        // calls in flight by raw id; closed on cancel
	canceled []string                        // raw ids of notifications/cancelled
	waiting  map[string]chan json.RawMessage // requests of the server by id
	asked    int
	tasks    taskStore
	methods  []string // of all requests
}

func main() {
	s := &server{
		modes: map[string]string{}, gate: make(chan struct{}),
		flying: map[string]chan struct{}{}, waiting: map[string]chan json.RawMessage{},
	}
	for _, arg := range os.Args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		s.modes[name] = value
	}
	s.answering()
	s.offerTasks()
	s.begin()
	s.serve(os.Stdin)
	s.note("eof")
	if s.has("ignoreterm") {
		time.Sleep(time.Hour)
	}
}

func (s *server) has(mode string) bool {
	_, ok := s.modes[mode]
	return ok
}

// begin does what the modes ask for before the first byte is read.
func (s *server) begin() {
	if path := s.modes["countfile"]; path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, _ = fmt.Fprintln(f, os.Getpid())
			_ = f.Close()
		}
	}
	if s.has("crashatstart") {
		fmt.Fprintln(os.Stderr, "cannot open the database: no such file")
		os.Exit(7)
	}
	if s.has("ignoreterm") {
		s.ignoreTerm()
	}
	go s.openGate()
	if s.has("banner") {
		s.raw("Welcome to fakeserver!\nDEBUG ready\n\n")
	}
}

func (s *server) serve(in io.Reader) {
	reader := bufio.NewReaderSize(in, 1<<16)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 1 {
			s.take(line)
		}
		if err != nil {
			return
		}
	}
}

// take handles one line of input.
func (s *server) take(line []byte) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		s.reply(message{ID: json.RawMessage("null"), Error: &rpcError{Code: -32700, Message: "parse error"}})
		return
	}
	switch {
	case m.Method == "":
		s.answered(line, m)
	case len(m.ID) == 0:
		s.notified(m)
	default:
		s.request(m)
	}
}

// answered passes a reply to the server's request that it belongs to.
func (s *server) answered(line []byte, m message) {
	s.mu.Lock()
	ch := s.waiting[string(m.ID)]
	delete(s.waiting, string(m.ID))
	s.mu.Unlock()
	if ch != nil {
		ch <- append(json.RawMessage(nil), line...)
	}
}

func (s *server) notified(m message) {
	if m.Method != "notifications/cancelled" {
		return
	}
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(m.Params, &p)
	id := string(p.RequestID)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.canceled = append(s.canceled, id)
	if ch := s.flying[id]; ch != nil {
		close(ch)
		delete(s.flying, id)
	}
}

func (s *server) request(m message) {
	s.mu.Lock()
	s.methods = append(s.methods, m.Method)
	s.mu.Unlock()
	switch m.Method {
	case "initialize", "server/discover":
		s.handshake(m)
	case "ping":
		s.result(m.ID, map[string]any{})
	case "tools/list":
		if s.meta(m) {
			s.list(m)
		}
	case "tools/call":
		if s.meta(m) {
			s.call(m)
		}
	case "resources/read":
		if s.meta(m) {
			s.read(m)
		}
	default:
		if !s.offers(m) && !s.aboutTask(m) {
			s.unknown(m)
		}
	}
}

func (s *server) unknown(m message) {
	if !s.has("nodiscover") {
		s.reply(message{ID: m.ID, Error: &rpcError{Code: -32601, Message: "Method not found: " + m.Method}})
	}
}

// meta reports whether a request may be served: the modern era wants its version.
func (s *server) meta(m message) bool {
	if !s.has("modern") {
		return true
	}
	var p struct {
		Meta map[string]any `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &p)
	_, caps := p.Meta["io.modelcontextprotocol/clientCapabilities"].(map[string]any)
	if p.Meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28" && caps {
		return true
	}
	s.reply(message{ID: m.ID, Error: &rpcError{Code: -32602, Message: "missing protocolVersion or clientCapabilities in _meta"}})
	return false
}

func (s *server) handshake(m message) {
	if s.has("noinit") {
		return
	}
	if s.has("exitoninit") && m.Method == "initialize" {
		fmt.Fprintln(os.Stderr, "initialize: license expired")
		os.Exit(8)
	}
	if d, err := time.ParseDuration(s.modes["slowinit"]); err == nil {
		time.Sleep(d)
	}
	discover := m.Method == "server/discover"
	if discover && !s.has("modern") && !s.has("both") || !discover && s.has("modern") {
		s.unknown(m)
		return
	}
	info := map[string]any{"name": "fakeserver", "version": "1.0.0"}
	caps := map[string]any{"tools": map[string]any{"listChanged": true}}
	if s.has("offers") {
		changes := map[string]any{"listChanged": true}
		caps["prompts"], caps["resources"], caps["completions"] = changes, changes, map[string]any{}
	}
	version := "2025-06-18"
	if s.has("tasks") {
		version = "2025-11-25"
		caps["extensions"] = map[string]any{"io.modelcontextprotocol/tasks": map[string]any{}}
		if !discover {
			caps["tasks"] = map[string]any{"cancel": map[string]any{}, "requests": map[string]any{"tools": map[string]any{"call": map[string]any{}}}}
		}
	}
	if discover {
		s.result(m.ID, map[string]any{
			"resultType": "complete", "supportedVersions": []string{"2026-07-28"}, "capabilities": caps,
			"ttlMs": 0, "cacheScope": "private",
			"_meta": map[string]any{"io.modelcontextprotocol/serverInfo": info},
		})
	} else {
		s.result(m.ID, map[string]any{"protocolVersion": version, "capabilities": caps, "serverInfo": info})
	}
	if s.has("deaf") {
		time.Sleep(time.Hour)
	}
}

func (s *server) result(id json.RawMessage, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		s.reply(message{ID: id, Error: &rpcError{Code: -32603, Message: err.Error()}})
		return
	}
	s.reply(message{ID: id, Result: raw})
}

// reply writes one message as a line.
func (s *server) reply(m message) {
	if m.Method == "" {
		s.mu.Lock()
		delete(s.flying, string(m.ID)) // a client that has the answer does not find the call in flight
		s.mu.Unlock()
	}
	line, err := json.Marshal(struct {
		JSONRPC string `json:"jsonrpc"`
		message
	}{"2.0", m})
	if err == nil {
		s.raw(string(line) + "\n")
	}
}

// raw writes text to stdout as it is.
func (s *server) raw(text string) {
	s.out.Lock()
	defer s.out.Unlock()
	_, _ = os.Stdout.WriteString(text)
}
