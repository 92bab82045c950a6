package journal

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"
)

// Health is what a process has counted of its store since it began, and what waits in it now. All of it is in memory.
type Health struct {
	ReadErrors, WriteErrors int64 // attempts that the database has refused, or not answered; those that are repeated count each time

	Queued      int           // events that are not in the database yet, also those that are being written
	QueuedBytes int           // of memory that they take, about; without those that are being written
	Waited      time.Duration // of the oldest of them; 0: none waits
	Unrecorded  int64         // events that were lost, see Store.Journal

	Lost    int64 // runs of this process that another one has taken
	Claimed int64 // interrupted runs that this process has claimed to go on with them

	Unparked int64 // parked runs that this process has claimed to go on with them

	Pruned       int64     // runs that were deleted because they are beyond the bounds of the store
	PruneErrors  int64     // attempts to delete such runs that have failed
	LastPruning  time.Time // the last one of this process that has succeeded; zero: there was none, or there are no bounds any more
	*Connections           // nil: the database has none that are limited, or is not open
}

// Connections are those of a process to a server of databases.
type Connections struct {
	InUse, Idle, Most int
	Waits             int64         // how often none was free
	Waited            time.Duration // for a free one, altogether
}

// Pooled is a Database whose connections are limited.
type Pooled interface {
	// Connections returns nil while there are none.
	Connections() *Connections
}

// tally is what a store counts of its Health.
type tally struct {
	reads, writes, unrecorded, lost, claimed, unparked, pruned, pruneErrors atomic.Int64
	lastPruning                                                             atomic.Int64 // microseconds since 1970
}

// Health returns what this process has counted. It waits for nothing.
func (s *Store) Health() Health {
	n := &s.tally
	h := Health{
		ReadErrors: n.reads.Load(), WriteErrors: n.writes.Load(), Unrecorded: n.unrecorded.Load(),
		Lost: n.lost.Load(), Claimed: n.claimed.Load(), Unparked: n.unparked.Load(),
		Pruned: n.pruned.Load(), PruneErrors: n.pruneErrors.Load(), LastPruning: timeOf(n.lastPruning.Load()),
	}
	h.Queued, h.QueuedBytes, h.Waited = s.writer.waiting(time.Now())
	if pool, limited := s.data.(Pooled); limited {
		h.Connections = pool.Connections()
	}
	return h
}

// waiting returns the events that wait, or are being written, and how long the oldest has waited.
func (w *writer) waiting(now time.Time) (n, bytes int, oldest time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	events, since := w.added.events, w.added.oldest
	for _, part := range [][]queued{w.writing, w.queue.events} {
		for i := range part {
			if part[i].view == nil { // a flush
				continue
			}
			if events++; since.IsZero() {
				since = part[i].event.Time
			}
		}
	}
	if !since.IsZero() {
		oldest = max(0, now.Sub(since))
	}
	return events, w.queue.bytes, oldest
}

// isTrouble reports whether an error is one of the database, and not of who asks it.
func (s *Store) isTrouble(err error) bool {
	return err != nil && !errors.Is(err, context.Canceled) && s.data.Trouble(err) != NoTrouble
}

// countRead counts an error of the database that something was not read for.
func (s *Store) countRead(err error) {
	if s.isTrouble(err) {
		s.tally.reads.Add(1)
	}
}

// readFault explains why something was not read, and counts it. It is called once for an error.
func (s *Store) readFault(err error) error {
	s.countRead(err)
	return s.data.Explain(err)
}

// writeFault explains why something was not written, and counts it. It is called once for an error.
func (s *Store) writeFault(err error) error {
	if s.isTrouble(err) {
		s.tally.writes.Add(1)
	}
	return s.data.Explain(err)
}

// Census counts the runs of a store that can continue, of all its processes.
type Census struct {
	Running     Counted // without an open question
	Waiting     Counted // for the answer to an open question, in progress or interrupted
	Interrupted Counted // without an open question
	Parked      Counted // that wait without a process: for a time or a task, and those of Waiting that do
	InDoubt     Counted // that have ended because of a call whose outcome is unknown

	Overdue time.Duration // since when the parked run is due that is due first; 0: none is

	LastPruning time.Time // of any process; zero: not known
	Bytes       int64     // of the store
}

// Counted are the runs of one kind.
type Counted struct {
	Runs int       // at most censusMost
	Old  int       // of these, beyond the bounds of the store, see Run.Old
	Last time.Time // of the run that has done nothing for the longest time, its last event; zero: there is no run
}

// censusMost bounds how many runs of one status are counted.
const censusMost = 100_000

// Each status is a part of the text, so that the index of such runs is used.
const (
	censusQuery = `SELECT status, asks, parked, count(*), sum(old), min(last) FROM (` +
		censusPart + `status = 'running'` + censusMany + ` UNION ALL ` +
		censusPart + isAdrift + censusMany + ` UNION ALL ` +
		censusPart + isParked + censusMany + ` UNION ALL ` +
		censusPart + `status = 'error' AND failure LIKE '` + unknownOutcome + `'` + censusMany + `) AS runs GROUP BY status, asks, parked`
	censusPart = `SELECT * FROM (SELECT status, ` + parkedNow + ` AS parked, CASE WHEN ` + isWaiting + ` THEN 1 ELSE 0 END AS asks, last,
		CASE WHEN ` + isOld + ` THEN 1 ELSE 0 END AS old FROM runs WHERE `
	censusMany = ` LIMIT $1) AS part`
)

// Census counts the runs that can continue. It reads nothing of other runs, and does not wait for what this process has
// queued. A store without runs has none.
func (s *Store) Census(ctx context.Context) (c Census, err error) {
	db, err := s.data.Open(ctx, false)
	if errors.Is(err, ErrNoStore) {
		return c, nil
	}
	if err == nil && !s.opts.ReadOnly {
		err = s.sweepDead(ctx)
	}
	if err != nil {
		return c, s.readFault(err)
	}
	return s.census(ctx, db)
}

// census is Census without what is packed.
func (s *Store) census(ctx context.Context, db *sql.DB) (c Census, err error) {
	rows, err := db.QueryContext(ctx, censusQuery, censusMost)
	if err != nil {
		return c, s.readFault(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := c.scan(rows.Scan); err != nil {
			return c, s.readFault(err)
		}
	}
	if err := rows.Err(); err != nil {
		return c, s.readFault(err)
	}
	var pruned int64
	if err := db.QueryRowContext(ctx, `SELECT pruned FROM upkeep`).Scan(&pruned); err != nil {
		return c, s.readFault(err)
	}
	c.LastPruning = timeOf(pruned)
	var due sql.NullInt64
	if err := db.QueryRowContext(ctx, `SELECT min(due) FROM (SELECT due FROM runs WHERE `+isParked+` ORDER BY due LIMIT 1) AS first`).Scan(&due); err != nil {
		return c, s.readFault(err)
	}
	if due.Valid && due.Int64 > atOnce {
		c.Overdue = max(0, time.Since(timeOf(due.Int64)))
	}
	state := State{}
	err = s.data.State(ctx, &state)
	c.Bytes = state.Bytes
	return c, s.readFault(err)
}

// scan adds the runs of a row.
func (c *Census) scan(scan func(into ...any) error) error {
	var status Status
	var asks, parked bool
	var last int64
	var of Counted
	if err := scan(&status, &asks, &parked, &of.Runs, &of.Old, &last); err != nil {
		return err
	}
	of.Last = timeOf(last)
	if parked {
		c.Parked.add(of)
	}
	switch {
	case status == Failed:
		c.InDoubt.add(of)
	case asks:
		c.Waiting.add(of)
	case status == Running:
		c.Running.add(of)
	case !parked:
		c.Interrupted.add(of)
	}
	return nil
}

func (o *Counted) add(more Counted) {
	if o.Runs == 0 || more.Last.Before(o.Last) {
		o.Last = more.Last
	}
	o.Runs += more.Runs
	o.Old += more.Old
}
