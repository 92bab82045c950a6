package journal

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"reflect"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

// track is a run that is being written: its row, and its chunks and spills for the next
// transaction. It belongs to the writer's goroutine.
type track struct {
	row
	view *view

	chunkWriter        // of the chunk that is being filled
	sums        []byte // of its frames
	first       int    // its first event
	before      int    // steps before it
	chunks      []chunk
	spills      []spill

	recent map[execution.Address]recent // the last value of each open frame, and of the open answer, to recognise it
	newer  bool                         // versions before this one cannot read an unwritten event
}

// recent is a value and how it is stored.
type recent struct {
	value  value.Value
	stored stored
	chunk  int // its first event
	place  int // among the values of the chunk, from 1
}

// row is the row of a run in table runs.
type row struct {
	seq    int64 // 0: not inserted yet
	id     string
	tool   string
	graph  string
	args   string
	status Status

	started, ended, latest time.Time
	events                 int
	counts
	spilled int // values
	bytes   int64
	lost    int    // events
	failure string // JSON, or empty
	facts   facts
}

// counts are the numbers of records in the row of a run. steps includes those before a record of
// the run's own frame that were lost.
type counts struct{ steps, nested int }

// skip counts the steps that were lost before an event.
func (c *counts) skip(e *execution.Event) {
	if e.Record != nil && e.Lost > 0 && e.Record.Frame == "" {
		c.steps = max(c.steps, e.Record.Index)
	}
}

// count counts a record.
func (c *counts) count(e *execution.Event) {
	if e.Record == nil {
		return
	}
	c.skip(e)
	c.steps++
	if e.Record.Frame != "" || e.Record.Part != "" {
		c.nested++
	}
}

type chunk struct {
	first, before int
	body          []byte
	sums          []byte // nil: of the first versions
}

type spill struct {
	id   int
	body []byte
}

const (
	spillFrom    = 64 << 10 // bytes of JSON from which a value has a row of its own
	chunkMost    = 64 << 10 // bytes
	chunkEvents  = 512
	headerWeight = 64 // bytes of a row of SQLite besides its content, about
)

// add adds an event. size is that of its value as JSON; 0 when it is not known.
func (t *track) add(e execution.Event, size int) error {
	var v stored
	var err error
	if e.Lost > 0 && e.Record != nil {
		t.endChunk() // a chunk names its first step
		t.skip(&e)
		t.before = t.steps
	}
	if value := body(&e); value != nil {
		if v, err = t.store(&e, *value, size); err != nil {
			return err
		}
	}
	frame := len(t.body)
	if err = t.event(e, t.view.secrets); err != nil {
		return err
	}
	t.value(v)
	t.sums = appendSum(t.sums, chunkSum(t.id, t.first, t.before), t.body[frame:])
	t.update(e, v)
	if len(t.body) >= chunkMost || t.events-t.first >= chunkEvents {
		t.endChunk()
	}
	return nil
}

// update updates the row.
func (t *track) update(e execution.Event, v stored) {
	t.events++
	t.lost += e.Lost
	t.latest = e.Time
	t.newer = t.newer || isNewer(&e)
	if e.Question != nil {
		e.Question = bareQuestion(e.Question, t.view.secrets)
	}
	t.facts.follow(&e)
	switch {
	case e.Start != nil:
		t.started, t.tool, t.graph = e.Time, e.Start.Tool, e.Start.Graph
		t.args = shown(v)
	case e.Record != nil:
		t.count(&e)
	case e.End != nil:
		t.ended, t.status, t.failure = e.Time, Finished, ""
		if f := withoutSecrets(e.End.Failure, t.view.secrets); f != nil {
			t.status = statusOf(f)
			if text, err := json.Marshal(f); err == nil {
				t.failure = string(text)
			}
		}
	}
}

// statusOf returns the status of a run that has failed.
func statusOf(f *execution.Failure) Status {
	if f.Code == execution.CodeCancelled {
		return Cancelled
	}
	return Failed
}

// shown returns the beginning of the arguments.
func shown(v stored) string {
	if v.kind != inline {
		return ""
	}
	return string(wording.Head(v.json, ArgsShown))
}

// store decides how the value of an event is stored. A list that is made of parts is not stored,
// and neither is a value that passes on: from a step to the next one of its frame, or from a frame
// to the step that it belongs to.
func (t *track) store(e *execution.Event, got value.Value, size int) (v stored, err error) {
	known, isKnown := t.recognise(e, got)
	switch {
	case isKnown:
		v = known.stored
		if back := t.values + 1 - known.place; known.chunk == t.first && (v.kind == inline || v.kind == ofParts) {
			if v = (stored{kind: earlier, back: back}); back == 1 {
				v = stored{kind: same}
			}
		} // else a spilled value is referred to again, a small one written again
	case e.Record != nil && e.Record.Parts > 0:
		v = stored{kind: ofParts}
		known.stored = stored{kind: ofParts, of: e.Record.At()}
	default:
		if v, err = t.encode(got, size); err != nil {
			return v, err
		}
		known.stored = v
	}
	t.remember(e, recent{value: got, stored: known.stored, chunk: t.first, place: t.values + 1})
	return v, nil
}

// recognise returns a value that the store has: the last one of the event's frame, or of the frame
// below it.
func (t *track) recognise(e *execution.Event, got value.Value) (known recent, ok bool) {
	frame := execution.Address("")
	if e.Record != nil {
		if known, ok = t.recent[e.Record.At()]; ok && identical(got, known.value) {
			return known, true
		}
		frame = e.Record.Frame
	}
	if known, ok = t.recent[frame]; ok && identical(got, known.value) {
		return known, true
	}
	return recent{}, false
}

// remember remembers the value of an event for the next one of its frame. What is below the event
// has ended.
func (t *track) remember(e *execution.Event, value recent) {
	if t.recent == nil {
		t.recent = map[execution.Address]recent{}
	}
	frame := execution.Address("")
	if e.Answer != nil {
		frame = e.At() // the output of the ask
	}
	if r := e.Record; r != nil {
		frame = r.Frame
		t.forget(r)
		if r.Part != "" {
			return
		}
	}
	t.recent[frame] = value
}

// forget drops the values of the frames below a record.
func (t *track) forget(r *execution.Record) {
	if len(t.recent) == 0 {
		return
	}
	at := r.At()
	delete(t.recent, at)
	if len(t.recent) < 2 { // there is no other frame
		return
	}
	if r.Part == "" && (r.Parts > 0 || r.Error != nil) { // parts that were cancelled have left theirs
		for frame := range t.recent {
			if at.Contains(frame) {
				delete(t.recent, frame)
			}
		}
	}
}

// encode encodes a value, unless it is too large.
func (t *track) encode(got value.Value, size int) (stored, error) {
	limit := t.view.store.opts.MaxValue
	if size == 0 {
		size = value.Size(got)
	}
	if size > limit {
		return stored{kind: tooLarge, bytes: size, limit: limit}, nil
	}
	raw, err := value.Encode(got)
	if err != nil {
		return stored{}, err
	}
	v := stored{kind: inline, json: t.view.secrets.RedactJSON(raw)}
	v.redacted = !bytes.Equal(v.json, raw)
	v.bytes = len(v.json)
	if v.bytes < spillFrom {
		return v, nil
	}
	t.spilled++
	t.spills = append(t.spills, spill{id: t.spilled, body: deflate(v.json)})
	return stored{kind: spilled, redacted: v.redacted, spill: t.spilled, bytes: v.bytes}, nil
}

// endChunk ends the chunk that is being filled.
func (t *track) endChunk() {
	if len(t.body) == 0 {
		return
	}
	t.chunks = append(t.chunks, chunk{first: t.first, before: t.before, body: t.body, sums: t.sums})
	t.chunkWriter, t.sums, t.first, t.before = chunkWriter{}, nil, t.events, t.steps
}

// weigh adds the unwritten chunks and spills to the size of the run.
func (t *track) weigh() {
	for _, c := range t.chunks {
		t.bytes += int64(len(c.body)) + headerWeight
	}
	for _, s := range t.spills {
		t.bytes += int64(len(s.body)) + headerWeight
	}
}

// columns returns the values of insertRun.
func (t *track) columns(owner string, durable bool) []any {
	return []any{
		t.id, t.tool, t.status, t.view.about.File, t.view.about.Server, t.graph, t.args,
		micros(t.started), micros(t.ended), micros(t.latest), t.events, t.steps, t.nested, t.spilled, t.bytes, t.lost, durable, t.failure, owner, t.facts.text(),
		rowSum(t.id, t.tool, t.view.about.File, t.view.about.Server, t.graph, t.args, micros(t.started), durable),
	}
}

func deflate(text []byte) []byte {
	var b bytes.Buffer
	// Writes into memory do not fail, and the level exists.
	w, _ := flate.NewWriter(&b, flate.BestSpeed)
	_, _ = w.Write(text)
	_ = w.Close()
	return b.Bytes()
}

// identical reports whether two values are the same in memory, without comparing what is inside
// them. Scalars never are: writing them again is shorter.
func identical(a, b value.Value) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if x.Kind() != y.Kind() {
		return false
	}
	switch x.Kind() {
	case reflect.Slice:
		return x.Len() == y.Len() && x.Len() > 0 && x.Pointer() == y.Pointer()
	case reflect.String:
		return x.Len() > shortText && x.String() == y.String()
	case reflect.Map, reflect.Pointer:
		return x.Pointer() == y.Pointer()
	}
	return false
}

// shortText is the length of a text up to which comparing it is not worth the time.
const shortText = 64
