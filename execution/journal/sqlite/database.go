// Package sqlite is the database of recorded runs that processes of one machine share: DIR/history.db, and what is beside
// it. Each process has a lease, a file that it keeps locked, in which it notes calls. The package owns the sqlite module.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver

	"toolgraph/execution/journal"
)

// Database is the database DIR/history.db, which several processes may share. No file is opened
// before it is needed.
type Database struct {
	dir      string
	durable  bool
	user     int           // this process's, where files have owners
	readOnly bool          // see Options.ReadOnly
	Busy     time.Duration // how long SQLite waits for a lock of another process

	mu     sync.Mutex // guards what follows
	db     *sql.DB    // nil: not opened yet
	fixed  bool       // db can only be read
	lease  *lease     // nil: this process has not written yet
	closed bool

	writing sync.Mutex // held during a transaction of the writer, and of what may wait for it

	writer // belongs to the goroutine that writes
}

// background is the context of what is never cancelled.
var background = context.Background()

// Open returns the store in DIR/history.db, which is created with the first run.
func Open(dir string, opts journal.Options) (*journal.Store, error) {
	data, err := New(dir, opts.Durable)
	if err != nil {
		return nil, err
	}
	data.readOnly = opts.ReadOnly
	return journal.New(data, opts), nil
}

// New returns the database DIR/history.db, for journal.New: what Open uses.
func New(dir string, durable bool) (*Database, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	return newDatabase(dir, durable), nil
}

const (
	defaultBusy = 2 * time.Second
	openAgain   = 5 * time.Millisecond
)

func newDatabase(dir string, durable bool) *Database {
	return &Database{dir: dir, durable: durable, user: os.Geteuid(), Busy: defaultBusy}
}

// Place returns the path of the database, which may not exist.
func (s *Database) Place() string { return filepath.Join(s.dir, "history.db") }

// Open opens the database at its first use.
func (s *Database) Open(_ context.Context, create bool) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, journal.ErrClosed
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
	if s.readOnly {
		db, err := s.openUnchanged()
		if err == nil {
			s.db, s.fixed = db, true
		}
		return db, err
	}
	if err := s.prepareFile(create); err != nil {
		return nil, err
	}
	if err := s.createEmpty(); err != nil {
		return nil, s.Explain(err)
	}
	db, err := s.openPatiently(s.source())
	if trouble := s.Trouble(err); !create && (trouble == journal.Passing || trouble == journal.Lasting) {
		s.fixed = true
		if db, err = s.openFixed(err); err != nil {
			s.fixed = false
		}
	}
	if err != nil {
		return nil, s.Explain(err)
	}
	s.db = db
	return db, nil
}

// createEmpty creates the database in an empty file. The vacuum mode is set before the first
// table; setting it later takes the lock for writing.
func (s *Database) createEmpty() error {
	if info, err := os.Stat(s.Place()); err != nil || info.Size() > 0 {
		return nil //nolint:nilerr // opening it returns the error
	}
	db, err := s.openPatiently(s.source("auto_vacuum(INCREMENTAL)"))
	if err != nil {
		return err
	}
	return db.Close()
}

// openPatiently waits for processes that create the database at the same time: SQLite itself does not wait for the
// lock that a change of the journal mode needs.
func (s *Database) openPatiently(source string) (*sql.DB, error) {
	for end := time.Now().Add(s.Busy); ; time.Sleep(openAgain) {
		db, err := open(source, migrate)
		if s.Trouble(err) != journal.Locked || !time.Now().Before(end) {
			return db, err
		}
	}
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
func (s *Database) openFixed(why error) (*sql.DB, error) {
	query := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(2000)", "query_only(ON)", "trusted_schema(OFF)"}}
	db, err := open(s.location(query), checkVersion)
	if err == nil {
		return db, nil
	}
	if log, statErr := os.Stat(s.Place() + "-wal"); statErr == nil && log.Size() > 0 {
		return nil, why
	}
	query.Set("immutable", "1")
	if db, err = open(s.location(query), checkVersion); err != nil {
		return nil, why
	}
	return db, nil
}

// openUnchanged opens a database for reading without a change of any file: one that no process has open, as
// far as its log says, is read as immutable.
func (s *Database) openUnchanged() (*sql.DB, error) {
	info, err := os.Lstat(s.Place())
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil, journal.ErrNoStore
	}
	if owner, isKnown := ownerOf(info); isKnown && owner != s.user {
		return nil, fmt.Errorf("%s belongs to user %d, but this process is user %d", s.Place(), owner, s.user)
	}
	query := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(100)", "query_only(ON)", "trusted_schema(OFF)"}}
	if log, err := os.Stat(s.Place() + "-wal"); err != nil || log.Size() == 0 {
		query.Set("immutable", "1")
	}
	db, err := open(s.location(query), checkVersion)
	return db, s.Explain(err)
}

// checkVersion returns an error for a database that needs a migration.
func checkVersion(db *sql.DB) error {
	has, err := schemaOf(context.Background(), db)
	if err == nil && !has.isCurrent() {
		err = versionError(has.version)
	}
	return err
}

// connections is how many there are at the same time: the writer's, those of Follow, Wait and Receive,
// the one that deletes old runs, and some that read.
const connections = 8

// source returns the URL of the database for the driver, with first before the other pragmas.
// SQLite creates its other files with the mode of the first; the cache is small because servers
// run for a long time. A page is often written several times before a checkpoint moves it.
func (s *Database) source(first ...string) string {
	synchronous := "NORMAL" // a commit survives the process, and a checkpoint a power cut
	if s.durable {
		synchronous = "FULL"
	}
	query := url.Values{"_txlock": {"immediate"}, "_pragma": append(first,
		fmt.Sprintf("busy_timeout(%d)", s.Busy.Milliseconds()), "journal_mode(WAL)", "synchronous("+synchronous+")",
		"cache_size(-1024)", "wal_autocheckpoint(500)", "journal_size_limit(8388608)", "trusted_schema(OFF)",
	)}
	return s.location(query)
}

// location returns the URL of the database with parameters.
func (s *Database) location(query url.Values) string {
	path := filepath.ToSlash(s.Place())
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// Process returns this process, whose claim is its lease.
func (s *Database) Process(context.Context) (journal.Process, error) {
	l, err := s.leaseOf()
	if err != nil {
		return journal.Process{}, err
	}
	return l.process, nil
}

// leaseOf returns the lease of this process.
func (s *Database) leaseOf() (*lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, journal.ErrClosed
	}
	if s.lease == nil {
		if err := s.prepareFile(true); err != nil {
			return nil, err
		}
		l, err := newLease(s.dir)
		if err != nil {
			return nil, err
		}
		s.lease = l
	}
	return s.lease, nil
}

// Close unpacks runs and releases the lease; its notes stay unless everything was written.
func (s *Database) Close(everything bool) error {
	if s.unpacked > 1 {
		_, _ = s.unpackPart(background, unpackRun) // else the next to read does it
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.leave(everything)
	s.close()
	if s.db == nil {
		return nil
	}
	db := s.db
	s.db = nil
	return db.Close()
}

// Leave ends the claim of this process to its runs; its notes stay unless everything was written. The next use of the
// lease creates another one.
func (s *Database) Leave(everything bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leave(everything)
}

// leave is Leave while mu is held.
func (s *Database) leave(everything bool) {
	if s.lease == nil {
		return
	}
	if everything {
		s.ahead.remove() // before the lease, which it belongs to
		s.lease.release()
	} else {
		s.lease.leave()
	}
	s.lease = nil
}

// Turn begins the turn of a transaction that writes.
func (s *Database) Turn() (end func()) {
	s.writing.Lock()
	return s.writing.Unlock
}

// isFixed reports whether the database can only be read.
func (s *Database) isFixed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fixed
}
