package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// addNotes adds the noted calls of a run that have no outcome in the database. A run without a row
// gets one.
func addNotes(ctx context.Context, tx *sql.Tx, owner string, notes []note) error {
	for _, n := range notes {
		if err := n.begin(ctx, tx, owner); err != nil {
			return err
		}
	}
	run := notes[0].Event.Run
	var seq int64
	var events, steps int
	err := tx.QueryRowContext(ctx, `SELECT seq, events, steps FROM runs WHERE id = ? AND owner = ? AND status = 'running'`,
		run, owner).Scan(&seq, &events, &steps)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	missing, err := missingCalls(ctx, tx, seq, notes)
	if err != nil || len(missing) == 0 {
		return err
	}
	var body, sums []byte
	last := time.Time{}
	for _, call := range missing {
		head, err := json.Marshal(call.note.Event)
		if err != nil {
			return err
		}
		frame := appendValue(appendBytes(nil, head), stored{})
		body, sums = append(body, frame...), appendSum(sums, chunkSum(run, events, steps), frame)
		if call.note.Event.Time.After(last) {
			last = call.note.Event.Time
		}
	}
	if _, err := tx.ExecContext(ctx, insertChunk, seq, events, steps, body, sums); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE runs SET events = events + ?, last = max(last, ?) WHERE seq = ?`, len(missing), micros(last), seq)
	return err
}

// missingCalls returns the noted calls of a run that it does not have, and no outcome of them, in
// the order of their addresses. A damaged run, which cannot be resumed, has none.
func missingCalls(ctx context.Context, tx *sql.Tx, seq int64, notes []note) (missing []openCall, err error) {
	open := openCalls{}
	for i, n := range notes {
		at := n.Event.Step.At()
		if before, isOpen := open[at]; !isOpen || attemptOf(before.visit) < attemptOf(n.Event.Step) {
			open[at] = openCall{visit: n.Event.Step, note: &notes[i]}
		}
	}
	rows, err := tx.QueryContext(ctx, `SELECT body FROM (SELECT -1 AS n, body FROM runs WHERE seq = ?1 AND body IS NOT NULL
		UNION ALL SELECT n, body FROM chunks WHERE run = ?1) ORDER BY n`, seq)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		r := chunkReader{run: notes[0].Event.Run}
		if err := rows.Scan(&r.rest); err != nil {
			return nil, err
		}
		for len(r.rest) > 0 {
			e, _, err := r.next()
			if err != nil {
				return nil, nil // reading the run returns the error
			}
			open.event(&e)
		}
	}
	for _, call := range open.sorted() {
		if call.note != nil {
			missing = append(missing, call)
		}
	}
	return missing, rows.Err()
}

// begin gives the run its row and its first event, if it has none.
func (n note) begin(ctx context.Context, tx *sql.Tx, owner string) error {
	if n.Begin == nil {
		return nil
	}
	var known int
	err := tx.QueryRowContext(ctx, `SELECT 1 FROM runs WHERE id = ?`, n.Event.Run).Scan(&known)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	r := chunkReader{rest: n.Begin.First, run: n.Event.Run}
	first, value, err := r.next()
	if err != nil || first.Start == nil || first.Run != n.Event.Run {
		return nil //nolint:nilerr // a damaged note is skipped, so that the others are read
	}
	t := &track{view: &view{about: About{File: n.Begin.File, Server: n.Begin.Server}}}
	t.ID, t.Status = first.Run, Running
	t.update(first, value)
	t.Chunks = []Chunk{{Body: n.Begin.First, Sums: sumOf(first.Run, 0, 0, n.Begin.First)}}
	return t.finish().write(func(text string, args ...any) (sql.Result, error) { return tx.ExecContext(ctx, text, args...) }, owner)
}

// Sweep marks the runs of dead processes, and unpacks runs.
func (s *sqlite) Sweep(ctx context.Context) error {
	db, err := s.Open(ctx, false)
	if err != nil || s.isFixed() {
		return err
	}
	if err := s.sweepDead(ctx, db); err != nil {
		return err
	}
	return s.unpackToRead(ctx, db)
}

// sweepDead is Sweep without unpacking.
func (s *sqlite) sweepDead(ctx context.Context, db *sql.DB) error {
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
func (s *sqlite) sweep(ctx context.Context, db *sql.DB) error {
	running, err := owners(ctx, db, s.dir)
	if err != nil {
		return err
	}
	for owner, hasRuns := range running {
		left, ok := abandonedLease(s.dir, owner)
		if !ok {
			continue
		}
		if hasRuns || len(left.notes) > 0 {
			if err := interrupt(ctx, db, owner, left); err != nil {
				left.close()
				return err
			}
		}
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
		left.notes = nil
	}
	byRun := map[string][]note{}
	for _, n := range left.notes {
		byRun[n.Event.Run] = append(byRun[n.Event.Run], n)
	}
	for _, run := range slices.Sorted(maps.Keys(byRun)) {
		if err := addNotes(ctx, tx, owner, byRun[run]); err != nil {
			return err
		}
	}
	for _, statement := range append(slices.Clone(signOff), `UPDATE runs SET status = 'interrupted' WHERE status = 'running' AND owner = $1`) {
		if _, err := tx.ExecContext(ctx, statement, owner); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// signOff ends what others see of a process.
var signOff = []string{`DELETE FROM mail WHERE process = $1`, `DELETE FROM processes WHERE name = $1`}

// register inserts the row of this process, which is deleted by Close, or by the sweep that finds the
// process dead.
func (s *sqlite) register(ctx context.Context, db *sql.DB, p Process) error {
	_, err := db.ExecContext(ctx, `INSERT INTO processes (name, host, pid, started, beat) VALUES ($1, $2, $3, $4, $4) ON CONFLICT (name) DO NOTHING`,
		p.Name, p.Host, p.PID, micros(p.Started))
	return err
}
