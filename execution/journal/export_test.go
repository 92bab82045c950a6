package journal

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"toolgraph/execution"
)

// Attempts lets a test see and pace the attempts to write: after each that has failed, Failed
// is sent to, and the next begins when Again is.
type Attempts struct {
	Failed chan struct{}
	Again  chan time.Time
}

// Paced makes a store report a lock at once and wait for a test between two attempts.
func Paced(s *Store) Attempts {
	a := Attempts{Failed: make(chan struct{}), Again: make(chan time.Time)}
	s.data.(*sqlite).busy = 0
	s.writer.pause = func(error) <-chan time.Time {
		select {
		case a.Failed <- struct{}{}:
		case <-s.writer.closed:
		}
		return a.Again
	}
	return a
}

// BreakLease makes it impossible to note anything in the lease of the process.
func BreakLease(s *Store) error {
	l, err := s.data.(*sqlite).leaseOf()
	if err != nil {
		return err
	}
	return l.file.Close()
}

// The limits that tests count up to.
const (
	QueueMost       = queueMost
	DurableAttempts = durableAttempts
	PatientAttempts = patientAttempts
)

// Die lets go of the lease of a store as the end of its process does.
func Die(store *Store) {
	s := store.data.(*sqlite)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lease.leave()
	s.lease = nil
}

// Queued is how many bytes wait.
func Queued(s *Store) int {
	s.writer.mu.Lock()
	defer s.writer.mu.Unlock()
	return s.writer.queue.bytes
}

// Note writes a call into the lease of a store, as if it were about to be made.
func Note(s *Store, e execution.Event) error {
	if !s.writer.note(e, wholeNote) {
		return errors.New("the call was not noted")
	}
	return nil
}

// Notes is how many notes the lease of a store has, and how many slots it has used.
func Notes(s *Store) (notes, slots int) {
	l := s.data.(*sqlite).held()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, run := range l.slots {
		notes += len(run)
	}
	return notes, l.used
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
	watcher sqliteWatcher
}

// FollowerOf returns what Follow uses, without a clock.
func FollowerOf(s *Store, file string) *Follower {
	return &Follower{follower{file: file}, sqliteWatcher{sqlite: s.data.(*sqlite), topic: Runs}}
}

// Look returns the runs that have changed since the last look, and how often rows were read so far.
// Runs of dead processes are looked for each time.
func (f *Follower) Look(ctx context.Context) (changed [][]Run, reads int, err error) {
	f.watcher.looks = 0
	err = f.watcher.look(ctx, func(ctx context.Context, db *sql.DB) error {
		return f.look(ctx, db, func(runs []Run) error {
			changed = append(changed, runs)
			return nil
		})
	})
	return changed, f.reads, err
}

// Close ends it.
func (f *Follower) Close() { f.watcher.disconnect() }
