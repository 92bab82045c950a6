//go:build unix

package fleet

import (
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// wire is between the processes and Postgres. It can be slow, and it can be cut.
type wire struct {
	listener net.Listener
	to       string       // the socket of Postgres
	delay    atomic.Int64 // of what processes send, in nanoseconds
	delayed  atomic.Int64 // how much was sent late, in packets
	mu       sync.Mutex   // guards open and away
	open     map[net.Conn]bool
	away     bool // connections are closed at once
}

// startWire listens on the way to a database on a Unix socket, and returns the URL of the database there.
func startWire(t *testing.T, database string) (w *wire, place string) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	w = &wire{to: query.Get("host") + "/.s.PGSQL.5432", open: map[net.Conn]bool{}}
	if w.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	query.Del("host")
	query.Set("sslmode", "disable")
	u.Host, u.RawQuery = w.listener.Addr().String(), query.Encode()
	go func() {
		for {
			conn, err := w.listener.Accept()
			if err != nil {
				return
			}
			go w.pass(conn)
		}
	}()
	t.Cleanup(func() {
		_ = w.listener.Close()
		w.cut()
	})
	return w, u.String()
}

// pass connects a process with Postgres.
func (w *wire) pass(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("unix", w.to)
	if err != nil {
		return
	}
	defer to.Close()
	w.mu.Lock()
	if w.away {
		w.mu.Unlock()
		return
	}
	w.open[from], w.open[to] = true, true
	w.mu.Unlock()
	go func() {
		_, _ = io.Copy(from, to) // until one of them ends
		_ = from.Close()
		_ = to.Close()
	}()
	w.send(from, to)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open, from)
	delete(w.open, to)
}

// packet is what was sent at once.
type packet struct {
	due  time.Time
	body []byte
}

// send passes on what a process sends, each packet as late as the wire is slow.
func (w *wire) send(from, to net.Conn) {
	packets := make(chan packet, 1024)
	go func() {
		defer close(packets)
		for {
			body := make([]byte, 32<<10)
			n, err := from.Read(body)
			if n > 0 {
				late := time.Duration(w.delay.Load())
				if late > 0 {
					w.delayed.Add(1)
				}
				packets <- packet{time.Now().Add(late), body[:n]}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range packets {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.body); err != nil {
			_ = from.Close() // ends the reader
		}
	}
}

// cut closes all connections.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for conn := range w.open {
		_ = conn.Close()
	}
}

// lose takes the database away from who is connected by the wire, or gives it back.
func (w *wire) lose(away bool) {
	w.mu.Lock()
	w.away = away
	w.mu.Unlock()
	if away {
		w.cut()
	}
}
