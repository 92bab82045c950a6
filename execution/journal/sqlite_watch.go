package journal

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

const (
	watchEvery  = 250 * time.Millisecond
	watchSweeps = 8 // looks at the database for one look at the leases of processes that may be dead
)

// Watch looks at one number of the database's header from time to time, which changes with each
// commit of another connection.
func (s *sqlite) Watch(ctx context.Context, topic Topic, look func(context.Context, *sql.DB) error) error {
	w := &sqliteWatcher{sqlite: s, topic: topic}
	defer w.disconnect()
	timer := time.NewTicker(watchEvery)
	defer timer.Stop()
	for {
		err := w.look(ctx, look)
		switch {
		case ctx.Err() != nil || errors.Is(err, ErrClosed):
			return nil
		case err != nil && s.Trouble(err) < Passing:
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
	}
}

// sqliteWatcher is a connection on which nothing is written. It belongs to one goroutine.
type sqliteWatcher struct {
	*sqlite
	topic   Topic
	watched *sql.DB   // of conn
	conn    *sql.Conn // nil: there is no database yet
	looks   int
	seen    bool  // version is known
	version int64 // of the database, as conn sees it, at the last look
}

// look calls look when the database has changed.
func (w *sqliteWatcher) look(ctx context.Context, look func(context.Context, *sql.DB) error) error {
	if err := w.connect(ctx); err != nil {
		return err
	}
	if w.conn == nil {
		return look(ctx, nil)
	}
	if w.looks%watchSweeps == 0 {
		if err := w.sweepDead(ctx, w.watched); err != nil {
			return w.Explain(err)
		}
	}
	w.looks++
	var version int64
	if err := w.conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version); err != nil {
		w.disconnect()
		return w.Explain(err)
	}
	if w.seen && version == w.version {
		return nil
	}
	if w.topic == Runs && !w.isFixed() {
		if err := w.unpackToRead(ctx, w.watched); err != nil {
			return w.Explain(err)
		}
	}
	if err := look(ctx, w.watched); err != nil {
		return err
	}
	w.seen, w.version = true, version
	return nil
}

// connect gets a connection to the database, which may have been opened anew.
func (w *sqliteWatcher) connect(ctx context.Context) error {
	db, err := w.Open(ctx, false)
	if errors.Is(err, ErrNoStore) {
		return nil
	}
	if err != nil || db == w.watched {
		return err
	}
	w.disconnect()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	w.watched, w.conn, w.seen = db, conn, false
	return nil
}

func (w *sqliteWatcher) disconnect() {
	if w.conn != nil {
		_ = w.conn.Close() // back to the pool
	}
	w.watched, w.conn = nil, nil
}
