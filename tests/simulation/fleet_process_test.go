package simulation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/internal/runtime"
	"toolgraph/internal/serving/server"
)

// serving is a process of a fleet, from its start to its death: runtime.Serve with the store of Postgres, which clients reach
// over HTTP. Its connections end in the simulation.
type serving struct {
	client
	f       *fleet
	slot    int
	version int // of the graph file

	listener *pipeListener
	stop     context.CancelCauseFunc
	ended    chan struct{} // closed when runtime.Serve has returned
	log      logged
}

// logged is what a process says.
type logged struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

const (
	// place is where the processes find the history. A statement is one message: what it means is its text.
	databaseURL = "postgres://fleet@192.0.2.1/runs?sslmode=disable&default_query_exec_mode=simple_protocol"
	httpGrace   = 4 * time.Second
)

// start starts a process in a slot.
func (f *fleet) start(slot, version int) *serving {
	f.started++
	p := &serving{f: f, slot: slot, version: version, ended: make(chan struct{})}
	p.earlier = f.isEarlier()
	p.name = fmt.Sprintf("p%d.%d", slot, f.started)
	var ctx context.Context
	ctx, p.stop = context.WithCancelCause(f.ctx)
	p.listener = &pipeListener{ctx: f.ctx, owner: &p.client, conns: make(chan net.Conn), closed: make(chan struct{}), open: map[net.Conn]bool{}}
	p.listener.listening = make(chan struct{})
	f.running.Go(func() {
		defer close(p.ended)
		err := runtime.Serve(ctx, p.options(), runtime.Service{Resume: true, Transport: p, HTTP: true, HTTPGrace: httpGrace, Holds: p.earlier})
		p.dead.Store(true)
		f.note("%s has ended: %v", p.name, err)
	})
	f.note("%s starts with version %d, earlier %t", p.name, version, p.earlier)
	return p
}

func (p *serving) options() runtime.Options {
	return runtime.Options{
		Graph: p.f.files[p.version], Version: "0.0.0", Grace: httpGrace, Asker: runtime.ClientAsker{},
		Log: runtime.Logging{To: &p.log, Level: "info"},
		History: &runtime.History{
			Place: databaseURL, Required: true, MaxValue: 1 << 20, Serves: true,
			Open: func(opts journal.Options) (*journal.Store, error) { return p.f.open(&p.client, opts) },
		},
		Upstream: func(execution.ToolCaller) execution.ToolCaller { return p },
	}
}

// open opens the store for a process.
func (f *fleet) open(owner *client, opts journal.Options) (*journal.Store, error) {
	return postgres.OpenTimed(databaseURL, opts, postgres.Timing{Dial: func(ctx context.Context) (net.Conn, error) { return f.db.dial(ctx, owner) }})
}

// Serve serves clients over HTTP.
func (p *serving) Serve(ctx context.Context, s *runtime.Served) error {
	options := server.HTTPOptions{Ready: s.Ready, OAuth: &server.OAuth{
		Resource: p.f.resource, Issuer: "http://issuer.invalid",
		Verify: func(_ context.Context, token string) (server.Identity, error) {
			return server.Identity{Subject: token, Until: time.Now().Add(24 * time.Hour)}, nil
		},
	}}
	if err := s.Listening(p.name); err != nil {
		return err
	}
	site := server.NewSite(ctx, options, s.Log, httpGrace, 0)
	site.Put(server.Endpoint, s.Server)
	close(p.listener.listening)
	return site.Serve(ctx, p.listener)
}

// kill ends a process at once: nothing of it comes through any more.
func (p *serving) kill() {
	p.dead.Store(true)
	p.f.db.cutAll(&p.client)
	p.listener.cutAll()
	p.stop(context.Canceled)
}

// drain asks a process to stop.
func (p *serving) drain() { p.stop(runtime.ErrStop) }

func (p *serving) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// serves reports whether clients can connect.
func (p *serving) serves() bool {
	select {
	case <-p.listener.listening:
		return !p.dead.Load()
	default:
		return false
	}
}

// pipeListener accepts connections of the simulation's clients.
type pipeListener struct {
	ctx       context.Context //nolint:containedctx // ends with the schedule
	owner     *client
	conns     chan net.Conn
	listening chan struct{} // closed when connections are accepted
	closed    chan struct{}
	once      sync.Once

	mu   sync.Mutex // guards open
	open map[net.Conn]bool
}

var anAddress = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}

// pipeConn is a connection of a client to a process that may be frozen. What the process writes is on its way until then, so
// that the process does not wait.
type pipeConn struct {
	net.Conn
	owner *client
	out   chan []byte
	gone  chan struct{}
	once  *sync.Once
}

func newPipeConn(ctx context.Context, on net.Conn, owner *client) pipeConn {
	c := pipeConn{on, owner, make(chan []byte, 1024), make(chan struct{}), &sync.Once{}}
	go c.send(ctx)
	return c
}

func (c pipeConn) RemoteAddr() net.Addr { return anAddress }
func (c pipeConn) LocalAddr() net.Addr  { return anAddress }

func (c pipeConn) Write(b []byte) (int, error) {
	select {
	case <-c.gone:
		return 0, net.ErrClosed
	default:
		c.out <- slices.Clone(b)
		return len(b), nil
	}
}

// send sends what was written, when the process is not frozen.
func (c pipeConn) send(ctx context.Context) {
	defer c.Conn.Close()
	for {
		var b []byte
		select {
		case b = <-c.out:
		case <-c.gone:
			if len(c.out) == 0 {
				return
			}
			b = <-c.out
		}
		if !c.owner.held(ctx) {
			return
		}
		if _, err := c.Conn.Write(b); err != nil {
			return
		}
	}
}

// Close closes the connection once all was sent, or at once if the process is dead.
func (c pipeConn) Close() error {
	c.once.Do(func() { close(c.gone) })
	if c.owner.dead.Load() {
		return c.Conn.Close()
	}
	return nil
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return anAddress }

// connect connects a client.
func (l *pipeListener) connect(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	conn := newPipeConn(l.ctx, there, l.owner)
	l.mu.Lock()
	l.open[conn] = true
	l.mu.Unlock()
	select {
	case l.conns <- conn:
		return here, nil
	case <-l.closed:
		return nil, errors.Join(errRefused, conn.Close())
	case <-ctx.Done():
		return nil, errors.Join(errRefused, ctx.Err(), conn.Close())
	}
}

func (l *pipeListener) cutAll() {
	_ = l.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.open {
		_ = conn.Close()
	}
}
