package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// executor is a database, or one connection to it.
type executor interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Delete deletes runs by their full ids and returns how many there were. Runs in progress stay.
func (s *Store) Delete(ctx context.Context, ids ...string) (int, error) {
	s.writer.flush()
	return s.deleting(ctx, func(_ executor, step stepper) (int, error) { return deleteNamed(ctx, step, ids) })
}

func deleteNamed(ctx context.Context, step stepper, ids []string) (deleted int, err error) {
	for part := range slices.Chunk(ids, stepNamed) {
		args, list := parameters(part)
		n, err := deleteRuns(ctx, step, selection{`status NOT IN ('running', 'deleting') AND id IN (` + list + `)`, args})
		deleted += n
		if err != nil {
			return deleted, err
		}
	}
	return deleted, deleteMarked(ctx, step)
}

// stepper calls do in a transaction of its own, after which the database is free for a while.
type stepper func(do func(*sql.Tx) error) error

// deleting calls del with a database that can be written; a store without runs has none to delete.
func (s *Store) deleting(ctx context.Context, del func(executor, stepper) (int, error)) (int, error) {
	n, err := s.data.Deleting(ctx, func(db *sql.DB) (int, error) { return del(db, s.stepper(ctx, db)) })
	if errors.Is(err, ErrNoStore) {
		err = nil
	}
	return n, s.writeFault(err)
}

// deletingBeside is deleting without returning the space, unless there is no space for deleting.
func (s *Store) deletingBeside(ctx context.Context, del func(executor, stepper) (int, error)) (int, error) {
	db, err := s.data.Open(ctx, true)
	if err != nil {
		return 0, s.writeFault(err)
	}
	n, err := del(db, s.stepper(ctx, db))
	if s.data.Trouble(err) == Passing {
		more, err := s.deleting(ctx, del)
		return n + more, err
	}
	return n, s.writeFault(err)
}

// Deleting holds the lock of the database, for which writers wait. So it has small steps: each is a
// transaction of its own, and before the next one the database is free for as long as the last step
// took.
const (
	stepRuns   = 1000    // runs that one step of retention deletes at most, see pruning.resize
	stepNamed  = 100     // runs that one step of others deletes at most
	stepBytes  = 1 << 20 // of those runs together, unless it is one row that is longer
	stepChunks = 8       // of a run that is longer than stepBytes
)

// deleting is the status of a run that takes several steps. It is in no list, and another run
// can have its id.
const deleting Status = "deleting"

// selection selects runs by a condition with its parameters.
type selection struct {
	where string
	args  []any
}

// among selects of some rows.
func (s selection) among(seqs []int64) selection {
	args, list := slices.Clone(s.args), ""
	for _, seq := range seqs {
		args = append(args, seq)
		list += ",$" + strconv.Itoa(len(args))
	}
	return selection{s.where + ` AND seq IN (` + list[1:] + `)`, args}
}

// deleteRuns deletes the selected runs, in the order of their rows. Each row is looked at once.
func deleteRuns(ctx context.Context, step stepper, all selection) (deleted int, err error) {
	for after := int64(0); ; {
		n := 0
		var last int64
		err := step(func(tx *sql.Tx) (err error) {
			n, last, err = deleteSome(ctx, tx, all, after)
			return err
		})
		deleted += n
		if err != nil || last == 0 {
			return deleted, err
		}
		after = last
	}
}

// deleteSome deletes the first of the selected runs after a row, and returns their number and the last
// row that it has looked at; 0 for none. It only marks a run that is too long for one step.
func deleteSome(ctx context.Context, tx *sql.Tx, all selection, after int64) (n int, last int64, err error) {
	query := fmt.Sprintf(`SELECT seq, id, bytes FROM runs WHERE %s AND seq > $%d ORDER BY seq LIMIT %d`, all.where, len(all.args)+1, stepNamed)
	found, err := sizes(ctx, tx, query, append(slices.Clone(all.args), after)...)
	if err != nil || len(found) == 0 {
		return 0, 0, err
	}
	var total int64
	for i, run := range found {
		if total += run.bytes; total > stepBytes && i > 0 {
			found = found[:i]
			break
		}
	}
	gone, err := deleteThese(ctx, tx, all, found)
	return int(gone.runs), found[len(found)-1].seq, err
}

// deleteThese deletes runs that are still selected. It only marks a run that is too long for one step.
func deleteThese(ctx context.Context, tx *sql.Tx, all selection, found []size) (n amount, err error) {
	seqs := make([]int64, len(found))
	for i, run := range found {
		seqs[i] = run.seq
	}
	// The rows are the first, and the condition is part of the statement: a run that another process claims
	// meanwhile stays.
	some := all.among(seqs)
	if len(found) == 1 && found[0].bytes > stepBytes {
		return markRun(ctx, tx, some, found[0])
	}
	gone, err := sizes(ctx, tx, `DELETE FROM runs WHERE `+some.where+` RETURNING seq, id, bytes`, some.args...)
	if err != nil || len(gone) == 0 {
		return n, err
	}
	ids := make([]string, len(gone))
	seqs = seqs[:len(gone)]
	for i, run := range gone {
		seqs[i], ids[i] = run.seq, run.id
		n.add(amount{1, run.bytes})
	}
	if err := deleteOf(ctx, tx, "payloads", ids); err != nil {
		return n, err
	}
	if err := deleteOf(ctx, tx, "chunks", seqs); err != nil {
		return n, err
	}
	return n, deleteOf(ctx, tx, "spills", seqs)
}

// deleteOf deletes the rows of runs in another table.
func deleteOf[T any](ctx context.Context, tx *sql.Tx, table string, runs []T) error {
	args, list := parameters(runs)
	_, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE run IN (`+list+`)`, args...)
	return err
}

// markRun marks the selected run for deleteMarked, and deletes its payloads, which have its id.
func markRun(ctx context.Context, tx *sql.Tx, one selection, run size) (amount, error) {
	var id string
	err := tx.QueryRowContext(ctx, `SELECT id FROM runs WHERE seq = $1`, run.seq).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) { // another process has deleted it
		return amount{}, nil
	}
	if err != nil {
		return amount{}, err
	}
	done, err := tx.ExecContext(ctx, `UPDATE runs SET status = '`+string(deleting)+`', id = 'deleting ' || seq WHERE `+one.where, one.args...)
	if inProgress, err := HadNoRow(done, err); err != nil || inProgress {
		return amount{}, err
	}
	return amount{1, run.bytes}, deleteOf(ctx, tx, "payloads", []string{id})
}

// deleteMarked deletes the runs that deleteRuns has marked, also those that a dead process has
// marked.
func deleteMarked(ctx context.Context, step stepper) error {
	for more := true; more; {
		err := step(func(tx *sql.Tx) (err error) {
			more, err = deletePart(ctx, tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// deletePart deletes a part of a marked run; more is false when there is none.
func deletePart(ctx context.Context, tx *sql.Tx) (more bool, err error) {
	marked, err := sizes(ctx, tx, `SELECT seq, id, bytes FROM runs WHERE status = $1 LIMIT 1`, deleting)
	if err != nil || len(marked) == 0 {
		return false, err
	}
	seq := marked[0].seq
	for _, part := range []struct {
		statement string
		most      int
	}{
		{`DELETE FROM spills WHERE run = $1 AND id IN (SELECT id FROM spills WHERE run = $1 LIMIT $2)`, 1},
		{`DELETE FROM chunks WHERE run = $1 AND n IN (SELECT n FROM chunks WHERE run = $1 LIMIT $2)`, stepChunks},
		{`DELETE FROM runs WHERE seq IN (SELECT seq FROM runs WHERE seq = $1 LIMIT $2)`, 1},
	} {
		done, err := tx.ExecContext(ctx, part.statement, seq, part.most)
		if err != nil {
			return false, err
		}
		if n, err := done.RowsAffected(); n > 0 || err != nil {
			return true, err
		}
	}
	return true, nil
}

// turner is a Database with one lock for writing. Turn waits until the process has no other transaction
// that writes, so that its writer does not poll for the lock while runs are deleted.
type turner interface {
	Turn() (end func())
}

// turn begins the turn of a transaction, if the database has turns.
func (s *Store) turn() (end func()) {
	if turns, has := s.data.(turner); has {
		return turns.Turn()
	}
	return func() {}
}

// stepper returns how runs are deleted: each step is a transaction that has its turn, and rests then.
func (s *Store) stepper(ctx context.Context, db executor) stepper {
	return func(do func(*sql.Tx) error) error {
		end := s.turn()
		began := time.Now()
		err := transact(ctx, db, do)
		end()
		if err != nil {
			return err
		}
		return s.pruner.rest(ctx, time.Since(began))
	}
}

func transact(ctx context.Context, db executor, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Rest leaves the database to other processes. SQLite has no queue for the lock: a process gets it
// when it asks while the lock is free. So the lock is free for as long as it was held.
func Rest(ctx context.Context, took time.Duration) error {
	timer := time.NewTimer(took)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

type size struct {
	seq     int64
	id      string
	bytes   int64
	started int64 // microseconds since 1970; of retention only
}

func sizes(ctx context.Context, tx *sql.Tx, query string, args ...any) ([]size, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []size
	for rows.Next() {
		var s size
		if err := rows.Scan(&s.seq, &s.id, &s.bytes); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

// HadNoRow reports whether a statement has changed no row.
func HadNoRow(done sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n == 0, err
}
