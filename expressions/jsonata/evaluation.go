package jsonata

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync"
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

const (
	// maxGrowth is the number of bytes by which the live heap may grow during one evaluation.
	maxGrowth = 256 << 20
	// lookEvery is the time between two checks of the heap.
	lookEvery = 2 * time.Millisecond
)

var errMemory = errors.New("memory budget used up")

// memoryWatch compares the heap with what it was when the evaluation began. The
// heap is the process's: growth beyond the limit counts only when a collection confirms
// it, so that garbage of other goroutines does not end the evaluation.
type memoryWatch struct {
	next  time.Time
	floor uint64 // bytes of heap when the evaluation began
}

func (w *memoryWatch) start(now time.Time) {
	w.next = now.Add(lookEvery)
	w.floor = 0
}

func (w *memoryWatch) due(now time.Time) bool { return now.After(w.next) }

func (w *memoryWatch) look(now time.Time) error {
	w.next = now.Add(lookEvery)
	heap := heapBytes("/memory/classes/heap/objects:bytes")
	if w.floor == 0 {
		// The evaluation is some milliseconds old and may have grown already; the live
		// bytes of the last collection are nearer to the heap at its start.
		w.floor = heapBytes("/gc/heap/live:bytes")
	}
	w.floor = min(w.floor, heap)
	if heap-w.floor <= maxGrowth {
		return nil
	}
	if heap = heapCollected(w.floor + maxGrowth); heap > w.floor+maxGrowth {
		return errMemory
	}
	return nil
}

func heapBytes(metric string) uint64 {
	sample := []metrics.Sample{{Name: metric}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// collecting is held during a forced collection, of which one is enough.
var collecting sync.Mutex

// heapCollected is the heap after a collection, unless another one has brought it
// below the limit already.
func heapCollected(limit uint64) uint64 {
	collecting.Lock()
	defer collecting.Unlock()
	const objects = "/memory/classes/heap/objects:bytes"
	if heap := heapBytes(objects); heap <= limit {
		return heap
	}
	runtime.GC()
	return heapBytes(objects)
}

// evalError converts the error that ended an evaluation. Its text contains no values of the
// context, except the words that the author passes to $error and $assert.
func evalError(err error) *expressions.EvalError {
	var eval *expressions.EvalError
	if errors.As(err, &eval) {
		return eval
	}
	return &expressions.EvalError{Code: "internal", Message: "the expression cannot be evaluated", Offset: -1}
}

// evalMessages are the messages of JSONata's codes, without data.
var evalMessages = map[string]string{
	"D1001": "a number is out of range",
	"D1002": "the operand of the unary - is not a number",
	"D1009": "an object has a duplicate key",
	"D2014": "the range .. has more than 10,000,000 items",
	"T1003": "the key of an object is not a string",
	"T1005": "a function is called without its $; write $name(…)",
	"T1006": "the called value is not a function",
	"T1007": "a partially applied function is named without its $; write $name(?, …)",
	"T1008": "the partially applied value is not a function",
	"T2001": "the left side of an arithmetic operator is not a number",
	"T2002": "the right side of an arithmetic operator is not a number",
	"T2003": "the left side of the range .. is not a whole number",
	"T2004": "the right side of the range .. is not a whole number",
	"T2006": "the right side of ~> is not a function",
	"T2007": "the values to sort mix strings and numbers; convert them with $number or $string",
	"T2008": "the values to sort are neither numbers nor strings",
	"T2009": "a string is compared with a number; convert one with $number or $string",
	"T2010": "a comparison needs numbers or strings on both sides",
	"T2011": "the update of a transform is not an object",
	"T2012": "the delete clause of a transform is not a string or an array of strings",
	"U1001": "the expression calls itself too deeply",
}
