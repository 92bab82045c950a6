package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"os"
	"slices"

	sqlite3 "modernc.org/sqlite/lib"

	"toolgraph/execution/journal"
)

// addNotes adds the noted calls of a run that have no outcome in the database. A run without a row
// gets one.
func addNotes(ctx context.Context, tx *sql.Tx, owner string, notes []journal.Note) error {
	for _, n := range notes {
		if err := begin(ctx, tx, owner, n); err != nil {
			return err
		}
	}
	run := notes[0].Event.Run
	var seq int64
	var events, steps int
	var failed error
	err := tx.QueryRowContext(ctx, `SELECT seq, events, steps FROM runs WHERE id = ? AND owner = ? AND status = 'running'`,
		run, owner).Scan(&seq, &events, &steps)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, `SELECT body FROM (SELECT -1 AS n, body FROM runs WHERE seq = ?1 AND body IS NOT NULL
		UNION ALL SELECT n, body FROM chunks WHERE run = ?1) ORDER BY n`, seq)
	if err != nil {
		return err
	}
	defer rows.Close()
	chunk, calls, last, err := journal.NotedCalls(notes, events, steps, func(yield func([]byte) bool) {
		for rows.Next() {
			var body []byte
			if failed = rows.Scan(&body); failed != nil || !yield(body) {
				return
			}
		}
	})
	if err = errors.Join(err, failed, rows.Close(), rows.Err()); err != nil || calls == 0 {
		return err
	}
	if _, err := tx.ExecContext(ctx, insertChunk, seq, chunk.First, chunk.Before, chunk.Body, chunk.Sums); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE runs SET events = events + ?, last = max(last, ?) WHERE seq = ?`, calls, last, seq)
	return err
}

// begin gives the run of a note its row and its first event, if it has none.
func begin(ctx context.Context, tx *sql.Tx, owner string, n journal.Note) error {
	beginning := n.Beginning()
	if beginning == nil {
		return nil
	}
	var known int
	err := tx.QueryRowContext(ctx, `SELECT 1 FROM runs WHERE id = ?`, n.Event.Run).Scan(&known)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return write(beginning, within(ctx, tx), owner)
}

// Sweep marks the runs of dead processes, and unpacks runs.
func (s *Database) Sweep(ctx context.Context) error {
	db, err := s.Open(ctx, false)
	if err != nil || s.isFixed() {
		return err
	}
	if err := s.sweepDead(ctx, db); err != nil {
		return err
	}
	return s.unpackToRead(ctx, db)
}

// SweepDead is Sweep without unpacking.
func (s *Database) SweepDead(ctx context.Context) error {
	db, err := s.Open(ctx, false)
	if err != nil {
		return err
	}
	return s.sweepDead(ctx, db)
}

// sweepDead is SweepDead in an open database.
func (s *Database) sweepDead(ctx context.Context, db *sql.DB) error {
	if s.isFixed() {
		return nil
	}
	if err := s.sweep(ctx, db); codeOf(err) != sqlite3.SQLITE_READONLY {
		return err
	}
	return nil
}

// sweep marks the runs of dead processes as interrupted, and adds the notes in their leases to
// these runs.
func (s *Database) sweep(ctx context.Context, db *sql.DB) error {
	running, err := owners(ctx, db, s.dir)
	if err != nil {
		return err
	}
	for owner, hasRuns := range running {
		left, ok := abandonedLease(s.dir, owner)
		if !ok {
			continue
		}
		if len(left.ahead) > 0 { // what is kept ahead of packed runs is older than they are
			err = s.unpack(ctx, db)
		}
		if err == nil && (hasRuns || len(left.notes) > 0 || len(left.ahead) > 0) {
			err = interrupt(ctx, db, owner, left)
		}
		if err != nil {
			left.close()
			return err
		}
		dropAhead(s.dir, owner)
		left.drop()
	}
	return nil
}

// owners returns the processes that may be dead, by the names of their leases, and whether they
// have running runs or are seen by others. A process without one may have died before it wrote the row of its first.
func owners(ctx context.Context, db *sql.DB, dir string) (map[string]bool, error) {
	all := map[string]bool{}
	leases, _ := os.ReadDir(leaseDir(dir)) // without them when it cannot be read
	for _, l := range leases {
		if l.Type().IsRegular() {
			all[l.Name()] = false
		}
	}
	rows, err := db.QueryContext(ctx, `SELECT owner FROM runs WHERE status = 'running' UNION SELECT name FROM processes`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var owner string
		if err := rows.Scan(&owner); err != nil {
			return nil, err
		}
		all[owner] = true
	}
	return all, rows.Err()
}

func interrupt(ctx context.Context, db *sql.DB, owner string, left abandoned) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if left.removed() {                  // another process has added the notes; the runs may be deleted since
		left.notes, left.ahead = nil, nil
	}
	for _, p := range left.ahead {
		if err := addAhead(ctx, tx, owner, p); err != nil {
			return err
		}
	}
	byRun := map[string][]journal.Note{}
	for _, n := range left.notes {
		byRun[n.Event.Run] = append(byRun[n.Event.Run], n)
	}
	for _, run := range slices.Sorted(maps.Keys(byRun)) {
		if err := addNotes(ctx, tx, owner, byRun[run]); err != nil {
			return err
		}
	}
	for _, statement := range append(slices.Clone(journal.SignOff), `UPDATE runs SET status = 'interrupted' WHERE status = 'running' AND owner = $1`) {
		if _, err := tx.ExecContext(ctx, statement, owner); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Register inserts the row of this process, which is deleted by Close, or by the sweep that finds the
// process dead.
func (s *Database) Register(ctx context.Context, db *sql.DB, p journal.Process) error {
	_, err := db.ExecContext(ctx, `INSERT INTO processes (name, host, pid, started, beat) VALUES ($1, $2, $3, $4, $4) ON CONFLICT (name) DO NOTHING`,
		p.Name, p.Host, p.PID, p.Started.UnixMicro())
	return err
}
