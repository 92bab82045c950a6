package journal

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolgraph/execution"
)

// DefaultList is how many runs a Filter without Limit selects at most.
const DefaultList = 50

const runColumns = `id, tool, status, file, server, graph, args, started, ended, last, steps, nested, bytes, durable, lost, resumed, failure, facts, owner, sum, ` + isOld + `, ` + parkedNow + `, due`

// parkedNow is 1 for a run that is parked, else 0.
const parkedNow = `CASE WHEN ` + isParked + ` THEN 1 ELSE 0 END`

// reader returns the database for reading: with the events that this process has queued, and with
// the runs of dead processes marked as interrupted. The error is ErrNoStore when there is none.
func (s *Store) reader(ctx context.Context) (*sql.DB, error) {
	return s.readerAfter(ctx, s.data.Sweep)
}

// unendedReader is reader for who reads only runs that have not ended, or no runs: others may still be packed.
func (s *Store) unendedReader(ctx context.Context) (*sql.DB, error) {
	return s.readerAfter(ctx, s.sweepDead)
}

func (s *Store) sweepDead(ctx context.Context) error {
	if packer, packs := s.data.(Packer); packs {
		return packer.SweepDead(ctx)
	}
	return s.data.Sweep(ctx)
}

func (s *Store) readerAfter(ctx context.Context, sweep func(context.Context) error) (*sql.DB, error) {
	s.writer.flush()
	db, err := s.data.Open(ctx, false)
	if err != nil || s.opts.ReadOnly {
		s.countRead(err)
		return db, err
	}
	return db, s.readFault(sweep(ctx))
}

// List returns the runs that the filter selects, the newest first. It reads up to 16 MiB of them
// to find damaged ones.
func (s *Store) List(ctx context.Context, f Filter) ([]Run, error) {
	where, args := f.where()
	return s.verifiedIn(ctx, s.reader, where, args...)
}

// verifiedIn returns the runs that a clause selects, the damaged ones marked.
func (s *Store) verifiedIn(ctx context.Context, open func(context.Context) (*sql.DB, error), where string, args ...any) ([]Run, error) {
	runs, err := s.queryIn(ctx, open, where, args...)
	if err != nil {
		return nil, err
	}
	return runs, s.verifyListed(ctx, runs)
}

// query returns the runs that a clause selects, in its order.
func (s *Store) query(ctx context.Context, where string, args ...any) ([]Run, error) {
	return s.queryIn(ctx, s.reader, where, args...)
}

func (s *Store) queryIn(ctx context.Context, open func(context.Context) (*sql.DB, error), where string, args ...any) ([]Run, error) {
	db, err := open(ctx)
	if errors.Is(err, ErrNoStore) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT `+runColumns+` FROM runs`+where, args...)
	if err != nil {
		return nil, s.readFault(err)
	}
	defer rows.Close()
	var runs []Run
	for rows.Next() {
		r, err := scanRun(rows)
		if err != nil {
			return nil, s.readFault(err)
		}
		runs = append(runs, r)
	}
	return runs, s.readFault(rows.Err())
}

// where returns the filter as SQL, with order and limit.
func (f Filter) where() (clause string, args []any) {
	all, args := f.terms()
	clause = " WHERE " + strings.Join(all, " AND ") + " ORDER BY seq DESC"
	if f.Limit >= 0 {
		args = append(args, cmp.Or(f.Limit, DefaultList))
		clause += " LIMIT $" + strconv.Itoa(len(args))
	}
	return clause, args
}

// terms returns what a run has to be, as terms of SQL.
func (f Filter) terms() (all []string, args []any) {
	all = []string{"status <> 'deleting'"}
	value := func(v any) string {
		args = append(args, v)
		return "$" + strconv.Itoa(len(args))
	}
	add := func(terms ...string) { all = append(all, strings.Join(terms, "")) }
	status := f.Status
	switch f.Status {
	case Waiting:
		status = ""
		add("(status = 'running' AND ", isWaiting, " OR ", isParked, ")")
	case Running:
		add("NOT ", isWaiting)
	case Interrupted:
		status = ""
		add(isAdrift)
	case Finished, Failed, Cancelled:
	}
	for _, equal := range [][2]string{{"tool", f.Tool}, {"status", string(status)}, {"file", f.File}} {
		if equal[1] != "" {
			add(equal[0], " = ", value(equal[1]))
		}
	}
	if f.Old {
		add(canContinue, " AND ", isOld)
	}
	if !f.Since.IsZero() {
		add("started >= ", value(f.Since.UnixMicro()))
	}
	if !f.Until.IsZero() {
		add("started < ", value(f.Until.UnixMicro()))
	}
	if f.Before != "" {
		add("seq < (SELECT seq FROM runs WHERE id = ", value(f.Before), ")")
	}
	if f.Text != "" { // the text has a part that can be removed
		const text = "lower(id || ' ' || tool || ' ' || args || ' ' || failure)"
		add("replace(", text, ", lower(", value(f.Text), "), '') <> ", text)
	}
	return all, args
}

// Run returns one run, by its id, the beginning of its id, or "last". The error wraps
// ErrNotFound, or lists some of the runs that the beginning selects.
func (s *Store) Run(ctx context.Context, id string) (Run, error) {
	where, args := ` WHERE id >= $1 AND id < $2 AND status <> 'deleting' ORDER BY id LIMIT 4`, []any{id, id + "\U0010FFFF"}
	if id == "last" {
		where, args = ` WHERE status <> 'deleting' ORDER BY seq DESC LIMIT 1`, nil
	}
	found, err := s.query(ctx, where, args...)
	switch {
	case err != nil:
		return Run{}, err
	case len(found) == 0 || id == "":
		return Run{}, notFound(id)
	case len(found) == 1 || found[0].ID == id:
		return found[0], found[0].damage()
	}
	var names []string
	for _, r := range found {
		names = append(names, fmt.Sprintf("%s (%s, %s)", r.ID, r.Tool, r.Started.Local().Format(time.DateTime)))
	}
	return Run{}, fmt.Errorf("the ids of several runs begin with %q: %s; give more of the id", id, strings.Join(names, ", "))
}

// noRuns is ErrNotFound for a store without runs.
type noRuns struct{}

func (noRuns) Error() string        { return "no runs are recorded yet" }
func (noRuns) Is(target error) bool { return target == ErrNotFound }

func notFound(id string) error {
	if id == "last" {
		return noRuns{}
	}
	return fmt.Errorf("%w: %q; toolgraph runs list shows the recorded runs", ErrNotFound, id)
}

// DamagedError is the error of a run that is not in the store as it was recorded.
type DamagedError struct {
	Run   string
	Place string // "event 3", "its row"
	Err   error
}

// Error names the place and the remedy.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("run %s is damaged: %s; none of its data is reliable: delete it with toolgraph runs rm %s", e.Run, e.why(), e.Run)
}

func (e *DamagedError) why() string {
	if e.Place == "" {
		return e.Err.Error()
	}
	return e.Place + ": " + e.Err.Error()
}

func (e *DamagedError) Unwrap() error { return e.Err }

// scanRun reads the row of a run. A damaged row gives a Run with Damaged.
func scanRun(from *sql.Rows) (Run, error) {
	var r Run
	var started, ended, last int64
	var failure, known string
	var sum sql.NullInt64
	var old bool
	var due int64
	into := []any{
		&r.ID, &r.Tool, &r.Status, &r.File, &r.Server, &r.Graph, &r.Args,
		&started, &ended, &last, &r.Steps, &r.Nested, &r.Bytes, &r.Durable, &r.Lost, &r.Resumed, &failure, &known, &r.Owner, &sum, &old, &r.Parked, &due,
	}
	if err := from.Scan(into...); err != nil {
		values := make([]any, len(into))
		for i := range values {
			into[i] = &values[i]
		}
		if from.Scan(into...) != nil {
			return Run{}, err
		}
		return Run{ID: fmt.Sprint(values[0]), Damaged: fmt.Sprintf("its row: %v", errFrame)}, nil
	}
	r.Started, r.Ended = timeOf(started), timeOf(ended)
	r.Duration = float64(max(0, last-started)) / 1000
	if failure != "" {
		r.Failure = &execution.Failure{}
		if err := json.Unmarshal([]byte(failure), r.Failure); err != nil {
			r.Failure, r.Damaged = nil, fmt.Sprintf("its row: %v", errFrame)
		}
	}
	var f facts
	if err := f.read(known); err != nil {
		r.Damaged = fmt.Sprintf("its row: %v", errFrame)
	}
	r.Question, r.Beside, r.Questions, r.Spilled, r.ForkedFrom, r.Usage = f.Question, f.Beside, f.Questions, f.Spilled, f.Forked, usageOf((*execution.Used)(f.Used))
	if !slices.Contains(Statuses, r.Status) || r.Status == Waiting ||
		sum.Valid && sum.Int64 != rowSum(r.ID, r.Tool, r.File, r.Server, r.Graph, r.Args, started, r.Durable) {
		r.Damaged = fmt.Sprintf("its row: %v", errSum)
	}
	if r.Status == Running && r.Question != nil {
		r.Status = Waiting
	}
	if r.Parked {
		if r.Status = Waiting; due < noDue {
			r.Due = timeOf(due)
		}
	}
	if r.InProgress() {
		r.Process = processOf(r.Owner)
	}
	r.Old = old && r.canContinue()
	return r, nil
}

// damage returns the error of a damaged run, else nil.
func (r Run) damage() error {
	if r.Damaged == "" {
		return nil
	}
	return &DamagedError{Run: r.ID, Err: errors.New(r.Damaged)}
}

// Verify reads a run and returns a *DamagedError when it is not in the store as it was recorded.
func (s *Store) Verify(ctx context.Context, r Run) error {
	if err := r.damage(); err != nil {
		return err
	}
	found := Run{Status: Running}
	var counted Counts
	var summed bool
	var latest, last int64
	var known facts
	err := s.walk(ctx, r.ID, position{}, func(f frame) (bool, error) {
		found.Status, found.Ended, found.Failure = Running, time.Time{}, nil
		summed, last = f.of.summed, micros(f.event.Time)
		latest = max(latest, last)
		counted.count(&f.event)
		found.Lost += f.event.Lost
		known.follow(&f.event)
		if end := f.event.End; end != nil {
			found.Status, found.Ended, found.Failure = Finished, timeOf(last), end.Failure
			if end.Failure != nil {
				found.Status = statusOf(end.Failure)
			}
		}
		if f.value.kind == spilled {
			_, err := f.packed()
			return true, err
		}
		return true, nil
	})
	found.Steps, found.Nested = counted.Steps, counted.Nested
	found.Question, found.Beside, found.Questions, found.Spilled, found.ForkedFrom, found.Usage = known.Question, known.Beside, known.Questions, known.Spilled, known.Forked, usageOf((*execution.Used)(known.Used))
	took := func(last int64) float64 { return float64(max(0, last-micros(r.Started))) / 1000 }
	if err != nil || !summed || r.InProgress() || r.like(found) && (r.Duration == took(last) || r.Duration == took(latest)) {
		return err
	}
	now, err := s.Run(ctx, r.ID)
	if err != nil || now.Duration != r.Duration || now.Status != r.Status || now.Steps != r.Steps { // it has continued meanwhile
		return err
	}
	return &DamagedError{Run: r.ID, Place: "its row", Err: errSum}
}

// like reports whether the row of a run agrees with its events.
func (r Run) like(found Run) bool {
	if r.Steps != found.Steps || r.Nested != found.Nested || r.Lost != found.Lost || r.facts().text() != found.facts().text() {
		return false
	}
	if r.CanResume() { // claiming a run removes its end
		return r.Ended.IsZero() && r.Failure == nil && (found.Status == Running || found.Status == Failed)
	}
	return r.Status == found.Status && r.Ended.Equal(found.Ended) && textOf(r.Failure) == textOf(found.Failure)
}

func textOf(f *execution.Failure) string {
	text, err := json.Marshal(f)
	if err != nil {
		return ""
	}
	return string(text)
}

// listVerified is how many bytes of the runs of a list are read to find damaged ones. Verify
// reads a whole run.
const listVerified = 16 << 20

// verifyListed marks the damaged runs.
func (s *Store) verifyListed(ctx context.Context, runs []Run) error {
	left := int64(listVerified)
	for i := range runs {
		if left -= max(0, runs[i].Bytes); left < 0 {
			return nil
		}
		var damaged *DamagedError
		err := s.Verify(ctx, runs[i])
		switch {
		case errors.As(err, &damaged):
			runs[i].Damaged = damaged.why()
		case err != nil && !errors.Is(err, ErrNotFound): // it was deleted meanwhile
			return err
		}
	}
	return nil
}
