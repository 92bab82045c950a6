package journal

import (
	"encoding/json"
	"iter"
	"slices"

	"toolgraph/execution"
)

// Note is a call-started in the lease of its process: it must survive the process although it
// waits in the queue.
type Note struct {
	Event execution.Event `json:"event"`
	Begin *beginning      `json:"begin,omitempty"` // nil: the run has its row
}

// beginning is the data for the row of a run that the process may not live to write: without a
// row the call would be unknown.
type beginning struct {
	File   string `json:"file,omitempty"`
	Server string `json:"server,omitempty"`
	First  []byte `json:"first"` // the frame of its run-started; secrets are redacted

	text []byte // as JSON
}

// MaxNote is the length of the longest note, in bytes.
const MaxNote = 2047

// ReadNote reads a note; ok is false for anything else.
func ReadNote(text []byte) (n Note, ok bool) {
	ok = json.Unmarshal(text, &n) == nil && n.Event.Step != nil
	return n, ok
}

// Beginning returns the row and the first event of the noted run. It is nil when the run has its row, and for a damaged note,
// which is skipped, so that the others are read.
func (n Note) Beginning() *Pending {
	if n.Begin == nil {
		return nil
	}
	r := chunkReader{ByteReader: NewByteReader(n.Begin.First), run: n.Event.Run}
	first, value, err := r.next()
	if err != nil || first.Start == nil || first.Run != n.Event.Run {
		return nil
	}
	t := &track{view: &view{about: About{File: n.Begin.File, Server: n.Begin.Server}}}
	t.ID, t.Status = first.Run, Running
	t.update(first, value)
	t.Chunks = []Chunk{{Body: n.Begin.First, Sums: sumOf(first.Run, 0, 0, n.Begin.First)}}
	return t.finish()
}

// NotedCalls returns the noted calls of a run that its chunks do not have, and no outcome of them, in the order of their
// addresses, as a chunk after so many events and steps. calls is how many there are, last the time of the last. A damaged
// run, which cannot be resumed, has none.
func NotedCalls(notes []Note, events, steps int, chunks iter.Seq[[]byte]) (c Chunk, calls int, last int64, err error) {
	run := notes[0].Event.Run
	open := openCalls{}
	for i, n := range notes {
		at := n.Event.Step.At()
		if before, isOpen := open[at]; !isOpen || attemptOf(before.visit) < attemptOf(n.Event.Step) {
			open[at] = openCall{visit: n.Event.Step, note: &notes[i]}
		}
	}
	for body := range chunks {
		r := chunkReader{ByteReader: NewByteReader(body), run: run}
		for r.Len() > 0 {
			e, _, err := r.next()
			if err != nil {
				return Chunk{}, 0, 0, nil // reading the run returns the error
			}
			open.event(&e)
		}
	}
	c = Chunk{First: events, Before: steps}
	for _, call := range open.sorted() {
		if call.note == nil {
			continue
		}
		head, err := json.Marshal(call.note.Event)
		if err != nil {
			return Chunk{}, 0, 0, err
		}
		frame := appendValue(AppendBytes(nil, head), stored{})
		c.Body, c.Sums = append(c.Body, frame...), appendSum(c.Sums, chunkSum(run, events, steps), frame)
		last, calls = max(last, micros(call.note.Event.Time)), calls+1
	}
	return c, calls, last, nil
}

// NoteName names a note of a run.
type NoteName struct {
	At      execution.Address
	Attempt int
}

func nameOfNote(v *execution.Visit) NoteName { return NoteName{At: v.At(), Attempt: attemptOf(v)} }

// settlement is an event that ends noted calls: a record, which ends what it closes, or a failed attempt.
type settlement struct {
	record closer
	failed NoteName // empty: it is a record
}

// settles keeps what of an event erases notes, once it is in the database.
func (t *track) settles(e *execution.Event) {
	switch {
	case e.Kind == execution.CallStarted && e.Sync:
		t.noted = true
	case !t.noted:
	case e.Record != nil:
		t.settled = append(t.settled, settlement{record: closerOf(e.Record)})
	case e.Kind == execution.AttemptFailed:
		t.settled = append(t.settled, settlement{failed: nameOfNote(e.Step)})
	}
}

// settle erases the notes of calls whose outcome is in the database with what was written of a run.
func (s *Store) settle(t *track) {
	switch {
	case s.noter == nil:
	case t.Status != Running:
		// A note would restore the run when that is deleted and the process is killed.
		s.forget(t.ID)
	case len(t.settled) > 0:
		s.noter.Erase(t.ID, func(n NoteName) bool {
			return slices.ContainsFunc(t.settled, func(by settlement) bool { return by.ends(n) })
		})
	}
	t.settled = t.settled[:0]
}

func (s settlement) ends(n NoteName) bool {
	return n == s.failed || s.failed == NoteName{} && s.record.closes(n.At)
}

// forget erases the notes of a run.
func (s *Store) forget(run string) {
	if s.noter != nil {
		s.noter.Erase(run, func(NoteName) bool { return true })
	}
}

// A noteForm says how much of a run without a row is in a note.
type noteForm int

const (
	wholeNote noteForm = iota // with its arguments
	shortNote                 // without: such a run is not resumed
)

// note writes a call into the lease of this process and reports whether the call survives the
// process that way. It does not when the lease cannot be written, or when the run has no row yet
// and its arguments are too long for a whole note: then the run waits for its row.
func (w *writer) note(e execution.Event, form noteForm) bool {
	if w.store.noter == nil {
		return false
	}
	w.mu.Lock()
	begun, isUnwritten := w.unwritten[e.Run]
	recorded := w.lost.runs[e.Run] != unrecorded
	w.mu.Unlock()
	if !recorded {
		return true // nothing of the run can be resumed
	}
	n := Note{Event: e}
	if isUnwritten {
		if n.Begin = begun.noted; form == shortNote || n.Begin == nil {
			n.Begin = begun.beginning(e.Run, form)
		}
		if n.Begin == nil {
			return false
		}
		if form == wholeNote && begun.noted == nil {
			w.remember(e.Run, n.Begin)
		}
	}
	memory := noteTexts.Get().(*[MaxNote + 1]byte)
	defer noteTexts.Put(memory)
	text, err := n.append(memory[:0])
	return err == nil && w.store.noter.Note(e.Run, nameOfNote(e.Step), text)
}

// beginning returns the data for the row of a run; nil if that is too long for a note.
func (u *unwritten) beginning(run string, form noteForm) *beginning {
	first, size := execution.Event{Kind: execution.RunStarted, Run: run, Time: u.at, Start: u.start}, u.size
	if form == shortNote {
		start := *u.start
		start.Args = (&Gap{Reason: Unwritten}).value()
		first.Start, size = &start, 0
	}
	if size >= MaxNote {
		return nil
	}
	t := track{view: u.view}
	t.body = make([]byte, 0, usualChunk)
	args, err := t.encode(first.Start.Args, size)
	if err != nil || t.event(first, u.view.secrets) != nil {
		return nil
	}
	t.value(args)
	return newBeginning(t.view.about, t.body)
}

// remember lets the later notes of a run have the same beginning.
func (w *writer) remember(run string, b *beginning) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if u, isUnwritten := w.unwritten[run]; isUnwritten {
		u.noted = b
		w.unwritten[run] = u
	}
}

// written drops the beginnings of runs that have their rows now, and ends the work on those that have
// ended.
func (w *writer) written(touched []*track) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range touched {
		delete(w.unwritten, t.ID)
		if t.Status != Running {
			delete(w.working, t.ID)
		}
	}
}
