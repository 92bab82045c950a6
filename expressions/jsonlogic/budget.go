package jsonlogic

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// What one evaluation of a rule may cost. A step is about one operator, one
// element or 256 bytes of text looked at.
const (
	ruleSteps      = 2_000_000
	ruleValueBytes = 8 << 20        // one string or array
	ruleTotalBytes = 128 << 20      // everything that the evaluation makes
	ruleValueDepth = value.MaxDepth // arrays and objects in each other
	// constantSteps is what a rule that reads nothing may cost at load.
	constantSteps = 10_000
	// expressionSteps is what an expression costs that is more than a path.
	expressionSteps = 20
)

// The limits of an evaluation, and of that of a rule which reads nothing, at load.
var (
	ruleLimits     = value.Limits{Steps: ruleSteps, Bytes: ruleTotalBytes, Time: jsonata.EvalBudget}
	constantLimits = value.Limits{Steps: constantSteps, Bytes: ruleTotalBytes, Time: jsonata.EvalBudget}
)

// ruleRun is one evaluation of a rule: what it reads, and the meter to which its work is charged.
// It belongs to one goroutine.
type ruleRun struct {
	value.Meter

	scope *jsonata.Scope
	// odd is set once a value came up that JSON cannot say (undefined, NaN, an infinity) or
	// says differently from JavaScript (-0).
	odd bool

	stack value.Stack // an operator does not hold its arguments once it has its value
}

// runs are evaluations that have ended: what one holds is as large as what most rules allocate otherwise.
var runs = sync.Pool{New: func() any { return &ruleRun{} }}

// newRuleRun begins an evaluation. The caller may end it once it has the result.
func newRuleRun(ctx context.Context, scope *jsonata.Scope, limits *value.Limits) *ruleRun {
	r := runs.Get().(*ruleRun)
	r.Meter, r.scope = value.MakeMeter(ctx, limits), scope
	_ = r.Look() // the deadline begins; an error is that of the first step too
	return r
}

// end makes room for another evaluation. No value of this one may refer to the run itself, as none does.
func (r *ruleRun) end() {
	*r = ruleRun{stack: r.stack.Emptied()}
	runs.Put(r)
}

// spend counts n steps. The error is an *EvalError.
func (r *ruleRun) spend(n int) error {
	if r.Spend(n) != nil {
		return r.failure()
	}
	return nil
}

// failure is the error of an evaluation that its meter has ended.
func (r *ruleRun) failure() *jsonata.Error {
	limit, isLimit := r.Cause().(*value.LimitError) //nolint:errorlint // a meter's errors are never wrapped
	switch {
	case !isLimit && errors.Is(r.Cause(), context.DeadlineExceeded):
		return &jsonata.Error{Code: "timeout", Offset: -1, Err: r.Cancelled(), Message: "the run's time ended during the rule"}
	case !isLimit:
		return &jsonata.Error{Code: "cancelled", Offset: -1, Err: r.Cancelled(), Message: "the run was cancelled during the rule"}
	}
	switch limit.What {
	case value.OfTime:
		return &jsonata.Error{
			Code: "timeout", Offset: -1, Err: context.DeadlineExceeded,
			Message: fmt.Sprintf("the rule took longer than %v; make it do less, or split it over several nodes", limit.Time),
		}
	case value.OfBytes:
		return ruleLimit("size", fmt.Sprintf("value size limit: the rule makes more than %d bytes of values; make it build less", limit.Bytes))
	case value.OfSteps, value.OfHeap:
	}
	return ruleLimit("steps", fmt.Sprintf("the rule takes more than %d steps; make it do less, or split it over several nodes", limit.Steps))
}

// read counts the steps of looking at n bytes of text.
func (r *ruleRun) read(n int) error { return r.spend(n >> 8) }

// make counts n bytes of a value about to be made, before they are allocated.
func (r *ruleRun) make(n int) error {
	if n > ruleValueBytes {
		return ruleLimit("size", fmt.Sprintf("value size limit: the rule makes a value of more than %d bytes", ruleValueBytes))
	}
	if r.Make(n) != nil {
		return r.failure()
	}
	return nil
}

// makeArray is make for an array of n elements.
func (r *ruleRun) makeArray(n int) error { return r.make(n * 16) }

func ruleLimit(code, message string) *jsonata.Error {
	return &jsonata.Error{Code: code, Message: message, Offset: -1}
}

func tooDeep() *jsonata.Error {
	return ruleLimit("depth", fmt.Sprintf("value depth limit: arrays and objects are nested deeper than %d", ruleValueDepth))
}
