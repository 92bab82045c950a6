package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the driver
	sqlite3 "modernc.org/sqlite/lib"
)

// errClosed is the error of a store that is used after Close.
var errClosed = errors.New("the store of runs is closed")

// errNoStore is the error of a store in which no run was recorded yet.
var errNoStore = errors.New("no runs are recorded there yet")

// database opens the database at its first use. Without create, the error is errNoStore when it
// does not exist.
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

// createEmpty creates the database in an empty file. The vacuum mode is set before the first
// table; setting it later takes the lock for writing.
func (s *Store) createEmpty() error {
	if info, err := os.Stat(s.Path()); err != nil || info.Size() > 0 {
		return nil //nolint:nilerr // opening it returns the error
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

// openFixed opens a database on a read-only or full disk for reading. SQLite creates files beside
// it unless the database is immutable; then it does not read the log, which must be empty. why is
// why the database could not be opened for writing.
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

// checkVersion returns an error for a database that needs a migration.
func checkVersion(db *sql.DB) error {
	has, err := schemaOf(context.Background(), db)
	if err == nil && !has.isCurrent() {
		err = versionError(has.version)
	}
	return err
}

// connections is how many there are at the same time: the writer's, one of Follow, and some that read.
const connections = 5

// source returns the URL of the database for the driver, with first before the other pragmas.
// SQLite creates its other files with the mode of the first; the cache is small because servers
// run for a long time. A page is often written several times before a checkpoint moves it.
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

// location returns the URL of the database with parameters.
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
	// Since this version chunks have the frames of parts, called graphs and attempts.
	`ALTER TABLE runs ADD COLUMN nested INTEGER NOT NULL DEFAULT 0;`,
}

// addFacts adds a column that earlier programs ignore, so that it leaves the version as it is.
const addFacts = `ALTER TABLE runs ADD COLUMN facts TEXT NOT NULL DEFAULT ''`

// newest is the version of a database with questions and answers, which earlier programs would take
// for damage. It differs from the last migration in nothing else: the first such event raises it.
var newest = len(migrations) + 1

// raise marks a database as one that earlier programs cannot read, in the transaction that makes it
// so.
func raise(db *sql.Conn) error {
	_, err := db.ExecContext(background, fmt.Sprintf("PRAGMA user_version = %d", newest))
	return err
}

// schema is what a database has.
type schema struct {
	version int
	facts   bool // the column
}

func schemaOf(ctx context.Context, db interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
},
) (s schema, err error) {
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&s.version); err != nil || s.version < 0 || s.version > newest {
		return s, err
	}
	err = db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM pragma_table_info('runs') WHERE name = 'facts')").Scan(&s.facts)
	return s, err
}

// isCurrent reports whether this program reads and writes the database as it is.
func (s schema) isCurrent() bool {
	return s.version >= len(migrations) && s.version <= newest && s.facts
}

// migrate brings the database to this version. It refuses a newer version, whose format is
// unknown.
func migrate(db *sql.DB) error {
	ctx := context.Background()
	if has, err := schemaOf(ctx, db); err != nil || has.isCurrent() {
		return err
	}
	tx, err := db.BeginTx(ctx, nil) // takes the lock, so that only one process migrates
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	has, err := schemaOf(ctx, tx)
	if err != nil || has.isCurrent() {
		return err
	}
	version := has.version
	if version < 0 {
		return versionError(version)
	}
	if version > newest {
		return fmt.Errorf("the runs there were recorded by a newer toolgraph (version %d, this one has %d); "+
			"update toolgraph, or name another place with --state", version, newest)
	}
	steps := slices.Clone(migrations[min(version, len(migrations)):])
	if !has.facts {
		steps = append(steps, addFacts)
	}
	for _, step := range steps {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", max(version, len(migrations)))); err != nil {
		return err
	}
	return tx.Commit()
}

// versionError is a user_version that no toolgraph writes.
type versionError int

func (e versionError) Error() string {
	return fmt.Sprintf("its version is %d, expected 1 to %d", int(e), newest)
}

// aboutStore adds the path of the store and the remedy to an error.
func aboutStore(path string, err error) error {
	if err == nil {
		return nil
	}
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
