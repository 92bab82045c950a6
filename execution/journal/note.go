package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"toolgraph/execution"
)

// note is a call-started that must survive the process although it waits in the queue,
// as the lease of the process has it.
type note struct {
	Event execution.Event `json:"event"`
	Begin *beginning      `json:"begin,omitempty"` // nil: the run has its row
}

// beginning is what the row of a run is made of, when the process may die before it is
// written: without its row nobody would know of the call.
type beginning struct {
	File   string `json:"file,omitempty"`
	Server string `json:"server,omitempty"`
	First  []byte `json:"first"` // the frame of its run-started; secrets are redacted
}

// A noteForm says what of a run without a row is in a note.
type noteForm int

const (
	wholeNote noteForm = iota // with its arguments
	shortNote                 // without: such a run is not resumed
)

// note writes a call down in the lease of this process and reports whether that is
// enough to know of it. It is not when the lease cannot be written, or when the run has no
// row yet and arguments that are too long for a whole note: then the run waits for its row.
func (w *writer) note(e execution.Event, form noteForm) bool {
	w.mu.Lock()
	start, unwritten := w.unwritten[e.Run]
	recorded := w.lost.runs[e.Run] != unrecorded
	w.mu.Unlock()
	if !recorded {
		return true // nothing of the run can be resumed
	}
	l, err := w.store.leaseOf()
	if err != nil {
		return false
	}
	n := note{Event: e}
	if unwritten {
		if form == shortNote {
			first := *start.event.Start
			first.Args = (&Gap{Reason: Unwritten}).value()
			start.event.Start, start.size = &first, 0
		}
		t := track{view: start.view, row: row{id: e.Run}}
		if start.size >= slotSize || t.add(start.event, start.size) != nil {
			return false
		}
		n.Begin = &beginning{File: t.view.about.File, Server: t.view.about.Server, First: t.body}
	}
	text, err := json.Marshal(n)
	return err == nil && l.note(e.Run, text)
}

// written forgets how runs began that have their rows now.
func (w *writer) written(touched []*track) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range touched {
		delete(w.unwritten, t.id)
	}
}

// add adds the noted call to its run, unless what came after the call is in the database
// as well. A run without a row gets one.
func (n note) add(ctx context.Context, tx *sql.Tx, owner string) error {
	if err := n.begin(ctx, tx, owner); err != nil {
		return err
	}
	var seq int64
	var events, steps int
	err := tx.QueryRowContext(ctx, `SELECT seq, events, steps FROM runs WHERE id = ? AND owner = ? AND status = 'running'`,
		n.Event.Run, owner).Scan(&seq, &events, &steps)
	if errors.Is(err, sql.ErrNoRows) || err == nil && n.Event.Step.Index < steps {
		return nil
	}
	if err != nil {
		return err
	}
	if known, err := n.isLast(ctx, tx, seq); err != nil || known {
		return err
	}
	head, err := json.Marshal(n.Event)
	if err != nil {
		return err
	}
	frame := appendValue(appendBytes(nil, head), stored{})
	if _, err := tx.ExecContext(ctx, insertChunk, seq, events, steps, frame, sumOf(n.Event.Run, events, steps, frame)); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE runs SET events = events + 1, last = max(last, ?) WHERE seq = ?`, micros(n.Event.Time), seq)
	return err
}

// begin gives the run its row and its first event, if it has none.
func (n note) begin(ctx context.Context, tx *sql.Tx, owner string) error {
	if n.Begin == nil {
		return nil
	}
	var known int
	err := tx.QueryRowContext(ctx, `SELECT 1 FROM runs WHERE id = ?`, n.Event.Run).Scan(&known)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	r := chunkReader{rest: n.Begin.First, run: n.Event.Run}
	first, value, err := r.next()
	if err != nil || first.Start == nil || first.Run != n.Event.Run {
		return nil //nolint:nilerr // a note that is damaged keeps nobody from the other runs
	}
	t := &track{view: &view{about: About{File: n.Begin.File, Server: n.Begin.Server}}, row: row{id: first.Run, status: Running}}
	t.note(first, value)
	t.chunks = []chunk{{body: n.Begin.First}}
	t.weigh()
	done, err := tx.ExecContext(ctx, insertRun, t.columns(owner, false)...)
	if err != nil {
		return err
	}
	seq, err := done.LastInsertId()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, insertChunk, seq, 0, 0, n.Begin.First, sumOf(first.Run, 0, 0, n.Begin.First))
	return err
}

// isLast reports whether the last event of a run is the one that was noted.
func (n note) isLast(ctx context.Context, tx *sql.Tx, seq int64) (bool, error) {
	r := chunkReader{run: n.Event.Run}
	err := tx.QueryRowContext(ctx, `SELECT body FROM chunks WHERE run = ? ORDER BY n DESC LIMIT 1`, seq).Scan(&r.rest)
	var last execution.Event
	for err == nil && len(r.rest) > 0 {
		last, _, err = r.next()
	}
	return last.Kind == n.Event.Kind && last.Step != nil && last.Step.Index == n.Event.Step.Index, err
}
