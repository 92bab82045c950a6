package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"toolgraph/execution"
	"toolgraph/internal/base/wording"
)

// A run that is given back is interrupted, without counting that as a crash of a resumed run.
const (
	interruptOwn = `UPDATE runs SET status = 'interrupted', resumed = CASE WHEN resumed > 0 THEN resumed - 1 ELSE 0 END WHERE status = 'running' AND owner = $1`
	interruptOne = interruptOwn + ` AND id = $2`
)

// interruptSuspended marks the suspended runs of this process as interrupted at once, without
// counting that as a crash of a resumed run. When it fails, the next process
// that reads the store does it.
func (s *Store) interruptSuspended() {
	owner := s.ownName()
	if owner == "" {
		return
	}
	db, err := s.data.Open(background, false)
	if err != nil {
		return
	}
	var suspended bool
	err = db.QueryRowContext(background, `SELECT EXISTS (SELECT 1 FROM runs WHERE status = 'running' AND owner = $1)`, owner).Scan(&suspended)
	if err == nil && suspended {
		_, _ = db.ExecContext(background, interruptOwn, owner)
	}
}

// Interrupted returns the interrupted runs of a graph file, the oldest first, and those of files with
// the same server name: the file can have another path on another machine. Parked runs are not among them, see Due.
func (s *Store) Interrupted(ctx context.Context, of About) ([]Run, error) {
	if err := s.giveBackUnknown(ctx); err != nil {
		return nil, err
	}
	return s.verifiedIn(ctx, s.unendedReader, ` WHERE `+isAdrift+` AND (file = $1 OR server = $2) ORDER BY seq`, of.File, of.Server)
}

// ErrRunning is the error of Claim for a run of another process.
var ErrRunning = errors.New("it is running in another process")

// Claim makes this process the owner of an interrupted run before it resumes it. Its status is running
// from then on, and no other process can claim it. The error wraps ErrRunning when another process
// was faster.
func (s *Store) Claim(ctx context.Context, id string) error {
	_, err := s.claim(ctx, id, "")
	return err
}

// ClaimParked is Claim, and returns what the run has waited for, if it was parked: the times of these waits go on. With inDoubt it also
// claims a run that ended because of an in-doubt call: for an operator who resolves the call. Who takes over interrupted runs
// must not claim one that has ended meanwhile.
func (s *Store) ClaimParked(ctx context.Context, id string, inDoubt bool) (*execution.Rest, error) {
	if inDoubt {
		return s.claim(ctx, id, unknownOutcome)
	}
	return s.claim(ctx, id, "")
}

// claim claims an interrupted run, or one that has failed with such a failure, a pattern of LIKE.
func (s *Store) claim(ctx context.Context, id, failure string) (rest *execution.Rest, err error) {
	db, err := s.reader(ctx)
	if errors.Is(err, ErrNoStore) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	if err := s.writer.disabled(); err != nil { // nothing of the run would be recorded, and no other process would have it
		return nil, err
	}
	owner, err := s.process(ctx)
	if err != nil {
		return nil, err
	}
	defer s.writer.work(id)(&err) // before others can see it
	var text string
	err = db.QueryRowContext(ctx,
		`UPDATE runs SET status = 'running', ended = 0, failure = '', resumed = resumed + 1, owner = $1,
			rest = CASE WHEN parked = owner THEN rest ELSE '' END, parked = ''
			WHERE id = $2 AND (status = 'interrupted' OR status = 'error' AND failure LIKE $3) RETURNING rest`, owner, id, failure).Scan(&text)
	switch {
	case err == nil:
		s.writer.clearTaken(id)
		if rest = restOf(text); rest == nil {
			s.tally.claimed.Add(1)
		} else {
			s.tally.unparked.Add(1)
		}
		return rest, nil
	case !errors.Is(err, sql.ErrNoRows):
		return nil, s.writeFault(err)
	}
	r, err := s.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	if r.InProgress() {
		return nil, fmt.Errorf("run %s: %w", id, ErrRunning)
	}
	return nil, fmt.Errorf("run %s has ended (%s); only an interrupted run can be resumed", id, wording.Status(r.Status))
}

// giveBackUnknown interrupts the runs that are this process's in the database, and on which it does not
// work: their beginning or their claim was committed although this process has got an error for it, as
// it does when a connection breaks.
func (s *Store) giveBackUnknown(ctx context.Context) error {
	owner := s.ownName()
	if owner == "" {
		return nil
	}
	db, err := s.unendedReader(ctx)
	if err != nil {
		if errors.Is(err, ErrNoStore) {
			return nil
		}
		return err
	}
	all, err := idsOf(ctx, db, owner)
	if err != nil {
		return s.readFault(err)
	}
	for _, id := range all {
		if s.writer.works(id) {
			continue
		}
		if err := s.Release(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// idsOf returns the runs of an owner.
func idsOf(ctx context.Context, db *sql.DB, owner string) (ids []string, err error) {
	rows, err := db.QueryContext(ctx, `SELECT id FROM runs WHERE status = 'running' AND owner = $1`, owner)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// Release gives back a run that this process has claimed and suspended before the store is closed:
// it is interrupted, without counting that as a crash, and any process may resume it.
func (s *Store) Release(_ context.Context, id string) error {
	done := make(chan error, 1)
	if err := s.writer.put(&queued{release: id, done: done}); err != nil {
		return err
	}
	return <-done
}

// giveBack releases a run, or parks it: everything of it is in the database.
func (c *committer) giveBack(id string, as *parkedRow) error {
	owner, err := c.store.process(background)
	switch {
	case err != nil:
	case as != nil:
		_, err = c.db.ExecContext(background, parkOne, owner, id, as.due, as.rest)
	default:
		_, err = c.db.ExecContext(background, interruptOne, owner, id)
	}
	if err != nil {
		return c.store.data.Explain(err)
	}
	delete(c.runs, id)
	c.store.writer.leave(id)
	c.store.forget(id)
	return nil
}
