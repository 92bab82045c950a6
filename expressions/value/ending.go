package value

import (
	"context"
	"sync/atomic"
)

// Ending ends work on values before its context ends: a call in flight may go on when the process
// stops or the client has closed its input, but work without an end must not. Safe for concurrent use.
type Ending struct {
	From  <-chan struct{} // closed when the work is to end
	Cause error
	Looks int64 // how often meters may look at their context after From; 256 steps lie between two looks
}

// EndedError is the error of work that an Ending has ended.
type EndedError struct{ Cause error }

func (e *EndedError) Error() string { return e.Cause.Error() }

// Unwrap returns the Cause of the Ending.
func (e *EndedError) Unwrap() error { return e.Cause }

// Is lets errors.Is match context.Canceled.
func (e *EndedError) Is(target error) bool { return target == context.Canceled }

type endingKey struct{}

// WithEnding returns a context whose Working also ends with e.
func WithEnding(ctx context.Context, e *Ending) context.Context {
	return context.WithValue(ctx, endingKey{}, e)
}

// Working returns a context for meters, which ends with ctx and with the Ending that it has. Only Err
// and context.Cause of the result end with the Ending; calls and waits, which need Done, use ctx.
func Working(ctx context.Context) context.Context {
	e, _ := ctx.Value(endingKey{}).(*Ending)
	return e.Working(ctx)
}

// Working is the function Working for an Ending that is not of a context; nil ends nothing.
func (e *Ending) Working(ctx context.Context) context.Context {
	if e == nil || e.From == nil {
		return ctx
	}
	return &working{Context: ctx, ending: e}
}

type working struct {
	context.Context
	ending *Ending
	looks  atomic.Int64 // after From
}

// Err returns why the work ends, nil while it may go on.
func (w *working) Err() error {
	if err := w.Context.Err(); err != nil {
		return err
	}
	select {
	case <-w.ending.From:
		if w.looks.Add(1) > w.ending.Looks {
			return &EndedError{w.ending.Cause}
		}
	default:
	}
	return nil
}
