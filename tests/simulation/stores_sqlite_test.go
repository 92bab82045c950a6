package simulation

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
)

// sqlitePlace is a directory.
type sqlitePlace string

func (p sqlitePlace) open(t testing.TB, f *stores, seed uint64) (*journal.Store, mishaps) {
	t.Helper()
	data, err := sqlite.New(string(p), f.durable)
	if err != nil {
		t.Fatal(err)
	}
	d := &flakySQLite{Database: data, dir: string(p), rng: rand.New(rand.NewPCG(seed, 9)), failures: int(seed % 8)}
	return journal.New(d, journal.Options{Durable: f.durable}), d
}

func (sqlitePlace) notes() bool { return true }

// flakySQLite is SQLite as a process sees it that sleeps or dies.
type flakySQLite struct {
	journal.Database
	dir string

	writing sync.Mutex // held while something is written, and when the process dies
	dead    bool
	lost    bool // another process has the lease: what is written waits for the database

	mu       sync.Mutex // guards what follows
	rng      *rand.Rand
	failures int // that are left
	silent   time.Time
}

var errBusy = errors.New("the database is busy")

// Trouble says that a failure is over soon.
func (d *flakySQLite) Trouble(err error) journal.Trouble {
	if errors.Is(err, errBusy) {
		return journal.Locked
	}
	return d.Database.Trouble(err)
}

// Write writes a batch, late or not at the first time.
func (d *flakySQLite) Write(ctx context.Context, batch []*journal.Pending) error {
	d.mu.Lock()
	wait := time.Until(d.silent)
	fails := d.failures > 0 && d.rng.IntN(4) == 0
	if fails {
		d.failures--
	}
	d.mu.Unlock()
	time.Sleep(wait)
	d.writing.Lock()
	defer d.writing.Unlock()
	switch {
	case d.dead:
		return journal.ErrClosed
	case fails:
		return errBusy
	}
	return d.Database.Write(ctx, batch)
}

// Ahead writes ahead of the next batch, or fails as a full disk does.
func (d *flakySQLite) Ahead(batch []journal.Pending) bool {
	return d.keep(func(to journal.Ahead) bool { return to.Ahead(batch) })
}

// Stay writes what the next batch leaves, or fails likewise.
func (d *flakySQLite) Stay(batch []journal.Pending) bool {
	return d.keep(func(to journal.Ahead) bool { return to.Stay(batch) })
}

func (d *flakySQLite) keep(in func(journal.Ahead) bool) bool {
	d.mu.Lock()
	fails := d.failures > 0 && d.rng.IntN(4) == 0
	d.mu.Unlock()
	d.writing.Lock()
	defer d.writing.Unlock()
	return !d.dead && !d.lost && !fails && in(d.Database.(journal.Ahead))
}

// Note notes a call, unless the process is dead.
func (d *flakySQLite) Note(run string, name journal.NoteName, text []byte) bool {
	d.writing.Lock()
	defer d.writing.Unlock()
	return !d.dead && !d.lost && d.Database.(journal.Noter).Note(run, name, text)
}

// Erase erases notes.
func (d *flakySQLite) Erase(run string, erased func(journal.NoteName) bool) {
	d.writing.Lock()
	defer d.writing.Unlock()
	if !d.dead {
		d.Database.(journal.Noter).Erase(run, erased)
	}
}

// Process returns this process, unless it is dead.
func (d *flakySQLite) Process(ctx context.Context) (journal.Process, error) {
	d.writing.Lock()
	defer d.writing.Unlock()
	if d.dead {
		return journal.Process{}, journal.ErrClosed
	}
	return d.Database.Process(ctx)
}

// pause lets the process sleep while it writes; another one takes it for dead meanwhile, as where locks of files do not hold.
func (d *flakySQLite) pause(wait time.Duration) {
	d.mu.Lock()
	d.silent = time.Now().Add(wait)
	d.mu.Unlock()
	time.Sleep(wait / 4)
	me, err := d.Process(context.Background())
	if err != nil || d.loseLease(filepath.Join(d.dir, "live", me.Name)) != nil {
		return
	}
	if other, err := sqlite.New(d.dir, false); err == nil {
		_ = other.SweepDead(context.Background()) // or it is busy, and the next process sweeps
		_ = other.Close(true)
	}
}

// loseLease puts a file without a lock, with the same notes, in the place of the lease.
func (d *flakySQLite) loseLease(path string) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	notes, err := os.ReadFile(path)
	if err != nil || d.dead {
		return errors.Join(err, journal.ErrClosed)
	}
	d.lost = true
	return errors.Join(os.WriteFile(path+".copy", notes, 0o600), os.Rename(path+".copy", path))
}

// kill ends the process: its lease is free, and its notes stay.
func (d *flakySQLite) kill() {
	d.writing.Lock()
	defer d.writing.Unlock()
	if !d.dead {
		d.dead = true
		_ = d.Database.Close(false)
	}
}

// Close ends the process in order.
func (d *flakySQLite) Close(everything bool) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	if d.dead {
		return nil
	}
	d.dead = true
	return d.Database.Close(everything)
}

// calm ends the failures; a silence ends by itself.
func (d *flakySQLite) calm() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failures = 0
}

// Two and three processes on one SQLite database: they are killed, and are taken for dead while they
// sleep and write afterwards.
func TestStoresOnSQLite(t *testing.T) {
	t.Parallel()
	playAll(t, func(t *testing.T) place { return sqlitePlace(t.TempDir()) })
}
