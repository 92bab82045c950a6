package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"toolgraph/execution"
)

// committer writes batches of events. It belongs to the writer's goroutine.
type committer struct {
	store      *Store
	conn       *sql.Conn
	lease      *lease
	runs       map[string]*track
	statements map[string]*sql.Stmt // by their text
	pruned     time.Time            // when this process last looked for runs to prune; zero: not yet
}

const (
	insertRun = `INSERT INTO runs (id, tool, status, file, server, graph, args, started, ended, last,
		events, steps, nested, spills, bytes, lost, durable, failure, owner, facts, sum) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
	// A recorded step is progress: the next process that resumes the run counts as the first.
	updateRun = `UPDATE runs SET status = ?, ended = ?, last = ?, events = ?, resumed = CASE WHEN steps < ?5 THEN 0 ELSE resumed END,
		steps = ?5, nested = ?, spills = ?, bytes = ?, lost = ?, failure = ?, facts = ? WHERE seq = ?`
	insertChunk = `INSERT INTO chunks (run, n, step, body, sums) VALUES (?,?,?,?,?)`
	insertSpill = `INSERT INTO spills (run, id, body, sum) VALUES (?,?,?,?)`
)

// background is the context of transactions, which are never cancelled.
var background = context.Background()

// newCommitter takes a lease and opens the database. The lease is first: calls are noted in
// it also while the database is locked.
func newCommitter(s *Store) (*committer, error) {
	c := &committer{store: s, runs: map[string]*track{}, statements: map[string]*sql.Stmt{}}
	var err error
	if c.lease, err = s.leaseOf(); err != nil {
		return nil, err
	}
	db, err := s.database(true)
	if err != nil {
		return nil, err
	}
	c.conn, err = db.Conn(background)
	return c, err
}

// leaseOf returns the lease of this process.
func (s *Store) leaseOf() (*lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if s.lease == nil {
		if err := s.prepareFile(true); err != nil {
			return nil, err
		}
		l, err := newLease(s.dir)
		if err != nil {
			return nil, err
		}
		s.lease = l
	}
	return s.lease, nil
}

func (c *committer) close() {
	for _, s := range c.statements {
		_ = s.Close() // it is closed with its connection
	}
	_ = c.conn.Close() // back to the pool, which closes it
}

func (c *committer) failed(err error) error { return aboutStore(c.store.Path(), err) }

// exec runs a statement, which is compiled once.
func (c *committer) exec(text string, args ...any) (sql.Result, error) {
	statement := c.statements[text]
	if statement == nil {
		var err error
		if statement, err = c.conn.PrepareContext(background, text); err != nil {
			return nil, err
		}
		c.statements[text] = statement
	}
	return statement.ExecContext(background, args...)
}

// commit writes a batch in one transaction, and retries while the store cannot be written.
func (c *committer) commit(batch []queued) error {
	var touched []*track
	for i := range batch {
		t, err := c.add(batch, &batch[i])
		if err != nil {
			return err
		}
		if t != nil {
			touched = append(touched, t)
		}
	}
	for _, t := range touched {
		t.endChunk()
		t.weigh()
	}
	if len(touched) > 0 {
		if err := c.store.writer.persist(batch, func() error { return c.failed(c.write(touched)) }); err != nil {
			return err
		}
	}
	c.store.writer.written(touched)
	for _, t := range touched {
		t.chunks, t.spills, t.newer = nil, nil, false
		if t.status != Running {
			delete(c.runs, t.id)
		}
	}
	for i := range batch {
		c.lease.settle(&batch[i].event)
		if id := batch[i].release; id != "" {
			if err := c.store.writer.persist(batch, func() error { return c.giveBack(id) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds an event to its run, which it returns when that had no unwritten events before.
func (c *committer) add(batch []queued, q *queued) (touched *track, err error) {
	if q.view == nil { // a flush
		return nil, nil
	}
	t, err := c.track(batch, q)
	if err != nil {
		return nil, err
	}
	if len(t.body) == 0 && len(t.chunks) == 0 {
		touched = t
	}
	if err := t.add(q.event, q.size); err != nil {
		return nil, fmt.Errorf("an event of run %s cannot be encoded: %w", q.event.Run, err)
	}
	return touched, nil
}

// track returns the run of an event.
func (c *committer) track(batch []queued, q *queued) (*track, error) {
	id := q.event.Run
	t := c.runs[id]
	if t != nil {
		return t, nil
	}
	t = &track{view: q.view, row: row{id: id, status: Running}}
	if q.event.Kind != execution.RunStarted {
		if err := c.store.writer.persist(batch, func() error { return c.failed(c.resume(t)) }); err != nil {
			return nil, err
		}
	}
	c.runs[id] = t
	return t, nil
}

// resume reads the row of a run that this process has claimed.
func (c *committer) resume(t *track) error {
	row := c.conn.QueryRowContext(background,
		`SELECT seq, events, steps, nested, spills, bytes, lost, facts FROM runs WHERE id = ? AND owner = ? AND status = 'running'`, t.id, c.lease.name)
	var known string
	err := row.Scan(&t.seq, &t.events, &t.steps, &t.nested, &t.spilled, &t.bytes, &t.lost, &known)
	if err == nil {
		err = t.facts.read(known)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("run %s is resumed, but this process has not claimed it", t.id)
	}
	t.first, t.before = t.events, t.steps
	return err
}

// write writes the unwritten events of the runs in one transaction. It uses statements for the
// transaction: database/sql would compile every statement again in each of its own.
func (c *committer) write(touched []*track) error {
	if _, err := c.exec(`BEGIN IMMEDIATE`); err != nil {
		return err
	}
	inserted, err := c.writeAll(touched)
	if err == nil {
		_, err = c.exec(`COMMIT`)
	}
	if err != nil {
		_, _ = c.conn.ExecContext(background, `ROLLBACK`) // SQLite may have done so itself
		for _, t := range inserted {
			t.seq = 0
		}
	}
	return err
}

// writeAll also returns the runs whose rows are new.
func (c *committer) writeAll(touched []*track) (inserted []*track, err error) {
	for _, t := range touched {
		if t.newer {
			if err := raise(c.conn); err != nil {
				return inserted, err
			}
		}
		if t.seq == 0 {
			inserted = append(inserted, t)
		}
		if err := c.writeRow(t); err != nil {
			return inserted, err
		}
		for _, s := range t.spills {
			if _, err := c.exec(insertSpill, t.seq, s.id, s.body, spillSum(t.id, s.id, s.body)); err != nil {
				return inserted, err
			}
		}
		for _, part := range t.chunks {
			if _, err := c.exec(insertChunk, t.seq, part.first, part.before, part.body, part.sums); err != nil {
				return inserted, err
			}
		}
	}
	return inserted, nil
}

func (c *committer) writeRow(t *track) error {
	if t.seq != 0 {
		_, err := c.exec(updateRun, t.status, micros(t.ended), micros(t.latest),
			t.events, t.steps, t.nested, t.spilled, t.bytes, t.lost, t.failure, t.facts.text(), t.seq)
		return err
	}
	done, err := c.exec(insertRun, t.columns(c.lease.name, c.store.opts.Durable)...)
	if err != nil {
		return err
	}
	t.seq, err = done.LastInsertId()
	return err
}

// micros returns a time as the database has it: microseconds since 1970; 0 for the zero time.
func micros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMicro()
}

func timeOf(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// upkeep prunes runs beyond the bounds, once an hour.
func (c *committer) upkeep() {
	const every = time.Hour
	c.store.growReserve()
	if time.Since(c.pruned) < every {
		return
	}
	c.pruned = time.Now()
	c.store.reserve()
	var last int64
	if c.conn.QueryRowContext(background, `SELECT pruned FROM upkeep`).Scan(&last) != nil || time.Since(time.UnixMicro(last)) < every {
		return // another process has
	}
	if _, err := c.conn.ExecContext(background, `UPDATE upkeep SET pruned = ?`, c.pruned.UnixMicro()); err != nil {
		return // it is retried in an hour; writing reports the error
	}
	if _, err := prune(c.conn, c.store.dir, c.store.opts.Keep); err != nil {
		c.store.opts.Logger.Warn("old runs could not be deleted", "error", c.failed(err))
	}
}
