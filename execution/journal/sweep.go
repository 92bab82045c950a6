package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"toolgraph/execution"
)

// sweep turns the runs of processes that are gone into interrupted ones. What such a
// process noted in its lease and could not write any more becomes part of its runs.
func sweep(ctx context.Context, db executor, dir string) error {
	owners, err := owners(ctx, db)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		notes, gone := abandoned(dir, owner)
		if !gone {
			continue
		}
		if err := interrupt(ctx, db, owner, notes); err != nil {
			return err
		}
		drop(dir, owner)
	}
	return nil
}

// owners are the leases of the processes that have running runs.
func owners(ctx context.Context, db executor) ([]string, error) {
	rows, err := db.QueryContext(ctx, `SELECT DISTINCT owner FROM runs WHERE status = 'running'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var owner string
		if err := rows.Scan(&owner); err != nil {
			return nil, err
		}
		all = append(all, owner)
	}
	return all, rows.Err()
}

func interrupt(ctx context.Context, db executor, owner string, notes map[string]execution.Event) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	for _, note := range notes {
		if err := addNote(ctx, tx, owner, note); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE runs SET status = 'interrupted' WHERE status = 'running' AND owner = ?`, owner); err != nil {
		return err
	}
	return tx.Commit()
}

// addNote adds a call that had begun to its run, unless what came after the call is in
// the database as well.
func addNote(ctx context.Context, tx *sql.Tx, owner string, note execution.Event) error {
	var seq int64
	var events, steps int
	err := tx.QueryRowContext(ctx, `SELECT seq, events, steps FROM runs WHERE id = ? AND owner = ? AND status = 'running'`,
		note.Run, owner).Scan(&seq, &events, &steps)
	if errors.Is(err, sql.ErrNoRows) || err == nil && note.Step.Index < steps {
		return nil
	}
	if err != nil {
		return err
	}
	if known, err := endsWith(ctx, tx, seq, note); err != nil || known {
		return err
	}
	head, err := json.Marshal(note)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO chunks (run, n, step, body) VALUES (?,?,?,?)`,
		seq, events, steps, appendValue(appendBytes(nil, head), stored{})); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE runs SET events = events + 1 WHERE seq = ?`, seq)
	return err
}

// endsWith reports whether the last event of a run is the one that was noted.
func endsWith(ctx context.Context, tx *sql.Tx, seq int64, note execution.Event) (bool, error) {
	r := chunkReader{run: note.Run}
	err := tx.QueryRowContext(ctx, `SELECT body FROM chunks WHERE run = ? ORDER BY n DESC LIMIT 1`, seq).Scan(&r.rest)
	var last execution.Event
	for err == nil && len(r.rest) > 0 {
		last, _, err = r.next()
	}
	return last.Kind == note.Kind && last.Step != nil && last.Step.Index == note.Step.Index, err
}

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
		`UPDATE runs SET status = 'running', ended = 0, failure = '', owner = ? WHERE id = ? AND (status = 'interrupted'
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
		return fmt.Errorf("run %s is running in another process", id)
	}
	return fmt.Errorf("run %s has ended (%s): only a run that was interrupted can be taken on", id, r.Status)
}
