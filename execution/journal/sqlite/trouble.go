package sqlite

import (
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"toolgraph/execution/journal"
)

// explained is an error with the path of the database and the remedy.
type explained struct{ error }

func (e explained) Unwrap() error { return e.error }

// Explain adds the path of the database and the remedy to an error.
func (s *Database) Explain(err error) error {
	if err == nil || errors.As(err, new(explained)) {
		return err
	}
	return explained{explain(s.Place(), err)}
}

func explain(path string, err error) error {
	switch codeOf(err) {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%s: the disk is full (%w); free some space, or delete runs with toolgraph runs rm", path, err)
	case sqlite3.SQLITE_IOERR:
		return fmt.Errorf("%s: the disk is full or failing (%w); free some space, or delete runs with toolgraph runs rm", path, err)
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
	return fmt.Errorf("%s is damaged (%w); move it away, and a new one is created", path, err)
}

// codeOf returns the primary result code of SQLite; 0 when the error has none.
func codeOf(err error) int {
	var coded *driver.Error
	if !errors.As(err, &coded) {
		return 0
	}
	return coded.Code() & 0xff
}

// Trouble classifies an error.
func (s *Database) Trouble(err error) journal.Trouble {
	switch codeOf(err) {
	case 0:
		return journal.NoTrouble
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return journal.Locked
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
		return journal.Passing
	}
	return journal.Lasting
}
