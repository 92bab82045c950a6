package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	_ "modernc.org/sqlite" // the driver
)

// errClosed is the use of a store after its end.
var errClosed = errors.New("the store of runs is closed")

// errNoStore is a store in which no run was ever kept.
var errNoStore = errors.New("no runs are kept there yet")

// database opens the database at its first use. Without create, one that is not there
// is errNoStore.
func (s *Store) database(create bool) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if s.db != nil {
		return s.db, nil
	}
	if err := s.prepareFile(create); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", s.source())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(1)
	if err := migrate(db); err != nil {
		return nil, errors.Join(aboutStore(s.Path(), err), db.Close())
	}
	s.db = db
	return db, nil
}

// connections at the same time: the writer's, and a few that read.
const connections = 4

// source is what the driver opens. SQLite makes its other files with the mode of the
// first; the cache is small because a server that hosts leave running must be. A page is
// often written again before so many have come that they are moved from the log.
func (s *Store) source() string {
	synchronous := "NORMAL" // a commit survives the process, and a checkpoint a power cut
	if s.opts.Durable {
		synchronous = "FULL"
	}
	query := url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", s.busy.Milliseconds()), "auto_vacuum(INCREMENTAL)", "journal_mode(WAL)", "synchronous(" + synchronous + ")",
		"cache_size(-1024)", "wal_autocheckpoint(4000)", "journal_size_limit(8388608)", "trusted_schema(OFF)",
	}}
	path := filepath.ToSlash(s.Path())
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// prepareFile makes the directory and the file, for our user alone, and refuses what
// others could have put there.
func (s *Store) prepareFile(create bool) error {
	err := checkPrivate(s.dir, fs.ModeDir)
	if errors.Is(err, fs.ErrNotExist) && create {
		err = os.MkdirAll(s.dir, 0o700)
	}
	if err == nil {
		err = checkPrivate(s.Path(), 0)
	}
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case !create:
		return errNoStore
	}
	f, err := os.OpenFile(s.Path(), os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// checkPrivate refuses a path that is of another kind, or that others may change.
func checkPrivate(path string, kind fs.FileMode) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	expected := "a file"
	if kind == fs.ModeDir {
		expected = "a directory"
		if info.Mode().Type() == fs.ModeSymlink { // a link to a directory is the user's choice
			if info, err = os.Stat(path); err != nil {
				return err
			}
		}
	}
	switch {
	case info.Mode().Type() != kind:
		return fmt.Errorf("%s is %s, expected %s for kept runs; name another place with --state", path, describe(info.Mode()), expected)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s has mode %04o and others could change the runs kept there; run: chmod go-w %s", path, info.Mode().Perm(), path)
	}
	return nil
}

func describe(mode fs.FileMode) string {
	switch mode.Type() {
	case 0:
		return "a file"
	case fs.ModeDir:
		return "a directory"
	case fs.ModeSymlink:
		return "a link"
	}
	return "no file"
}

// migrations take a database from each version to the next. They are never changed once
// released: a new version is a new entry.
var migrations = []string{
	`CREATE TABLE runs (
		seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
		tool TEXT NOT NULL, status TEXT NOT NULL, file TEXT NOT NULL, server TEXT NOT NULL, graph TEXT NOT NULL,
		args TEXT NOT NULL, started INTEGER NOT NULL, ended INTEGER NOT NULL, last INTEGER NOT NULL,
		events INTEGER NOT NULL, steps INTEGER NOT NULL, spills INTEGER NOT NULL, bytes INTEGER NOT NULL,
		durable INTEGER NOT NULL, failure TEXT NOT NULL, owner TEXT NOT NULL);
	CREATE INDEX running ON runs (owner) WHERE status = 'running';
	CREATE TABLE chunks (run INTEGER NOT NULL, n INTEGER NOT NULL, step INTEGER NOT NULL, body BLOB NOT NULL,
		PRIMARY KEY (run, n)) WITHOUT ROWID;
	CREATE TABLE spills (run INTEGER NOT NULL, id INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (run, id));
	CREATE TABLE upkeep (pruned INTEGER NOT NULL);
	INSERT INTO upkeep VALUES (0);`,
	`ALTER TABLE runs ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
	ALTER TABLE runs ADD COLUMN resumed INTEGER NOT NULL DEFAULT 0;
	CREATE INDEX interrupted ON runs (file) WHERE status = 'interrupted';`,
	`ALTER TABLE runs ADD COLUMN sum INTEGER;
	ALTER TABLE chunks ADD COLUMN sums BLOB;
	ALTER TABLE spills ADD COLUMN sum INTEGER;`,
}

// migrate brings the database to our version. One of a newer version is refused: what
// it means is not known here.
func migrate(db *sql.DB) error {
	ctx := context.Background()
	version := 0
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version == len(migrations) {
		return nil
	}
	tx, err := db.BeginTx(ctx, nil) // takes the lock, so that only one process migrates
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version < 0 {
		return versionError(version)
	}
	if version > len(migrations) {
		return fmt.Errorf("the runs there are kept by a newer toolgraph (version %d, and this one knows %d); "+
			"update toolgraph, or name another place with --state", version, len(migrations))
	}
	for _, step := range migrations[version:] {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(migrations))); err != nil {
		return err
	}
	return tx.Commit()
}
