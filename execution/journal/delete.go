package journal

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"toolgraph/internal/files"
)

// executor is a database, or one connection to it.
type executor interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Delete deletes runs by their full ids and returns how many there were. Runs in progress stay.
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

// Prune deletes the oldest runs until the rest is within bounds, and returns how many.
func (s *Store) Prune(ctx context.Context, keep Retention) (int, error) {
	return deleted(s.makingRoom(ctx, func(db executor) (int, error) { return prune(db, s.dir, keep) }))
}

// deleted returns the outcome of a deletion; a store without runs has none to delete.
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

// Deleting holds the lock of the database, for which writers wait at most some seconds. So it has
// small steps: each is a transaction of its own, and before the next one the database is free for
// as long as the last step took.
const (
	stepRuns   = 100     // runs that one step deletes at most
	stepBytes  = 1 << 20 // of those runs together, unless it is one row that is longer
	stepChunks = 8       // of a run that is longer than stepBytes
	stepPages  = 256     // that one step returns to the file system
)

// deleting is the status of a run that takes several steps. It is in no list, and another run
// can have its id.
const deleting Status = "deleting"

// deleteRuns deletes the runs that the query returns, as (seq, bytes), until it returns none.
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

// freeSpace deletes the runs that deleteRuns has marked, also those that a dead process has
// marked, and returns unused pages to the file system.
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
			// The last process that closes the store removes the rest of the log.
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

// deletePart deletes a part of a marked run; more is false when there is none.
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

// scanOne reads a row of a query into variables, if any; the query runs to its end.
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

// Deleting needs space before it frees any: SQLite writes changes to its log first, and moves the
// log into the database later. The reserve file has that space, and is removed when the disk is
// full.
const (
	reserveName  = "reserve"
	reserveLeast = 256 << 10
	reserveMost  = 4 << 20 // twice the log at a checkpoint, see Store.source
)

// reserve creates the file, unless it exists, as large as the store needs it. After it was removed,
// it is created again in an hour at the earliest, so that the freed space is used first.
func (s *Store) reserve() {
	f, err := os.OpenFile(filepath.Join(s.dir, reserveName), os.O_WRONLY|os.O_CREATE|files.NoFollow, 0o600)
	if err == nil && f.Close() == nil {
		s.growReserve()
	}
}

// growReserve makes the file larger when the store has grown. On a full disk it stays as it was.
func (s *Store) growReserve() {
	path := filepath.Join(s.dir, reserveName)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	used := sizeOfFile(s.Path()) + sizeOfFile(s.Path()+"-wal")
	size := int64(reserveLeast)
	for size < used && size < reserveMost {
		size *= 2
	}
	if info.Size() >= size {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|files.NoFollow, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	if _, err = io.CopyN(f, rand.Reader, size-info.Size()); err != nil { // random, so that a file system cannot compress it
		_ = f.Truncate(info.Size())
	}
}

func sizeOfFile(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// makingRoom calls del, and again without the reserve when there is no space for it.
func (s *Store) makingRoom(ctx context.Context, del func(executor) (int, error)) (deleted int, err error) {
	deleted, err = s.deleting(ctx, del)
	if needsRoom(err) && os.Remove(filepath.Join(s.dir, reserveName)) == nil {
		var more int
		more, err = s.deleting(ctx, del)
		deleted += more
	}
	if err == nil && deleted > 0 {
		s.emptyLog(ctx)
		s.reserve()
	}
	return deleted, err
}

// needsRoom reports whether an error may come from a full disk. SQLite has several for it, as it
// cannot create the index of its log either.
func needsRoom(err error) bool {
	switch codeOf(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY:
		return true
	}
	return false
}

// emptyLog truncates the log, which otherwise keeps its size while a process has the store open.
// It does so only when no other process uses the store at that moment.
func (s *Store) emptyLog(ctx context.Context) {
	db, err := s.database(true)
	if err != nil {
		return
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return
	}
	defer conn.Close()
	for _, statement := range []string{
		"PRAGMA busy_timeout = 20", "PRAGMA wal_checkpoint(TRUNCATE)", fmt.Sprintf("PRAGMA busy_timeout = %d", s.busy.Milliseconds()),
	} {
		_ = scanOne(ctx, conn, statement) // on an error the last process that closes the store does it
	}
}

func (s *Store) deleting(ctx context.Context, del func(executor) (int, error)) (int, error) {
	if _, err := s.reader(ctx); err != nil {
		return 0, err
	}
	db, err := s.database(true) // now for writing
	if err != nil {
		return 0, err
	}
	n, err := del(db)
	return n, aboutStore(s.Path(), err)
}
