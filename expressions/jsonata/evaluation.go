package jsonata

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"toolgraph/expressions/value"
)

// evaluation is one evaluation, with the meter to which all of its work is charged. It belongs to
// one goroutine.
type evaluation struct {
	value.Meter

	scope *Scope
	clock time.Time // of $now and $millis; zero until one is asked for

	machine machine  // these are here so that an evaluation is one allocation
	top     bindings // the variables outside of all blocks
}

// evaluations are those that have ended: one holds what most expressions allocate otherwise.
var evaluations = sync.Pool{New: func() any { return &evaluation{} }}

// end makes room for another evaluation. Nothing that this one has returned refers to it: results hold no functions,
// and a box gives its memory away.
func (ev *evaluation) end() {
	stack := ev.machine.stack.Emptied()
	*ev = evaluation{}
	ev.machine.stack = stack
	evaluations.Put(ev)
}

// failure returns the error of an evaluation that its meter has ended, or nil.
func (ev *evaluation) failure() *Error {
	limit, isLimit := ev.Cause().(*value.LimitError) //nolint:errorlint // a meter's errors are never wrapped
	switch {
	case ev.Cause() == nil:
		return nil
	case !isLimit && errors.Is(ev.Cause(), context.DeadlineExceeded):
		return &Error{Code: "timeout", Offset: -1, Err: ev.Cancelled(), Message: "the run's time ended during the expression"}
	case !isLimit:
		return &Error{Code: "cancelled", Offset: -1, Err: ev.Cancelled(), Message: "the run was cancelled during the expression"}
	}
	switch limit.What {
	case value.OfTime:
		return &Error{
			Code: "timeout", Offset: -1, Err: context.DeadlineExceeded,
			Message: fmt.Sprintf("the expression took longer than %v; make it do less, or split it over several nodes", limit.Time),
		}
	case value.OfHeap:
		return &Error{
			Code: "memory", Offset: -1, Err: limit,
			Message: fmt.Sprintf("the expression took more than %d MiB of memory; make it build less at once", limit.Heap>>20),
		}
	case value.OfSteps, value.OfBytes:
	}
	return &Error{Code: "steps", Offset: -1, Err: limit, Message: limit.Error()}
}

// evalError converts the error that ended an evaluation. Its text contains no values of the
// context, except the words that the author passes to $error and $assert.
func evalError(err error) *Error {
	var eval *Error
	if errors.As(err, &eval) {
		return eval
	}
	return &Error{Code: "internal", Message: "the expression cannot be evaluated", Offset: -1}
}

// evalMessages are the messages of JSONata's codes, without data.
var evalMessages = sync.OnceValue(func() map[string]string {
	return map[string]string{
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
})
