package server

import (
	"container/list"
	"context"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// bounded is a listener that bounds its connections in total, and those of each address, so that
// one client cannot lock the others out. When there is no room for one more connection, the one that
// has been idle for the longest time is closed: of the same address if that has reached its bound,
// else of the address with the most connections. Only a connection with a call in flight is not
// idle: others carry streams of notifications, requests that have not arrived completely, or nothing.
//
// When all are busy, one more of an address that has reached its bound is closed at once, and with
// the total reached it waits to be accepted.
type bounded struct {
	net.Listener
	opts HTTPOptions
	log  *slog.Logger

	mu     sync.Mutex // guards what follows
	room   sync.Cond  // signalled when a connection ends or becomes idle, or the listener closes
	open   int
	peers  map[netip.Prefix]*peer
	closed bool
	warned time.Time
}

// peer is an address with open connections.
type peer struct {
	open int
	idle list.List // of *conn; the one that has been idle for the longest time is the first
}

// boundedConn is a connection of such a listener.
type boundedConn struct {
	net.Conn
	on    *bounded
	from  netip.Prefix
	place *list.Element // among the idle ones; nil: it is busy, or closed. Guarded by bounded.mu
	ended bool          // likewise
}

// warnPause is the time between two log messages about bounds.
const warnPause = time.Minute

func newBounded(on net.Listener, opts HTTPOptions, log *slog.Logger) *bounded {
	b := &bounded{Listener: on, opts: opts, log: log, peers: map[netip.Prefix]*peer{}}
	b.room.L = &b.mu
	return b
}

// Accept returns the next connection for which there is room.
func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if admitted := b.admit(c); admitted != nil {
			return admitted, nil
		}
		_ = c.Close() // its client learns that from its own side
	}
}

// admit makes room for a connection, or returns nil.
func (b *bounded) admit(c net.Conn) *boundedConn {
	from, most := b.boundOf(c.RemoteAddr())
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.peers[from]; p != nil && p.open >= most {
		if b.warn(from, most); !b.evict(p) {
			return nil
		}
	}
	for b.open >= b.opts.MaxConns && !b.evict(b.largest()) {
		if b.closed {
			return nil
		}
		b.room.Wait()
	}
	p := b.peers[from]
	if p == nil {
		p = &peer{}
		b.peers[from] = p
	}
	b.open++
	p.open++
	admitted := &boundedConn{Conn: c, on: b, from: from}
	admitted.place = p.idle.PushBack(admitted)
	return admitted
}

// boundOf returns the address of a client, with that of its network for IPv6, and how many
// connections it may have.
func (b *bounded) boundOf(a net.Addr) (netip.Prefix, int) {
	tcp, isTCP := a.(*net.TCPAddr)
	if !isTCP {
		return netip.Prefix{}, b.opts.MaxConns
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	bits := ip.BitLen()
	if ip.Is6() {
		bits = 64 // what one customer of a provider gets at least
	}
	most := min(b.opts.MaxPerAddress, b.opts.MaxConns)
	if slices.ContainsFunc(b.opts.Shared, func(p netip.Prefix) bool { return p.Contains(ip) }) {
		most = b.opts.MaxConns
	}
	from, _ := ip.Prefix(bits) // never fails for these numbers
	return from, most
}

// largest returns the address with the most connections among those with idle ones; nil if there is
// none. mu is held.
func (b *bounded) largest() (found *peer) {
	for _, p := range b.peers {
		if p.idle.Len() > 0 && (found == nil || p.open > found.open) {
			found = p
		}
	}
	return found
}

// evict closes the connection of an address that has been idle for the longest time, and reports
// whether there was one. mu is held.
func (b *bounded) evict(p *peer) bool {
	if p == nil || p.idle.Len() == 0 {
		return false
	}
	c := p.idle.Front().Value.(*boundedConn) //nolint:forcetypeassert // see admit
	b.forget(c)
	_ = c.Conn.Close() // does not block: there is no SO_LINGER
	return true
}

// forget ends the count of a connection. mu is held.
func (b *bounded) forget(c *boundedConn) {
	if c.ended {
		return
	}
	c.ended = true
	p := b.peers[c.from]
	if c.place != nil {
		p.idle.Remove(c.place)
		c.place = nil
	}
	b.open--
	if p.open--; p.open == 0 {
		delete(b.peers, c.from)
	}
	b.room.Signal()
}

// warn logs that an address has reached its bound. mu is held.
func (b *bounded) warn(from netip.Prefix, most int) {
	if !b.warned.IsZero() && time.Since(b.warned) < warnPause {
		return
	}
	b.warned = time.Now()
	b.log.Warn("an address has reached the limit of its connections, so idle ones are closed; if many clients share it, name it with --http-trusted-proxy",
		"address", from.String(), "limit", most)
}

func (b *bounded) Close() error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.room.Broadcast()
	return b.Listener.Close()
}

func (c *boundedConn) Close() error {
	c.on.mu.Lock()
	c.on.forget(c)
	c.on.mu.Unlock()
	return c.Conn.Close()
}

type connKey struct{}

// connContext puts a connection into the context of its requests.
func connContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// touched makes the connection of a request the one that has been idle for the shortest time.
func touched(ctx context.Context) {
	if c, _ := ctx.Value(connKey{}).(*boundedConn); c != nil {
		c.rest()
	}
}

// busy protects the connection of a request from being closed for others until done is called.
func busy(ctx context.Context) (done func()) {
	c, _ := ctx.Value(connKey{}).(*boundedConn)
	if c == nil {
		return func() {}
	}
	c.on.mu.Lock()
	defer c.on.mu.Unlock()
	if c.place != nil {
		c.on.peers[c.from].idle.Remove(c.place)
		c.place = nil
	}
	return c.rest
}

// rest puts a connection at the end of the idle ones.
func (c *boundedConn) rest() {
	c.on.mu.Lock()
	defer c.on.mu.Unlock()
	if c.ended {
		return
	}
	idle := &c.on.peers[c.from].idle
	if c.place != nil {
		idle.Remove(c.place)
	}
	c.place = idle.PushBack(c)
	c.on.room.Signal()
}
