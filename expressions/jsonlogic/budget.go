package jsonlogic

import (
	"context"
	"errors"
	"fmt"
	"time"

	"toolgraph/expressions"
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
	// stepsPerCheck is how often the evaluation looks at its context.
	stepsPerCheck = 256
)

// ruleRun is one evaluation of a rule: what it reads and what it has used up. It
// belongs to one goroutine.
type ruleRun struct {
	ctx   context.Context
	scope *expressions.Scope
	limit int // steps
	steps int
	check int // steps at which to look at ctx and the clock again
	// deadline is set at the first look: most rules are done before.
	deadline time.Time
	made     int // bytes
	// odd is set once a value came up that JSON cannot say (undefined, NaN, an infinity) or
	// says differently from JavaScript (-0).
	odd bool
}

func newRuleRun(ctx context.Context, scope *expressions.Scope) *ruleRun {
	return &ruleRun{ctx: ctx, scope: scope, limit: ruleSteps}
}

// spend counts n steps. The error is an *EvalError.
func (r *ruleRun) spend(n int) error {
	r.steps += n
	if r.steps < r.check {
		return nil
	}
	r.check = r.steps + stepsPerCheck
	if r.steps > r.limit {
		return ruleLimit("steps", fmt.Sprintf("the rule takes more than %d steps; make it do less, or split it over several nodes", r.limit))
	}
	if r.ctx.Err() != nil {
		return r.ended()
	}
	switch now := time.Now(); {
	case r.deadline.IsZero():
		r.deadline = now.Add(expressions.EvalBudget)
	case now.After(r.deadline):
		return &expressions.EvalError{
			Code: "timeout", Offset: -1, Err: context.DeadlineExceeded,
			Message: fmt.Sprintf("the rule took longer than %v; make it do less, or split it over several nodes", expressions.EvalBudget),
		}
	}
	return nil
}

// ended is the error of an evaluation whose context is over.
func (r *ruleRun) ended() *expressions.EvalError {
	cause := context.Cause(r.ctx)
	if errors.Is(r.ctx.Err(), context.DeadlineExceeded) {
		return &expressions.EvalError{Code: "timeout", Offset: -1, Err: cause, Message: "the run's time ended during the rule"}
	}
	return &expressions.EvalError{Code: "cancelled", Offset: -1, Err: cause, Message: "the run was cancelled during the rule"}
}

// read counts the steps of looking at n bytes of text.
func (r *ruleRun) read(n int) error { return r.spend(n >> 8) }

// make counts n bytes of a value about to be made, before they are allocated.
func (r *ruleRun) make(n int) error {
	if n > ruleValueBytes {
		return ruleLimit("size", fmt.Sprintf("value size limit: the rule makes a value of more than %d bytes", ruleValueBytes))
	}
	if r.made += n; r.made > ruleTotalBytes {
		return ruleLimit("size", fmt.Sprintf("value size limit: the rule makes more than %d bytes of values", ruleTotalBytes))
	}
	return r.read(n)
}

// makeArray is make for an array of n elements.
func (r *ruleRun) makeArray(n int) error { return r.make(n * 16) }

func ruleLimit(code, message string) *expressions.EvalError {
	return &expressions.EvalError{Code: code, Message: message, Offset: -1}
}

func tooDeep() *expressions.EvalError {
	return ruleLimit("depth", fmt.Sprintf("value depth limit: arrays and objects are nested deeper than %d", ruleValueDepth))
}
