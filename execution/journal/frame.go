package journal

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions"
)

// A frame is one event as a chunk holds it: its JSON without its value, then the value.
// Apart they can be read without decoding what nobody asked for, and a value that one
// event shares with the one before it is kept once: an entry's output is the arguments,
// an exit's is the output before it, and a run's value is its exit's.
//
//	length of head, head, kind, and then
//	  inline   length of the JSON, the JSON
//	  same     nothing: the value of the last frame of this chunk that has one
//	  spilled  id in table spills, length of the JSON
//	  tooLarge length of the JSON, what was allowed
//
// Numbers are unsigned varints.
type kind byte

const (
	noValue kind = iota
	inline
	same
	spilled
	tooLarge
	redactedFlag kind = 0x80 // on inline and spilled: a secret was replaced
)

// errFrame is a chunk that no version of ours has written.
var errFrame = errors.New("a part of the run is damaged")

// body is where an event's value is, or nil when it has none.
func body(e *execution.Event) *expressions.Value {
	switch {
	case e.Start != nil:
		return &e.Start.Args
	case e.Record != nil && e.Record.Error == nil:
		return &e.Record.Output
	case e.End != nil && e.End.Failure == nil:
		return &e.End.Value
	}
	return nil
}

// bare is the event without its value, and without secrets; the event is not changed.
func bare(e execution.Event, secrets *config.Secrets) execution.Event {
	if e.Start != nil {
		start := *e.Start
		start.Args = nil
		e.Start = &start
	}
	if e.Record != nil {
		record := *e.Record
		record.Output = nil
		record.Error = withoutSecrets(record.Error, secrets)
		e.Record = &record
	}
	if e.End != nil {
		e.End = &execution.End{Failure: withoutSecrets(e.End.Failure, secrets)}
	}
	return e
}

func withoutSecrets(f *execution.Failure, secrets *config.Secrets) *execution.Failure {
	if f == nil {
		return nil
	}
	return &execution.Failure{
		Code: f.Code, Detail: secrets.Redact(f.Detail), Message: secrets.Redact(f.Message), Node: f.Node, Pos: f.Pos,
	}
}

// stored is a value as a frame has it.
type stored struct {
	kind     kind
	redacted bool
	json     []byte // inline
	spill    int    // spilled
	bytes    int    // of the JSON
	limit    int    // tooLarge
}

func appendFrame(dst, head []byte, v stored) []byte {
	dst = appendBytes(dst, head)
	k := v.kind
	if v.redacted {
		k |= redactedFlag
	}
	dst = append(dst, byte(k))
	switch v.kind {
	case inline:
		dst = appendBytes(dst, v.json)
	case spilled:
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(v.spill)), uint64(v.bytes))
	case tooLarge:
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(v.bytes)), uint64(v.limit))
	}
	return dst
}

func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// chunkReader takes the frames of one chunk, one by one.
type chunkReader struct {
	rest []byte
	last stored
}

// next is the next event without its value, and the value. The value's JSON points into
// the chunk.
func (r *chunkReader) next() (e execution.Event, v stored, err error) {
	head, err := r.bytes()
	if err != nil {
		return e, v, err
	}
	if err := json.Unmarshal(head, &e); err != nil {
		return e, v, fmt.Errorf("%w: %w", errFrame, err)
	}
	if len(r.rest) == 0 {
		return e, v, errFrame
	}
	k := kind(r.rest[0])
	r.rest = r.rest[1:]
	v.kind, v.redacted = k&^redactedFlag, k&redactedFlag != 0
	switch v.kind {
	case noValue:
		return e, v, nil
	case same:
		v = r.last
	case inline:
		v.json, err = r.bytes()
		v.bytes = len(v.json)
	case spilled:
		v.spill, v.bytes, err = r.pair()
	case tooLarge:
		v.bytes, v.limit, err = r.pair()
	default:
		err = errFrame
	}
	r.last = v
	return e, v, err
}

func (r *chunkReader) number() (int, error) {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > 1<<40 {
		return 0, errFrame
	}
	r.rest = r.rest[size:]
	return int(n), nil
}

func (r *chunkReader) pair() (a, b int, err error) {
	if a, err = r.number(); err != nil {
		return 0, 0, err
	}
	b, err = r.number()
	return a, b, err
}

func (r *chunkReader) bytes() ([]byte, error) {
	n, err := r.number()
	if err != nil || n > len(r.rest) {
		return nil, errFrame
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b, nil
}
