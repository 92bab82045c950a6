package journal

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// A frame is one event as a chunk holds it: the event without its value, then the value.
// Apart they can be read without decoding what nobody asked for, and a value that one
// event shares with the one before it is kept once: an entry's output is the arguments,
// an exit's is the output before it, and a run's value is its exit's. A step that finished
// without a value is one of which the node yielded nothing.
//
//	length of the JSON, the JSON of the event; or, for a step that finished well:
//	0, index, length of the id, the id, type, start, duration (both ns)
//
//	kind, and then
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

// body is where an event's value is, or nil when it has none: a step that failed, or
// yielded nothing.
func body(e *execution.Event) *value.Value {
	switch {
	case e.Start != nil:
		return &e.Start.Args
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

// bare is the event without its value, and without secrets; the event is not changed. An
// output is null there, so that it is not taken for nothing.
func bare(e execution.Event, secrets *config.Secrets) execution.Event {
	e.Time = e.Time.UTC()
	if e.Start != nil {
		start := *e.Start
		start.Args = nil
		e.Start = &start
	}
	if e.Record != nil {
		record := *e.Record
		record.Start, record.End = record.Start.UTC(), record.End.UTC()
		if !record.Nothing() {
			record.Output = value.Null
		}
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
		Structured: secrets.RedactJSON(f.Structured),
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

// appendEvent appends an event without its value and without secrets.
func appendEvent(dst []byte, e execution.Event, secrets *config.Secrets) ([]byte, error) {
	if e.Record != nil && isPlain(e) {
		return appendStep(dst, e.Record), nil
	}
	head, err := json.Marshal(bare(e, secrets))
	return appendBytes(dst, head), err
}

// nodeTypes are the types by their number in a frame.
var nodeTypes = []config.NodeType{config.EntryNode, config.MCPNode, config.TransformNode, config.SwitchNode, config.ExitNode}

// isPlain reports whether an event is a step that finished well, and nothing more. A
// field that is new in execution makes it not plain, as long as somebody uses it.
func isPlain(e execution.Event) bool {
	r := *e.Record
	r.Output, r.Bytes = nil, 0
	return e == execution.Event{Kind: execution.StepFinished, Run: e.Run, Time: r.End, Record: e.Record, Sync: e.Sync} &&
		r == execution.Record{Index: r.Index, NodeID: r.NodeID, NodeType: r.NodeType, Start: r.Start, End: r.End} &&
		isNanos(r.Start) && isNanos(r.End) && !r.End.Before(r.Start) && slices.Contains(nodeTypes, r.NodeType)
}

// isNanos reports whether a time is what it is in nanoseconds since 1970, which have room
// for the next hundred years.
func isNanos(at time.Time) bool {
	n := at.UnixNano()
	return n >= 0 && n <= mostNumber && time.Unix(0, n).Equal(at)
}

func appendStep(dst []byte, r *execution.Record) []byte {
	dst = binary.AppendUvarint(append(dst, 0), uint64(r.Index))
	dst = appendBytes(dst, r.NodeID)
	dst = append(dst, byte(slices.Index(nodeTypes, r.NodeType)))
	dst = binary.AppendUvarint(dst, uint64(r.Start.UnixNano()))
	return binary.AppendUvarint(dst, uint64(r.End.UnixNano()-r.Start.UnixNano()))
}

func appendValue(dst []byte, v stored) []byte {
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

func appendBytes[T string | []byte](dst []byte, b T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}
