package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// sweep turns the runs of processes that are gone into interrupted ones. What such a
// process noted in its lease and could not write any more becomes part of its runs.
func sweep(ctx context.Context, db executor, dir string) error {
	running, err := owners(ctx, db, dir)
	if err != nil {
		return err
	}
	for owner, hasRuns := range running {
		left, ok := abandonedLease(dir, owner)
		if !ok {
			continue
		}
		if hasRuns || len(left.notes) > 0 {
			if err := interrupt(ctx, db, owner, left); err != nil {
				left.keep()
				return err
			}
		}
		left.drop()
	}
	return nil
}

// owners are the processes that may have left something, by the names of their leases,
// and whether they have running runs. One that has none may have died before it wrote the
// row of its first.
func owners(ctx context.Context, db executor, dir string) (map[string]bool, error) {
	all := map[string]bool{}
	leases, _ := os.ReadDir(leaseDir(dir)) // none, when it cannot be read
	for _, l := range leases {
		if l.Type().IsRegular() {
			all[l.Name()] = false
		}
	}
	rows, err := db.QueryContext(ctx, `SELECT DISTINCT owner FROM runs WHERE status = 'running'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var owner string
		if err := rows.Scan(&owner); err != nil {
			return nil, err
		}
		all[owner] = true
	}
	return all, rows.Err()
}

func interrupt(ctx context.Context, db executor, owner string, left abandoned) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if left.removed() {                  // what others noted down may have been deleted since
		left.notes = nil
	}
	for _, n := range left.notes {
		if err := n.add(ctx, tx, owner); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE runs SET status = 'interrupted' WHERE status = 'running' AND owner = ?`, owner); err != nil {
		return err
	}
	return tx.Commit()
}

// letGo makes the runs of this process that are suspended interrupted ones at once: they
// were not ended by a crash, which is what counts against a run that was resumed. The
// caller holds mu. What fails here, the next process that looks does.
func (s *Store) letGo() {
	if s.db == nil {
		return
	}
	var suspended bool
	err := s.db.QueryRowContext(background, `SELECT EXISTS (SELECT 1 FROM runs WHERE status = 'running' AND owner = ?)`, s.lease.name).Scan(&suspended)
	if err == nil && suspended {
		_, _ = s.db.ExecContext(background, `UPDATE runs SET status = 'interrupted', resumed = max(resumed - 1, 0)
			WHERE status = 'running' AND owner = ?`, s.lease.name)
	}
}

// Interrupted are the interrupted runs of a graph file, the oldest first.
func (s *Store) Interrupted(ctx context.Context, file string) ([]Run, error) {
	// The status is a part of the text, so that SQLite uses the index of such runs.
	return s.selected(ctx, ` WHERE status = 'interrupted' AND file = ? ORDER BY seq`, file)
}

// ErrRunning is a run that another process has.
var ErrRunning = errors.New("it is running in another process")

// Claim makes an interrupted run this process's own, or one that ended because the
// outcome of a call was unknown, before it is taken on: from now on its status is
// running, and nobody else can claim it. The error tells when another
// process was faster, or the run has ended.
func (s *Store) Claim(ctx context.Context, id string) error {
	db, err := s.reader(ctx)
	if errors.Is(err, errNoStore) {
		return ErrNotFound
	}
	if err != nil {
		return err
	}
	l, err := s.leaseOf()
	if err != nil {
		return err
	}
	done, err := db.ExecContext(ctx,
		`UPDATE runs SET status = 'running', ended = 0, failure = '', resumed = resumed + 1, owner = ? WHERE id = ? AND (status = 'interrupted'
			OR status = 'error' AND json_extract(failure, '$.code') = 'outcome-unknown')`, l.name, id)
	if err != nil {
		return aboutStore(s.Path(), err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return err
	}
	r, err := s.Run(ctx, id)
	if err != nil {
		return err
	}
	if r.Status == Running {
		return fmt.Errorf("run %s: %w", id, ErrRunning)
	}
	return fmt.Errorf("run %s has ended (%s): only a run that was interrupted can be taken on", id, r.Status)
}
