package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"toolgraph/execution/journal"
	"toolgraph/internal/base/files"
)

// stepPages is how many pages one step returns to the file system.
const stepPages = 256

// Deleting calls del, and again without the reserve when there is no space for it.
func (s *Database) Deleting(ctx context.Context, del func(*sql.DB) (int, error)) (deleted int, err error) {
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

func (s *Database) deleting(ctx context.Context, del func(*sql.DB) (int, error)) (int, error) {
	if err := s.Sweep(ctx); err != nil {
		return 0, err
	}
	db, err := s.Open(ctx, true) // now for writing
	if err != nil {
		return 0, err
	}
	n, err := del(db)
	if err == nil {
		err = s.FreeSpace(ctx, db)
	}
	return n, err
}

// FreeSpace returns unused pages to the file system, in small steps as deleting has them.
func (s *Database) FreeSpace(ctx context.Context, db querier) error {
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
		end := s.Turn()
		began := time.Now()
		err := scanOne(ctx, db, `PRAGMA incremental_vacuum(`+strconv.Itoa(stepPages)+`)`)
		end()
		if err != nil {
			return err
		}
		if err := journal.Rest(ctx, time.Since(began)); err != nil {
			return err
		}
	}
}

// querier is a database, or one connection to it.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// scanOne reads a row of a query into variables, if any; the query runs to its end.
func scanOne(ctx context.Context, db querier, query string, into ...any) error {
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
	reserveMost  = 4 << 20 // twice the log at a checkpoint, see Database.source
)

// reserve creates the file, unless it exists, as large as the store needs it. After it was removed,
// it is created again in an hour at the earliest, so that the freed space is used first.
func (s *Database) reserve() {
	f, err := os.OpenFile(filepath.Join(s.dir, reserveName), os.O_WRONLY|os.O_CREATE|files.NoFollow, 0o600)
	if err == nil && f.Close() == nil {
		s.growReserve()
	}
}

// growReserve makes the file larger when the store has grown. On a full disk it stays as it was.
func (s *Database) growReserve() {
	path := filepath.Join(s.dir, reserveName)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	used := sizeOfFile(s.Place()) + sizeOfFile(s.Place()+"-wal")
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
func (s *Database) emptyLog(ctx context.Context) {
	db, err := s.Open(ctx, true)
	if err != nil {
		return
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return
	}
	defer conn.Close()
	defer s.Turn()()
	for _, statement := range []string{
		"PRAGMA busy_timeout = 20", "PRAGMA wal_checkpoint(TRUNCATE)", fmt.Sprintf("PRAGMA busy_timeout = %d", s.Busy.Milliseconds()),
	} {
		_ = scanOne(ctx, conn, statement) // on an error the last process that closes the store does it
	}
}

// State sets the sizes of the files.
func (s *Database) State(_ context.Context, state *journal.State) error {
	state.Bytes = sizeOfFile(filepath.Join(s.dir, reserveName))
	for _, end := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(s.Place() + end); err == nil {
			state.Bytes += info.Size()
			state.Readable = state.Readable || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
		}
	}
	return nil
}

// keepReserve creates the reserve at first and every hour, and lets it grow with the store.
func (s *Database) keepReserve(written []*journal.Pending) {
	for _, p := range written {
		s.grown += rowWeight + len(p.Body.Body)
		for _, c := range p.Chunks {
			s.grown += len(c.Body)
		}
		for _, v := range p.Spills {
			s.grown += len(v.Body)
		}
	}
	switch {
	case time.Since(s.reserved) >= time.Hour:
		s.reserved = time.Now()
		s.reserve()
	case s.grown >= reserveLeast/4:
		s.growReserve()
	default:
		return
	}
	s.grown = 0
}

// rowWeight is the size of the row of a run, about.
const rowWeight = 512 // bytes
