package execution

import (
	"context"
	"time"

	"toolgraph/execution/call"
	"toolgraph/expressions/value"
)

// Call is one call of an mcp node: plain data.
type Call = call.Call

// Address names an execution by its place in a run, such as 4, 4.3 or 4.3/1.
type Address = call.Address

// AddressOf returns the address of an execution, or of a part of it when part is not empty. frame
// is the address of the frame.
func AddressOf(frame Address, index int, part string) Address {
	return call.AddressOf(frame, index, part)
}

// ParseAddress checks an address that a user wrote.
func ParseAddress(text string) (Address, error) { return call.ParseAddress(text) }

// ToolCaller makes the calls of mcp nodes. The value is that of the tool's result; nil when
// the result has none. The run's failure records the code that an ErrorCode method of the
// error returns, and the JSON that a StructuredContent method returns; the value that a
// FailedResult method returns is that of a result with isError. Several goroutines call it at
// once. A *mcpclient.Pool is one.
type ToolCaller interface {
	CallTool(ctx context.Context, c Call) (value.Value, error)
}

// GraphCaller is a ToolCaller that can answer for graph nodes: without an answer the graph runs.
// The Tool of the call is the tool of the file; its Server is empty.
type GraphCaller interface {
	CallGraph(ctx context.Context, c Call) (v value.Value, answered bool, err error)
}

// CallerFunc is a function as a ToolCaller.
type CallerFunc func(ctx context.Context, c Call) (value.Value, error)

// CallTool calls f.
func (f CallerFunc) CallTool(ctx context.Context, c Call) (value.Value, error) { return f(ctx, c) }

// Cache gives answers of calls again. Several goroutines call it at once.
type Cache interface {
	// Answer returns the answer to an equal call, of the same server, tool and arguments, that is not
	// older than ttl; or that of an equal call which is being made, when it succeeds. Without one it
	// calls send, in this goroutine, and returns what that returns; an error is not kept. cached: the
	// answer is not that of send. When ctx ends while it waits for another call, its error is the
	// cause.
	Answer(ctx context.Context, c Call, ttl time.Duration, send func() (value.Value, error)) (v value.Value, cached bool, err error)
}

// Journal records the events of runs. Append returns once the event is as safe as the journal
// makes it; its error ends the run. Load returns the events of a run in order.
type Journal interface {
	Append(ctx context.Context, e Event) error
	Load(ctx context.Context, run string) ([]Event, error)
}

// Flusher is a Journal that can wait: Flush returns when all events of a run that were appended
// survive the process, or with the reason why one does not.
type Flusher interface {
	Flush(ctx context.Context, run string) error
}

// Gate pauses runs: Wait is called before each step and each part, for parts that run at the same
// time by several goroutines at once, and its time does not count for the run's time limit. The
// edits that it returns are recorded and applied, and it is called again; without edits the step
// runs. An edit of a step is left out once a step has begun that reads its value, see StepToEdit. Its error ends the run. ctx also ends when another part of the node fails.
type Gate interface {
	Wait(ctx context.Context, next Event) ([]Edit, error)
}

// Counter is a Gate that follows how many goroutines of the run are at work: all but those that
// wait for the answer to a call or for the next attempt. One that waits at the gate is at work.
// So when all of them wait there, no other comes to the gate before a call has ended.
type Counter interface {
	AtWork(n int)
}

// Observer gets each event after the journal has it, from the goroutine of the run. It must be
// quick and cannot change the run.
type Observer interface {
	Observe(e Event)
}

// ObserverFunc is a function as an Observer.
type ObserverFunc func(e Event)

// Observe calls f.
func (f ObserverFunc) Observe(e Event) { f(e) }
