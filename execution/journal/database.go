package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
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
	if s.db != nil && s.fixed && create { // it may be writable by now
		if err := s.db.Close(); err != nil {
			return nil, err
		}
		s.db, s.fixed = nil, false
	}
	if s.db != nil {
		return s.db, nil
	}
	if err := s.prepareFile(create); err != nil {
		return nil, err
	}
	if err := s.createEmpty(); err != nil {
		return nil, aboutStore(s.Path(), err)
	}
	db, err := open(s.source(), migrate)
	if err != nil && !create && !isLocked(err) && codeOf(err) != 0 {
		s.fixed = true
		if db, err = s.openFixed(err); err != nil {
			s.fixed = false
		}
	}
	if err != nil {
		return nil, aboutStore(s.Path(), err)
	}
	s.db = db
	return db, nil
}

// createEmpty makes a database of a file that is empty. The way in which a database gives
// room back is set before its first table; asking for it later takes the lock for writing.
func (s *Store) createEmpty() error {
	if info, err := os.Stat(s.Path()); err != nil || info.Size() > 0 {
		return nil //nolint:nilerr // opening it says what is wrong
	}
	db, err := open(s.source("auto_vacuum(INCREMENTAL)"), migrate)
	if err != nil {
		return err
	}
	return db.Close()
}

func open(source string, prepare func(*sql.DB) error) (*sql.DB, error) {
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(1)
	if err := prepare(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// openFixed opens a database that cannot be written, because its disk is read-only or full,
// for those who only look. SQLite wants to make files beside it, unless it is told that
// nothing changes; then it does not read the log, which has to be empty. Why is why it
// could not be opened otherwise.
func (s *Store) openFixed(why error) (*sql.DB, error) {
	query := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(2000)", "query_only(ON)", "trusted_schema(OFF)"}}
	db, err := open(s.location(query), checkVersion)
	if err == nil {
		return db, nil
	}
	if log, statErr := os.Stat(s.Path() + "-wal"); statErr == nil && log.Size() > 0 {
		return nil, why
	}
	query.Set("immutable", "1")
	if db, err = open(s.location(query), checkVersion); err != nil {
		return nil, why
	}
	return db, nil
}

// checkVersion refuses a database that would have to be migrated.
func checkVersion(db *sql.DB) error {
	version := 0
	err := db.QueryRowContext(context.Background(), "PRAGMA user_version").Scan(&version)
	if err == nil && version != len(migrations) {
		err = versionError(version)
	}
	return err
}

// connections at the same time: the writer's, and a few that read.
const connections = 4

// source is what the driver opens, with the pragmas that come first. SQLite makes its other files with the mode of the
// first; the cache is small because a server that hosts leave running must be. A page is
// often written again before so many have come that they are moved from the log.
func (s *Store) source(first ...string) string {
	synchronous := "NORMAL" // a commit survives the process, and a checkpoint a power cut
	if s.opts.Durable {
		synchronous = "FULL"
	}
	query := url.Values{"_txlock": {"immediate"}, "_pragma": append(first,
		fmt.Sprintf("busy_timeout(%d)", s.busy.Milliseconds()), "journal_mode(WAL)", "synchronous("+synchronous+")",
		"cache_size(-1024)", "wal_autocheckpoint(500)", "journal_size_limit(8388608)", "trusted_schema(OFF)",
	)}
	return s.location(query)
}

// location is the database with parameters, as the driver takes it.
func (s *Store) location(query url.Values) string {
	path := filepath.ToSlash(s.Path())
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
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
