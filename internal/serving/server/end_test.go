package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// unreadCalls serves a client that reads nothing and calls for n answers of 1 MB. It gives
// its outbox and how ServeStdio ends.
func unreadCalls(t *testing.T, b *bench, n int) (o *outbox, ended <-chan error) {
	t.Helper()
	in, feed := io.Pipe()
	never, sink := io.Pipe()
	end := make(chan error, 1)
	go func() { end <- b.server.ServeStdio(context.Background(), in, sink) }()
	synctest.Wait()
	for l := range b.server.listeners {
		o = l.(*conn).out
	}
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		_, _ = io.WriteString(feed, initLine+hold(1)+"\n")
		rest := `,"method":"tools/call","params":{"name":"give","arguments":{"value":"` + strings.Repeat("x", 1<<20) + `"}}}` + "\n"
		for i := range n {
			if _, err := fmt.Fprintf(feed, `{"jsonrpc":"2.0","id":"b%d"%s`, i, rest); err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = never.Close()
		_ = in.Close()
		<-fed
	})
	return o, end
}

// A client that leaves its answers unread cannot hold up the server: neither while it runs,
// where memory is bounded and the runs end, nor at the end.
func TestM12ClientDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		o, ended := unreadCalls(t, b, 50)
		begin := time.Now()
		synctest.Wait() // until the client takes nothing any more
		o.mu.Lock()
		if n := len(o.waiting); n < outboxSize/2 || n > outboxSize+4<<20 {
			t.Errorf("%d bytes wait, want about %d", n, outboxSize)
		}
		o.mu.Unlock()
		if n := b.server.runs.Load(); n < 10 {
			t.Errorf("%d runs are in flight, want those whose answers have no room among them", n)
		}
		if err := <-ended; !errors.Is(err, errStalled) || errors.Is(err, errUnread) || time.Since(begin) != defaultStall {
			t.Errorf("got %v after %v", err, time.Since(begin))
		}
		wait(t, b.stopped, 1, "the run to be cancelled")
	})
}

// V16: a client that goes on calling and reads nothing is not waited for: its
// connection ends when what waits for it, in the outbox and with the runs that want to put
// their answers there, comes to the bound.
func TestV16UnreadAnswersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		o, ended := unreadCalls(t, b, 500)
		begin := time.Now()
		err := <-ended
		if !errors.Is(err, errUnread) || time.Since(begin) != 0 {
			t.Errorf("got %v after %v, want %v at once", err, time.Since(begin), errUnread)
		}
		if n := o.unread; n < unreadMost || n > unreadMost+2<<20 {
			t.Errorf("%d bytes came to wait, want %d and an answer", n, unreadMost)
		}
		wait(t, b.stopped, 1, "the run to be cancelled")
	})
}

// slowClient takes a chunk each 10 ms.
type slowClient struct{ taken int }

func (c *slowClient) Write(p []byte) (int, error) {
	time.Sleep(10 * time.Millisecond)
	c.taken += len(p)
	return len(p), nil
}

// However much more is produced than a client takes, one that reads gets it all: runs wait.
func TestV16SlowClientGetsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &slowClient{}
		o := newOutbox(client, outboxSize, defaultStall)
		line := bytes.Repeat([]byte("x"), 1<<20)
		const n = 300
		for i := range n {
			go func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				mine, err := o.add(len(line), func(dst []byte) []byte { return append(dst, line...) })
				if mine {
					o.flush()
				}
				if err != nil {
					t.Errorf("line %d: %v", i, err)
				}
			}()
		}
		time.Sleep(time.Minute)
		if err := o.close(time.Second); err != nil || client.taken != n*len(line) {
			t.Errorf("the client has taken %d bytes of %d: %v", client.taken, n*len(line), err)
		}
	})
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
