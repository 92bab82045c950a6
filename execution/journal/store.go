package journal

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"toolgraph/config"
	"toolgraph/execution"
)

// Options of a Store.
type Options struct {
	Durable  bool         // Append returns when the event survives a power cut, and its errors end runs
	MaxValue int          // bytes of JSON; a longer value is replaced by a Gap; 0: 8 MiB
	Keep     Retention    // the bounds of a store without a policy; zero: this process deletes nothing there
	SetsKeep bool         // Keep becomes the policy of a store that has none, see Store.Settle
	Logger   *slog.Logger // gets a warning when runs cannot be recorded; nil: none
	ReadOnly bool         // nothing is written, not even what reading mends elsewhere: runs of dead processes stay as they are
}

const defaultMaxValue = 8 << 20

// Store records runs in a database, which several processes may share. Safe for concurrent use.
type Store struct {
	data   Database
	noter  Noter // data, or nil
	opts   Options
	writer *writer

	waiters waiters
	pruner  pruner
	tally   tally

	announcing Lock // held while the row of this process is changed

	mu        sync.Mutex // guards what follows
	owner     string     // of the runs of this process; empty: it has not had any
	announced Process    // this process as others see it; without a name: not yet
}

// New returns the store in a database, which it closes.
func New(data Database, opts Options) *Store {
	if opts.MaxValue <= 0 {
		opts.MaxValue = defaultMaxValue
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Store{data: data, opts: opts, announcing: NewLock()}
	s.noter, _ = data.(Noter)
	s.pruner.life, s.pruner.end = context.WithCancel(background)
	s.pruner.wrote, s.pruner.hurry = make(chan struct{}, 1), make(chan struct{}, 1)
	s.pruner.every, s.pruner.slow, s.pruner.rest = passEvery, stepSlow, Rest
	s.writer = newWriter(s)
	return s
}

// Path returns where the database is, which may not exist: a path, or a URL without a password.
func (s *Store) Path() string { return s.data.Place() }

// process returns the name of this process, the owner of its runs.
func (s *Store) process(ctx context.Context) (owner string, err error) {
	p, err := s.data.Process(ctx)
	if err != nil {
		return "", s.data.Explain(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owner = p.Name
	return p.Name, nil
}

// ownName returns the owner of the runs of this process; empty: it has not had any.
func (s *Store) ownName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owner
}

// About is the data of a run that its events do not have.
type About struct {
	File   string // the graph file's absolute path
	Server string // its server.name
}

// Journal returns the store as a journal for the engine. Secrets are redacted; nil has none.
//
// Append queues the event and returns; it waits only while the queue is full, and for a
// call-started with Sync until that event survives the process; the call's record is written
// within milliseconds. The error wraps ErrTaken when another process has taken over the run.
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
	s.pruner.close()
	if err == nil {
		s.interruptSuspended()
		s.signOff()
	}
	if closeErr := s.data.Close(err == nil); err == nil {
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

// Flush is Store.Flush.
func (v *view) Flush(ctx context.Context, run string) error { return v.store.Flush(ctx, run) }

// Flush returns when all events of a run so far are in the database, also after a crash of its
// server, or with the reason why one is not.
func (s *Store) Flush(ctx context.Context, run string) error {
	done := make(chan error, 1)
	if err := s.writer.put(&queued{done: done, sync: true}); err != nil {
		return err
	}
	if err := <-done; err != nil {
		return err
	}
	if s.writer.isTaken(run) {
		return takenError(run)
	}
	recorded, err := s.Run(ctx, run)
	if err == nil && recorded.Lost > 0 {
		err = &GapError{Run: run, What: fmt.Sprintf("%d of its events", recorded.Lost), Gap: Gap{Reason: Unwritten}}
	}
	return err
}
