package journal

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

// Options of a Store.
type Options struct {
	Durable  bool         // Append returns when the event survives a power cut, and its errors end runs
	MaxValue int          // bytes of JSON; a longer value is replaced by a Gap; 0: 8 MiB
	Keep     Retention    // the bounds for pruning, once an hour while runs are written
	Logger   *slog.Logger // gets a warning when runs cannot be recorded; nil: none
}

const (
	defaultMaxValue = 8 << 20
	defaultBusy     = 2 * time.Second
)

// Store records runs in DIR/history.db, which several processes may share. No file is opened
// before it is needed. Safe for concurrent use.
type Store struct {
	dir    string
	opts   Options
	user   int           // this process's, where files have owners
	busy   time.Duration // how long SQLite waits for a lock of another process
	writer *writer

	mu     sync.Mutex // guards what follows
	db     *sql.DB    // nil: not opened yet
	fixed  bool       // db can only be read
	lease  *lease     // nil: this process has not written yet
	closed bool
}

// Open returns the store in a directory, which is created with the first run.
func Open(dir string, opts Options) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if opts.MaxValue <= 0 {
		opts.MaxValue = defaultMaxValue
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Store{dir: dir, opts: opts, busy: defaultBusy, user: os.Geteuid()}
	s.writer = newWriter(s)
	return s, nil
}

// Path returns the path of the database, which may not exist.
func (s *Store) Path() string { return filepath.Join(s.dir, "history.db") }

// About is the data of a run that its events do not have.
type About struct {
	File   string // the graph file's absolute path
	Server string // its server.name
}

// Journal returns the store as a journal for the engine. Secrets are redacted; nil has none.
//
// Append queues the event and returns; it waits only while the queue is full, and for a
// call-started with Sync until that event survives the process; the call's record is written
// within milliseconds.
//
// A store that cannot be written, because it is locked or full, delays a run by some seconds:
// then events that do not fit into the queue are lost, and the next recorded event of the run has
// their number in Lost. Only a call-started with Sync that cannot be noted anywhere is an error.
// With Options.Durable Append waits for the disk each time, and returns its errors.
//
// Load returns a run only when it was recorded completely, so that it can be resumed: the error
// is a *GapError otherwise.
func (s *Store) Journal(secrets *config.Secrets, about About) execution.Journal {
	return &view{store: s, secrets: secrets, about: about}
}

// Close writes the queued events and closes the store. Runs must have ended or be suspended; the
// suspended ones are interrupted from then on. The error is why not every event was recorded.
func (s *Store) Close() error {
	err := s.writer.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.lease != nil {
		if err == nil {
			s.interruptSuspended()
			s.lease.release()
		} else { // its notes are still needed
			s.lease.leave()
		}
		s.lease = nil
	}
	if s.db == nil {
		return err
	}
	db := s.db
	s.db = nil
	if closeErr := db.Close(); err == nil {
		err = closeErr
	}
	return err
}

// view is a Store for the runs of one graph file.
type view struct {
	store   *Store
	secrets *config.Secrets
	about   About
}

// Append records an event.
func (v *view) Append(_ context.Context, e execution.Event) error { return v.store.writer.append(v, e) }

// Load returns the events of a run that was recorded completely.
func (v *view) Load(ctx context.Context, run string) ([]execution.Event, error) {
	return v.store.load(ctx, run, func(*execution.Event) bool { return true })
}

// Flush returns when all events of a run so far are in the database, or with the reason why one is
// not.
func (v *view) Flush(ctx context.Context, run string) error {
	done := make(chan error, 1)
	if err := v.store.writer.put(queued{done: done}); err != nil {
		return err
	}
	if err := <-done; err != nil {
		return err
	}
	recorded, err := v.store.Run(ctx, run)
	if err == nil && recorded.Lost > 0 {
		err = &GapError{Run: run, What: fmt.Sprintf("%d of its events", recorded.Lost), Gap: Gap{Reason: Unwritten}}
	}
	return err
}
