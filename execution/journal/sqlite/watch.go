package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"toolgraph/execution/journal"
)

const (
	watchEvery  = 250 * time.Millisecond
	watchSweeps = 8 // looks at the database for one look at the leases of processes that may be dead
)

// Watch looks at one number of the database's header from time to time, which changes with each
// commit of another connection.
func (s *Database) Watch(ctx context.Context, topic journal.Topic, look func(context.Context, *sql.DB) error) error {
	w := s.Watcher(topic)
	defer w.Close()
	timer := time.NewTicker(watchEvery)
	defer timer.Stop()
	for looks := 0; ; looks++ {
		err := w.Look(ctx, looks%watchSweeps == 0, look)
		switch {
		case ctx.Err() != nil || errors.Is(err, journal.ErrClosed):
			return nil
		case err != nil && s.Trouble(err) < journal.Passing:
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
	}
}

// Watcher is a connection on which nothing is written. It belongs to one goroutine.
type Watcher struct {
	data    *Database
	topic   journal.Topic
	watched *sql.DB   // of conn
	conn    *sql.Conn // nil: there is no database yet
	seen    bool      // version is known
	version int64     // of the database, as conn sees it, at the last look
}

// Watcher returns what Watch uses; the caller closes it.
func (s *Database) Watcher(topic journal.Topic) *Watcher { return &Watcher{data: s, topic: topic} }

// Look calls look when the database has changed since the last time, or is not there. With sweep it first marks the runs of dead
// processes.
func (w *Watcher) Look(ctx context.Context, sweep bool, look func(context.Context, *sql.DB) error) error {
	if err := w.connect(ctx); err != nil {
		return err
	}
	if w.conn == nil {
		return look(ctx, nil)
	}
	if sweep {
		if err := w.data.sweepDead(ctx, w.watched); err != nil {
			return w.data.Explain(err)
		}
	}
	var version int64
	if err := w.conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version); err != nil {
		w.Close()
		return w.data.Explain(err)
	}
	if w.seen && version == w.version {
		return nil
	}
	if w.topic == journal.Runs && !w.data.isFixed() {
		if err := w.data.unpackToRead(ctx, w.watched); err != nil {
			return w.data.Explain(err)
		}
	}
	if err := look(ctx, w.watched); err != nil {
		return err
	}
	w.seen, w.version = true, version
	return nil
}

// connect gets a connection to the database, which may have been opened anew.
func (w *Watcher) connect(ctx context.Context) error {
	db, err := w.data.Open(ctx, false)
	if errors.Is(err, journal.ErrNoStore) {
		return nil
	}
	if err != nil || db == w.watched {
		return err
	}
	w.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	w.watched, w.conn, w.seen = db, conn, false
	return nil
}

// Close gives the connection back; Look gets another one.
func (w *Watcher) Close() {
	if w.conn != nil {
		_ = w.conn.Close() // back to the pool
	}
	w.watched, w.conn = nil, nil
}
