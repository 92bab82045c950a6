package journal

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"

	sqlite3 "modernc.org/sqlite/lib"
)

// Deleting needs room before it frees any: SQLite writes what changes to its log first,
// and moves the log into the database later. A file that is there for nothing else keeps
// that room free, and gives way when the disk is full.
const (
	reserveName  = "reserve"
	reserveLeast = 256 << 10
	reserveMost  = 4 << 20 // twice what the log has when it is moved, see Store.source
)

// reserve makes the file, unless it is there, and makes it as large as the store needs it.
// The next who makes it does so an hour after it was given up: what that freed is used first.
func (s *Store) reserve() {
	f, err := os.OpenFile(filepath.Join(s.dir, reserveName), os.O_WRONLY|os.O_CREATE|noFollow, 0o600)
	if err == nil && f.Close() == nil {
		s.growReserve()
	}
}

// growReserve makes the file larger when the store has grown. Where the disk has no room
// for that, it stays as it was.
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
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|noFollow, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	if _, err = io.CopyN(f, rand.Reader, size-info.Size()); err != nil { // what could be compressed would not keep its room
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

// makingRoom deletes, and once more without the reserve when there is no room for that.
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

// needsRoom reports whether an error may come of a full disk. SQLite has several for it:
// it cannot make the index of its log either.
func needsRoom(err error) bool {
	switch codeOf(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY:
		return true
	}
	return false
}

// emptyLog gives the room of the log back, which stays as large as it was while a process
// has the store open. It is done when others are not using the store right now.
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
		_ = scanOne(ctx, conn, statement) // else the last process that closes the store does it
	}
}

func (s *Store) deleting(ctx context.Context, del func(executor) (int, error)) (int, error) {
	if _, err := s.reader(ctx); err != nil {
		return 0, err
	}
	db, err := s.database(true) // now to write, whatever was enough to look
	if err != nil {
		return 0, err
	}
	n, err := del(db)
	return n, aboutStore(s.Path(), err)
}
