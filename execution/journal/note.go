package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"toolgraph/execution"
)

// note is a call-started in the lease of its process: it must survive the process although it
// waits in the queue.
type note struct {
	Event execution.Event `json:"event"`
	Begin *beginning      `json:"begin,omitempty"` // nil: the run has its row
}

// beginning is the data for the row of a run that the process may not live to write: without a
// row the call would be unknown.
type beginning struct {
	File   string `json:"file,omitempty"`
	Server string `json:"server,omitempty"`
	First  []byte `json:"first"` // the frame of its run-started; secrets are redacted
}

// A noteForm says how much of a run without a row is in a note.
type noteForm int

const (
	wholeNote noteForm = iota // with its arguments
	shortNote                 // without: such a run is not resumed
)

// note writes a call into the lease of this process and reports whether the call survives the
// process that way. It does not when the lease cannot be written, or when the run has no row yet
// and its arguments are too long for a whole note: then the run waits for its row.
func (w *writer) note(e execution.Event, form noteForm) bool {
	w.mu.Lock()
	start, unwritten := w.unwritten[e.Run]
	recorded := w.lost.runs[e.Run] != unrecorded
	w.mu.Unlock()
	if !recorded {
		return true // nothing of the run can be resumed
	}
	l, err := w.store.leaseOf()
	if err != nil {
		return false
	}
	n := note{Event: e}
	if unwritten {
		if form == shortNote {
			first := *start.event.Start
			first.Args = (&Gap{Reason: Unwritten}).value()
			start.event.Start, start.size = &first, 0
		}
		t := track{view: start.view, row: row{id: e.Run}}
		if start.size >= slotSize || t.add(start.event, start.size) != nil {
			return false
		}
		n.Begin = &beginning{File: t.view.about.File, Server: t.view.about.Server, First: t.body}
	}
	text, err := json.Marshal(n)
	return err == nil && l.note(e.Run, nameOfNote(e.Step), text)
}

// written drops the beginnings of runs that have their rows now.
func (w *writer) written(touched []*track) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range touched {
		delete(w.unwritten, t.id)
	}
}

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
	rows, err := tx.QueryContext(ctx, `SELECT body FROM chunks WHERE run = ? ORDER BY n`, seq)
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
	t := &track{view: &view{about: About{File: n.Begin.File, Server: n.Begin.Server}}, row: row{id: first.Run, status: Running}}
	t.update(first, value)
	t.chunks = []chunk{{body: n.Begin.First}}
	t.weigh()
	done, err := tx.ExecContext(ctx, insertRun, t.columns(owner, false)...)
	if err != nil {
		return err
	}
	seq, err := done.LastInsertId()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, insertChunk, seq, 0, 0, n.Begin.First, sumOf(first.Run, 0, 0, n.Begin.First))
	return err
}

// sweep marks the runs of dead processes as interrupted, and adds the notes in their leases to
// these runs.
func sweep(ctx context.Context, db executor, dir string) error {
	running, err := owners(ctx, db, dir)
	if err != nil {
		return err
	}
	for owner, hasRuns := range running {
		left, ok := abandonedLease(dir, owner)
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
// have running runs. A process without one may have died before it wrote the row of its first.
func owners(ctx context.Context, db executor, dir string) (map[string]bool, error) {
	all := map[string]bool{}
	leases, _ := os.ReadDir(leaseDir(dir)) // without them when it cannot be read
	for _, l := range leases {
		if l.Type().IsRegular() {
			all[l.Name()] = false
		}
	}
	rows, err := db.QueryContext(ctx, `SELECT DISTINCT owner FROM runs WHERE status = 'running'`)
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

func interrupt(ctx context.Context, db executor, owner string, left abandoned) error {
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
	if _, err := tx.ExecContext(ctx, `UPDATE runs SET status = 'interrupted' WHERE status = 'running' AND owner = ?`, owner); err != nil {
		return err
	}
	return tx.Commit()
}

// interruptSuspended marks the suspended runs of this process as interrupted at once, without
// counting that as a crash of a resumed run. The caller holds mu. When it fails, the next process
// that reads the store does it.
func (s *Store) interruptSuspended() {
	if s.db == nil {
		return
	}
	var suspended bool
	err := s.db.QueryRowContext(background, `SELECT EXISTS (SELECT 1 FROM runs WHERE status = 'running' AND owner = ?)`, s.lease.name).Scan(&suspended)
	if err == nil && suspended {
		_, _ = s.db.ExecContext(background, `UPDATE runs SET status = 'interrupted', resumed = max(resumed - 1, 0)
			WHERE status = 'running' AND owner = ?`, s.lease.name)
	}
}

// Interrupted returns the interrupted runs of a graph file, the oldest first.
func (s *Store) Interrupted(ctx context.Context, file string) ([]Run, error) {
	// The status is part of the text, so that SQLite uses the index of such runs.
	return s.verified(ctx, ` WHERE status = 'interrupted' AND file = ? ORDER BY seq`, file)
}

// ErrRunning is the error of Claim for a run of another process.
var ErrRunning = errors.New("it is running in another process")

// Claim makes this process the owner of a run before it resumes it: an interrupted run, or one
// that ended because of an in-doubt call. Its status is running from then on, and no other
// process can claim it. The error wraps ErrRunning when another process was faster.
func (s *Store) Claim(ctx context.Context, id string) error {
	db, err := s.reader(ctx)
	if errors.Is(err, errNoStore) {
		return ErrNotFound
	}
	if err != nil {
		return err
	}
	l, err := s.leaseOf()
	if err != nil {
		return err
	}
	done, err := db.ExecContext(ctx,
		`UPDATE runs SET status = 'running', ended = 0, failure = '', resumed = resumed + 1, owner = ? WHERE id = ? AND (status = 'interrupted'
			OR status = 'error' AND json_extract(failure, '$.code') = 'outcome-unknown')`, l.name, id)
	if err != nil {
		return aboutStore(s.Path(), err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return err
	}
	r, err := s.Run(ctx, id)
	if err != nil {
		return err
	}
	if r.InProgress() {
		return fmt.Errorf("run %s: %w", id, ErrRunning)
	}
	return fmt.Errorf("run %s has ended (%s); only an interrupted run can be resumed", id, r.Status)
}
