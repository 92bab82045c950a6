package journal

import (
	"context"
	"database/sql"
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
	Durable  bool         // Append returns when the event is safe from a power cut, and its errors end runs
	MaxValue int          // bytes of JSON; a longer value is not kept, and a Gap tells so; 0: 8 MiB
	Keep     Retention    // what is pruned, once an hour, while runs are written
	Logger   *slog.Logger // is told once when runs cannot be kept; nil: nobody is
}

const (
	defaultMaxValue = 8 << 20
	defaultBusy     = 2 * time.Second
)

// Store keeps runs in DIR/history.db, which several processes may share. Nothing is
// opened before it is needed. Safe for concurrent use.
type Store struct {
	dir    string
	opts   Options
	user   int           // this process's, where files have owners
	busy   time.Duration // how long SQLite waits for a lock of others before it reports it
	writer *writer

	mu     sync.Mutex // guards what follows
	db     *sql.DB    // nil: not opened yet
	fixed  bool       // db can only be read
	lease  *lease     // nil: this process has written nothing
	closed bool
}

// Open makes a store of a directory, which is created with the first run.
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

// Path is the database's file, whether it is there or not.
func (s *Store) Path() string { return filepath.Join(s.dir, "history.db") }

// About is what a run's events do not tell of it.
type About struct {
	File   string // the graph file's absolute path
	Server string // its server.name
}

// Journal is the store as the engine writes to it. Secrets are redacted; nil has none.
//
// Append hands the event over and returns; it waits only when too much is waiting
// already, and for a call-started with Sync until that event survives the process; the
// call's record is written within milliseconds.
//
// A store that cannot be written, because it is locked or full, delays a run by a few seconds
// at most: what no longer fits into the queue is lost, which the next recorded event of the
// run has in Lost. Only a call-started with Sync that can be noted nowhere is an error. With
// Options.Durable Append waits for the disk each time, and its error says why.
//
// Load gives a run only when it is kept whole, so that it can be taken on: the error is
// a *GapError otherwise.
func (s *Store) Journal(secrets *config.Secrets, about About) execution.Journal {
	return &view{store: s, secrets: secrets, about: about}
}

// Close writes what was handed over and closes. Runs must have ended, or are suspended:
// those are interrupted from now on.
func (s *Store) Close() error {
	err := s.writer.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.lease != nil {
		if err == nil {
			s.letGo()
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

// Append keeps an event.
func (v *view) Append(_ context.Context, e execution.Event) error { return v.store.writer.append(v, e) }

// Load are the events of a run that is kept whole.
func (v *view) Load(ctx context.Context, run string) ([]execution.Event, error) {
	return v.store.load(ctx, run, true)
}
