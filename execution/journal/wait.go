package journal

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// waiters are the calls of Wait, for which one goroutine watches the database while there are any.
type waiters struct {
	mu   sync.Mutex // guards what follows
	all  map[*waiter]bool
	seen int                // how often a run was seen
	stop context.CancelFunc // ends the goroutine; nil: there is none
}

// waiter is one call of Wait.
type waiter struct {
	id    string
	until func(Run) bool
	ready chan waited // buffered

	seen int // waiters.seen when the run was there; 0: never. Guarded by waiters.mu
}

type waited struct {
	run Run
	err error
}

// Wait returns a run, by its complete id, as soon as until is true for it, also if another process
// records it. A run that is not recorded yet is waited for; the error wraps ErrNotFound when it
// was deleted meanwhile. until is called with each state that is seen, by one goroutine at a time.
func (s *Store) Wait(ctx context.Context, id string, until func(Run) bool) (Run, error) {
	w := &waiter{id: id, until: until, ready: make(chan waited, 1)}
	s.waiters.add(w, s.watchWaiters)
	defer s.waiters.remove(w)
	if err := s.lookFor(ctx, []string{id}); err != nil { // from now on, the goroutine sees each change
		return Run{}, err
	}
	select {
	case found := <-w.ready:
		return found.run, found.err
	case <-ctx.Done():
		return Run{}, ctx.Err()
	}
}

func (all *waiters) add(w *waiter, watch func(context.Context)) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.all == nil {
		all.all = map[*waiter]bool{}
	}
	all.all[w] = true
	if all.stop == nil {
		var ctx context.Context
		ctx, all.stop = context.WithCancel(background)
		go watch(ctx)
	}
}

func (all *waiters) remove(w *waiter) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.all, w)
	if len(all.all) == 0 && all.stop != nil {
		all.stop()
		all.stop = nil
	}
}

// ids returns the runs that are waited for, each once.
func (all *waiters) ids() []string {
	all.mu.Lock()
	defer all.mu.Unlock()
	ids := map[string]bool{}
	for w := range all.all {
		ids[w.id] = true
	}
	return slices.Collect(maps.Keys(ids))
}

// now returns the moment at which a look begins, for found.
func (all *waiters) now() int {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.seen
}

// found gives runs to those who wait for them; of wanted, those that are not among them did not exist at
// the moment. again are those that another look has seen since then: they may have begun, or been
// deleted.
func (all *waiters) found(moment int, wanted []string, runs map[string]Run) (again []string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for w := range all.all {
		if !slices.Contains(wanted, w.id) {
			continue
		}
		run, exists := runs[w.id]
		var end waited
		switch {
		case !exists && w.seen == 0:
			continue
		case !exists && w.seen > moment:
			again = append(again, w.id)
			continue
		case !exists:
			end.err = notFound(w.id)
		case run.Damaged != "":
			end.err = run.damage()
		default:
			all.seen++
			w.seen = all.seen
			if !w.until(run) {
				continue
			}
			end.run = run
		}
		w.ready <- end // never blocks: this is the only one
		delete(all.all, w)
	}
	return again
}

// fail ends all waiting with an error.
func (all *waiters) fail(err error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for w := range all.all {
		w.ready <- waited{err: err}
	}
	clear(all.all)
	if all.stop != nil {
		all.stop()
		all.stop = nil
	}
}

// watchWaiters looks for the runs that are waited for, at each change.
func (s *Store) watchWaiters(ctx context.Context) {
	err := s.data.Watch(ctx, Runs, func(ctx context.Context, db *sql.DB) error {
		if db == nil {
			return nil
		}
		for part := range slices.Chunk(s.waiters.ids(), followMost) {
			if err := s.lookIn(ctx, db, part); err != nil {
				return err
			}
		}
		return nil
	})
	if ctx.Err() == nil { // the store is closed, or cannot be read any more
		if err == nil {
			err = ErrClosed
		}
		s.waiters.fail(s.data.Explain(err))
	}
}

// lookFor looks for runs now, with what this process has queued.
func (s *Store) lookFor(ctx context.Context, ids []string) error {
	db, err := s.reader(ctx)
	if errors.Is(err, ErrNoStore) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.lookIn(ctx, db, ids)
}

func (s *Store) lookIn(ctx context.Context, db *sql.DB, ids []string) error {
	for len(ids) > 0 {
		moment := s.waiters.now()
		runs, err := s.lookOnce(ctx, db, ids)
		if err != nil {
			return s.readFault(err)
		}
		ids = s.waiters.found(moment, ids, runs)
	}
	return nil
}

func (s *Store) lookOnce(ctx context.Context, db *sql.DB, ids []string) (map[string]Run, error) {
	args, list := parameters(ids)
	rows, err := db.QueryContext(ctx, `SELECT `+runColumns+` FROM runs WHERE status <> 'deleting' AND id IN (`+list+`)`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	runs := map[string]Run{}
	for rows.Next() {
		r, err := scanRun(rows)
		if err != nil {
			return nil, err
		}
		runs[r.ID] = r
	}
	return runs, rows.Err()
}

// Ready returns why this process cannot record runs now; nil when it can. It costs a transaction without
// changes.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.writer.trouble(); err != nil {
		return err
	}
	db, err := s.data.Open(ctx, true)
	if err != nil {
		return s.writeFault(err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err == nil {
		err = tx.Rollback()
	}
	if err != nil && s.data.Trouble(err) != Locked {
		return s.writeFault(err)
	}
	return nil
}

// stalledAfter is how long events wait to be written before the process is not ready.
const stalledAfter = 5 * time.Second

// trouble returns why the last attempt to write has failed, or that the writer stands still; nil when neither is so.
func (w *writer) trouble() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := cmp.Or(w.off, w.failing); err != nil {
		return err
	}
	if waited := time.Since(w.since); !w.since.IsZero() && waited > stalledAfter {
		return fmt.Errorf("the run history has written nothing for %.0f s, although events wait", waited.Seconds())
	}
	return nil
}
