package server

import (
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// endlessListener always has one more connection until it is closed, and counts those that
// were taken.
type endlessListener struct {
	net.Listener
	taken  atomic.Int64
	closed atomic.Bool
}

func (l *endlessListener) Accept() (net.Conn, error) {
	if l.closed.Load() {
		return nil, net.ErrClosed
	}
	l.taken.Add(1)
	here, there := net.Pipe()
	_ = there.Close()
	return here, nil
}

func (l *endlessListener) Close() error {
	l.closed.Store(true)
	return nil
}

// N12: no more connections are taken than there is room for, and one more with each that
// ends, however often it is closed.
func TestN12LimitConns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &endlessListener{}
		on := LimitConns(inner, 3)
		conns := make(chan net.Conn, 10)
		go func() {
			defer close(conns)
			for {
				c, err := on.Accept()
				if err != nil {
					return
				}
				conns <- c
			}
		}()
		for want := int64(3); want < 6; want++ {
			synctest.Wait() // until nothing happens any more
			if n := inner.taken.Load(); n != want {
				t.Fatalf("%d connections were taken, want %d", n, want)
			}
			c := <-conns
			_ = c.Close()
			_ = c.Close()
		}
		synctest.Wait()
		_ = on.Close()
		for c := range conns {
			_ = c.Close()
		}
	})
}

// V16 over HTTP: a connection has one answer at a time, and ends when its client does not
// take it: what it has asked for beside is not even begun.
func TestV16HTTPUnreadAnswer(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Stall = 50 * time.Millisecond })
	h := serveSite(t, b.server, HTTPOptions{})
	c, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"give","arguments":{"value":"` + strings.Repeat("x", 15<<20) + `"}}}`
	head := "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
	_ = c.SetWriteDeadline(time.Now().Add(patience))
	for range 100 {
		if _, err = fmt.Fprintf(c, head, len(call), call); err != nil {
			break
		}
	}
	if err == nil || strings.Contains(err.Error(), "timeout") {
		t.Errorf("the server goes on with a client that reads nothing: %v", err)
	}
	if n := b.server.runs.Load(); n > 1 {
		t.Errorf("%d runs are in flight", n)
	}
}
