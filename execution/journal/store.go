package journal

import (
	"context"
	"errors"
	"log/slog"

	"toolgraph/config"
	"toolgraph/execution"
)

// Options of a Store.
type Options struct {
	Durable  bool         // Append returns when the event is safe from a power cut, and its errors end runs
	MaxValue int          // bytes of JSON; a longer value is not kept, and a Gap tells so; 0: 8 MiB
	Keep     Retention    // what is pruned now and then while runs are written
	Logger   *slog.Logger // is told once when runs cannot be kept; nil: nobody is
}

// Store keeps runs in DIR/history.db, which several processes may share. Nothing is
// opened before it is needed. Safe for concurrent use.
type Store struct {
	dir  string
	opts Options
}

// ErrNotFound is that there is no such run.
var ErrNotFound = errors.New("no such run is kept")

var errUnfinished = errors.New("the store is not there yet")

// Open makes a store of a directory, which is created with the first run.
func Open(dir string, opts Options) (*Store, error) { return &Store{dir: dir, opts: opts}, nil }

// About is what a run's events do not tell of it.
type About struct {
	File   string // the graph file's absolute path
	Server string // its server.name
}

// Journal is the store as the engine writes to it. Secrets are redacted; nil has none.
// Load gives a run only when it is kept whole, so that it can be taken on: the error is
// a *GapError otherwise.
func (s *Store) Journal(_ *config.Secrets, _ About) execution.Journal { return &Memory{} }

// Claim makes an interrupted run this process's own, before it is taken on: from now
// on its status is running, and nobody else can. The error tells when another process
// was faster, or the run has ended.
func (s *Store) Claim(_ context.Context, _ string) error { return errUnfinished }

// List are the runs that the filter selects, the newest first.
func (s *Store) List(_ context.Context, _ Filter) ([]Run, error) { return nil, errUnfinished }

// Run is one run, by its id, the beginning of its id, or "last". The error is
// ErrNotFound, or names some of the runs that it could be.
func (s *Store) Run(_ context.Context, _ string) (Run, error) { return Run{}, errUnfinished }

// Steps are the records of a run from an index on, at most limit of them (0: all), and
// of each output the first most bytes (0: the whole).
func (s *Store) Steps(_ context.Context, _ string, _, _, _ int) ([]Step, error) {
	return nil, errUnfinished
}

// Load are all events of a run in order. A value with a gap is replaced by a note,
// an object that says so.
func (s *Store) Load(_ context.Context, _ string) ([]execution.Event, error) {
	return nil, errUnfinished
}

// Delete deletes runs by their full ids and gives how many there were. Runs that are
// running are left.
func (s *Store) Delete(_ context.Context, _ ...string) (int, error) { return 0, errUnfinished }

// Prune deletes the oldest runs until the rest is within bounds, and gives how many.
func (s *Store) Prune(_ context.Context, _ Retention) (int, error) { return 0, errUnfinished }

// Close writes what was handed over and closes.
func (s *Store) Close() error { return nil }
