package server

import (
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// endlessListener always has one more connection, and counts those that were taken.
type endlessListener struct {
	net.Listener
	taken atomic.Int64
}

func (l *endlessListener) Accept() (net.Conn, error) {
	l.taken.Add(1)
	here, there := net.Pipe()
	_ = there.Close()
	return here, nil
}

func (l *endlessListener) Close() error { return nil }

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
