package journal

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/execution"
)

// The events that a run has many of have a short form, which begins with its number in place of
// the length of the JSON:
//
//	0, index, length of the id, the id, type, start, duration
//	1, frame, index, part, tool of the frame, id, type, number of parts, start, duration
//	2, frame, index, part, tool of the frame, id, type, attempt, server, tool, digest, time
//	3, time
//	4, time
//	5, time, calls, bytes in, bytes out, number of servers, of each its name, calls and bytes in, length of the chain, its tools
//
// The first is a step of the run's own frame that finished well, with times in ns since 1970. The
// next are such a step of a frame or of a part, or one with parts, and a call. The last are the
// beginning of a run, whose tool and graph are in the row of the run, and its end with a value, without and with what it has used.
// They are a tenth of the JSON, because they refer to what is before them in the chunk: a
// name is 0, its length and its bytes at first, and later 1 and more for the first name, the
// second and so on; a time is the difference from the one before, as a signed varint. A part is 0
// for none, 1 and a name for a branch, or 2 and the number of an item.
const (
	plainForm = iota
	placedForm
	callForm
	startForm // since version 6
	endForm   // since version 6
	usedForm  // since version 10 of SQLite, and 3 of Postgres
)

// shortForms read the events.
var shortForms = [...]func(*chunkReader) (execution.Event, error){
	plainForm: (*chunkReader).plain, placedForm: (*chunkReader).placed, callForm: (*chunkReader).call,
	startForm: (*chunkReader).started, endForm: (*chunkReader).ended, usedForm: (*chunkReader).endedWith,
}

// mostItem is the largest number of an item in a short form.
const mostItem = mostNumber - 2

// chunkWriter writes the frames of one chunk. The zero value is an empty chunk.
type chunkWriter struct {
	body   []byte
	names  map[string]int // by their order
	clock  int64          // the last time in a short form
	values int            // frames that have one
	hasRow bool           // the chunk is read together with the row of the run
}

// event appends an event without its value and without secrets.
func (w *chunkWriter) event(e execution.Event, secrets *config.Secrets) error {
	switch {
	case isShortStep(e) && isRoot(e.Record):
		w.plain(e.Record)
	case isShortStep(e):
		w.placed(e.Record)
	case isShortCall(e):
		w.call(e)
	case w.hasRow && len(w.body) == 0 && isShortStart(e):
		w.number(startForm)
		w.time(e.Time)
	case isShortEnd(e) && e.End.Used != nil:
		w.number(usedForm)
		w.time(e.Time)
		w.used(e.End.Used)
	case isShortEnd(e):
		w.number(endForm)
		w.time(e.Time)
	case isShortStart(e):
		w.body = AppendBytes(w.body, startHead(e))
	default:
		head, err := json.Marshal(bare(e, secrets))
		w.body = AppendBytes(w.body, head)
		return err
	}
	return nil
}

// value appends the value of the event.
func (w *chunkWriter) value(v stored) {
	w.body = appendValue(w.body, v)
	if v.kind != noValue {
		w.values++
	}
}

// isShortStep reports whether an event is a step that finished well, and nothing more: a short
// form has all that is in it. TestNoFieldIsDropped finds the fields that are missing here.
func isShortStep(e execution.Event) bool {
	r := e.Record
	return r != nil && e == execution.Event{Kind: execution.StepFinished, Run: e.Run, Time: r.End, Record: r, Sync: e.Sync} &&
		r.Error == nil && r.Handled == nil && r.Confirmed == nil && !r.Cached && r.Digest == "" && !r.Skipped && len(r.Attempts) == 0 && !r.Edited && r.Parts >= 0 &&
		isNanos(r.Start) && isNanos(r.End) && !r.End.Before(r.Start) && slices.Contains(nodeTypes, r.NodeType)
}

// isRoot reports whether a record is of a step of the run's own frame without parts.
func isRoot(r *execution.Record) bool {
	return r.Frame == "" && r.Part == "" && r.Tool == "" && r.Parts == 0
}

// isShortStart reports whether an event is the beginning of a run, and nothing more.
func isShortStart(e execution.Event) bool {
	if e.Start == nil {
		return false
	}
	s := e.Start
	return e == execution.Event{Kind: execution.RunStarted, Run: e.Run, Time: e.Time, Start: e.Start, Sync: e.Sync} &&
		s.Vars == nil && s.ForkedFrom == "" && s.Copied == 0 && s.Caller == "" && s.Subject == "" && s.Changing == nil && s.Asking == nil &&
		isNanos(e.Time) && isStoredAsItIs(s.Tool) && isStoredAsItIs(s.Graph)
}

// isShortEnd reports whether an event is the end of a run with a value, and nothing more.
func isShortEnd(e execution.Event) bool {
	return e.End != nil && e == execution.Event{Kind: execution.RunFinished, Run: e.Run, Time: e.Time, End: e.End, Sync: e.Sync} &&
		e.End.Failure == nil && e.End.Spilled == 0 && isNanos(e.Time) && isShortUsed(e.End.Used)
}

// isShortCall reports whether an event is a call, and nothing more.
func isShortCall(e execution.Event) bool {
	if e.Step == nil || !isNanos(e.Time) {
		return false
	}
	v := *e.Step
	v.Args = nil
	return e == execution.Event{Kind: execution.CallStarted, Run: e.Run, Time: e.Time, Step: e.Step, Sync: e.Sync} &&
		v == execution.Visit{
			Frame: v.Frame, Index: v.Index, Part: v.Part, Graph: v.Graph, NodeID: v.NodeID, NodeType: v.NodeType,
			Attempt: v.Attempt, Server: v.Server, Tool: v.Tool, Digest: v.Digest,
		} && v.Attempt >= 0 && isDigest(v.Digest) && slices.Contains(nodeTypes, v.NodeType)
}

const digestSize = 8 // bytes

// isDigest reports whether a digest has the form in which calls have it.
func isDigest(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(text) == hex.EncodedLen(digestSize)
}

// mostNumber is the largest number in a frame.
const mostNumber = 1 << 62

// isNanos reports whether a time is a whole number of nanoseconds since 1970 that a frame can
// have, which is enough for the next hundred years.
func isNanos(at time.Time) bool {
	n := at.UnixNano()
	return n >= 0 && n <= mostNumber && time.Unix(0, n).Equal(at)
}

func (w *chunkWriter) plain(r *execution.Record) {
	w.number(plainForm)
	w.number(r.Index)
	w.body = AppendBytes(w.body, r.NodeID)
	w.body = append(w.body, byte(slices.Index(nodeTypes, r.NodeType)))
	w.number(int(r.Start.UnixNano()))
	w.number(int(r.End.UnixNano() - r.Start.UnixNano()))
}

func (w *chunkWriter) placed(r *execution.Record) {
	w.number(placedForm)
	w.place(r.Frame, r.Index, r.Part, r.Tool, r.NodeID, r.NodeType)
	w.number(r.Parts)
	w.time(r.Start)
	w.number(int(r.End.UnixNano() - r.Start.UnixNano()))
}

func (w *chunkWriter) call(e execution.Event) {
	v := e.Step
	w.number(callForm)
	w.place(v.Frame, v.Index, v.Part, v.Graph, v.NodeID, v.NodeType)
	w.number(v.Attempt)
	w.name(v.Server)
	w.name(v.Tool)
	w.body, _ = hex.AppendDecode(w.body, []byte(v.Digest)) // isDigest has checked it
	w.time(e.Time)
}

func (w *chunkWriter) place(frame execution.Address, index int, part, tool, node string, kind config.NodeType) {
	w.name(string(frame))
	w.number(index)
	if item, isItem := itemOf(part); isItem {
		w.number(item + 2)
	} else if part != "" {
		w.number(1)
		w.name(part)
	} else {
		w.number(0)
	}
	w.name(tool)
	w.name(node)
	w.body = append(w.body, byte(slices.Index(nodeTypes, kind)))
}

// itemOf returns the number of a part that is an item.
func itemOf(part string) (item int, ok bool) {
	item, err := strconv.Atoi(part)
	return item, err == nil && item >= 0 && item <= mostItem && strconv.Itoa(item) == part
}

func (w *chunkWriter) number(n int) { w.body = binary.AppendUvarint(w.body, uint64(n)) }

func (w *chunkWriter) name(text string) {
	if n, known := w.names[text]; known {
		w.number(n)
		return
	}
	if w.names == nil {
		w.names = map[string]int{}
	}
	w.names[text] = len(w.names) + 1
	w.number(0)
	w.body = AppendBytes(w.body, text)
}

func (w *chunkWriter) time(at time.Time) {
	w.body = binary.AppendVarint(w.body, at.UnixNano()-w.clock)
	w.clock = at.UnixNano()
}

// shortReader is what the short forms of a chunk refer to.
type shortReader struct {
	names []string
	clock int64
}

func (r *chunkReader) plain() (execution.Event, error) {
	rec := &execution.Record{Index: r.Number(), NodeID: string(r.Bytes()), NodeType: r.nodeType()}
	return r.finished(rec, time.Unix(0, int64(r.Number())))
}

func (r *chunkReader) placed() (execution.Event, error) {
	rec := &execution.Record{}
	rec.Frame, rec.Index, rec.Part, rec.Tool, rec.NodeID, rec.NodeType = r.place()
	rec.Parts = r.Number()
	return r.finished(rec, r.time())
}

// finished reads the duration of a step that finished well.
func (r *chunkReader) finished(rec *execution.Record, start time.Time) (execution.Event, error) {
	rec.Start = start.UTC()
	rec.End = rec.Start.Add(time.Duration(r.Number()))
	return execution.Event{Kind: execution.StepFinished, Run: r.run, Time: rec.End, Record: rec}, nil
}

func (r *chunkReader) call() (execution.Event, error) {
	v := &execution.Visit{}
	v.Frame, v.Index, v.Part, v.Graph, v.NodeID, v.NodeType = r.place()
	v.Attempt, v.Server, v.Tool, v.Digest = r.Number(), r.name(), r.name(), hex.EncodeToString(r.Take(digestSize))
	return execution.Event{Kind: execution.CallStarted, Run: r.run, Time: r.time().UTC(), Step: v}, nil
}

func (r *chunkReader) started() (execution.Event, error) {
	if r.sums != nil {
		r.sums.last = rowPart(r.sums.last, r.tool, r.graph)
	}
	return execution.Event{
		Kind: execution.RunStarted, Run: r.run, Time: r.time().UTC(), Start: &execution.Start{Tool: r.tool, Graph: r.graph},
	}, nil
}

func (r *chunkReader) ended() (execution.Event, error) {
	return execution.Event{Kind: execution.RunFinished, Run: r.run, Time: r.time().UTC(), End: &execution.End{}}, nil
}

func (r *chunkReader) place() (frame execution.Address, index int, part, tool, node string, kind config.NodeType) {
	frame, index = execution.Address(r.name()), r.Number()
	switch n := r.Number(); n {
	case 0:
	case 1:
		part = r.name()
	default:
		part = strconv.Itoa(n - 2)
	}
	return frame, index, part, r.name(), r.name(), r.nodeType()
}

func (r *chunkReader) nodeType() config.NodeType {
	n := int(r.byte())
	if n >= len(nodeTypes) {
		r.broken, n = true, 0
	}
	return nodeTypes[n]
}

func (r *chunkReader) name() string {
	n := r.Number()
	if n == 0 {
		r.short.names = append(r.short.names, string(r.Bytes()))
		n = len(r.short.names)
	}
	if n > len(r.short.names) {
		r.broken = true
		return ""
	}
	return r.short.names[n-1]
}

func (r *chunkReader) time() time.Time {
	n, size := binary.Varint(r.rest)
	at := r.short.clock + n
	if size <= 0 || at < 0 || at > mostNumber {
		r.broken = true
		return time.Time{}
	}
	r.rest = r.rest[size:]
	r.short.clock = at
	return time.Unix(0, at)
}

// isStoredAsItIs reports whether every database stores a text without changing it. The short form of a
// beginning relies on the row, whose text Postgres changes else.
func isStoredAsItIs(text string) bool {
	return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0
}
