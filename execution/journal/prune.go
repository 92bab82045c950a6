package journal

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// executor is a database, or one connection to it.
type executor interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// atOnce is how many runs one transaction deletes, so that others can write meanwhile.
const atOnce = 100

// Delete deletes runs by their full ids and gives how many there were. Runs that are
// running are left.
func (s *Store) Delete(ctx context.Context, ids ...string) (int, error) {
	db, err := s.reader(ctx)
	if errors.Is(err, errNoStore) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	deleted := 0
	for len(ids) > 0 {
		part := ids[:min(atOnce, len(ids))]
		ids = ids[len(part):]
		args := make([]any, len(part))
		for i, id := range part {
			args[i] = id
		}
		marks := strings.TrimSuffix(strings.Repeat("?,", len(part)), ",")
		n, err := deleteRuns(ctx, db, `SELECT seq FROM runs WHERE status <> 'running' AND id IN (`+marks+`)`, args...)
		deleted += n
		if err != nil {
			return deleted, aboutStore(s.Path(), err)
		}
	}
	return deleted, aboutStore(s.Path(), shrink(ctx, db))
}

// Prune deletes the oldest runs until the rest is within bounds, and gives how many.
func (s *Store) Prune(ctx context.Context, keep Retention) (int, error) {
	db, err := s.reader(ctx)
	if errors.Is(err, errNoStore) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := prune(db, s.dir, keep)
	return n, aboutStore(s.Path(), err)
}

func prune(db executor, dir string, keep Retention) (deleted int, err error) {
	if keep == (Retention{}) {
		return 0, nil
	}
	if err := sweep(background, db, dir); err != nil {
		return 0, err
	}
	oldest := int64(0)
	if keep.MaxAge > 0 {
		oldest = time.Now().Add(-keep.MaxAge).UnixMicro()
	}
	for {
		n, err := deleteRuns(background, db, `SELECT seq FROM runs WHERE status <> 'running' AND (
				started < ?1
				OR ?2 > 0 AND seq <= (SELECT seq FROM runs ORDER BY seq DESC LIMIT 1 OFFSET ?2)
				OR ?3 > 0 AND seq <= (SELECT max(seq) FROM (SELECT seq, sum(bytes) OVER (ORDER BY seq DESC) AS total FROM runs) WHERE total > ?3))
			ORDER BY seq LIMIT ?4`, oldest, keep.MaxRuns, keep.MaxBytes, atOnce)
		deleted += n
		if err != nil {
			return deleted, err
		}
		if n < atOnce {
			return deleted, shrink(background, db)
		}
	}
}

// deleteRuns deletes the runs whose seq the query gives, in one transaction.
func deleteRuns(ctx context.Context, db executor, query string, args ...any) (int, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	victims, err := numbers(ctx, tx, query, args...)
	if err != nil || len(victims) == 0 {
		return 0, err
	}
	for _, seq := range victims {
		for _, statement := range []string{
			`DELETE FROM chunks WHERE run = ?`, `DELETE FROM spills WHERE run = ?`, `DELETE FROM runs WHERE seq = ?`,
		} {
			if _, err := tx.ExecContext(ctx, statement, seq); err != nil {
				return 0, err
			}
		}
	}
	return len(victims), tx.Commit()
}

func numbers(ctx context.Context, tx *sql.Tx, query string, args ...any) ([]int64, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, rows.Err()
}

// shrink gives pages that are not used any more back to the file system.
func shrink(ctx context.Context, db executor) error {
	rows, err := db.QueryContext(ctx, `PRAGMA incremental_vacuum`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() { // each row is a page that is given back
	}
	return rows.Err()
}
