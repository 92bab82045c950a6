package execution

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"sync"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Recording answers calls from the events of a run: a ToolCaller that calls no server.
// Safe for concurrent use.
type Recording struct {
	mu    sync.Mutex // guards what follows
	calls []recordedCall
}

type recordedCall struct {
	at                   Address
	attempt              int
	server, tool, digest string
	output               value.Value
	failed               *Failure
	used                 bool
}

// NewRecording makes a recording from a run's events. The calls of the first used steps of the
// run's own graph are not played.
func NewRecording(events []Event, used int) *Recording {
	r := &Recording{}
	started := map[Address]*Visit{}
	for _, e := range events {
		at := e.At()
		call := started[at]
		switch {
		case e.Kind == CallStarted:
			started[at] = e.Step
			continue
		case call == nil || e.Kind != StepFinished && e.Kind != AttemptFailed:
			continue
		}
		delete(started, at)
		own, _ := indexIn("", at)
		c := recordedCall{
			at: at, attempt: call.Attempt, server: call.Server, tool: call.Tool, digest: call.Digest, used: own < used,
		}
		if e.Retry != nil {
			c.failed = e.Retry.Error
		} else {
			c.output, c.failed = e.Record.Output, cmp.Or(e.Record.Error, e.Record.Handled)
		}
		if c.failed != nil && c.failed.kind() == config.FailNotYet { // the server has answered
			c.output, _ = value.Decode(c.failed.Result) // nil when it has no value
			c.failed = nil
		}
		r.calls = append(r.calls, c)
	}
	return r
}

// CallTool returns the result of the recorded call at the same address with these arguments;
// without one, of the first of this tool with them that was not played yet. The error is a
// *NotRecordedError when there is none.
func (r *Recording) CallTool(_ context.Context, call Call) (value.Value, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := digest(call.Args)
	var found *recordedCall
	for i := range r.calls {
		c := &r.calls[i]
		if c.used || c.server != call.Server || c.tool != call.Tool || c.digest != sum {
			continue
		}
		if same := c.at == call.At() && c.attempt == call.Attempt; found == nil || same {
			if found = c; same {
				break
			}
		}
	}
	if found == nil {
		return nil, r.missing(call.Server, call.Tool, sum)
	}
	found.used = true
	if found.failed != nil {
		return nil, recordedError{found.failed}
	}
	return found.output, nil
}

// missing counts the calls that the recording has instead.
func (r *Recording) missing(server, tool, sum string) error {
	e := &NotRecordedError{Server: server, Tool: tool}
	for _, c := range r.calls {
		if c.server == server && c.tool == tool {
			e.Calls++
			e.Same = e.Same || c.digest == sum
		}
	}
	return e
}

// NotRecordedError is a call that a recording does not have.
type NotRecordedError struct {
	Server, Tool string
	Calls        int  // recorded calls of the tool
	Same         bool // with these arguments too, but played before
}

// Error names the call and what the recording has of its tool.
func (e *NotRecordedError) Error() string {
	has := fmt.Sprintf("it has %d of this tool with other arguments", e.Calls)
	switch {
	case e.Same:
		has = "it was made more often than it was recorded"
	case e.Calls == 0:
		has = "it has no calls of this tool"
	}
	return fmt.Sprintf("the recording does not have this call of %s.%s: %s", e.Server, e.Tool, has)
}

// ErrorCode is not-recorded.
func (e *NotRecordedError) ErrorCode() string { return "not-recorded" }

// recordedError is the failure of a recorded call, without the place that it had.
type recordedError struct{ failure *Failure }

func (e recordedError) Error() string     { return e.failure.plain() }
func (e recordedError) ErrorCode() string { return e.failure.Detail }

func (e recordedError) StructuredContent() json.RawMessage { return e.failure.Structured }

func (e recordedError) FailedResult() value.Value {
	v, _ := value.Decode(e.failure.Result) // nil when there is none
	return v
}

// digest returns a hash of a value, 16 hex digits. The order of an object's keys does not
// matter.
func digest(v value.Value) string {
	h := sha256.New()
	var buf []byte
	put(h, v, &buf)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// put writes a value so that different values are written differently.
func put(h hash.Hash, v value.Value, buf *[]byte) {
	switch v := v.(type) {
	case []any:
		h.Write(strconv.AppendInt([]byte("["), int64(len(v)), 10)) // a hash never fails to write
		for _, item := range v {
			put(h, item, buf)
		}
	case map[string]any:
		put(h, value.FromPlain(v), buf)
	case value.Object:
		h.Write(strconv.AppendInt([]byte("{"), int64(v.Len()), 10))
		keys := slices.Clone(v.Keys())
		slices.Sort(keys)
		for _, key := range keys {
			value, _ := v.Get(key)
			put(h, key, buf)
			put(h, value, buf)
		}
	default:
		*buf, _ = value.Append(append((*buf)[:0], ' '), v) // arguments are JSON: this does not fail
		h.Write(*buf)
	}
}
