package sqlite

import (
	"context"
	"database/sql"
	"time"

	"toolgraph/execution/journal"
)

// writer is what Write needs: a connection with its statements, which are compiled once.
type writer struct {
	owner      string               // of the runs of this process
	conn       *sql.Conn            // nil: nothing was written yet
	statements map[string]*sql.Stmt // by their text
	grown      int                  // bytes that were written since the size of the reserve was compared, about
	reserved   time.Time            // when the reserve was last created
	packing    []byte               // for one run
	body       []byte               // for the runs of a batch
	ahead      ahead
	unpacked   int // bytes of packs that this process has written since it last unpacked all; 1 when others may have left some
}

const (
	runColumns = `id, tool, status, file, server, graph, args, started, ended, last,
		events, steps, nested, spills, bytes, lost, durable, failure, owner, facts, sum, body, sums`
	runValues = `?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?`
	insertRun = `INSERT INTO runs (` + runColumns + `) VALUES (` + runValues + `) ON CONFLICT (id) DO NOTHING`
	// A recorded step is progress: the next process that resumes the run counts as the first.
	updateRun = `UPDATE runs SET status = ?, ended = ?, last = ?, events = ?, resumed = CASE WHEN steps < ?5 THEN 0 ELSE resumed END,
		steps = ?5, nested = ?, spills = ?, bytes = ?, lost = ?, failure = ?, facts = ? WHERE seq = ? AND owner = ? AND status = 'running'`
	insertChunk = `INSERT INTO chunks (run, n, step, body, sums) VALUES (?,?,?,?,?)`
	insertSpill = `INSERT INTO spills (run, id, body, sum) VALUES (?,?,?,?)`
)

// execute runs a statement that changes something.
type execute func(text string, args ...any) (sql.Result, error)

// within executes statements in a transaction.
func within(ctx context.Context, tx *sql.Tx) execute {
	return func(text string, args ...any) (sql.Result, error) { return tx.ExecContext(ctx, text, args...) }
}

// Write writes a batch in one transaction. It uses statements for the transaction: database/sql
// would compile every statement again in each of its own.
func (s *Database) Write(ctx context.Context, batch []*journal.Pending) error {
	if err := s.beginWriting(ctx); err != nil {
		return err
	}
	if err := s.writeRows(ctx, batch); err != nil {
		return err
	}
	s.keepReserve(batch)
	if s.unpacked >= packMost {
		_, _ = s.unpackPart(ctx, unpackRun) // an error is that of the next to read
	}
	return nil
}

// writeRows is Write without what follows it.
func (s *Database) writeRows(ctx context.Context, batch []*journal.Pending) error {
	defer s.Turn()()
	if _, err := s.exec(`BEGIN IMMEDIATE`); err != nil {
		return err
	}
	var inserted []*journal.Pending
	rows, err := s.pack(batch)
	for _, u := range rows {
		if err != nil {
			break
		}
		u.Taken = false
		if u.Seq == 0 {
			inserted = append(inserted, u)
		}
		err = write(u, s.exec, s.owner)
	}
	if err == nil {
		_, err = s.exec(`COMMIT`)
	}
	if err != nil {
		_, _ = s.conn.ExecContext(ctx, `ROLLBACK`) // SQLite may have done so itself
		for _, u := range inserted {
			u.Seq = 0
		}
		return err
	}
	s.ahead.clear()
	return nil
}

// Unpack gives a few of the runs that this process has packed their rows, and reports whether there may be more.
func (s *Database) Unpack(ctx context.Context) (more bool, err error) {
	return s.unpackPart(ctx, unpackFew)
}

// unpackPart is Unpack of so many runs, about.
func (s *Database) unpackPart(ctx context.Context, most int) (more bool, err error) {
	if s.unpacked == 0 {
		return false, nil
	}
	db, err := s.Open(ctx, true)
	if err != nil {
		return true, err
	}
	if more, err = hasPacks(ctx, db); err != nil {
		return true, err
	}
	if !more {
		s.unpacked = 0
		return false, nil
	}
	bytes, err := s.unpackSome(ctx, db, most)
	if err == nil {
		s.unpacked = max(1, s.unpacked-bytes) // these may be of another process; the last time finds none
	}
	return true, err
}

// beginWriting gets the connection for writing.
func (s *Database) beginWriting(ctx context.Context) error {
	if s.conn != nil {
		return nil
	}
	l, err := s.leaseOf()
	if err != nil {
		return err
	}
	db, err := s.Open(ctx, true)
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	s.writer = writer{owner: l.name, conn: conn, statements: map[string]*sql.Stmt{}, unpacked: 1}
	return nil
}

func (w *writer) close() {
	w.ahead.close()
	for _, s := range w.statements {
		_ = s.Close() // it is closed with its connection
	}
	if w.conn != nil {
		_ = w.conn.Close() // back to the pool, which closes it
	}
}

// exec runs a statement, which is compiled once.
func (w *writer) exec(text string, args ...any) (sql.Result, error) {
	statement := w.statements[text]
	if statement == nil {
		var err error
		if statement, err = w.conn.PrepareContext(background, text); err != nil {
			return nil, err
		}
		w.statements[text] = statement
	}
	return statement.ExecContext(background, args...)
}

// write writes a run, unless this process has lost it.
func write(u *journal.Pending, exec execute, owner string) error {
	if err := writeRow(u, exec, owner); err != nil || u.Taken {
		return err
	}
	for _, s := range u.Spills {
		if _, err := exec(insertSpill, u.Seq, s.ID, s.Body, s.Sum); err != nil {
			return err
		}
	}
	for _, c := range u.Chunks {
		if _, err := exec(insertChunk, u.Seq, c.First, c.Before, c.Body, c.Sums); err != nil {
			return err
		}
	}
	return nil
}

// appendRow appends the values of runColumns.
func appendRow(dst []any, u *journal.Pending, owner string) []any {
	return append(dst, u.ID, u.Tool, u.Status, u.File, u.Server, u.Graph, u.Args, u.Started, u.Ended, u.Last,
		u.Events, u.Steps, u.Nested, u.Spilled, u.Bytes, u.Lost, u.Durable, u.Failure, owner, u.Facts, u.Sum, u.Body.Body, u.Body.Sums)
}

func writeRow(u *journal.Pending, exec execute, owner string) error {
	if u.Seq == 0 {
		done, err := exec(insertRun, appendRow(nil, u, owner)...)
		if u.Taken, err = journal.HadNoRow(done, err); err == nil && !u.Taken {
			u.Seq, err = done.LastInsertId()
		}
		return err
	}
	done, err := exec(updateRun, u.Status, u.Ended, u.Last,
		u.Events, u.Steps, u.Nested, u.Spilled, u.Bytes, u.Lost, u.Failure, u.Facts, u.Seq, owner)
	u.Taken, err = journal.HadNoRow(done, err)
	return err
}
