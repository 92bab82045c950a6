package journal

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"
)

// executor is a database, or one connection to it.
type executor interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Delete deletes runs by their full ids and gives how many there were. Runs that are
// running are left.
func (s *Store) Delete(ctx context.Context, ids ...string) (int, error) {
	return deleted(s.makingRoom(ctx, func(db executor) (int, error) { return deleteNamed(ctx, db, ids) }))
}

func deleteNamed(ctx context.Context, db executor, ids []string) (deleted int, err error) {
	for part := range slices.Chunk(ids, stepRuns) {
		args := make([]any, len(part))
		for i, id := range part {
			args[i] = id
		}
		marks := strings.TrimSuffix(strings.Repeat("?,", len(part)), ",")
		n, err := deleteRuns(ctx, db, `SELECT seq, bytes FROM runs WHERE status NOT IN ('running', 'deleting') AND id IN (`+marks+`)`, args...)
		deleted += n
		if err != nil {
			return deleted, err
		}
	}
	return deleted, freeSpace(ctx, db)
}

// Prune deletes the oldest runs until the rest is within bounds, and gives how many.
func (s *Store) Prune(ctx context.Context, keep Retention) (int, error) {
	return deleted(s.makingRoom(ctx, func(db executor) (int, error) { return prune(db, s.dir, keep) }))
}

// deleted is the outcome of a deletion for its caller.
func deleted(n int, err error) (int, error) {
	if errors.Is(err, errNoStore) {
		return n, nil
	}
	return n, err
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
	deleted, err = deleteRuns(background, db, `SELECT seq, bytes FROM runs WHERE status NOT IN ('running', 'deleting') AND (
			started < ?1
			OR ?2 > 0 AND seq <= (SELECT seq FROM runs ORDER BY seq DESC LIMIT 1 OFFSET ?2)
			OR ?3 > 0 AND seq <= (SELECT max(seq) FROM (SELECT seq, sum(bytes) OVER (ORDER BY seq DESC) AS total FROM runs) WHERE total > ?3))
		ORDER BY seq LIMIT ?4`, oldest, keep.MaxRuns, keep.MaxBytes, stepRuns)
	if err != nil {
		return deleted, err
	}
	return deleted, freeSpace(background, db)
}
