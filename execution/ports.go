package execution

import (
	"context"

	"toolgraph/expressions/value"
)

// ToolCaller calls a tool of an upstream server. A nil value is nothing. The code that an
// ErrorCode method of the error returns is kept in the run's failure, and so is the JSON
// that a StructuredContent method returns. Safe for concurrent use.
type ToolCaller interface {
	CallTool(ctx context.Context, server, tool string, args value.Value, meta map[string]any) (value.Value, error)
}

// Journal keeps the events of runs. Append returns once the event is as safe as the
// journal makes it; its error ends the run.
type Journal interface {
	Append(ctx context.Context, e Event) error
	Load(ctx context.Context, run string) ([]Event, error)
}

// Gate is asked before each step and may hold the run for as long as it wants: time
// spent in Wait does not count for the run's time limit. The edits that it returns are
// applied and kept, and it is asked again; without edits the step is taken. Its error
// ends the run.
type Gate interface {
	Wait(ctx context.Context, next Event) ([]Edit, error)
}

// Observer is told of each event after the journal has it. It must be quick and
// cannot change the run.
type Observer interface {
	Observe(e Event)
}

// ObserverFunc is a function as an Observer.
type ObserverFunc func(e Event)

// Observe calls f.
func (f ObserverFunc) Observe(e Event) { f(e) }
