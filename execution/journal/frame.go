package journal

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"slices"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// A frame is one event as a chunk has it: the event without its value, then the value. So events
// can be read without decoding values, and a value that one event shares with the one before it
// is stored once: an entry's output is the arguments, an exit's is the output before it, and a
// run's value is its exit's. A step that finished without a value yielded nothing.
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

// errFrame is the error of a chunk that no version has written.
var errFrame = errors.New("a part of the run is damaged")

// stored is a value as a frame has it.
type stored struct {
	kind     kind
	redacted bool
	json     []byte // inline
	spill    int    // spilled
	bytes    int    // of the JSON
	limit    int    // tooLarge
}

// body returns the place of an event's value, or nil when it has none: a step that failed, or
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

// bare returns the event without its value and without secrets; the event is not changed. An
// output is null there, to distinguish it from nothing.
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

// isPlain reports whether an event is a step that finished well, and nothing more. It is not when
// it uses a field that is new in package execution.
func isPlain(e execution.Event) bool {
	r := *e.Record
	r.Output, r.Bytes = nil, 0
	return e == execution.Event{Kind: execution.StepFinished, Run: e.Run, Time: r.End, Record: e.Record, Sync: e.Sync} &&
		reflect.DeepEqual(r, execution.Record{Index: r.Index, NodeID: r.NodeID, NodeType: r.NodeType, Start: r.Start, End: r.End}) &&
		isNanos(r.Start) && isNanos(r.End) && !r.End.Before(r.Start) && slices.Contains(nodeTypes, r.NodeType)
}

// mostNumber is the largest number in a frame.
const mostNumber = 1 << 62

// isNanos reports whether a time is a whole number of nanoseconds since 1970 that a frame can
// have, which is enough for the next hundred years.
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

// chunkReader reads the frames of one chunk, one by one.
type chunkReader struct {
	rest   []byte
	run    string // its id
	sums   *sums  // nil: a chunk of the first versions
	last   stored
	broken bool // a frame ends too early, or has a number that is too large
}

// next returns the next event without its value, and the value, whose JSON points into the chunk.
func (r *chunkReader) next() (e execution.Event, v stored, err error) {
	frame := r.rest
	if e, err = r.event(); err != nil {
		return e, v, err
	}
	v = r.value()
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
	head := r.bytes()
	if len(head) == 0 {
		record := r.step()
		return execution.Event{Kind: execution.StepFinished, Run: r.run, Time: record.End, Record: record}, nil
	}
	var e execution.Event
	err := json.Unmarshal(head, &e)
	if err == nil {
		err = e.Check()
	}
	if err != nil {
		return execution.Event{}, fmt.Errorf("%w: %w", errFrame, err)
	}
	return e, nil
}

// step returns a step that finished well, as appendStep writes it.
func (r *chunkReader) step() *execution.Record {
	index, node, kind := r.number(), string(r.bytes()), int(r.byte())
	if kind >= len(nodeTypes) {
		r.broken, kind = true, 0
	}
	start := time.Unix(0, int64(r.number())).UTC()
	return &execution.Record{
		Index: index, NodeID: node, NodeType: nodeTypes[kind], Start: start, End: start.Add(time.Duration(r.number())),
	}
}

func (r *chunkReader) value() stored {
	k := kind(r.byte())
	v := stored{kind: k &^ redactedFlag, redacted: k&redactedFlag != 0}
	switch v.kind {
	case noValue:
		return v
	case same:
		v = r.last
	case inline:
		v.json = r.bytes()
		v.bytes = len(v.json)
	case spilled:
		v.spill, v.bytes = r.number(), r.number()
	case tooLarge:
		v.bytes, v.limit = r.number(), r.number()
	default:
		r.broken = true
	}
	r.last = v
	return v
}

func (r *chunkReader) byte() byte {
	if len(r.rest) == 0 {
		r.broken = true
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *chunkReader) number() int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > mostNumber {
		r.broken = true
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

func (r *chunkReader) bytes() []byte {
	n := r.number()
	if n > len(r.rest) {
		r.broken = true
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

// Checksums find values that the disk, or another program, has changed. They are CRC-32C: they
// find errors, not forgeries. Each frame has one, over all frames of its chunk up to it and the
// place of the chunk; a value with a row of its own has one, and so have the constant columns of
// the row of a run. Rows of the first versions have none. The table is made at first use: it
// takes 0.2 ms.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

const sumSize = 4 // bytes

// errSum is the error of data that does not match its checksum.
var errSum = errors.New("it does not match its checksum")

// chunkSum returns the checksum before the first frame of a chunk.
func chunkSum(run string, first, before int) uint32 {
	return crc32.Checksum(fmt.Appendf(nil, "%d %d %s", first, before, run), castagnoli())
}

// appendSum appends the checksum of a frame to those of the frames before it.
func appendSum(sums []byte, start uint32, frame []byte) []byte {
	if n := len(sums); n > 0 {
		start = binary.BigEndian.Uint32(sums[n-sumSize:])
	}
	return binary.BigEndian.AppendUint32(sums, crc32.Update(start, castagnoli(), frame))
}

// sumOf returns the checksum of a frame that is a chunk of its own.
func sumOf(run string, first, before int, frame []byte) []byte {
	return appendSum(nil, chunkSum(run, first, before), frame)
}

// spillSum returns the checksum of a value with a row of its own.
func spillSum(run string, id int, packed []byte) int64 {
	return int64(crc32.Update(crc32.Checksum(fmt.Appendf(nil, "%d %s", id, run), castagnoli()), castagnoli(), packed))
}

// rowSum returns the checksum of the constant columns in the row of a run.
func rowSum(id, tool, file, server, graph, args string, started int64, durable bool) int64 {
	return int64(crc32.Checksum(fmt.Appendf(nil, "%q %q %q %q %q %q %d %t", id, tool, file, server, graph, args, started, durable), castagnoli()))
}

// sums checks frames as they are read.
type sums struct {
	rest []byte
	last uint32
}

// next checks the next frame.
func (s *sums) next(frame []byte) error {
	s.last = crc32.Update(s.last, castagnoli(), frame)
	if len(s.rest) < sumSize || binary.BigEndian.Uint32(s.rest) != s.last {
		return errSum
	}
	s.rest = s.rest[sumSize:]
	return nil
}
