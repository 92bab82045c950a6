package execution

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"toolgraph/expressions/value"
)

// Recording answers calls from what a run was answered: a ToolCaller that calls nothing.
// Safe for concurrent use.
type Recording struct {
	mu    sync.Mutex // guards what follows
	calls []recordedCall
}

type recordedCall struct {
	server, tool, digest string
	record               *Record
	used                 bool
}

// NewRecording makes a recording of a run's events. The calls of the first records that
// many are used up already.
func NewRecording(events []Event, used int) *Recording {
	r := &Recording{}
	started := map[int]*Visit{}
	for _, e := range events {
		switch {
		case e.Kind == CallStarted:
			started[e.Step.Index] = e.Step
		case e.Kind == StepFinished && started[e.Record.Index] != nil:
			call := started[e.Record.Index]
			r.calls = append(r.calls, recordedCall{
				server: call.Server, tool: call.Tool, digest: call.Digest, record: e.Record, used: e.Record.Index < used,
			})
		}
	}
	return r
}

// CallTool answers as the first recorded call of this tool with these arguments that has
// not been asked for yet. The error is a *NotRecordedError when there is none.
func (r *Recording) CallTool(_ context.Context, call Call) (value.Value, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := digest(call.Args)
	for i := range r.calls {
		c := &r.calls[i]
		if c.used || c.server != call.Server || c.tool != call.Tool || c.digest != sum {
			continue
		}
		c.used = true
		if c.record.Error != nil {
			return nil, recordedError{c.record.Error}
		}
		return c.record.Output, nil
	}
	return nil, r.missing(call.Server, call.Tool, sum)
}

// missing tells what the recording has instead.
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

// NotRecordedError is a call that a recording cannot answer.
type NotRecordedError struct {
	Server, Tool string
	Calls        int  // recorded calls of the tool
	Same         bool // with these arguments too, but not as often
}

// Error tells what was asked for and what there is.
func (e *NotRecordedError) Error() string {
	there := fmt.Sprintf("it has %d of that tool, with other arguments", e.Calls)
	switch {
	case e.Same:
		there = "it has been made as often as it was recorded"
	case e.Calls == 0:
		there = "it has none of that tool"
	}
	return fmt.Sprintf("the recording does not have this call of %s.%s: %s", e.Server, e.Tool, there)
}

// ErrorCode is not-recorded.
func (e *NotRecordedError) ErrorCode() string { return "not-recorded" }

// recordedError is the failure of a recorded call, without the place that it had.
type recordedError struct{ failure *Failure }

func (e recordedError) Error() string     { return e.failure.Message }
func (e recordedError) ErrorCode() string { return e.failure.Detail }

func (e recordedError) StructuredContent() json.RawMessage { return e.failure.Structured }
