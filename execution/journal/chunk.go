package journal

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"toolgraph/execution"
)

// mostNumber is the largest number in a frame.
const mostNumber = 1 << 62

// chunkReader takes the frames of one chunk, one by one.
type chunkReader struct {
	rest []byte
	run  string // its id
	sums *sums  // nil: a chunk of the first versions
	last stored
}

// next is the next event without its value, and the value. The value's JSON points into
// the chunk.
func (r *chunkReader) next() (e execution.Event, v stored, err error) {
	frame := r.rest
	if e, v, err = r.frame(); err == nil && r.sums != nil {
		err = r.sums.next(frame[:len(frame)-len(r.rest)])
	}
	return e, v, err
}

func (r *chunkReader) frame() (e execution.Event, v stored, err error) {
	if e, err = r.event(); err != nil {
		return e, v, err
	}
	k, err := r.byte()
	if err != nil {
		return e, v, err
	}
	v.kind, v.redacted = kind(k)&^redactedFlag, kind(k)&redactedFlag != 0
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

// event is an event without its value.
func (r *chunkReader) event() (e execution.Event, err error) {
	head, err := r.bytes()
	if err != nil {
		return e, err
	}
	if len(head) > 0 {
		err := json.Unmarshal(head, &e)
		if err == nil {
			err = e.Check()
		}
		if err != nil {
			return execution.Event{}, fmt.Errorf("%w: %w", errFrame, err)
		}
		return e, nil
	}
	record, err := r.step()
	return execution.Event{Kind: execution.StepFinished, Run: r.run, Time: record.End, Record: record}, err
}

// step is a step that finished well, as appendStep has it.
func (r *chunkReader) step() (*execution.Record, error) {
	index, err1 := r.number()
	node, err2 := r.bytes()
	kind, err3 := r.byte()
	start, err4 := r.number()
	took, err5 := r.number()
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil || int(kind) >= len(nodeTypes) {
		return &execution.Record{}, errFrame
	}
	at := time.Unix(0, int64(start)).UTC()
	return &execution.Record{
		Index: index, NodeID: string(node), NodeType: nodeTypes[kind], Start: at, End: at.Add(time.Duration(took)),
	}, nil
}

func (r *chunkReader) byte() (byte, error) {
	if len(r.rest) == 0 {
		return 0, errFrame
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b, nil
}

func (r *chunkReader) number() (int, error) {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > mostNumber {
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
