package journal

import (
	"context"
	"database/sql"
	"errors"
	"slices"
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
	return s.deleting(ctx, func(db *sql.DB) (int, error) { return deleteNamed(ctx, db, ids) })
}

func deleteNamed(ctx context.Context, db executor, ids []string) (deleted int, err error) {
	for part := range slices.Chunk(ids, stepRuns) {
		args, list := parameters(part)
		n, err := deleteRuns(ctx, db, `SELECT seq, id, bytes FROM runs WHERE `+ended+` AND id IN (`+list+`)`, args...)
		deleted += n
		if err != nil {
			return deleted, err
		}
	}
	return deleted, deleteMarked(ctx, db)
}

// Prune deletes the oldest runs until the rest is within bounds, and returns how many.
func (s *Store) Prune(ctx context.Context, keep Retention) (int, error) {
	s.writer.flush()
	return s.prune(ctx, keep)
}

// prune is Prune without the events that are queued.
func (s *Store) prune(ctx context.Context, keep Retention) (int, error) {
	if keep == (Retention{}) {
		return 0, nil
	}
	oldest := int64(0)
	if keep.MaxAge > 0 {
		oldest = time.Now().Add(-keep.MaxAge).UnixMicro()
	}
	return s.deleting(ctx, func(db *sql.DB) (int, error) {
		n, err := deleteRuns(ctx, db, `SELECT seq, id, bytes FROM runs WHERE `+ended+` AND (
			started < CAST($1 AS BIGINT)
			OR CAST($2 AS BIGINT) > 0 AND seq <= (SELECT seq FROM runs ORDER BY seq DESC LIMIT 1 OFFSET $2)
			OR CAST($3 AS BIGINT) > 0 AND seq <= (
				SELECT max(seq) FROM (SELECT seq, sum(bytes) OVER (ORDER BY seq DESC) AS total FROM runs) AS sums WHERE total > CAST($3 AS BIGINT)))
		ORDER BY seq LIMIT $4`, oldest, keep.MaxRuns, keep.MaxBytes, stepRuns)
		if err == nil {
			err = deleteMarked(ctx, db)
		}
		return n, err
	})
}

// deleting calls del with a database that can be written; a store without runs has none to delete.
func (s *Store) deleting(ctx context.Context, del func(*sql.DB) (int, error)) (int, error) {
	n, err := s.data.Deleting(ctx, del)
	if errors.Is(err, ErrNoStore) {
		err = nil
	}
	return n, s.data.Explain(err)
}

// Deleting holds the lock of the database, for which writers wait at most some seconds. So it has
// small steps: each is a transaction of its own, and before the next one the database is free for
// as long as the last step took.
const (
	stepRuns   = 100     // runs that one step deletes at most
	stepBytes  = 1 << 20 // of those runs together, unless it is one row that is longer
	stepChunks = 8       // of a run that is longer than stepBytes
)

// deleting is the status of a run that takes several steps. It is in no list, and another run
// can have its id.
const deleting Status = "deleting"

// ended is the condition for a run that may be deleted.
const ended = `status NOT IN ('running', 'deleting')`

// deleteRuns deletes the runs that the query returns, as (seq, id, bytes), until it returns none.
func deleteRuns(ctx context.Context, db executor, query string, args ...any) (deleted int, err error) {
	for {
		n := 0
		err := step(ctx, db, func(tx *sql.Tx) (err error) {
			n, err = deleteSome(ctx, tx, query, args...)
			return err
		})
		deleted += n
		if err != nil || n == 0 {
			return deleted, err
		}
	}
}

// deleteSome deletes the first of the runs that the query returns. It only marks a run that is too
// long for one step.
func deleteSome(ctx context.Context, tx *sql.Tx, query string, args ...any) (n int, err error) {
	victims, err := sizes(ctx, tx, query, args...)
	var total int64
	for _, v := range victims {
		if total += v.bytes; total > stepBytes && n > 0 {
			break
		}
		// The row is the first: a run that another process claims meanwhile stays.
		remove, args := `DELETE FROM runs WHERE seq = $1 AND `+ended, []any{v.seq}
		if v.bytes > stepBytes {
			remove, args = `UPDATE runs SET status = $1, id = 'deleting ' || seq WHERE seq = $2 AND `+ended, []any{deleting, v.seq}
		}
		done, err := tx.ExecContext(ctx, remove, args...)
		if inProgress, err := hadNoRow(done, err); err != nil {
			return 0, err
		} else if inProgress {
			continue
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM payloads WHERE run = $1`, v.id); err != nil {
			return 0, err
		}
		if v.bytes > stepBytes {
			return 1, nil
		}
		for _, statement := range []string{`DELETE FROM chunks WHERE run = $1`, `DELETE FROM spills WHERE run = $1`} {
			if _, err := tx.ExecContext(ctx, statement, v.seq); err != nil {
				return 0, err
			}
		}
		n++
	}
	return n, err
}

// deleteMarked deletes the runs that deleteRuns has marked, also those that a dead process has
// marked.
func deleteMarked(ctx context.Context, db executor) error {
	for more := true; more; {
		err := step(ctx, db, func(tx *sql.Tx) (err error) {
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

// step calls do in a transaction of its own and rests.
func step(ctx context.Context, db executor, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	began := time.Now()
	if err := do(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return rest(ctx, time.Since(began))
}

// rest leaves the database to other processes. SQLite has no queue for the lock: a process gets it
// when it asks while the lock is free. So the lock is free for as long as it was held.
func rest(ctx context.Context, took time.Duration) error {
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
	seq   int64
	id    string
	bytes int64
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
