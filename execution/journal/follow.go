package journal

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"strconv"
)

const (
	followMost = 200  // runs that one call gets
	followOpen = 1000 // runs in progress, and as many interrupted ones, that are compared
)

// Follow calls each with the runs of a graph file, an absolute path, that have begun, continued or
// ended, in this process or another; an empty path selects all files. It begins with the runs in
// progress. Of the states of a run that changes quickly, each gets the latest. Runs are not checked
// for damage beyond their row.
//
// Follow returns nil when ctx or the store ends; an error is each's, or why the store cannot be read.
// While no process writes, it costs next to nothing.
func (s *Store) Follow(ctx context.Context, file string, each func([]Run) error) error {
	f := &follower{file: file}
	return s.data.Watch(ctx, Runs, func(ctx context.Context, db *sql.DB) error { return s.readFault(f.look(ctx, db, each)) })
}

// follower is what Follow knows of a store. It belongs to one goroutine.
type follower struct {
	file string  // empty: all
	db   *sql.DB // during a look

	reads  int            // of rows
	begun  bool           // last is known
	last   int64          // the newest run that is known
	lastID string         // its id: the number of a deleted run is used again
	open   map[int64]mark // runs that can continue: those in progress, and interrupted ones
}

// mark distinguishes two states of a run.
type mark struct {
	status Status
	events int // of a run in progress
}

// look calls each with the runs that differ from those at the last look.
func (f *follower) look(ctx context.Context, db *sql.DB, each func([]Run) error) error {
	if f.db = db; db == nil {
		f.begun = true // all runs will be new
		return nil
	}
	for more := true; more; {
		var changed []Run
		var err error
		if changed, more, err = f.read(ctx); err != nil {
			return err
		}
		for part := range slices.Chunk(changed, followMost) {
			if err := each(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// read returns the runs that have changed since it was last called, in the order of their rows; more
// when a part of the new ones is left for the next call.
func (f *follower) read(ctx context.Context) (changed []Run, more bool, err error) {
	f.reads++
	if err := f.rewind(ctx); err != nil {
		return nil, false, err
	}
	open, err := f.canContinue(ctx) // before the new ones, so that a run that begins now is not missed
	if err != nil {
		return nil, false, err
	}
	wanted, err := f.fresh(ctx)
	if err != nil {
		return nil, false, err
	}
	more = len(wanted) == followMost
	for seq, now := range open {
		if before, known := f.open[seq]; before != now && (known || now.status == Running) {
			wanted = append(wanted, seq)
		}
	}
	for seq := range f.open {
		if _, still := open[seq]; !still {
			wanted = append(wanted, seq)
		}
	}
	slices.Sort(wanted)
	for part := range slices.Chunk(slices.Compact(wanted), followMost) {
		runs, err := f.runs(ctx, part)
		if err != nil {
			return nil, false, err
		}
		changed = append(changed, runs...)
	}
	f.open = open
	return changed, more, nil
}

// rewind finds the newest run before the first read. Later it goes back when that run was deleted,
// because another one can get its number.
func (f *follower) rewind(ctx context.Context) error {
	most := int64(math.MaxInt64)
	if f.begun {
		most = f.last
	}
	var seq int64
	var id string
	err := f.db.QueryRowContext(ctx, `SELECT seq, id FROM runs WHERE seq <= $1 ORDER BY seq DESC LIMIT 1`, most).Scan(&seq, &id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		seq = 0
	case err != nil:
		return err
	case f.begun && seq == f.last && id != f.lastID:
		seq, id = seq-1, ""
	}
	f.last, f.lastID, f.begun = seq, id, true
	return nil
}

// canContinue returns the runs that can continue. The statuses are part of the text, so that SQLite
// uses the indexes of such runs.
func (f *follower) canContinue(ctx context.Context) (map[int64]mark, error) {
	open := map[int64]mark{}
	err := f.rows(ctx, func(rows *sql.Rows) error {
		var seq int64
		var now mark
		err := rows.Scan(&seq, &now.status, &now.events)
		open[seq] = now
		return err
	}, `SELECT * FROM (SELECT seq, status, events FROM runs WHERE status = 'running' AND ($1 = '' OR file = $1) ORDER BY seq DESC LIMIT $2) AS running
		UNION ALL SELECT * FROM (SELECT seq, status, 0 FROM runs WHERE `+isAdrift+` AND ($1 = '' OR file = $1) ORDER BY seq DESC LIMIT $2) AS interrupted`,
		f.file, followOpen)
	return open, err
}

// fresh returns the first runs after the newest that is known, also those of other files.
func (f *follower) fresh(ctx context.Context) (seqs []int64, err error) {
	err = f.rows(ctx, func(rows *sql.Rows) error {
		err := rows.Scan(&f.last, &f.lastID)
		seqs = append(seqs, f.last)
		return err
	}, `SELECT seq, id FROM runs WHERE seq > $1 ORDER BY seq LIMIT $2`, f.last, followMost)
	return seqs, err
}

// runs returns runs by their numbers, without those of other files and those that were deleted.
func (f *follower) runs(ctx context.Context, seqs []int64) (found []Run, err error) {
	numbers, list := parameters(seqs)
	err = f.rows(ctx, func(rows *sql.Rows) error {
		r, err := scanRun(rows)
		if err == nil && (f.file == "" || r.File == f.file) {
			found = append(found, r)
		}
		return err
	}, `SELECT `+runColumns+` FROM runs WHERE status <> 'deleting' AND seq IN (`+list+`) ORDER BY seq`, numbers...)
	return found, err
}

// rows calls scan for each row of a query.
func (f *follower) rows(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := f.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// parameters returns values as the parameters of a statement, and the list of their names.
func parameters[T any](values []T) (args []any, list string) {
	for i, v := range values {
		if i > 0 {
			list += ","
		}
		args, list = append(args, v), list+"$"+strconv.Itoa(i+1)
	}
	return args, list
}
