package fold

import (
	"slices"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// History is what a run has done, by frame and part: a fold over its events. Each frame has a
// list of its own, as a run has that calls no other graph. Safe for concurrent use.
type History struct {
	mu     sync.RWMutex // guards what follows
	frames map[execution.Address]*frame
	parts  map[execution.Address]*parts // of executions that have parts
	all    []execution.Record           // in the order in which they came
	log    []logged
	flight flight
	begun  time.Time   // when the run began; zero: not yet
	ended  time.Time   // when it ended; zero: not yet
	taken  int         // of the log of another history, by Follow
	vars   value.Value // constants that the run has recorded; nil: none

	changing []string // the steps that may change something, see execution.Start
}

// logged is an event: a record of all, or what began.
type logged struct {
	record int // -1: none
	begun  *execution.Visit
	parts  *execution.Parts
	kind   execution.EventKind // of what began
	at     time.Time
	held   time.Duration // how long the run was held before begun
}

// frame is the history of one frame.
type frame struct {
	tool    string             // whose graph it runs; empty: the run's own, or not known yet
	records []execution.Record // of whole executions, and edits
	open    *execution.Visit   // the execution, or its part, that has begun; nil when it is unknown
}

// parts are the parts of one execution.
type parts struct {
	begun  execution.Parts
	ended  map[string]execution.Record // by their names
	first  map[string]execution.Record // of those that were edited: as they ended
	failed int
	caught int // onError took their failure
	idle   int // steps that were not run
	turns  int // that have begun, of a step that is repeated
}

// NewHistory returns the history of a run that has not begun.
func NewHistory() *History {
	return &History{frames: map[execution.Address]*frame{}, parts: map[execution.Address]*parts{}, flight: newFlight()}
}

// Add adds an event. Those that say nothing of a step are ignored.
func (h *History) Add(e execution.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e.Start != nil {
		h.vars, h.begun, h.changing = e.Start.Vars, e.Time, e.Start.Changing
	}
	h.ended = time.Time{}
	if e.Kind == execution.RunFinished { // the last event; of a run that is resumed, others follow
		h.ended = e.Time
	}
	if e.Step != nil {
		h.begin(logged{record: -1, begun: e.Step, parts: e.Parts, kind: e.Kind, at: e.Time})
	}
	if e.Record != nil {
		h.add(*e.Record)
	}
}

// Follow adds what another history has and this one does not have yet, with each record as change
// returns it. A history follows one other.
func (h *History) Follow(other *History, change func(execution.Record) execution.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	other.mu.RLock()
	news, records := other.log[h.taken:], other.all
	h.vars, h.begun, h.ended, h.changing = other.vars, other.begun, other.ended, other.changing
	other.mu.RUnlock() // what is there never changes
	for _, l := range news {
		switch {
		case l.held > 0:
			h.hold(l)
		case l.begun != nil:
			h.begin(l)
		default:
			h.add(change(records[l.record]))
		}
	}
	h.taken += len(news)
}

// Began returns when the run began; the zero time before that.
func (h *History) Began() time.Time {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.begun
}

// Ended returns when the run ended; the zero time before that.
func (h *History) Ended() time.Time {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.ended
}

// Changing returns the steps of the run that may change something, as execution.Start has them. The caller must not
// change the slice.
func (h *History) Changing() []string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.changing
}

// begin notes that a step or part is about to run, or that its parts are. h.mu is held.
func (h *History) begin(l logged) {
	h.log = append(h.log, l)
	h.flight.begin(l)
	f := h.frame(l.begun.Frame, l.begun.Graph)
	f.open = l.begun
	if l.parts != nil {
		h.partsOf(l.begun.At()).begun = *l.parts
	}
	h.beginTurns(l.begun.At())
}

// add adds a record. h.mu is held.
func (h *History) add(r execution.Record) {
	h.log = append(h.log, logged{record: len(h.all)})
	h.all = append(h.all, r)
	h.flight.end(&r)
	f := h.frame(r.Frame, r.Tool)
	if r.Part == "" {
		f.records = append(f.records, r)
		return
	}
	at := r.At()
	p := h.partsOf(at.Outer())
	if was, ended := p.ended[at.Name()]; ended && r.Edited { // the step stays as it was, with another value
		if p.first == nil {
			p.first = map[string]execution.Record{}
		}
		if !was.Edited {
			p.first[at.Name()] = was
		}
		was.Output, was.Bytes, was.Parts, was.Edited = r.Output, r.Bytes, 0, true
		p.ended[at.Name()] = was
		return
	}
	p.ended[at.Name()] = r
	if r.Error != nil {
		p.failed++
	}
	if r.Handled != nil {
		p.caught++
	}
	if r.Skipped {
		p.idle++
	}
	h.beginTurns(at)
}

// frame returns a frame, which begins when it is first named. h.mu is held.
func (h *History) frame(at execution.Address, tool string) *frame {
	f := h.frames[at]
	if f == nil {
		f = &frame{}
		h.frames[at] = f
	}
	if tool != "" {
		f.tool = tool
	}
	return f
}

// partsOf returns the parts of an execution. h.mu is held.
func (h *History) partsOf(at execution.Address) *parts {
	p := h.parts[at]
	if p == nil {
		p = &parts{ended: map[string]execution.Record{}}
		h.parts[at] = p
	}
	return p
}

// Len returns how many records there are, those of parts and edits among them.
func (h *History) Len() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.all)
}

// All returns the records from a number on in the order in which they came. They must not be
// changed.
func (h *History) All(from int) []execution.Record {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return slices.Clip(h.all[min(max(from, 0), len(h.all)):])
}

// Sorted returns all records in the order of their addresses.
func (h *History) Sorted() []execution.Record {
	all := slices.Clone(h.All(0))
	slices.SortStableFunc(all, func(a, b execution.Record) int { return h.Compare(a.At(), b.At()) })
	return all
}

// Has reports whether a frame has begun.
func (h *History) Has(at execution.Address) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.frames[at] != nil
}

// Records returns the records of a frame by their index, without those of parts. They must not
// be changed.
func (h *History) Records(at execution.Address) []execution.Record {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if f := h.frames[at]; f != nil {
		return slices.Clip(f.records)
	}
	return nil
}

// Record returns the record of an execution, an edit or a part.
func (h *History) Record(at execution.Address) (execution.Record, bool) {
	frame, index, part := at.Split()
	if part == "" {
		records := h.Records(frame)
		if index >= 0 && index < len(records) {
			return records[index], true
		}
		return execution.Record{}, false
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	if p := h.parts[at.Outer()]; p != nil {
		r, ok := p.ended[at.Name()]
		return r, ok
	}
	return execution.Record{}, false
}

// Tool returns the tool whose graph a frame runs; empty for the run's own, and for a frame that
// has not begun.
func (h *History) Tool(at execution.Address) string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if f := h.frames[at]; f != nil {
		return f.tool
	}
	return ""
}

// Open returns the execution of a frame that has begun and has no record, or the part at which it
// is; nil when there is none. The journal does not record when a graph is called: of a recorded
// run, only the index of such an execution is known.
func (h *History) Open(at execution.Address) *execution.Visit {
	h.mu.RLock()
	defer h.mu.RUnlock()
	f := h.frames[at]
	if f == nil {
		return nil
	}
	next := len(f.records)
	switch {
	case f.open != nil && f.open.Index >= next:
		return f.open
	case h.parts[execution.AddressOf(at, next, "")] != nil, h.frames[execution.AddressOf(at, next, "")] != nil:
		return &execution.Visit{Frame: at, Index: next, Graph: f.tool}
	}
	return nil
}

// Callers returns the executions and parts that have called a frame, from the inside out. It is
// empty for the run's own frame.
func Callers(frame execution.Address) (all []execution.Address) {
	for ; frame != ""; frame = frame.Frame() {
		all = append(all, frame)
	}
	return all
}
