package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/expressions/value"
)

// patience is a guard against hanging, and is never waited for when a test passes.
const patience = 2 * time.Minute

// host is a client of a Server over pipes, in lock-step.
type host struct {
	t      testing.TB
	in     *io.PipeWriter
	lines  chan string
	ended  chan error
	cancel context.CancelFunc
}

// connect serves a connection whose client is the test.
func connect(t testing.TB, s *Server) *host {
	t.Helper()
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	h := &host{t: t, in: inWriter, lines: make(chan string, 1<<16), ended: make(chan error, 1), cancel: cancel}
	go func() {
		h.ended <- s.ServeStdio(ctx, inReader, outWriter)
		_ = outWriter.Close()
	}()
	go func() {
		defer close(h.lines)
		r := bufio.NewReader(outReader)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			h.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		cancel()
		_ = inWriter.Close()
		_ = outReader.Close()
	})
	return h
}

// handshake initializes in the legacy era.
func (h *host) handshake() *host {
	h.t.Helper()
	h.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if got := h.next(); !strings.Contains(got, `"protocolVersion":"2025-11-25"`) {
		h.t.Fatalf("initialize: %s", got)
	}
	return h
}

func (h *host) send(line string) {
	h.t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := io.WriteString(h.in, line+"\n")
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			h.t.Fatalf("sending: %v", err)
		}
	case <-time.After(patience):
		h.t.Fatal("the server does not read")
	}
}

func (h *host) next() string {
	h.t.Helper()
	select {
	case line, open := <-h.lines:
		if !open {
			h.t.Fatal("the server has closed its output")
		}
		return line
	case <-time.After(patience):
		h.t.Fatal("no answer")
	}
	return ""
}

func (h *host) want(line string) {
	h.t.Helper()
	if got := h.next(); got != line {
		h.t.Fatalf("got  %s\nwant %s", got, line)
	}
}

// close ends the input and returns what ServeStdio did.
func (h *host) close() error {
	h.t.Helper()
	_ = h.in.Close()
	return h.end()
}

func (h *host) end() error {
	h.t.Helper()
	select {
	case err := <-h.ended:
		return err
	case <-time.After(patience):
		h.t.Fatal("ServeStdio does not return")
	}
	return nil
}

// bench is a Server of tools for tests and what the tests see of it.
type bench struct {
	server  *Server
	started chan string // a run of tool "hold" has begun
	stopped chan string // its context has ended
	release chan struct{}
	log     *syncBuffer

	do     func(ctx context.Context, watch Watch) // what a run of tool "do" does, where there is one
	notice *Notice                                // of every answer
	shown  func(context.Context) []byte           // of each answer
	usage  *Usage                                 // of every answer
}

// runs makes runs without an engine. What a tool does follows from its name.
func (b *bench) run(ctx context.Context, name string, args value.Value, watch Watch) (value.Value, error) {
	plain, _ := value.Plain(args).(map[string]any)
	switch name {
	case "give", "typed", "listed", "text":
		value, _ := args.(value.Object).Get("value")
		return value, nil
	case "fail":
		return nil, errors.New(`g.yaml:7:3: node "call" of tool "fail": no such file`)
	case "panic":
		panic("secret-0123456789 in the text")
	case "asknamed":
		return b.ask(ctx, Question{Name: `go"on`}, Watch{})
	case "ask":
		return b.ask(ctx, Question{}, watch)
	case "asktwice":
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { _, _ = b.run(ctx, "ask", args, Watch{}) })
		}
		both.Wait()
		return nil, nil
	case "hold":
		tag, _ := plain["tag"].(string)
		b.started <- tag
		select {
		case <-b.release:
			return tag, nil
		case <-ctx.Done():
			b.stopped <- tag
			return nil, errors.New("the run was cancelled")
		}
	case "do":
		b.do(ctx, watch)
		return "done", nil
	case "walk":
		n, _ := plain["n"].(float64)
		for i := range int(n) {
			if watch.Step != nil {
				watch.Step("node", i)
			}
		}
		return n, nil
	}
	return args, nil
}

// goOn are the params of the question that tools ask.
const goOn = `{"message":"Go on?",
			"requestedSchema":{"type":"object","properties":{}}}`

// ask asks the user, and returns the answer.
func (b *bench) ask(ctx context.Context, q Question, watch Watch) (value.Value, error) {
	q.Params = json.RawMessage(goOn)
	answer, err := Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if watch.Step != nil {
		watch.Step("asked", 0)
	}
	return value.Decode(answer)
}

func newBench(t testing.TB, change func(*Options)) *bench {
	t.Helper()
	b := &bench{
		started: make(chan string, 4096), stopped: make(chan string, 4096),
		release: make(chan struct{}), log: &syncBuffer{},
	}
	opts := Options{
		Info: Info{Name: "bench", Version: "1.2.3", Title: "Bench", Instructions: "call echo"},
		Tools: []Tool{
			toolOf(t, "echo", `{"type":"object","properties":{"msg":{"type":"string"},"count":{"type":"integer"}},"required":["msg"],"additionalProperties":false}`, ""),
			toolOf(t, "give", "", ""),
			toolOf(t, "any", "", ""),
			toolOf(t, "fail", "", ""),
			toolOf(t, "panic", "", ""),
			toolOf(t, "hold", `{"type":"object","properties":{"tag":{"type":"string"}}}`, ""),
			toolOf(t, "walk", "", ""),
			toolOf(t, "ask", "", ""),
			toolOf(t, "typed", "", `{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`),
			toolOf(t, "listed", "", `{"type":"array","items":{"$ref":"#/$defs/row"},"$defs":{"row":{"type":"string"}}}`),
		},
	}
	if change != nil {
		change(&opts)
	}
	for i := range opts.Tools {
		name := opts.Tools[i].Def.Name.Value
		opts.Tools[i].Run = func(ctx context.Context, args value.Value, watch Watch) (Answer, error) {
			v, err := b.run(ctx, name, args, watch)
			return Answer{Value: v, Notice: b.notice, Usage: b.usage, Shown: b.shown}, err
		}
	}
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	b.server = s
	return b
}

type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// TestWire plays the conversations of testdata/wire: "-> " is sent, "<- " is the
// next line that must come, "# " is a remark. UPDATE_GOLDEN=1 writes down what came.
func TestWire(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { play(t, file) })
	}
}

func play(t *testing.T, file string) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	update := os.Getenv("UPDATE_GOLDEN") != ""
	h := connect(t, newBench(t, nil).server)
	lines := strings.Split(strings.TrimSuffix(string(src), "\n"), "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "-> "):
			h.send(line[3:])
		case strings.HasPrefix(line, "<- "):
			got := h.next()
			if update {
				lines[i] = "<- " + got
			} else if got != line[3:] {
				t.Errorf("%s:%d\ngot  %s\nwant %s", file, i+1, got, line[3:])
			}
		case line != "" && !strings.HasPrefix(line, "#"):
			t.Fatalf("%s:%d: what is %q?", file, i+1, line)
		}
	}
	if err := h.close(); err != nil {
		t.Errorf("the end: %v", err)
	}
	for line := range h.lines {
		t.Errorf("not expected: %s", line)
	}
	if update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
