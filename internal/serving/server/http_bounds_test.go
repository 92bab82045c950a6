package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// cable is a connection from an address, whose other end is not needed.
type cable struct {
	net.Conn
	name string
	from *net.TCPAddr
}

func (c cable) RemoteAddr() net.Addr { return c.from }

// cables is a listener whose connections a test makes.
type cables struct {
	net.Listener
	next chan net.Conn
}

func (c *cables) Accept() (net.Conn, error) {
	if one, open := <-c.next; open {
		return one, nil
	}
	return nil, net.ErrClosed
}

func (c *cables) Close() error { close(c.next); return nil }

// switchboard is a bounded listener and the connections that it has accepted, by their names.
type switchboard struct {
	*bounded
	t     *testing.T
	wires *cables
	conns map[string]*boundedConn
}

func newSwitchboard(t *testing.T, total, each int, shared ...netip.Prefix) *switchboard {
	wires := &cables{next: make(chan net.Conn)}
	s := &switchboard{t: t, wires: wires, conns: map[string]*boundedConn{}}
	s.bounded = newBounded(wires, HTTPOptions{MaxConns: total, MaxPerAddress: each, Shared: shared}, slog.New(slog.DiscardHandler))
	accepted := make(chan struct{})
	go func() {
		defer close(accepted)
		for {
			c, err := s.Accept()
			if err != nil {
				return
			}
			b := c.(*boundedConn)
			s.conns[b.Conn.(cable).name] = b
		}
	}()
	t.Cleanup(func() {
		_ = s.Close()
		<-accepted
		for _, c := range s.conns {
			_ = c.Close()
			_ = c.Close() // counts once
		}
		if s.open != 0 || len(s.peers) != 0 {
			t.Errorf("%d connections of %d addresses are left", s.open, len(s.peers))
		}
	})
	return s
}

// dial makes a connection from an address.
func (s *switchboard) dial(name, ip string) {
	here, there := net.Pipe()
	_ = there.Close()
	s.wires.next <- cable{here, name, &net.TCPAddr{IP: net.ParseIP(ip), Port: 1}}
	synctest.Wait()
}

// want checks which connections are open.
func (s *switchboard) want(names string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range strings.Fields(names) {
		if c := s.conns[name]; c == nil || c.ended {
			s.t.Errorf("%s is not open", name)
		}
	}
	if n := len(strings.Fields(names)); s.open != n {
		s.t.Errorf("%d connections are open, want %d", s.open, n)
	}
}

func (s *switchboard) context(name string) context.Context {
	return connContext(context.Background(), s.conns[name])
}

// V11: an address that has reached its bound loses the connection that has been idle for the longest
// time, and no other address loses one.
func TestV11IdleOfTheSameAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSwitchboard(t, 10, 3)
		s.dial("other", "192.0.2.9")
		for _, name := range []string{"a", "b", "c"} {
			s.dial(name, "192.0.2.1")
		}
		touched(s.context("a"))
		done := busy(s.context("b"))
		s.dial("d", "::ffff:192.0.2.1")
		s.want("other a b d")
		s.dial("e", "192.0.2.1")
		s.want("other b d e")
		doneD, doneE := busy(s.context("d")), busy(s.context("e"))
		s.dial("f", "192.0.2.1") // all are busy
		s.want("other b d e")
		done()
		s.dial("g", "192.0.2.1")
		s.want("other d e g")
		doneD()
		doneE()
		done() // of a connection that has ended
		s.want("other d e g")
	})
}

// V11: with the total reached, the address with the most connections makes room, and if no
// connection is idle the next one waits.
func TestV11Total(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSwitchboard(t, 5, 3)
		s.dial("other", "192.0.2.9")
		for _, name := range []string{"a", "b", "c"} {
			s.dial(name, "192.0.2.1")
		}
		s.dial("x", "192.0.2.2")
		s.dial("y", "192.0.2.3")
		s.want("other b c x y")
		var done []func()
		for _, name := range []string{"other", "b", "c", "x", "y"} {
			done = append(done, busy(s.context(name)))
		}
		s.dial("z", "192.0.2.4")
		s.want("other b c x y")
		done[3]()
		synctest.Wait()
		s.want("other b c y z")
		s.dial("late", "192.0.2.5") // waits for no one: z is idle
		s.want("other b c y late")
		_ = s.conns["late"].Close()
		s.want("other b c y")
	})
}

// V11: IPv6 addresses of one network are one client, and addresses that many clients share have no
// bound of their own.
func TestV11Addresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSwitchboard(t, 10, 2, netip.MustParsePrefix("10.0.0.0/24"))
		s.dial("a", "2001:db8::1")
		s.dial("b", "2001:db8::ffff:1")
		s.dial("c", "2001:db8:0:1::1")
		s.dial("d", "2001:db8::2")
		s.want("b c d")
		for _, name := range []string{"p", "q", "r", "s"} {
			s.dial(name, "10.0.0.7")
		}
		s.want("b c d p q r s")
		s.dial("m", "10.0.1.7")
		s.dial("n", "10.0.1.7")
		s.dial("o", "10.0.1.7")
		s.want("b c d p q r s n o")
	})
}

// A listener that waits for room ends when it is closed.
func TestV11CloseWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSwitchboard(t, 1, 1)
		s.dial("a", "192.0.2.1")
		defer busy(s.context("a"))()
		s.dial("b", "192.0.2.2")
		s.want("a")
	})
}

// The log has one warning for many connections.
func TestV11Warning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &syncBuffer{}
		s := newSwitchboard(t, 10, 1)
		s.log = slog.New(slog.NewTextHandler(log, nil))
		for i := range 100 {
			s.dial(fmt.Sprint(i), "192.0.2.1")
		}
		time.Sleep(warnPause)
		s.dial("last", "192.0.2.1")
		s.want("last")
		if n := strings.Count(log.String(), "address=192.0.2.1/32 limit=1"); n != 2 {
			t.Errorf("%d warnings: %s", n, log.String())
		}
	})
}

// dialled is a raw connection that has sent a text.
func dialled(t *testing.T, addr, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if errors.Is(err, syscall.EMFILE) {
		t.Skip("this machine allows too few open files")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, text); err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
		t.Fatal(err)
	}
	return c
}

const (
	openStream = "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
	slowHeader = "POST /mcp HTTP/1.1\r\nHost: localh"
	slowBody   = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
)

// V11 over the wire: streams, silent connections, slow headers and slow bodies of one address end
// for its next connection, in this order of age, and a call in flight does not.
func TestV11IdleConnectionsEndFirst(t *testing.T) {
	b := newBench(t, nil)
	h := serveSite(t, b.server, HTTPOptions{MaxPerAddress: 8, headerTimeout: patience})
	held := make(chan string, 1)
	go func() {
		defer close(held) // also when the call has failed
		_, body := h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold","arguments":{"tag":"1"}}}`)
		held <- body
	}()
	b.waitStarted(t, 1)
	var idle []net.Conn
	for range 3 {
		for _, text := range []string{openStream, "", slowHeader, slowBody} {
			idle = append(idle, dialled(t, h.addr, text))
		}
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	for range 8 {
		resp, err := client.Do(h.request(t.Context(), ping))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s", resp.Status)
		}
	}
	for i, c := range idle[:4] { // the oldest have ended: no client needs to wait for a time-out
		_ = c.SetReadDeadline(time.Now().Add(patience))
		if _, err := io.Copy(io.Discard, c); errors.Is(err, context.DeadlineExceeded) || err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("connection %d is still open", i)
		}
	}
	close(b.release)
	if body := <-held; !strings.Contains(body, `"text":"\"1\""`) {
		t.Errorf("the call in flight: %s", body)
	}
}

// V11: a connection that is used stays, and an older one that is not used ends.
func TestV11UsedConnectionStays(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{MaxPerAddress: 2})
	health := func(c net.Conn) error {
		_ = c.SetDeadline(time.Now().Add(patience))
		if _, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			return err
		}
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	first, second := dialled(t, h.addr, ""), dialled(t, h.addr, "")
	errs := []error{health(second), health(first)}
	third := dialled(t, h.addr, "")
	if err := errors.Join(append(errs, health(third), health(first))...); err != nil {
		t.Error(err)
	}
	if health(second) == nil {
		t.Error("the connection that was not used is open")
	}
}

// V11 in its real size: 4,096 streams and 5,000 silent connections of one client.
func TestV11RealSize(t *testing.T) {
	if testing.Short() {
		t.Skip("many connections")
	}
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{headerTimeout: patience})
	for range 4096 {
		dialled(t, h.addr, openStream)
	}
	for range 5000 {
		dialled(t, h.addr, "")
	}
	if status, body, _ := h.get(healthPath); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	if status, body := h.post(ping); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
}
