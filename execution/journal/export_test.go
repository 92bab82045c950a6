package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"toolgraph/execution"
)

// The tests of this package use SQLite, which imports it: the external ones set what the others need.
var (
	OpenSQLite func(dir string, opts Options) (*Store, error)
	NewSQLite  func(dir string) (Database, error)
	LeaveLease func(d Database)
	SetBusy    func(d Database, busy time.Duration)
	NewWatcher func(d Database, topic Topic) Watcher
	FreeSpace  func(ctx context.Context, d Database, db Querier) error
)

// Querier is a database, or one connection to it.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Watcher looks at a database.
type Watcher interface {
	Look(ctx context.Context, sweep bool, look func(context.Context, *sql.DB) error) error
	Close()
}

// Open opens the store in a directory.
func Open(dir string, opts Options) (*Store, error) { return OpenSQLite(dir, opts) }

// Attempts lets a test see and pace the attempts to write: after each that has failed, Failed
// is sent to, and the next begins when Again is.
type Attempts struct {
	Failed chan struct{}
	Again  chan time.Time
}

// Paced makes a store report a lock at once and wait for a test between two attempts.
func Paced(s *Store) Attempts {
	a := Attempts{Failed: make(chan struct{}), Again: make(chan time.Time)}
	SetBusy(s.data, 0)
	s.writer.pause = func(error) <-chan time.Time {
		select {
		case a.Failed <- struct{}{}:
		case <-s.writer.closed:
		}
		return a.Again
	}
	return a
}

// BreakLease makes it impossible to note anything in the lease of the process: another file has the place of its directory.
func BreakLease(s *Store) error {
	live := filepath.Join(filepath.Dir(s.Path()), "live")
	return errors.Join(os.RemoveAll(live), os.WriteFile(live, nil, 0o600))
}

// The limits that tests count up to.
const (
	QueueMost       = queueMost
	DurableAttempts = durableAttempts
	PatientAttempts = patientAttempts
)

// Die lets go of the lease of a store as the end of its process does.
func Die(s *Store) { LeaveLease(s.data) }

// Queued is how many bytes wait.
func Queued(s *Store) int {
	s.writer.mu.Lock()
	defer s.writer.mu.Unlock()
	return s.writer.queue.bytes
}

// NoteCall writes a call into the lease of a store, as if it were about to be made.
func NoteCall(s *Store, e execution.Event) error {
	if !s.writer.note(e, wholeNote) {
		return errors.New("the call was not noted")
	}
	return nil
}

// Notes is how many notes the lease of a store has, and how many slots it has used. There is no other lease.
func Notes(s *Store) (notes, slots int, err error) {
	leases, err := filepath.Glob(filepath.Join(filepath.Dir(s.Path()), "live", "*"))
	if err != nil || len(leases) != 1 {
		return 0, 0, fmt.Errorf("%d leases: %w", len(leases), err)
	}
	text, err := os.ReadFile(leases[0])
	for slot := range slices.Chunk(text, MaxNote+1) {
		if slots++; slot[0] != 0 {
			notes++
		}
	}
	return notes, slots, err
}

// Raw opens the database of a store as another process does: on one connection, to which transactions and
// temporary tables belong. It waits while the store writes, which it also does after its last event.
func Raw(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(60000)")
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// Follower looks at a store when a test asks it to.
type Follower struct {
	follower
	watcher Watcher
}

// FollowerOf returns what Follow uses, without a clock.
func FollowerOf(s *Store, file string) *Follower {
	return &Follower{follower{file: file}, NewWatcher(s.data, Runs)}
}

// Look returns the runs that have changed since the last look, and how often rows were read so far.
// Runs of dead processes are looked for each time.
func (f *Follower) Look(ctx context.Context) (changed [][]Run, reads int, err error) {
	err = f.watcher.Look(ctx, true, func(ctx context.Context, db *sql.DB) error {
		return f.look(ctx, db, func(runs []Run) error {
			changed = append(changed, runs)
			return nil
		})
	})
	return changed, f.reads, err
}

// Close ends it.
func (f *Follower) Close() { f.watcher.Close() }
