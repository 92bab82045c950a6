package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"toolgraph/execution"
)

// committer writes batches of events. It belongs to the writer's goroutine.
type committer struct {
	store    *Store
	db       *sql.DB
	runs     map[string]*track
	free     []*track // of runs that have ended, for their memory
	dirty    []*track // those with events that are not written
	reopened []*track // those of them that have a row, since the last call of hasAdded
	last     []*track // those that the last transaction wrote, for their memory
	ahead    []Pending
	size     int   // of what is not written, in bytes, about
	wrong    error // of an event that was added before a transaction; it ends the recording
	load     bool  // the last transaction had many runs that have ended
	bytes    int64 // of the runs that have ended in the last batch
}

// background is the context of transactions, which are never cancelled.
var background = context.Background()

// newCommitter takes the runs of this process and opens the database. The claim is first: calls
// can be noted also while the database is locked.
func newCommitter(s *Store) (*committer, error) {
	if _, err := s.process(background); err != nil {
		return nil, err
	}
	db, err := s.data.Open(background, true)
	return &committer{store: s, db: db, runs: map[string]*track{}}, err
}

// commit writes a batch, and what was added before it, in one transaction, and retries while the store cannot be written.
func (c *committer) commit(batch []queued) error {
	if c.wrong != nil {
		return c.wrong
	}
	for i := range batch {
		if err := c.add(batch, &batch[i]); err != nil {
			return err
		}
	}
	touched := c.leave(batch)
	if err := c.write(batch, touched); err != nil {
		return err
	}
	if err := c.sync(batch, touched); err != nil {
		return err
	}
	c.store.writer.written(touched)
	c.bytes, c.size, c.reopened = 0, 0, c.reopened[:0]
	for _, t := range touched {
		if t.Status != Running && !t.Taken {
			c.bytes += t.Bytes
		}
		c.store.settle(t)
		body, sums := t.Body.Body, t.Body.Sums
		t.Body, t.Chunks, t.Spills = Chunk{}, nil, nil
		if t.Taken {
			c.lose(batch, t.ID, t.Seq != 0) // without a row, another process was the first to begin it
		}
		if t.Status != Running || t.Taken {
			delete(c.runs, t.ID)
			c.recycle(t, body, sums)
		}
	}
	for i := range batch {
		if id := batch[i].release; id != "" {
			if err := c.store.writer.persist(batch, func() error { return c.giveBack(id, batch[i].park) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// write writes the unwritten events of runs.
func (c *committer) write(batch []queued, touched []*track) error {
	if len(touched) == 0 {
		return nil
	}
	unwritten := make([]*Pending, len(touched))
	for i, t := range touched {
		unwritten[i] = t.finish()
	}
	data := c.store.data
	return c.store.writer.persist(batch, func() error { return data.Explain(data.Write(background, unwritten)) })
}

// sync waits once until all that was written survives a crash of the database's server, if a run waits for a
// part of the batch.
func (c *committer) sync(batch []queued, touched []*track) error {
	data, can := c.store.data.(Syncer)
	if !can || !slices.ContainsFunc(batch, func(q queued) bool { return q.done != nil && (q.view != nil || q.sync) }) {
		return nil
	}
	err := c.store.writer.persist(batch, func() error { return c.store.data.Explain(data.Sync(background)) })
	if !errors.Is(err, ErrTaken) {
		return err
	}
	for _, t := range touched { // and all others of this process
		t.Taken = true
	}
	for i := range batch {
		if batch[i].sync {
			release(batch[i:i+1], err)
		}
	}
	return nil
}

// lose ends the recording of a run that another process has taken, or has begun first if this one never had it.
func (c *committer) lose(batch []queued, run string, had bool) {
	c.store.writer.taken(run, had)
	for i := range batch {
		if batch[i].event.Run == run {
			release(batch[i:i+1], takenError(run))
		}
	}
	c.store.forget(run)
}

// recycle takes the memory of a run that has ended, with that of its only chunk.
func (c *committer) recycle(t *track, body, sums []byte) {
	const most = 1024
	if len(c.free) < most && cap(body) <= 4*usualChunk {
		*t = track{sums: sums[:0], settled: t.settled[:0]}
		t.body = body[:0]
		c.free = append(c.free, t)
	}
}

// add adds an event to its run.
func (c *committer) add(batch []queued, q *queued) error {
	if q.view == nil { // a flush
		return nil
	}
	if q.event.Kind == execution.RunStarted && c.runs[q.event.Run] != nil {
		c.beganBefore(q)
		return nil
	}
	t, err := c.track(batch, q)
	if t == nil || err != nil {
		return err
	}
	if len(t.body) == 0 && len(t.Chunks) == 0 {
		c.dirty = append(c.dirty, t)
		if t.Seq != 0 {
			c.reopened = append(c.reopened, t)
		}
	}
	c.size += headerWeight + q.size
	if err := t.add(q.event, q.size); err != nil {
		return fmt.Errorf("an event of run %s cannot be encoded: %w", q.event.Run, err)
	}
	if t.gap {
		t.gap = false
		c.store.writer.hasGaps(t.ID)
	}
	t.hurries = t.hurries || q.hurries()
	if c.store.noter != nil {
		t.settles(&q.event)
	}
	return nil
}

// beganBefore refuses the beginning of a run that this process has begun before: the call of that has got the error that its
// beginning cannot be recorded, and it is recorded nevertheless. No call works on the run, so it is given back, and who begins it
// again joins it.
func (c *committer) beganBefore(q *queued) {
	if q.done != nil {
		q.done <- takenError(q.event.Run)
		q.done = nil
	}
}

// track returns the run of an event, nil when another process has taken it.
func (c *committer) track(batch []queued, q *queued) (*track, error) {
	id := q.event.Run
	t := c.runs[id]
	if t != nil {
		return t, nil
	}
	if n := len(c.free); n > 0 {
		t, c.free = c.free[n-1], c.free[:n-1]
	} else {
		t = &track{}
	}
	t.view, t.hasRow = q.view, true
	t.ID, t.Status = id, Running
	if q.event.Kind != execution.RunStarted {
		var has bool
		err := c.store.writer.persist(batch, func() (err error) {
			has, err = c.resume(t)
			return c.store.data.Explain(err)
		})
		if err != nil {
			return nil, err
		}
		if !has {
			c.lose(batch, id, true)
			return nil, nil
		}
	}
	c.runs[id] = t
	return t, nil
}

// resume reads the row of a run that this process has claimed; ok is false when it has not, or has
// lost the run since.
func (c *committer) resume(t *track) (ok bool, err error) {
	owner, err := c.store.process(background)
	if err != nil {
		return false, err
	}
	row := c.db.QueryRowContext(background,
		`SELECT seq, events, steps, nested, spills, bytes, lost, facts FROM runs WHERE id = $1 AND owner = $2 AND status = 'running'`, t.ID, owner)
	err = row.Scan(&t.Seq, &t.Events, &t.Steps, &t.Nested, &t.Spilled, &t.Bytes, &t.Lost, &t.Facts)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err == nil {
		err = t.facts.read(t.Facts)
	}
	t.first, t.before = t.Events, t.Steps
	return err == nil, err
}

// micros returns a time as the database has it: microseconds since 1970; 0 for the zero time.
func micros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMicro()
}

func timeOf(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}
