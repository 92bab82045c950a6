package journal

import (
	"bytes"
	"compress/flate"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

// walk calls visit with the frames of a run, from the chunk with a step on, until visit returns
// false. The error is a *DamagedError when a frame is not as it was stored, or is missing.
func (s *Store) walk(ctx context.Context, id string, step int, visit func(frame) (more bool, err error)) error {
	db, err := s.reader(ctx)
	if errors.Is(err, errNoStore) {
		return notFound(id)
	}
	if err != nil {
		return err
	}
	var run stretch
	row := db.QueryRowContext(ctx, `SELECT seq, events, sum IS NOT NULL FROM runs WHERE id = ? AND status <> 'deleting'`, id)
	switch err := row.Scan(&run.seq, &run.end, &run.summed); {
	case errors.Is(err, sql.ErrNoRows):
		return notFound(id)
	case err != nil:
		return aboutStore(s.Path(), err)
	}
	for more := true; more; {
		if more, err = run.walk(ctx, db, id, step, visit); err != nil {
			return s.explain(ctx, db, id, run.next, err)
		}
	}
	return nil
}

// explain returns why an event could not be read.
func (s *Store) explain(ctx context.Context, db *sql.DB, id string, event int, err error) error {
	if codeOf(err) != 0 {
		return aboutStore(s.Path(), err)
	}
	if !errors.Is(err, errFrame) && !errors.Is(err, errSum) {
		return fmt.Errorf("run %s: %w", id, err)
	}
	var known int
	if gone := db.QueryRowContext(ctx, `SELECT 1 FROM runs WHERE id = ? AND status <> 'deleting'`, id).Scan(&known); errors.Is(gone, sql.ErrNoRows) {
		return notFound(id) // it was deleted meanwhile
	}
	return &DamagedError{Run: id, Place: fmt.Sprintf("event %d", event+1), Err: err}
}

// stretch is the part of a run that was not read yet.
type stretch struct {
	seq       int64
	begun     bool
	next, end int  // events
	summed    bool // it has checksums
}

// walk goes through the next chunk.
func (p *stretch) walk(ctx context.Context, db *sql.DB, id string, step int, visit func(frame) (bool, error)) (more bool, err error) {
	part, err := nextChunk(ctx, db, p.seq, p.next, p.begun, step)
	if errors.Is(err, sql.ErrNoRows) {
		if p.next < p.end {
			return false, fmt.Errorf("%w: it is missing", errFrame)
		}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !p.begun && step > 0 {
		p.next = part.first
	}
	p.begun = true
	if part.first != p.next || p.summed && part.sums == nil {
		return false, fmt.Errorf("%w: it is missing", errFrame)
	}
	r := chunkReader{rest: part.body, run: id}
	if part.sums != nil {
		r.sums = &sums{rest: part.sums, last: chunkSum(id, part.first, part.before)}
	}
	f := frame{ctx: ctx, db: db, id: id, run: p.seq, summed: p.summed, step: part.before}
	for len(r.rest) > 0 {
		if f.event, f.value, err = r.next(); err != nil {
			return false, err
		}
		if more, err = visit(f); err != nil || !more {
			return false, err
		}
		if f.event.Record != nil {
			f.step++
		}
		p.next++
	}
	if p.next == part.first || r.sums != nil && len(r.sums.rest) > 0 {
		return false, fmt.Errorf("%w: it is missing", errFrame)
	}
	return true, nil
}

// nextChunk returns the chunk with event n or a later one; at the beginning, the one with the
// step.
func nextChunk(ctx context.Context, db *sql.DB, run int64, n int, begun bool, step int) (chunk, error) {
	query, args := `SELECT n, step, body, sums FROM chunks WHERE run = ? AND n >= ? ORDER BY n LIMIT 1`, []any{run, n}
	if !begun && step > 0 {
		query, args = `SELECT n, step, body, sums FROM chunks WHERE run = ? AND step <= ? ORDER BY n DESC LIMIT 1`, []any{run, step}
	}
	var c chunk
	err := db.QueryRowContext(ctx, query, args...).Scan(&c.first, &c.before, &c.body, &c.sums)
	return c, err
}

// frame is one event while a run is read.
type frame struct {
	ctx    context.Context //nolint:containedctx // lives as long as one walk
	db     *sql.DB
	id     string
	run    int64
	summed bool            // the run has checksums
	step   int             // records before it
	event  execution.Event // without its value
	value  stored
}

// recorded returns the frame's value, the first most bytes of it (0: all).
func (f frame) recorded(most int) (Recorded, error) {
	k := Recorded{Bytes: f.value.bytes, Nothing: f.value.kind == noValue && f.event.Record != nil && f.event.Record.Nothing()}
	if f.value.redacted {
		k.Gap = &Gap{Reason: Redacted}
	}
	var err error
	switch f.value.kind {
	case inline:
		k.JSON = f.value.json
	case spilled:
		if k.JSON, err = f.spill(most); err != nil {
			return k, err
		}
	case tooLarge:
		k.Gap = &Gap{Reason: TooLarge, Bytes: f.value.bytes, Limit: f.value.limit}
		k.JSON = k.Gap.note()
		return k, nil
	}
	if most > 0 {
		k.JSON = wording.Head(k.JSON, most)
	}
	k.Truncated = len(k.JSON) < k.Bytes
	return k, nil
}

// spill returns a value with a row of its own, or a little more than its first most bytes.
func (f frame) spill(most int) ([]byte, error) {
	packed, err := f.packed()
	if err != nil {
		return nil, err
	}
	size := f.value.bytes
	if most > 0 && most < size {
		size = most + len("😀") // so that the last character is whole
		size = min(size, f.value.bytes)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(packed)), text); err != nil {
		return nil, fmt.Errorf("%w: %w", errFrame, err)
	}
	return text, nil
}

// packed returns the row of such a value.
func (f frame) packed() ([]byte, error) {
	var packed []byte
	var sum sql.NullInt64
	row := f.db.QueryRowContext(f.ctx, `SELECT body, sum FROM spills WHERE run = ? AND id = ?`, f.run, f.value.spill)
	switch err := row.Scan(&packed, &sum); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("%w: its value is missing", errFrame)
	case err != nil && codeOf(err) == 0:
		return nil, fmt.Errorf("%w: %w", errFrame, err)
	case err != nil:
		return nil, err
	case sum.Valid && sum.Int64 != spillSum(f.id, f.value.spill, packed):
		return nil, errSum
	}
	return packed, nil
}

// whole returns the event with its value; a value that was not recorded is replaced by a note.
func (f frame) whole() (execution.Event, *Gap, error) {
	e := f.event
	k, err := f.recorded(0)
	if err != nil || k.JSON == nil {
		return e, nil, err
	}
	value, err := value.Decode(k.JSON)
	if err != nil {
		return e, nil, fmt.Errorf("%w: %w", errFrame, err)
	}
	if gap, isNote := GapOf(value); isNote && k.Gap == nil { // of an imported run
		k.Gap = &gap
	}
	switch {
	case e.Start != nil:
		e.Start.Args = value
	case e.Record != nil:
		e.Record.Output = value
	case e.End != nil:
		e.End.Value = value
	}
	return e, k.Gap, nil
}

// Load returns all events of a run in order. A value with a gap is replaced by a note, an object
// that has the gap; see GapOf.
func (s *Store) Load(ctx context.Context, id string) ([]execution.Event, error) {
	return s.load(ctx, id, false)
}

// load is Load; strict, a gap is an error.
func (s *Store) load(ctx context.Context, id string, strict bool) ([]execution.Event, error) {
	var events []execution.Event
	err := s.walk(ctx, id, 0, func(f frame) (bool, error) {
		e, gap, err := f.whole()
		if e.Lost > 0 && strict {
			return false, &GapError{Run: id, What: fmt.Sprintf("%d events before %s", e.Lost, placeOf(e)), Gap: Gap{Reason: Unwritten}}
		}
		if gap != nil && strict && e.End == nil {
			return false, &GapError{Run: id, What: nameOf(e), Gap: *gap}
		}
		events = append(events, e)
		return true, err
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

// placeOf names an event, for messages.
func placeOf(e execution.Event) string {
	switch {
	case e.Record != nil:
		return fmt.Sprintf("step %d (node %q)", e.Record.Index, e.Record.NodeID)
	case e.Step != nil:
		return fmt.Sprintf("the call of step %d (node %q)", e.Step.Index, e.Step.NodeID)
	}
	return "its end"
}

// nameOf names the value of an event, for messages.
func nameOf(e execution.Event) string {
	if e.Record == nil {
		return "its arguments"
	}
	return fmt.Sprintf("the output of step %d (node %q)", e.Record.Index, e.Record.NodeID)
}

// Arguments returns the arguments of a run, the first most bytes of them (0: all).
func (s *Store) Arguments(ctx context.Context, id string, most int) (Recorded, error) {
	var args Recorded
	err := s.walk(ctx, id, 0, func(f frame) (more bool, err error) {
		if f.event.Start != nil {
			args, err = f.recorded(most)
			args.JSON = bytes.Clone(args.JSON)
		}
		return false, err
	})
	return args, err
}

// Steps returns the records of a run from an index on, at most limit of them (0: all), and of
// each output the first most bytes (0: all).
func (s *Store) Steps(ctx context.Context, id string, from, limit, most int) ([]Step, error) {
	var steps []Step
	err := s.walk(ctx, id, from, func(f frame) (bool, error) {
		if f.event.Record == nil || f.step < from {
			return true, nil
		}
		output, err := f.recorded(most)
		if err != nil {
			return false, err
		}
		output.JSON = bytes.Clone(output.JSON) // so that the whole chunk is not held in memory
		f.event.Record.Output = nil
		steps = append(steps, Step{Record: *f.event.Record, Output: output})
		return limit <= 0 || len(steps) < limit, nil
	})
	return steps, err
}
