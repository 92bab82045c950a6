package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/textproto"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// editor speaks with a language server, one message at a time.
type editor struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	uri     string
	text    string
	version int
	last    int
}

type message struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// open starts the server and initializes it.
func open(ctx context.Context, binary, dir string) (*editor, error) {
	e := &editor{cmd: exec.CommandContext(ctx, binary, "lsp")}
	e.cmd.Dir, e.cmd.Stderr = dir, os.Stderr
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	e.out = bufio.NewReaderSize(out, 1<<20)
	if err := e.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = e.ask("initialize", map[string]any{"capabilities": map[string]any{}, "initializationOptions": map[string]any{"debounceMs": 0}})
	if err == nil {
		err = e.send(map[string]any{"method": "initialized", "params": map[string]any{}})
	}
	return e, err
}

func (e *editor) close() error {
	_, err := e.ask("shutdown", nil)
	return errors.Join(err, e.send(map[string]any{"method": "exit"}), e.cmd.Wait())
}

func (e *editor) send(m map[string]any) error {
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

func (e *editor) read() (m message, err error) {
	header, err := textproto.NewReader(e.out).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	size, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return m, err
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(e.out, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

// ask sends a request and returns its result.
func (e *editor) ask(method string, params any) (json.RawMessage, error) {
	e.last++
	if err := e.send(map[string]any{"id": e.last, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		m, err := e.read()
		switch {
		case err != nil:
			return nil, err
		case m.ID == nil || *m.ID != e.last:
		case m.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		default:
			return m.Result, nil
		}
	}
}

// found waits for the findings of the newest version, and returns how many there are.
func (e *editor) found() (int, error) {
	for {
		m, err := e.read()
		if err != nil {
			return 0, err
		}
		var p struct {
			URI         string            `json:"uri"`
			Version     int               `json:"version"`
			Diagnostics []json.RawMessage `json:"diagnostics"`
		}
		if m.Method != "textDocument/publishDiagnostics" {
			continue
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return 0, err
		}
		if p.URI == e.uri && p.Version == e.version {
			return len(p.Diagnostics), nil
		}
	}
}

// position is that of a byte of the text, which is ASCII.
func (e *editor) position(at int) map[string]any {
	before := e.text[:at]
	return map[string]any{"line": strings.Count(before, "\n"), "character": at - strings.LastIndex(before, "\n") - 1}
}

// replace changes a piece of the text.
func (e *editor) replace(at int, old, with string) error {
	change := map[string]any{"range": map[string]any{"start": e.position(at), "end": e.position(at + len(old))}, "text": with}
	e.text = e.text[:at] + with + e.text[at+len(old):]
	e.version++
	return e.send(map[string]any{"method": "textDocument/didChange", "params": map[string]any{
		"textDocument": map[string]any{"uri": e.uri, "version": e.version}, "contentChanges": []any{change},
	}})
}

// spot is a place in a tool that is changed or asked about.
type spot struct {
	name      string
	old, with string // a change and back
	broken    bool   // the changed text has findings
}

var spots = []spot{
	{"a word of an expression is written", "$count($.list.entries)", "$count($.list.entries.name)", false},
	{"a mistake in an expression", "$count($.list.entries)", "$count($.list.entrie)", true},
	{"a description is written", "number", "the number", false},
	{"a name of a node is half written", "next: largest", "next: larg", true},
	{"the text is no YAML for a moment", "args:\n", "args: {\n", true},
}

// measure measures everything, the kinds in turns.
func (e *editor) measure(path, text string, changes int) ([]*row, error) {
	e.uri, e.text, e.version = (&url.URL{Scheme: "file", Path: path}).String(), text, 1
	begin := e.now()
	err := e.send(map[string]any{"method": "textDocument/didOpen", "params": map[string]any{
		"textDocument": map[string]any{"uri": e.uri, "languageId": "yaml", "version": 1, "text": text},
	}})
	if err != nil {
		return nil, err
	}
	if n, err := e.found(); err != nil {
		return nil, err
	} else if n != 0 {
		return nil, fmt.Errorf("the file has %d findings, expected none", n)
	}
	first := &row{name: "open to findings", goal: 1000}
	first.add(e, begin)
	change := &row{name: "change to findings", goal: 40}
	rows := []*row{first, change}
	asks := map[string]*row{}
	for _, method := range []string{"completion", "hover"} {
		asks[method] = &row{name: method + ", right after a change", goal: 10}
		rows = append(rows, asks[method])
	}
	for i := range changes {
		s := spots[i%len(spots)]
		at := e.nth(s.old, i*7%tools)
		for _, back := range []bool{false, true} {
			old, with := s.old, s.with
			if back {
				old, with = with, old
			}
			begin := e.now()
			if err := e.replace(at, old, with); err != nil {
				return nil, err
			}
			n, err := e.found()
			if err != nil {
				return nil, err
			}
			change.add(e, begin)
			if wrong := s.broken && !back; wrong != (n > 0) {
				return nil, fmt.Errorf("%s (back: %t): %d findings", s.name, back, n)
			}
		}
	}
	if err := e.pause(usualPause); err != nil { // so that the checks begin after the answers, as they do for users
		return nil, err
	}
	for i := range changes {
		if err := e.askBoth(asks, i); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// askBoth writes a dot into an expression and asks what can follow, and what the name before it is.
func (e *editor) askBoth(rows map[string]*row, i int) error {
	const piece = "{items: $.list"
	at := e.nth(piece, i*11%tools) + len(piece)
	if err := e.replace(at, ".entries", "."); err != nil {
		return err
	}
	for method, offset := range map[string]int{"completion": at + 1, "hover": at - 2} {
		begin := e.now()
		got, err := e.ask("textDocument/"+method, map[string]any{"textDocument": map[string]any{"uri": e.uri}, "position": e.position(offset)})
		if err != nil {
			return err
		}
		rows[method].add(e, begin)
		if !strings.Contains(string(got), "entries") {
			return fmt.Errorf("%s: got %.200s, expected entries", method, got)
		}
	}
	return e.replace(at, ".", ".entries")
}

// usualPause is that of the server without settings, in milliseconds.
const usualPause = 150

// pause sets the pause after a change.
func (e *editor) pause(milliseconds int) error {
	return e.send(map[string]any{"method": "workspace/didChangeConfiguration", "params": map[string]any{"settings": map[string]any{"debounceMs": milliseconds}}})
}

// nth is where the text has a piece for the nth time, from 0.
func (e *editor) nth(piece string, n int) int {
	at := -1
	for range n + 1 {
		next := strings.Index(e.text[at+1:], piece)
		if next < 0 {
			return at
		}
		at += 1 + next
	}
	return at
}

// clock is a moment: of the wall, and of the processor time that the server has used.
type clock struct {
	wall time.Time
	cpu  float64 // milliseconds; NaN where the system does not say
}

func (e *editor) now() clock { return clock{time.Now(), e.cpu()} }

// cpu is the processor time of all threads of the server, on Linux.
func (e *editor) cpu() float64 {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", e.cmd.Process.Pid))
	if len(threads) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, path := range threads {
		raw, _ := os.ReadFile(path) // of a thread that has ended, nothing
		first, _, _ := strings.Cut(string(raw), " ")
		ns, _ := strconv.ParseFloat(first, 64)
		sum += ns / 1e6
	}
	return sum
}

// add adds what has passed since a moment.
func (r *row) add(e *editor, begin clock) {
	took := time.Since(begin.wall)
	r.times = append(r.times, float64(took.Microseconds())/1000)
	r.cpu = append(r.cpu, e.cpu()-begin.cpu)
}
