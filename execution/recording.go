package execution

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Recording answers calls and questions from the events of a run: a ToolCaller that calls no
// server, and a User that asks no one. Safe for concurrent use.
type Recording struct {
	mu        sync.Mutex // guards what follows
	calls     []recordedCall
	questions []recordedQuestion
}

type recordedCall struct {
	at                   Address
	attempt              int // from 2 on; 0 is the first
	server, tool, digest string
	cached               bool     // no call was made; digest is then that of the record
	failed               *Failure // nil: the call returned output
	output               value.Value
	used                 bool
}

// NewRecording makes a recording from a run's events. The calls and questions of the first used
// steps of the run's own frame, and of what is below them, are not played.
func NewRecording(events []Event, used int) *Recording {
	r := &Recording{questions: recordedQuestions(events, used)}
	latest := map[Address]int{} // the index of the latest attempt in calls
	for _, e := range events {
		at := e.At()
		i, started := latest[at]
		switch {
		case e.Kind == CallStarted:
			latest[at] = len(r.calls)
			r.calls = append(r.calls, recordedCall{
				at: at, attempt: e.Step.Attempt, server: e.Step.Server, tool: e.Step.Tool, digest: e.Step.Digest, used: true,
			})
		case e.Kind == StepFinished && e.Record.Cached: // after attempts that were calls
			r.calls = append(r.calls, recordedCall{
				at: at, attempt: attemptsBefore(e.Record), digest: e.Record.Digest, cached: true, output: e.Record.Output,
			})
		case !started:
		case e.Kind == AttemptFailed:
			r.calls[i].returned(nil, e.Retry.Error)
		case e.Kind == StepFinished:
			r.calls[i].returned(e.Record.Output, cmp.Or(e.Record.Error, e.Record.Handled))
		}
	}
	for i := range r.calls {
		r.calls[i].used = r.calls[i].used || r.calls[i].at.Outermost() < used
	}
	slices.SortStableFunc(r.calls, func(a, b recordedCall) int { return a.at.Compare(b.at) })
	return r
}

// returned gives a call what it returned, so that it can be played. A poll that had to go on
// returned a value.
func (c *recordedCall) returned(output value.Value, failed *Failure) {
	c.output, c.failed, c.used = output, failed, false
	if failed != nil && failed.Detail == string(config.FailNotYet) {
		c.output, _ = value.Decode(failed.Result) // nil when it was nothing
		c.failed = nil
	}
}

// attemptsBefore returns the number of the last attempt of a record as events have it.
func attemptsBefore(r *Record) int {
	if n := len(r.Attempts); n > 0 {
		return n + 1
	}
	return 0
}

// isOf reports whether the recorded call is of this tool with these arguments, whose digest is sum.
func (c *recordedCall) isOf(call *Call, sum string) bool {
	if c.cached {
		return c.digest == cacheDigest(call)
	}
	return c.server == call.Server && c.tool == call.Tool && c.digest == sum
}

// CallTool returns the result of the call that was recorded at the same address, or else of the
// first recorded call by address, of this tool with these arguments, that was not played yet. The
// error is a *NotRecordedError when there is none.
func (r *Recording) CallTool(_ context.Context, call Call) (value.Value, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := digest(call.Args)
	found := r.find(&call, func(c *recordedCall) bool { return c.isOf(&call, sum) })
	switch {
	case found == nil:
		return nil, r.missing(call.Server, call.Tool, sum)
	case found.failed != nil:
		return nil, recordedError{found.failed}
	}
	return found.output, nil
}

// Answer makes a recording the Cache of a replay: it gives the answers that were cached in the
// recorded run, and sends all other calls.
func (r *Recording) Answer(_ context.Context, call Call, _ time.Duration, send func() (value.Value, error)) (v value.Value, cached bool, err error) {
	r.mu.Lock()
	found := r.find(&call, func(c *recordedCall) bool {
		return c.cached && c.at == call.At() && c.attempt == call.Attempt && c.isOf(&call, "")
	})
	r.mu.Unlock()
	if found != nil {
		return found.output, true, nil
	}
	v, err = send()
	return v, false, err
}

// find returns the call to play: the one at the same address, else the first that is wanted; nil
// without one. It is not played again. mu is held.
func (r *Recording) find(call *Call, wanted func(*recordedCall) bool) (found *recordedCall) {
	at := call.At()
	for i := range r.calls {
		c := &r.calls[i]
		if c.used || !wanted(c) {
			continue
		}
		if same := c.at == at && c.attempt == call.Attempt; found == nil || same {
			found = c
			if same {
				break
			}
		}
	}
	if found != nil {
		found.used = true
	}
	return found
}

// Repeated reports whether a call of a tool was attempted again after a failure: it was safe to
// repeat then.
func (r *Recording) Repeated(server, tool string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.calls, func(c recordedCall) bool { return c.server == server && c.tool == tool && c.attempt > 1 })
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
	sum, _ := value.Digest(nil, v)
	return hex.EncodeToString(sum[:8])
}

// digestWithin is digest for a value of any length: the work ends with the context.
func digestWithin(ctx context.Context, v value.Value) (string, error) {
	sum, err := value.Digest(value.Until(ctx), v)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum[:8]), nil
}
