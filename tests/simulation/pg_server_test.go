package simulation

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// pgServer is the server of Postgres that the processes of a simulation share: what they send is SQL, which is run in one
// database of SQLite in memory. It answers one statement at a time, when the scheduler says so; only the scheduler's
// goroutine uses the database.
type pgServer struct {
	note             func(format string, args ...any)
	breaks           func(k kind, format string, args ...any)
	db               *sql.DB
	conn             *sql.Conn
	started          time.Time
	runsIn           writeRuns // the function write_runs, as the schema has it
	writer           string    // the process whose batch is written
	isUsed, expanded bool      // a process of an earlier program has prepared the schema; a later one has expanded it since
	holder           *pgConn   // has a transaction; nil: none has
	async            []byte    // the database as the disk has it; nil: all that was committed is there
	mayLose          bool      // the server may lose what the disk does not have

	wake chan struct{}

	mu      sync.Mutex // guards what follows
	down    bool
	conns   map[*pgConn]bool
	pids    uint32
	pending []*statement
}

// statement is one that was sent, and is not answered.
type statement struct {
	from  *pgConn
	text  string
	until time.Time // it is on its way until then
	lost  bool      // its connection is gone: the answer is lost
	done  chan []byte
}

// pgConn is a connection of a process.
type pgConn struct {
	server *pgServer
	owner  *client // the process, as the server sees it
	on     net.Conn
	pid    uint32
	out    chan []byte
	gone   chan struct{} // closed when the process has closed it, or it was cut
	cut    func()

	// Of the scheduler's goroutine.
	inTx, failed bool
	topics       []string // of the transaction
	listens      atomic.Bool
}

// client is a process as the server of the database sees it.
type client struct {
	name   string
	dead   atomic.Bool
	frozen atomic.Int64 // until this time, in nanoseconds, nothing of it comes through
	behind *standby     // what it reads from, in place of the server; nil: the server. Of the scheduler's goroutine

	earlier bool // it knows the schema without expansions
}

func (c *client) thaws() time.Time { return time.Unix(0, c.frozen.Load()) }

// held waits while a process is frozen, and reports whether it lives.
func (c *client) held(ctx context.Context) bool {
	for !c.dead.Load() && ctx.Err() == nil {
		left := time.Until(c.thaws())
		if left <= 0 {
			return true
		}
		select {
		case <-time.After(left):
		case <-ctx.Done():
		}
	}
	return false
}

// current is the server whose functions SQLite calls.
var current atomic.Pointer[pgServer]

func newPGServer(ctx context.Context) (*pgServer, error) {
	s := &pgServer{started: time.Now().Add(-time.Hour), conns: map[*pgConn]bool{}, wake: make(chan struct{}, 1)}
	var err error
	s.db, s.conn, err = openMemory(ctx)
	current.Store(s)
	return s, err
}

func openMemory(ctx context.Context) (*sql.DB, *sql.Conn, error) {
	db, err := sql.Open("sqlite", "file::memory:?_pragma=foreign_keys(1)")
	if err != nil {
		return nil, nil, err
	}
	conn, err := db.Conn(ctx)
	return db, conn, err
}

func (s *pgServer) close() {
	_ = s.conn.Close()
	_ = s.db.Close()
}

var errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}

// dial connects a process to the server.
func (s *pgServer) dial(ctx context.Context, owner *client) (net.Conn, error) {
	if !owner.held(ctx) {
		return nil, errors.Join(errRefused, ctx.Err())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return nil, errRefused
	}
	here, there := net.Pipe()
	s.pids++
	c := &pgConn{server: s, owner: owner, on: there, pid: s.pids, out: make(chan []byte, 256), gone: make(chan struct{})}
	c.cut = sync.OnceFunc(func() {
		close(c.gone)
		_ = there.Close()
	})
	s.conns[c] = true
	go c.serve()
	return tcp{here}, nil
}

// tcp is a connection whose errors are those of a network.
type tcp struct{ net.Conn }

func (c tcp) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, overTCP("read", err)
}

func (c tcp) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	return n, overTCP("write", err)
}

func overTCP(op string, err error) error {
	if errors.Is(err, io.ErrClosedPipe) {
		return &net.OpError{Op: op, Net: "tcp", Err: syscall.ECONNRESET}
	}
	return err
}

// serve reads what the process sends, until the connection ends.
func (c *pgConn) serve() {
	defer func() {
		c.cut()
		c.server.ring()
	}()
	if acceptStartup(c.on) != nil {
		return
	}
	go c.send()
	c.out <- greeting(c.pid)
	for {
		kind, body, err := readMessage(c.on)
		switch {
		case err != nil || kind == 'X':
			return
		case kind != 'Q':
			c.server.breaks(engineKind, "a process sends the message %q to its database", kind)
			return
		}
		st := &statement{from: c, text: strings.TrimSuffix(string(body), "\x00"), done: make(chan []byte, 1)}
		c.server.mu.Lock()
		c.server.pending = append(c.server.pending, st)
		c.server.mu.Unlock()
		c.server.ring()
		go c.answer(st)
	}
}

func (c *pgConn) answer(st *statement) {
	select {
	case reply := <-st.done:
		select {
		case c.out <- reply:
		case <-c.gone:
		}
	case <-c.gone:
	}
}

func (c *pgConn) send() {
	for {
		select {
		case reply := <-c.out:
			if _, err := c.on.Write(reply); err != nil {
				c.cut()
				return
			}
		case <-c.gone:
			return
		}
	}
}

func (c *pgConn) isGone() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

func (s *pgServer) ring() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// ready returns the statements that can be run now, in an order that does not depend on goroutines, after it has dropped
// the connections that are gone. arrives says whether a statement whose connection is gone was sent.
func (s *pgServer) ready(arrives func(*statement) bool) (all []*statement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c.isGone() {
			delete(s.conns, c)
			s.leave(c)
		}
	}
	now := time.Now()
	slices.SortStableFunc(s.pending, func(a, b *statement) int {
		return strings.Compare(a.from.owner.name+a.text, b.from.owner.name+b.text)
	})
	s.pending = slices.DeleteFunc(s.pending, func(st *statement) bool {
		if st.lost || !st.from.isGone() {
			return false
		}
		st.lost = true
		return st.from.inTx || !isChange.MatchString(st.text) || !arrives(st)
	})
	for _, st := range s.pending {
		switch {
		case s.holder != nil && st.from != s.holder:
		case st.from == s.holder, !now.Before(st.until) && (st.lost || !now.Before(st.from.owner.thaws())):
			all = append(all, st)
		}
	}
	return all
}

// leave ends the transaction of a connection that is gone.
func (s *pgServer) leave(c *pgConn) {
	if s.holder == c {
		s.holder = nil
		_, _ = s.conn.ExecContext(context.Background(), "ROLLBACK")
	}
}

func (s *pgServer) take(st *statement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = slices.DeleteFunc(s.pending, func(other *statement) bool { return other == st })
}

// stop ends the server: all connections are cut. What the disk does not have is lost, when loses says so.
func (s *pgServer) stop(loses bool) {
	s.mu.Lock()
	s.down = true
	s.pending = nil
	all := s.conns
	s.conns = map[*pgConn]bool{}
	s.mu.Unlock()
	for c := range all {
		c.cut()
		s.leave(c)
	}
	if loses && s.async != nil {
		s.note("the server loses what it has not written to its disk")
		s.restore(s.async)
	}
	s.async = nil
}

// start starts the server again.
func (s *pgServer) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down, s.started = false, time.Now()
}

// cutAll cuts the connections of a process.
func (s *pgServer) cutAll(owner *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c.owner == owner {
			c.cut()
		}
	}
}

type serializer interface {
	Serialize() ([]byte, error)
	Deserialize(buf []byte) error
}

// image returns the database as bytes.
func (s *pgServer) image() (image []byte) {
	if err := s.conn.Raw(func(c any) (err error) {
		image, err = c.(serializer).Serialize()
		return err
	}); err != nil {
		s.breaks(engineKind, "the database has no image: %v", err)
	}
	return image
}

func (s *pgServer) restore(image []byte) {
	if err := restore(s.conn, image); err != nil {
		s.breaks(engineKind, "the database is not restored: %v", err)
	}
}

func restore(conn *sql.Conn, image []byte) error {
	return conn.Raw(func(c any) error { return c.(serializer).Deserialize(image) })
}

// announce sends notifications of the tables that have changed.
func (s *pgServer) announce(topics []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(topics)
	for _, topic := range slices.Compact(topics) {
		for c := range s.conns {
			if !c.listens.Load() {
				continue
			}
			select {
			case c.out <- notification("toolgraph", topic):
			default: // it is lost
			}
		}
	}
}

// standby is a copy of the database as it was.
type standby struct {
	db   *sql.DB
	conn *sql.Conn
}

// copy returns a standby that gets nothing any more.
func (s *pgServer) copy(ctx context.Context) (*standby, error) {
	db, conn, err := openMemory(ctx)
	if err == nil {
		err = restore(conn, s.image())
	}
	if err != nil {
		return nil, fmt.Errorf("a standby: %w", err)
	}
	return &standby{db, conn}, nil
}

func (b *standby) close() {
	_ = b.conn.Close()
	_ = b.db.Close()
}
