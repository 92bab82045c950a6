package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

const initLine = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"

// What is piped in is answered to the last line, which needs no newline.
func TestEndOfInputAnswersAll(t *testing.T) {
	b := newBench(t, nil)
	close(b.release)
	var in strings.Builder
	in.WriteString("\uFEFF" + initLine)
	const n = 200
	for id := range n {
		in.WriteString(hold(id) + "\r\n")
	}
	in.WriteString(`{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"any"}}`)
	var out bytes.Buffer
	if err := b.server.ServeStdio(t.Context(), strings.NewReader(in.String()), &out); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "\n"); got != n+2 {
		t.Errorf("%d answers, want %d", got, n+2)
	}
	if !strings.Contains(out.String(), `{"jsonrpc":"2.0","id":"last","result"`) {
		t.Error("the last line has no answer")
	}
}

// The time of the tests in a bubble passes when all is at rest, and only then.

func TestEndOfInputGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		h := connect(t, b.server).handshake()
		h.send(hold(1))
		b.waitStarted(t, 1)
		ended := time.Now()
		if err := h.close(); err != nil {
			t.Fatal(err)
		}
		if grace := time.Since(ended); grace != defaultGrace {
			t.Errorf("the run was cancelled %v after the end of the input, want %v", grace, defaultGrace)
		}
		wait(t, b.stopped, 1, "the run to be cancelled when the grace is over")
		h.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"the run was cancelled"}],"isError":true}}`)
	})
}

// The end of the context is a regular end: calls are cancelled and say so.
func TestContextEnds(t *testing.T) {
	b := newBench(t, nil)
	h := connect(t, b.server).handshake()
	h.send(hold(1))
	b.waitStarted(t, 1)
	h.cancel()
	wait(t, b.stopped, 1, "the run to be cancelled")
	h.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"the run was cancelled"}],"isError":true}}`)
	if err := h.end(); err != nil {
		t.Fatal(err)
	}
}

func TestReadFails(t *testing.T) {
	broken := errors.New("broken")
	b := newBench(t, nil)
	err := b.server.ServeStdio(t.Context(), io.MultiReader(strings.NewReader(initLine), iotest.ErrReader(broken)), io.Discard)
	if !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
}

// A client that has gone ends the connection and its runs.
func TestWriteFails(t *testing.T) {
	b := newBench(t, nil)
	in, feed := io.Pipe()
	out, sink := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- b.server.ServeStdio(context.Background(), in, sink) }()
	go func() { _, _ = io.WriteString(feed, initLine+hold(1)+"\n"+ping+"\n") }()
	b.waitStarted(t, 1)
	gone := errors.New("gone")
	_ = out.CloseWithError(gone)
	wait(t, b.stopped, 1, "the run to be cancelled")
	if err := <-ended; !errors.Is(err, gone) {
		t.Fatalf("got %v", err)
	}
	_ = feed.Close()
}

// A client that leaves its answers unread cannot keep us: neither while it runs,
// where memory is bounded and the runs end, nor at the end.
func TestM12ClientDoesNotRead(t *testing.T) {
	synctest.Test(t, clientDoesNotRead)
}

func clientDoesNotRead(t *testing.T) {
	b := newBench(t, nil)
	in, feed := io.Pipe()
	never, sink := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- b.server.ServeStdio(context.Background(), in, sink) }()
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		_, _ = io.WriteString(feed, initLine+hold(1)+"\n")
		big := `{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"give","arguments":{"value":"` + strings.Repeat("x", 1<<20) + `"}}}` + "\n"
		for i := range 40 {
			if _, err := io.WriteString(feed, strings.Replace(big, `"b"`, `"b`+string(rune('A'+i))+`"`, 1)); err != nil {
				return
			}
		}
	}()
	synctest.Wait() // until the client takes nothing any more
	b.server.mu.Lock()
	for l := range b.server.listeners {
		c := l.(*conn)
		c.out.mu.Lock()
		if n := len(c.out.waiting); n < outboxSize/2 || n > outboxSize+4<<20 {
			t.Errorf("%d bytes wait, want about %d", n, outboxSize)
		}
		c.out.mu.Unlock()
	}
	b.server.mu.Unlock()
	select {
	case err := <-ended:
		if !errors.Is(err, errStalled) {
			t.Errorf("got %v", err)
		}
	case <-time.After(patience):
		t.Fatal("a client that does not read keeps the server")
	}
	wait(t, b.stopped, 1, "the run to be cancelled")
	_ = never.Close()
	_ = in.Close()
	<-fed
}

func TestM12LastWordsAreNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		never, sink := io.Pipe()
		defer func() { _ = never.Close() }()
		begin := time.Now()
		err := b.server.ServeStdio(t.Context(), strings.NewReader(initLine), sink)
		if waited := time.Since(begin); !errors.Is(err, errStalled) || waited != lastWords {
			t.Fatalf("got %v after %v, want %v after %v", err, waited, errStalled, lastWords)
		}
	})
}
