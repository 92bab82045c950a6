package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// DefaultList is how many runs a Filter without Limit selects at most.
const DefaultList = 50

const runColumns = `id, tool, status, file, server, graph, args, started, ended, last, steps, bytes, durable, lost, resumed, failure, sum`

// reader is the database for those who look at runs: with what this process has handed
// over, and with the runs of dead processes told apart. The error is errNoStore when
// there is none.
func (s *Store) reader(ctx context.Context) (*sql.DB, error) {
	s.writer.flush()
	db, err := s.database(false)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	fixed := s.fixed
	s.mu.Unlock()
	if fixed {
		return db, nil
	}
	if err := sweep(ctx, db, s.dir); err != nil && codeOf(err) != sqlite3.SQLITE_READONLY {
		return nil, aboutStore(s.Path(), err)
	}
	return db, nil
}

// List are the runs that the filter selects, the newest first.
func (s *Store) List(ctx context.Context, f Filter) ([]Run, error) {
	where, args := f.where()
	return s.selected(ctx, where, args...)
}

// selected are the runs that a clause selects, in its order.
func (s *Store) selected(ctx context.Context, where string, args ...any) ([]Run, error) {
	db, err := s.reader(ctx)
	if errors.Is(err, errNoStore) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT `+runColumns+` FROM runs`+where, args...)
	if err != nil {
		return nil, aboutStore(s.Path(), err)
	}
	defer rows.Close()
	var runs []Run
	for rows.Next() {
		r, err := scanRun(rows)
		if err != nil {
			return nil, aboutStore(s.Path(), err)
		}
		runs = append(runs, r)
	}
	if err := rows.Err(); err != nil {
		return nil, aboutStore(s.Path(), err)
	}
	return runs, s.verifyListed(ctx, runs)
}

// where is the filter as SQL, order and limit included.
func (f Filter) where() (clause string, args []any) {
	all := []string{"status <> 'deleting'"}
	add := func(term string, values ...any) {
		all = append(all, term)
		args = append(args, values...)
	}
	if f.Tool != "" {
		add("tool = ?", f.Tool)
	}
	if f.Status != "" {
		add("status = ?", f.Status)
	}
	if f.File != "" {
		add("file = ?", f.File)
	}
	if !f.Since.IsZero() {
		add("started >= ?", f.Since.UnixMicro())
	}
	if !f.Until.IsZero() {
		add("started < ?", f.Until.UnixMicro())
	}
	if f.Before != "" {
		add("seq < (SELECT seq FROM runs WHERE id = ?)", f.Before)
	}
	if f.Text != "" {
		add("instr(lower(id || ' ' || tool || ' ' || args || ' ' || failure), lower(?)) > 0", f.Text)
	}
	clause = " WHERE " + strings.Join(all, " AND ")
	limit := f.Limit
	if limit == 0 {
		limit = DefaultList
	}
	return clause + " ORDER BY seq DESC LIMIT ?", append(args, limit) // below 0: no limit
}

// Run is one run, by its id, the beginning of its id, or "last". The error is
// ErrNotFound, or names some of the runs that it could be.
func (s *Store) Run(ctx context.Context, id string) (Run, error) {
	db, err := s.reader(ctx)
	if errors.Is(err, errNoStore) {
		return Run{}, notFound(id)
	}
	if err != nil {
		return Run{}, err
	}
	query, args := `SELECT `+runColumns+` FROM runs WHERE id >= ? AND id < ? AND status <> 'deleting' ORDER BY id LIMIT 4`, []any{id, id + "\U0010FFFF"}
	if id == "last" {
		query, args = `SELECT `+runColumns+` FROM runs WHERE status <> 'deleting' ORDER BY seq DESC LIMIT 1`, nil
	}
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return Run{}, aboutStore(s.Path(), err)
	}
	defer rows.Close()
	var found []Run
	for rows.Next() {
		r, err := scanRun(rows)
		if err != nil {
			return Run{}, aboutStore(s.Path(), err)
		}
		if r.ID == id {
			return r, r.damage()
		}
		found = append(found, r)
	}
	if err := rows.Err(); err != nil {
		return Run{}, aboutStore(s.Path(), err)
	}
	return only(id, found)
}

// only is the one run that was found.
func only(id string, found []Run) (Run, error) {
	switch {
	case len(found) == 0 || id == "":
		return Run{}, notFound(id)
	case len(found) == 1:
		return found[0], found[0].damage()
	}
	var names []string
	for _, r := range found {
		names = append(names, fmt.Sprintf("%s (%s, %s)", r.ID, r.Tool, r.Started.Local().Format(time.DateTime)))
	}
	return Run{}, fmt.Errorf("several runs begin with %q: %s; give more of the id", id, strings.Join(names, ", "))
}

// noRuns is ErrNotFound where there is no run at all.
type noRuns struct{}

func (noRuns) Error() string        { return "no runs are kept yet" }
func (noRuns) Is(target error) bool { return target == ErrNotFound }

func notFound(id string) error {
	if id == "last" {
		return noRuns{}
	}
	return fmt.Errorf("%w: %q; toolgraph runs list tells which there are", ErrNotFound, id)
}
