package journal

import (
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"
)

// versionError is a user_version that no toolgraph writes.
type versionError int

func (e versionError) Error() string {
	return fmt.Sprintf("its version is %d, expected 1 to %d", int(e), len(migrations))
}

// aboutStore says which store an error is about, and what to do.
func aboutStore(path string, err error) error {
	if err == nil {
		return nil
	}
	switch codeOf(err) {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%s: the disk is full (%w); free some space, or delete runs with toolgraph runs rm", path, err)
	case sqlite3.SQLITE_IOERR:
		return fmt.Errorf("%s: the disk is full, or fails (%w); free some space, or delete runs with toolgraph runs rm", path, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%s is locked by another process (%w); try again", path, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%s cannot be written (%w); make it and its directory writable, or name another place with --state", path, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_FORMAT:
		return damaged(path, err)
	}
	if errors.As(err, new(versionError)) {
		return damaged(path, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

func damaged(path string, err error) error {
	return fmt.Errorf("%s is damaged (%w); move it away, and a new one is made", path, err)
}
