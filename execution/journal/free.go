package journal

import (
	"context"
	"database/sql"
	"strconv"
	"time"
)

// Deleting holds the lock of the database, and writers wait for that at most some
// seconds. So it goes in small steps: each is a transaction of its own, and others have
// the database for as long as the last step took before the next one begins.
const (
	stepRuns   = 100     // runs that one step deletes at most
	stepBytes  = 1 << 20 // of those runs together, unless it is one row that is longer
	stepChunks = 8       // of a run that is longer than stepBytes
	stepPages  = 256     // that one step gives back to the file system
)

// deleting is the status of a run that is longer than a step. It is in no list, and its
// id can be given to another run.
const deleting Status = "deleting"

// deleteRuns deletes the runs that the query gives, as (seq, bytes), until it gives none.
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

// deleteSome deletes the first of the runs that the query gives. A run that is too long
// for that is only marked.
func deleteSome(ctx context.Context, tx *sql.Tx, query string, args ...any) (n int, err error) {
	victims, err := sizes(ctx, tx, query, args...)
	var total int64
	for _, v := range victims {
		if total += v.bytes; total > stepBytes && n > 0 {
			break
		}
		if v.bytes > stepBytes {
			_, err := tx.ExecContext(ctx, `UPDATE runs SET status = ?, id = 'deleting ' || seq WHERE seq = ?`, deleting, v.seq)
			return 1, err
		}
		for _, statement := range []string{
			`DELETE FROM chunks WHERE run = ?`, `DELETE FROM spills WHERE run = ?`, `DELETE FROM runs WHERE seq = ?`,
		} {
			if _, err := tx.ExecContext(ctx, statement, v.seq); err != nil {
				return 0, err
			}
		}
		n++
	}
	return n, err
}

// freeSpace deletes what deleteRuns has marked, also in a process that died meanwhile,
// and gives pages that are not used any more back to the file system.
func freeSpace(ctx context.Context, db executor) error {
	for more := true; more; {
		err := step(ctx, db, func(tx *sql.Tx) (err error) {
			more, err = deletePart(ctx, tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	for last := 0; ; {
		var free int
		if err := scanOne(ctx, db, `PRAGMA freelist_count`, &free); err != nil {
			return err
		}
		if free == 0 || free == last {
			// What is left of the log goes when the last process closes; others do not wait.
			return scanOne(ctx, db, `PRAGMA wal_checkpoint(PASSIVE)`)
		}
		last = free
		began := time.Now()
		if err := scanOne(ctx, db, `PRAGMA incremental_vacuum(`+strconv.Itoa(stepPages)+`)`); err != nil {
			return err
		}
		if err := rest(ctx, time.Since(began)); err != nil {
			return err
		}
	}
}

// deletePart deletes a part of a run that is marked; more is false when there is none.
func deletePart(ctx context.Context, tx *sql.Tx) (more bool, err error) {
	marked, err := sizes(ctx, tx, `SELECT seq, bytes FROM runs WHERE status = ? LIMIT 1`, deleting)
	if err != nil || len(marked) == 0 {
		return false, err
	}
	seq := marked[0].seq
	for _, part := range []struct {
		statement string
		most      int
	}{
		{`DELETE FROM spills WHERE rowid IN (SELECT rowid FROM spills WHERE run = ? LIMIT ?)`, 1},
		{`DELETE FROM chunks WHERE run = ?1 AND n IN (SELECT n FROM chunks WHERE run = ?1 LIMIT ?2)`, stepChunks},
		{`DELETE FROM runs WHERE seq IN (SELECT ? LIMIT ?)`, 1},
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

// step does something in a transaction of its own and rests.
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

// rest leaves the database to others. The lock is not given to those who wait for it but
// to those who ask while it is free, so it has to be free for as long as it was held.
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

type size struct{ seq, bytes int64 }

func sizes(ctx context.Context, tx *sql.Tx, query string, args ...any) ([]size, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []size
	for rows.Next() {
		var s size
		if err := rows.Scan(&s.seq, &s.bytes); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

// scanOne reads the first row of a query, or only makes it do its work.
func scanOne(ctx context.Context, db executor, query string, into ...any) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if len(into) > 0 {
			if err := rows.Scan(into...); err != nil {
				return err
			}
		}
	}
	return rows.Err()
}
