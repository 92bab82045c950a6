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
	"toolgraph/internal/base/wording"
)

// position is where reading a run begins: in the chunk with an event, or with a step of a run
// without frames and parts. The zero value is the beginning.
type position struct {
	column string // of table chunks
	n      int
}

func atEvent(n int) position { return position{"n", n} }
func atStep(n int) position  { return position{"step", n} }

// walk calls visit with the frames of a run, from the chunk at a position on, until visit returns
// false. The error is a *DamagedError when a frame is not as it was stored, or is missing.
func (s *Store) walk(ctx context.Context, id string, from position, visit func(frame) (more bool, err error)) error {
	run, err := s.stretch(ctx, id)
	if err != nil {
		return err
	}
	return run.walk(ctx, from, visit)
}

// stretch returns a run to read.
func (s *Store) stretch(ctx context.Context, id string) (*stretch, error) {
	db, err := s.reader(ctx)
	if errors.Is(err, ErrNoStore) {
		return nil, notFound(id)
	}
	if err != nil {
		return nil, err
	}
	run := &stretch{store: s, db: db, id: id}
	row := db.QueryRowContext(ctx, `SELECT seq, tool, graph, events, sum IS NOT NULL, body, sums FROM runs WHERE id = $1 AND status <> 'deleting'`, id)
	switch err := row.Scan(&run.seq, &run.tool, &run.graph, &run.end, &run.summed, &run.first.Body, &run.first.Sums); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, notFound(id)
	case err != nil:
		return nil, s.readFault(err)
	}
	return run, nil
}

// explain returns why an event could not be read.
func (s *Store) explain(ctx context.Context, db *sql.DB, id string, event int, err error) error {
	if s.data.Trouble(err) != NoTrouble {
		return s.readFault(err)
	}
	if !errors.Is(err, errFrame) && !errors.Is(err, errSum) {
		return fmt.Errorf("run %s: %w", id, err)
	}
	var known int
	if gone := db.QueryRowContext(ctx, `SELECT 1 FROM runs WHERE id = $1 AND status <> 'deleting'`, id).Scan(&known); errors.Is(gone, sql.ErrNoRows) {
		return notFound(id) // it was deleted meanwhile
	}
	return &DamagedError{Run: id, Place: fmt.Sprintf("event %d", event+1), Err: err}
}

// stretch is the part of a run that was not read yet.
type stretch struct {
	store  *Store
	db     *sql.DB
	id     string
	tool   string
	graph  string
	seq    int64
	end    int   // events
	summed bool  // it has checksums
	first  Chunk // when it is in the row of the run; else without a body

	from  position
	begun bool
	next  int // event
}

// walk calls visit with the frames from the chunk at a position on.
func (p *stretch) walk(ctx context.Context, from position, visit func(frame) (more bool, err error)) error {
	p.from, p.begun, p.next = from, false, 0
	for more := true; more; {
		var err error
		if more, err = p.chunk(ctx, visit); err != nil {
			return p.store.explain(ctx, p.db, p.id, p.next, err)
		}
	}
	return nil
}

// chunk goes through the next chunk.
func (p *stretch) chunk(ctx context.Context, visit func(frame) (bool, error)) (more bool, err error) {
	part, err := p.nextChunk(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		if p.next < p.end {
			return false, fmt.Errorf("%w: it is missing", errFrame)
		}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !p.begun && p.from.n > 0 {
		p.next = part.First
	}
	p.begun = true
	if part.First != p.next || p.summed && part.Sums == nil {
		return false, fmt.Errorf("%w: it is missing", errFrame)
	}
	r := chunkReader{ByteReader: NewByteReader(part.Body), run: p.id, tool: p.tool, graph: p.graph}
	if part.Sums != nil {
		r.sums = &sums{rest: part.Sums, last: chunkSum(p.id, part.First, part.Before)}
	}
	f := frame{ctx: ctx, of: p, step: part.Before}
	for len(r.rest) > 0 {
		if f.event, f.value, err = r.next(); err != nil {
			return false, err
		}
		f.n = p.next
		if more, err = visit(f); err != nil || !more {
			return false, err
		}
		if f.event.Record != nil {
			f.step++
		}
		p.next++
	}
	if p.next == part.First || r.sums != nil && len(r.sums.rest) > 0 {
		return false, fmt.Errorf("%w: it is missing", errFrame)
	}
	return true, nil
}

// nextChunk returns the chunk with the next event or a later one; at the beginning, the one at the
// position.
func (p *stretch) nextChunk(ctx context.Context) (c Chunk, err error) {
	const columns = `SELECT n, step, body, sums FROM chunks WHERE run = $1 AND `
	query, n := columns+`n >= $2 ORDER BY n LIMIT 1`, p.next
	seeks := !p.begun && p.from.n > 0
	if seeks {
		query, n = columns+p.from.column+` <= $2 ORDER BY n DESC LIMIT 1`, p.from.n
	} else if p.next == 0 && p.first.Body != nil {
		return p.first, nil
	}
	err = p.db.QueryRowContext(ctx, query, p.seq, n).Scan(&c.First, &c.Before, &c.Body, &c.Sums)
	if seeks && p.first.Body != nil && errors.Is(err, sql.ErrNoRows) {
		return p.first, nil
	}
	return c, err
}

// frame is one event while a run is read.
type frame struct {
	ctx   context.Context //nolint:containedctx // lives as long as one walk
	of    *stretch
	n     int             // its number
	step  int             // records before it
	event execution.Event // without its value
	value stored
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
	row := f.of.db.QueryRowContext(f.ctx, `SELECT body, sum FROM spills WHERE run = $1 AND id = $2`, f.of.seq, f.value.spill)
	switch err := row.Scan(&packed, &sum); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("%w: its value is missing", errFrame)
	case err != nil && f.of.store.data.Trouble(err) == NoTrouble:
		return nil, fmt.Errorf("%w: %w", errFrame, err)
	case err != nil:
		return nil, err
	case sum.Valid && sum.Int64 != spillSum(f.of.id, f.value.spill, packed):
		return nil, errSum
	}
	return packed, nil
}

// whole returns the event with its value; a value that was not recorded is replaced by a note.
func (f frame) whole(all *assembly) (execution.Event, *Gap, error) {
	e := f.event
	all.started(&e)
	if f.value.kind == ofParts {
		setValue(&e, all.make(f.value.of, e.Record))
		all.add(e.Record)
		return e, nil, nil
	}
	k, err := f.recorded(0)
	if err != nil || k.JSON == nil {
		all.add(e.Record)
		return e, nil, err
	}
	value, err := value.Decode(k.JSON)
	if err != nil {
		return e, nil, fmt.Errorf("%w: %w", errFrame, err)
	}
	if gap, isNote := GapOf(value); isNote && k.Gap == nil { // of an imported run
		k.Gap = &gap
	}
	setValue(&e, value)
	all.add(e.Record)
	return e, k.Gap, nil
}

func setValue(e *execution.Event, v value.Value) {
	switch {
	case e.Start != nil:
		e.Start.Args = v
	case e.Answer != nil:
		e.Answer.Content = v
	case e.Record != nil:
		e.Record.Output = v
	case e.End != nil:
		e.End.Value = v
	}
}

// Load returns all events of a run in order. A value with a gap is replaced by a note, an object
// that has the gap; see GapOf.
func (s *Store) Load(ctx context.Context, id string) ([]execution.Event, error) {
	return s.load(ctx, id, func(*execution.Event) bool { return false })
}

// LoadFor returns all events of a run, for a fork of it at a step: a gap before the step is a
// *GapError, and one after it a note as in Load.
func (s *Store) LoadFor(ctx context.Context, id string, at execution.Address) ([]execution.Event, error) {
	before := true
	return s.load(ctx, id, func(e *execution.Event) bool {
		before = before && e.At() != at && !at.Contains(e.At())
		return before
	})
}

// load is Load; a gap of an event that is strict is an error.
func (s *Store) load(ctx context.Context, id string, isStrict func(*execution.Event) bool) ([]execution.Event, error) {
	var events []execution.Event
	all := newAssembly()
	err := s.walk(ctx, id, position{}, func(f frame) (bool, error) {
		e, gap, err := f.whole(all)
		strict := isStrict(&e)
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
		return fmt.Sprintf("step %s (node %q)", e.Record.At(), e.Record.Name())
	case e.Question != nil || e.Answer != nil:
		return fmt.Sprintf("the question of step %s (node %q)", e.Step.At(), e.Step.Name())
	case e.Step != nil:
		return fmt.Sprintf("the call of step %s (node %q)", e.Step.At(), e.Step.Name())
	}
	return "its end"
}

// nameOf names the value of an event, for messages.
func nameOf(e execution.Event) string {
	switch {
	case e.Answer != nil:
		return fmt.Sprintf("the answer to step %s (node %q)", e.Step.At(), e.Step.Name())
	case e.Record == nil:
		return "its arguments"
	}
	return fmt.Sprintf("the output of step %s (node %q)", e.Record.At(), e.Record.Name())
}

// Arguments returns the arguments of a run, the first most bytes of them (0: all).
func (s *Store) Arguments(ctx context.Context, id string, most int) (Recorded, error) {
	var args Recorded
	err := s.walk(ctx, id, position{}, func(f frame) (more bool, err error) {
		if f.event.Start != nil {
			args, err = f.recorded(most)
			args.JSON = bytes.Clone(args.JSON)
		}
		return false, err
	})
	return args, err
}

// Start returns how a run began. Arguments with a gap are a note, as in Load.
func (s *Store) Start(ctx context.Context, id string) (start execution.Start, err error) {
	err = s.walk(ctx, id, position{}, func(f frame) (more bool, err error) {
		e, _, err := f.whole(newAssembly())
		if e.Start != nil {
			start = *e.Start
		}
		return false, err
	})
	return start, err
}

// Steps returns the records of a run without frames and parts, from an index on, at most limit of
// them (0: all), and of each output the first most bytes (0: all). Those of other runs are in a
// History.
func (s *Store) Steps(ctx context.Context, id string, from, limit, most int) ([]Step, error) {
	var steps []Step
	err := s.walk(ctx, id, atStep(from), func(f frame) (bool, error) {
		if f.event.Record == nil || f.step < from {
			return true, nil
		}
		step, err := f.recordedStep(most)
		if err != nil {
			return false, err
		}
		steps = append(steps, step)
		return limit <= 0 || len(steps) < limit, nil
	})
	return steps, err
}

// recordedStep returns the frame of a record with the first most bytes of its output (0: all).
func (f frame) recordedStep(most int) (Step, error) {
	output, err := f.recorded(most)
	output.JSON = bytes.Clone(output.JSON) // so that the whole chunk is not held in memory
	f.event.Record.Output = nil
	return Step{Record: *f.event.Record, Output: output}, err
}
