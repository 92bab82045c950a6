package simulation

import (
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// network is the way of one process to its database server. It can be silent for a while, and it cuts
// connections: before a request has passed, or before its acknowledgement has.
type network struct {
	listener net.Listener
	kind, to string // of the server's address

	mu     sync.Mutex // guards what follows
	rng    *rand.Rand
	cuts   int // that are left
	silent time.Time
	dead   bool
	open   map[net.Conn]bool
}

// newNetwork returns a way to the server of a URL, and the URL of its end here.
func newNetwork(t testing.TB, place string, seed uint64, cuts int) (*network, string) {
	t.Helper()
	u, err := url.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	n := &network{kind: "tcp", to: u.Host, rng: rand.New(rand.NewPCG(seed, 9)), cuts: cuts, open: map[net.Conn]bool{}}
	query := u.Query()
	if dir := query.Get("host"); strings.HasPrefix(dir, "/") {
		n.kind, n.to = "unix", dir+"/.s.PGSQL.5432"
	}
	if n.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	query.Del("host")
	query.Set("sslmode", "disable")
	u.Host, u.RawQuery = n.listener.Addr().String(), query.Encode()
	go n.serve()
	return n, u.String()
}

func (n *network) serve() {
	for {
		near, err := n.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial(n.kind, n.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		n.mu.Lock()
		dead := n.dead
		n.open[near], n.open[far] = true, true
		n.mu.Unlock()
		if dead {
			n.cut(near, far)
			continue
		}
		go n.pass(near, far)
		go n.pass(far, near)
	}
}

// pass passes what comes from one end to the other, until one of them ends or the way is cut.
func (n *network) pass(from, to net.Conn) {
	defer n.cut(from, to)
	buffer := make([]byte, 64<<10)
	for {
		size, err := from.Read(buffer)
		if size > 0 {
			if !n.carry() {
				return
			}
			if _, err := to.Write(buffer[:size]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// carry waits while the network is silent, and reports whether the connection still stands.
func (n *network) carry() bool {
	for {
		n.mu.Lock()
		left, dead := time.Until(n.silent), n.dead
		cut := n.cuts > 0 && n.rng.IntN(60) == 0
		if cut {
			n.cuts--
		}
		n.mu.Unlock()
		switch {
		case dead || cut:
			return false
		case left <= 0:
			return true
		}
		time.Sleep(min(left, 20*time.Millisecond))
	}
}

func (n *network) cut(ends ...net.Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range ends {
		_ = c.Close() // it may be closed already
		delete(n.open, c)
	}
}

// pause lets nothing pass for a while.
func (n *network) pause(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.silent = time.Now().Add(d)
}

// kill ends all connections for good; what has passed may still be done.
func (n *network) kill() {
	n.mu.Lock()
	n.dead = true
	var all []net.Conn
	for c := range n.open {
		all = append(all, c)
	}
	n.mu.Unlock()
	_ = n.listener.Close() // it is closed once
	n.cut(all...)
}

// calm ends the cuts; a silence ends by itself.
func (n *network) calm() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cuts = 0
}
