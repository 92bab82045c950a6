package jsonata

import (
	"context"
	"errors"
	"fmt"
	"time"

	"toolgraph/expressions"
)

// pollEvery is the number of steps between two checks of the clock. A step that makes large
// values, or takes long, checks by itself.
const pollEvery = 64

// evaluation counts the steps of one evaluation and ends it when it exceeds a limit. It
// belongs to one goroutine.
type evaluation struct {
	context.Context

	scope    *expressions.Scope
	cause    error // why it ended, nil while it goes on
	steps    int
	budget   time.Duration
	deadline time.Time // zero until the first poll
	memory   memoryWatch
	clock    time.Time // of $now and $millis; zero until one is asked for
}

var errBudget = errors.New("evaluation budget used up")

// Err counts a step and returns an error once the evaluation must end.
func (ev *evaluation) Err() error {
	if ev.cause != nil {
		return ev.cause
	}
	if ev.steps++; ev.steps%pollEvery != 0 {
		return nil
	}
	return ev.poll(time.Now())
}

// poll checks the clock, the parent context and the heap.
func (ev *evaluation) poll(now time.Time) error {
	switch {
	case ev.deadline.IsZero():
		ev.deadline = now.Add(ev.budget)
		ev.memory.start(now)
		ev.cause = ev.Context.Err()
	case now.After(ev.deadline):
		ev.cause = errBudget
	case ev.memory.due(now):
		// The parent's Err takes a lock, so it is checked as rarely as the heap.
		if ev.cause = ev.Context.Err(); ev.cause == nil {
			ev.cause = ev.memory.look(now)
		}
	}
	return ev.cause
}

// spend polls; long-running functions call it every few thousand units of work.
func (ev *evaluation) spend() error {
	if ev.cause != nil {
		return ev.cause
	}
	return ev.poll(time.Now())
}

// failure returns the error of an evaluation that ev ended, or nil.
func (ev *evaluation) failure() *expressions.EvalError {
	switch {
	case ev.cause == nil:
		return nil
	case errors.Is(ev.cause, errBudget):
		return &expressions.EvalError{
			Code: "timeout", Offset: -1, Err: context.DeadlineExceeded,
			Message: fmt.Sprintf("the expression took longer than %v; make it do less, or split it over several nodes", ev.budget),
		}
	case errors.Is(ev.cause, errMemory):
		return &expressions.EvalError{
			Code: "memory", Offset: -1, Err: ev.cause,
			Message: fmt.Sprintf("the expression took more than %d MiB of memory; make it build less at once", maxGrowth>>20),
		}
	}
	cause := context.Cause(ev.Context)
	if errors.Is(ev.cause, context.DeadlineExceeded) {
		return &expressions.EvalError{Code: "timeout", Offset: -1, Err: cause, Message: "the run's time ended during the expression"}
	}
	return &expressions.EvalError{Code: "cancelled", Offset: -1, Err: cause, Message: "the run was cancelled during the expression"}
}
