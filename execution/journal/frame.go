package journal

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// A frame is one event as a chunk has it: the event without its value, then the value. So events
// can be read without decoding values, and a value that one event shares with the one before it
// is stored once: an entry's output is the arguments, an exit's is the output before it, an ask's
// is what its user filled in, and a run's value is its exit's. A step that finished without a value yielded nothing.
//
//	length of the JSON, the JSON of the event; or a short form, see shortForm
//
//	kind, and then
//	  inline   length of the JSON, the JSON
//	  same     nothing: the value of the last frame of this chunk that has one
//	  spilled  id in table spills, length of the JSON
//	  tooLarge length of the JSON, what was allowed
//	  earlier  how many frames with a value back the value is in this chunk; 1 is the last
//	  ofParts  length of an address, the address: the value is made of the parts of this step; the
//	           empty one is the step itself
//
// Numbers are unsigned varints.
type kind byte

const (
	noValue kind = iota
	inline
	same
	spilled
	tooLarge
	earlier
	ofParts
	redactedFlag kind = 0x80 // on inline and spilled: a secret was replaced
)

// errFrame is the error of a chunk that no version has written.
var errFrame = errors.New("a part of the run is damaged")

// stored is a value as a frame has it.
type stored struct {
	kind     kind
	redacted bool
	json     []byte            // inline
	spill    int               // spilled
	bytes    int               // of the JSON
	limit    int               // tooLarge
	back     int               // earlier
	of       execution.Address // ofParts
}

// body returns the place of an event's value, or nil when it has none: a step that failed, or
// yielded nothing, or an answer without a form.
func body(e *execution.Event) *value.Value {
	switch {
	case e.Start != nil:
		return &e.Start.Args
	case e.Answer != nil && e.Answer.Content != nil:
		return &e.Answer.Content
	case e.Record != nil:
		if e.Record.Error != nil || e.Record.Nothing() {
			return nil
		}
		return &e.Record.Output
	case e.End != nil && e.End.Failure == nil:
		return &e.End.Value
	}
	return nil
}

// nodeTypes are the types by their number in a frame. New ones are added at the end.
var nodeTypes = []config.NodeType{
	config.EntryNode, config.MCPNode, config.TransformNode, config.SwitchNode, config.ExitNode, config.GraphNode, config.ParallelNode,
	config.AskNode,
}

func appendValue(dst []byte, v stored) []byte {
	k := v.kind
	if v.redacted {
		k |= redactedFlag
	}
	dst = append(dst, byte(k))
	switch v.kind {
	case inline:
		dst = AppendBytes(dst, v.json)
	case spilled:
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(v.spill)), uint64(v.bytes))
	case tooLarge:
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(v.bytes)), uint64(v.limit))
	case earlier:
		dst = binary.AppendUvarint(dst, uint64(v.back))
	case ofParts:
		dst = AppendBytes(dst, v.of)
	}
	return dst
}

// chunkReader reads the frames of one chunk, one by one.
type chunkReader struct {
	ByteReader
	run    string // its id
	tool   string // of its row
	graph  string // of its row
	sums   *sums  // nil: a chunk of the first versions
	short  shortReader
	values []stored // of the frames so far that have one
}

// next returns the next event without its value, and the value, whose JSON points into the chunk.
func (r *chunkReader) next() (e execution.Event, v stored, err error) {
	frame := r.rest
	if e, err = r.event(); err != nil {
		return e, v, err
	}
	v = r.value()
	if v.kind == ofParts && v.of == "" && e.Record != nil {
		v.of = e.Record.At()
		r.values[len(r.values)-1] = v
	}
	switch {
	case r.broken:
		err = errFrame
	case r.sums != nil:
		err = r.sums.next(frame[:len(frame)-len(r.rest)])
	}
	return e, v, err
}

// event returns an event without its value.
func (r *chunkReader) event() (execution.Event, error) {
	size := r.Number()
	if size < len(shortForms) {
		return shortForms[size](r)
	}
	var e execution.Event
	err := json.Unmarshal(r.Take(size), &e)
	if err == nil {
		err = e.Check()
	}
	if err != nil {
		return execution.Event{}, fmt.Errorf("%w: %w", errFrame, err)
	}
	return e, nil
}

func (r *chunkReader) value() stored {
	k := kind(r.byte())
	v := stored{kind: k &^ redactedFlag, redacted: k&redactedFlag != 0}
	switch v.kind {
	case noValue:
		return v
	case same:
		v = r.back(1)
	case earlier:
		v = r.back(r.Number())
	case ofParts:
		v.of = execution.Address(r.Bytes())
	case inline:
		v.json = r.Bytes()
		v.bytes = len(v.json)
	case spilled:
		v.spill, v.bytes = r.Number(), r.Number()
	case tooLarge:
		v.bytes, v.limit = r.Number(), r.Number()
	default:
		r.broken = true
	}
	r.values = append(r.values, v)
	return v
}

// back returns the value of an earlier frame.
func (r *chunkReader) back(frames int) stored {
	if frames < 1 || frames > len(r.values) {
		r.broken = true
		return stored{}
	}
	return r.values[len(r.values)-frames]
}
