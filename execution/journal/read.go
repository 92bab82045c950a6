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
	"toolgraph/expressions"
)

// walk gives the frames of a run to visit, from the chunk with a step on, until visit
// wants no more.
func (s *Store) walk(ctx context.Context, id string, step int, visit func(frame) (more bool, err error)) error {
	db, err := s.reader(ctx)
	if errors.Is(err, errNoStore) {
		return notFound(id)
	}
	if err != nil {
		return err
	}
	var seq int64
	err = db.QueryRowContext(ctx, `SELECT seq FROM runs WHERE id = ?`, id).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		return notFound(id)
	}
	if err != nil {
		return aboutStore(s.Path(), err)
	}
	for n := -1; ; {
		part, err := nextChunk(ctx, db, seq, n, step)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return aboutStore(s.Path(), err)
		}
		n = part.first
		more, err := part.walk(frame{ctx: ctx, db: db, id: id, run: seq, step: part.before}, visit)
		if err != nil {
			return fmt.Errorf("run %s: %w", id, err)
		}
		if !more {
			return nil
		}
	}
}

// nextChunk is the chunk after event n; at the beginning, the one with the step.
func nextChunk(ctx context.Context, db *sql.DB, run int64, n, step int) (chunk, error) {
	query, args := `SELECT n, step, body FROM chunks WHERE run = ? AND n > ? ORDER BY n LIMIT 1`, []any{run, n}
	if n < 0 && step > 0 {
		query, args = `SELECT n, step, body FROM chunks WHERE run = ? AND step <= ? ORDER BY n DESC LIMIT 1`, []any{run, step}
	}
	var c chunk
	err := db.QueryRowContext(ctx, query, args...).Scan(&c.first, &c.before, &c.body)
	return c, err
}

func (c chunk) walk(f frame, visit func(frame) (bool, error)) (more bool, err error) {
	r := chunkReader{rest: c.body, run: f.id}
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
	}
	return true, nil
}

// frame is one event while a run is read.
type frame struct {
	ctx   context.Context //nolint:containedctx // lives as long as one walk
	db    *sql.DB
	id    string
	run   int64
	step  int             // records before it
	event execution.Event // without its value
	value stored
}

// kept is the frame's value, of which the first most bytes are wanted (0: all).
func (f frame) kept(most int) (Kept, error) {
	k := Kept{Bytes: f.value.bytes, Nothing: f.value.kind == noValue && f.event.Record != nil && f.event.Record.Nothing()}
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
	if most > 0 && len(k.JSON) > most {
		k.JSON = CutText(k.JSON, most)
	}
	k.Cut = len(k.JSON) < k.Bytes
	return k, nil
}

// spill is a value that has a row of its own, or a little more than the beginning that
// is wanted.
func (f frame) spill(most int) ([]byte, error) {
	var packed []byte
	err := f.db.QueryRowContext(f.ctx, `SELECT body FROM spills WHERE run = ? AND id = ?`, f.run, f.value.spill).Scan(&packed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errFrame, err)
	}
	size := f.value.bytes
	if most > 0 && most < size {
		size = most + len("😀") // so that a character is not taken for damaged when it is cut
		size = min(size, f.value.bytes)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(packed)), text); err != nil {
		return nil, fmt.Errorf("%w: %w", errFrame, err)
	}
	return text, nil
}

// whole is the event with its value; what is not kept is replaced by a note.
func (f frame) whole() (execution.Event, *Gap, error) {
	e := f.event
	k, err := f.kept(0)
	if err != nil || k.JSON == nil {
		return e, nil, err
	}
	value, err := expressions.Decode(k.JSON)
	if err != nil {
		return e, nil, fmt.Errorf("%w: %w", errFrame, err)
	}
	if gap, isNote := GapOf(value); isNote && k.Gap == nil { // of a run that was imported
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

// Load are all events of a run in order. A value with a gap is replaced by a note,
// an object that says so; see GapOf.
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

// placeOf names an event.
func placeOf(e execution.Event) string {
	switch {
	case e.Record != nil:
		return fmt.Sprintf("step %d (node %q)", e.Record.Index, e.Record.NodeID)
	case e.Step != nil:
		return fmt.Sprintf("the call of step %d (node %q)", e.Step.Index, e.Step.NodeID)
	}
	return "its end"
}

// nameOf names the value of an event.
func nameOf(e execution.Event) string {
	if e.Record == nil {
		return "its arguments"
	}
	return fmt.Sprintf("the output of step %d (node %q)", e.Record.Index, e.Record.NodeID)
}

// Arguments are the arguments of a run, at most so many bytes of them (0: all).
func (s *Store) Arguments(ctx context.Context, id string, most int) (Kept, error) {
	var args Kept
	err := s.walk(ctx, id, 0, func(f frame) (more bool, err error) {
		if f.event.Start != nil {
			args, err = f.kept(most)
			args.JSON = bytes.Clone(args.JSON)
		}
		return false, err
	})
	return args, err
}

// Steps are the records of a run from an index on, at most limit of them (0: all), and
// of each output the first most bytes (0: the whole).
func (s *Store) Steps(ctx context.Context, id string, from, limit, most int) ([]Step, error) {
	var steps []Step
	err := s.walk(ctx, id, from, func(f frame) (bool, error) {
		if f.event.Record == nil || f.step < from {
			return true, nil
		}
		output, err := f.kept(most)
		if err != nil {
			return false, err
		}
		output.JSON = bytes.Clone(output.JSON) // the chunk is larger than what is wanted of it
		f.event.Record.Output = nil
		steps = append(steps, Step{Record: *f.event.Record, Output: output})
		return limit <= 0 || len(steps) < limit, nil
	})
	return steps, err
}
