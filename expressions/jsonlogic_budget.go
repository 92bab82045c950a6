package expressions

import (
	"context"
	"fmt"
)

// What one evaluation of a rule may cost. A step is about one operator, one
// element or 256 bytes of text looked at.
const (
	ruleSteps      = 2_000_000
	ruleValueBytes = 16 << 20  // one string or array
	ruleTotalBytes = 128 << 20 // everything that the evaluation makes
	ruleValueDepth = 500       // arrays in arrays
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
	scope *Scope
	limit int // steps
	steps int
	check int // steps at which to look at ctx again
	made  int // bytes
	// odd is set once a number came up that JSON cannot say (NaN, an infinity) or
	// says differently from JavaScript (-0).
	odd bool
}

func newRuleRun(ctx context.Context, scope *Scope) *ruleRun {
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
		return ruleLimit("steps", fmt.Sprintf("the rule takes more than %d steps", r.limit))
	}
	if r.ctx.Err() != nil {
		return &EvalError{Code: "timeout", Message: "the rule was stopped: " + context.Cause(r.ctx).Error(), Offset: -1, Err: context.Cause(r.ctx)}
	}
	return nil
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

func ruleLimit(code, message string) *EvalError {
	return &EvalError{Code: code, Message: message, Offset: -1}
}

func tooDeep() *EvalError {
	return ruleLimit("depth", fmt.Sprintf("value depth limit: arrays are nested deeper than %d", ruleValueDepth))
}
