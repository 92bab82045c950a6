package postgres

import (
	"context"
	"database/sql"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"toolgraph/execution/journal"
)

// Timing is how often a process shows that it is alive, and how it reaches the server. The zero value is the usual one;
// tests have shorter times and servers of their own.
type Timing struct {
	Beat time.Duration // between two beats; 0: 2 s
	Dead time.Duration // age of the last beat from which a process is dead; 0: 10 s

	Dial func(ctx context.Context) (net.Conn, error) // connects to the server; nil: over the network
}

// Open returns the store in a database, whose tables are created with the first run, in a schema of
// their own. Nothing is connected before it is needed.
func Open(url string, opts journal.Options) (*journal.Store, error) {
	return OpenTimed(url, opts, Timing{})
}

// OpenTimed is Open for tests.
func OpenTimed(url string, opts journal.Options, timing Timing) (*journal.Store, error) {
	to, err := parse(url)
	if err != nil {
		return nil, err
	}
	if timing.Beat <= 0 {
		timing.Beat = 2 * time.Second
	}
	if timing.Dead <= 0 {
		timing.Dead = 10 * time.Second
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	d := &database{target: to, timing: timing, log: opts.Logger, readOnly: opts.ReadOnly, opening: journal.NewLock()}
	d.ctx, d.stop = context.WithCancel(context.Background())
	d.pool.AfterConnect = d.greet
	if timing.Dial != nil {
		d.pool.ConnConfig.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { return timing.Dial(ctx) }
	}
	d.bell.rings = map[chan struct{}]journal.Topic{}
	return journal.New(d, opts), nil
}

// database is a journal.Database.
type database struct {
	target
	timing   Timing
	log      *slog.Logger
	readOnly bool // see journal.Options.ReadOnly

	ctx        context.Context //nolint:containedctx // until Close, of goroutines that nobody waits for
	stop       context.CancelFunc
	goroutines sync.WaitGroup
	bell       bell
	sessions   atomic.Bool // a connection is a session of the server: hasSession
	created    atomic.Bool // the schema was seen, of whichever version

	opening journal.Lock // held while the schema is prepared, and while this process is registered

	mu     sync.Mutex // guards what follows
	conns  *pgxpool.Pool
	db     *sql.DB // over conns; nil: not prepared yet
	me     *journal.Process
	beats  bool      // the goroutine runs
	swept  time.Time // when Sweep last looked
	closed bool
}

// Place returns the URL without the password.
func (d *database) Place() string { return d.place }

// Open returns the connections.
func (d *database) Open(ctx context.Context, create bool) (*sql.DB, error) {
	_, db, err := d.open(ctx, create)
	return db, d.Explain(err)
}

func (d *database) open(ctx context.Context, create bool) (*pgxpool.Pool, *sql.DB, error) {
	d.mu.Lock()
	conns, db, closed := d.conns, d.db, d.closed
	d.mu.Unlock()
	if closed {
		return nil, nil, journal.ErrClosed
	}
	if db != nil {
		return conns, db, nil
	}
	if err := d.opening.Take(ctx); err != nil {
		return nil, nil, err
	}
	defer d.opening.Free()
	return d.prepared(ctx, create)
}

// prepared opens the database, unless that was done. The caller holds opening.
func (d *database) prepared(ctx context.Context, create bool) (*pgxpool.Pool, *sql.DB, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, nil, journal.ErrClosed
	}
	if d.db != nil {
		return d.conns, d.db, nil
	}
	if d.conns == nil {
		conns, err := pgxpool.NewWithConfig(d.ctx, d.pool) // connects later
		if err != nil {
			return nil, nil, err
		}
		d.conns = conns
	}
	conns := d.conns
	d.mu.Unlock()
	err := d.prepare(ctx, conns, create)
	d.mu.Lock()
	if err != nil {
		return conns, nil, err
	}
	if d.closed {
		return nil, nil, journal.ErrClosed
	}
	d.db = sql.OpenDB(cleaner{stdlib.GetPoolConnector(conns)})
	d.db.SetMaxIdleConns(0) // the pool has them
	return d.conns, d.db, nil
}

// Deleting calls del. Postgres gives space back by itself (autovacuum), to other runs.
func (d *database) Deleting(ctx context.Context, del func(db *sql.DB) (int, error)) (int, error) {
	db, err := d.Open(ctx, true)
	if err != nil {
		return 0, err
	}
	return del(db)
}

// Now returns the clock of the server as an expression: microseconds since 1970.
func (d *database) Now() string { return "now_micros()" }

// State sets the size of the tables and their indexes. Who can read them is up to the server.
func (d *database) State(ctx context.Context, s *journal.State) error {
	conns, _, err := d.open(ctx, false)
	if err != nil {
		return err
	}
	return conns.QueryRow(ctx, `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
		WHERE relnamespace = to_regnamespace($1) AND relkind = 'r'`, d.schema).Scan(&s.Bytes)
}

// Close ends the claim of this process. Its runs that have not ended are interrupted; without an answer
// of the server other processes find that out.
func (d *database) Close(bool) error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	conns, db, me := d.conns, d.db, d.me
	d.mu.Unlock()
	d.stop()
	d.goroutines.Wait()
	if db == nil {
		if conns != nil {
			conns.Close()
		}
		return nil
	}
	if me != nil {
		ctx, cancel := context.WithTimeout(context.Background(), connectMost)
		_, err := conns.Exec(ctx, `WITH gone AS (DELETE FROM processes WHERE name = $1)
			UPDATE runs SET status = 'interrupted' WHERE status = 'running' AND owner = $1`, me.Name)
		cancel()
		if err != nil {
			d.log.Debug("this process could not sign off; others notice it later", "error", d.Explain(err))
		}
	}
	err := db.Close()
	conns.Close()
	return err
}
