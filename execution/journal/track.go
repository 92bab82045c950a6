package journal

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"reflect"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// track is a run that is being written. It belongs to the writer's goroutine.
type track struct {
	Pending
	view  *view
	facts facts
	gap   bool // the last event was not recorded as it was

	hurries bool         // something about a call that is not safe to repeat is neither written nor kept ahead
	noted   bool         // there may be notes of the run
	settled []settlement // that are not written

	chunkWriter        // of the chunk that is being filled
	sums        []byte // of its frames
	sum         uint32 // the last of them
	first       int    // its first event
	before      int    // steps before it

	// The last value of each open frame, and of the open answer, to recognise it; that of the run's
	// own frame is apart.
	root   recent
	recent map[execution.Address]recent
}

// recent is a value and how it is stored.
type recent struct {
	value  value.Value
	stored stored
	chunk  int // its first event
	place  int // among the values of the chunk, from 1
}

// skip counts the steps that were lost before an event.
func (c *Counts) skip(e *execution.Event) {
	if e.Record != nil && e.Lost > 0 && e.Record.Frame == "" {
		c.Steps = max(c.Steps, e.Record.Index)
	}
}

// count counts a record.
func (c *Counts) count(e *execution.Event) {
	if e.Record == nil {
		return
	}
	c.skip(e)
	c.Steps++
	if e.Record.Frame != "" || e.Record.Part != "" {
		c.Nested++
	}
}

const (
	spillFrom    = 64 << 10 // bytes of JSON from which a value has a row of its own
	chunkMost    = 64 << 10 // bytes
	usualChunk   = 256      // bytes
	usualEvents  = 8
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
		t.before = t.Steps
	}
	if value := body(&e); value != nil {
		if v, err = t.store(&e, *value, size); err != nil {
			return err
		}
	}
	t.gap = e.End == nil && (t.gap || e.Lost > 0 || v.isGap())
	if t.body == nil {
		t.body, t.sums = make([]byte, 0, usualChunk), make([]byte, 0, usualEvents*sumSize)
	}
	frame := len(t.body)
	if err = t.event(e, t.view.secrets); err != nil {
		return err
	}
	t.value(v)
	if len(t.sums) == 0 {
		t.sum = chunkSum(t.ID, t.first, t.before)
		if t.body[frame] == startForm {
			t.sum = rowPart(t.sum, e.Start.Tool, e.Start.Graph)
		}
	}
	t.sum = crc32.Update(t.sum, castagnoli(), t.body[frame:])
	t.sums = binary.BigEndian.AppendUint32(t.sums, t.sum)
	t.update(e, v)
	if len(t.body) >= chunkMost || t.Events-t.first >= chunkEvents {
		t.endChunk()
	}
	return nil
}

// update updates the row.
func (t *track) update(e execution.Event, v stored) {
	t.Events++
	t.Lost += e.Lost
	t.Last = micros(e.Time)
	if e.Question != nil {
		e.Question = bareQuestion(e.Question, t.view.secrets)
	}
	t.facts.follow(&e)
	switch {
	case e.Start != nil:
		t.Started, t.Tool, t.Graph, t.Args = t.Last, e.Start.Tool, e.Start.Graph, shown(v)
		t.File, t.Server, t.Durable = t.view.about.File, t.view.about.Server, t.view.store != nil && t.view.store.opts.Durable
		t.Sum = rowSum(t.ID, t.Tool, t.File, t.Server, t.Graph, t.Args, t.Started, t.Durable)
	case e.Record != nil:
		t.count(&e)
	case e.End != nil:
		t.Ended, t.Status, t.Failure = t.Last, Finished, ""
		if f := withoutSecrets(e.End.Failure, t.view.secrets); f != nil {
			t.Status = statusOf(f)
			if text, err := json.Marshal(f); err == nil {
				t.Failure = string(text)
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
		if v, err = t.encode(got, size); err != nil { // the run has a gap there, and the others are not affected
			if v, err = t.encode((&Gap{Reason: Unwritten}).value(), 0); err != nil {
				return v, err
			}
			t.gap = true
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
		if len(t.recent) > 0 {
			if known, ok = t.recent[e.Record.At()]; ok && identical(got, known.value) {
				return known, true
			}
		}
		frame = e.Record.Frame
	}
	if frame == "" {
		return t.root, t.root.value != nil && identical(got, t.root.value)
	}
	known, ok = t.recent[frame]
	return known, ok && identical(got, known.value)
}

// remember remembers the value of an event for the next one of its frame. What is below the event
// has ended.
func (t *track) remember(e *execution.Event, value recent) {
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
	if frame == "" {
		t.root = value
		return
	}
	if t.recent == nil {
		t.recent = map[execution.Address]recent{}
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
	if len(t.recent) == 0 { // there is no other frame
		return
	}
	if r.Part == "" && (r.Parts > 0 || r.Error != nil || r.NodeType == config.StepsNode) { // parts that were cancelled have left theirs
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
	raw, err := value.Append(make([]byte, 0, size), got)
	if err != nil {
		return stored{}, err
	}
	v := stored{kind: inline, json: t.view.secrets.RedactJSON(raw)}
	v.redacted = !bytes.Equal(v.json, raw)
	v.bytes = len(v.json)
	if v.bytes < spillFrom {
		return v, nil
	}
	t.Spilled++
	packed := deflate(v.json)
	t.Spills = append(t.Spills, Spill{ID: t.Spilled, Body: packed, Sum: spillSum(t.ID, t.Spilled, packed)})
	return stored{kind: spilled, redacted: v.redacted, spill: t.Spilled, bytes: v.bytes}, nil
}

// endChunk ends the chunk that is being filled.
func (t *track) endChunk() {
	if len(t.body) == 0 {
		return
	}
	t.Chunks = append(t.Chunks, Chunk{First: t.first, Before: t.before, Body: t.body, Sums: t.sums})
	t.chunkWriter, t.sums, t.first, t.before = chunkWriter{hasRow: t.hasRow}, nil, t.Events, t.Steps
}

// finish returns what is to be written.
func (t *track) finish() *Pending {
	t.endChunk()
	for _, c := range t.Chunks {
		t.Bytes += int64(len(c.Body)) + headerWeight
	}
	for _, s := range t.Spills {
		t.Bytes += int64(len(s.Body)) + headerWeight
	}
	if t.Seq == 0 && t.Status != Running && len(t.Chunks) == 1 {
		t.Body, t.Chunks = t.Chunks[0], nil
	}
	t.Facts, t.hurries = t.facts.text(), false
	return &t.Pending
}

// soFar returns what is to be written, without ending its chunk, if that is not more than a chunk that is being filled.
func (t *track) soFar() (p Pending, ok bool) {
	if len(t.Chunks) > 0 || len(t.Spills) > 0 {
		return p, false
	}
	p = t.Pending
	p.Bytes += int64(len(t.body)) + headerWeight
	p.Facts = t.facts.text()
	chunk := Chunk{First: t.first, Before: t.before, Body: t.body, Sums: t.sums}
	if p.Seq == 0 && p.Status != Running {
		p.Body = chunk
	} else {
		p.Chunks = []Chunk{chunk}
	}
	return p, true
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
