package jsonata

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"toolgraph/expressions/value"
)

// Value is a value of JSON as package value has it: nil (no value), value.Null, bool, float64, json.Number,
// string, []any, map[string]any or a value.Object, which has an order. value.Decode reads JSON, value.Encode
// writes it, and value.FromPlain converts what encoding/json decodes.
type Value = value.Value

// EvalBudget is how long one evaluation of an expression or a rule may take, whatever its
// context allows, unless Options say otherwise.
const EvalBudget = 2 * time.Second

// maxGrowth is the number of bytes by which the live heap may grow during one evaluation.
const maxGrowth = 256 << 20

// Options are what Compile gives an expression. The zero value is that of graph files.
type Options struct {
	// Time is how long one evaluation may take; 0 is EvalBudget.
	Time time.Duration
	// Heap is by how many bytes the live heap of the process may grow during one evaluation; 0 is 256 MiB. It
	// is checked every few steps, so that an evaluation can exceed it by the largest single value.
	Heap uint64
	// Steps is how many steps an evaluation may take: about one for each node, item or 256 bytes of text that
	// it looks at. 0 is no limit.
	Steps int
	// Functions are more functions, by name without $. They do not replace those of the library.
	Functions map[string]Function
}

// Function is a function of the host. A missing argument and one without a value are nil; an argument that is
// a function is an error. The result is a Value; nil is none. Arguments are not to
// be changed. An error ends the evaluation: it is the Err of an *Error with the code "function-failed", and its
// text is in the message. ctx is that of the evaluation; its time limit does not interrupt a function. Several
// goroutines may call it at once.
type Function func(ctx context.Context, args []Value) (Value, error)

// defaultLimits are those of an evaluation without Options.
var defaultLimits = value.Limits{Time: EvalBudget, Heap: maxGrowth}

// limits returns what one evaluation may use.
func (o *Options) limits() *value.Limits {
	if o.Time == 0 && o.Heap == 0 && o.Steps == 0 {
		return &defaultLimits
	}
	limits := defaultLimits
	if o.Time != 0 {
		limits.Time = o.Time
	}
	if o.Heap != 0 {
		limits.Heap = o.Heap
	}
	limits.Steps = o.Steps
	return &limits
}

// builtins returns the functions as those of the library are; nil for none.
func (o *Options) builtins() map[string]*builtin {
	if len(o.Functions) == 0 {
		return nil
	}
	all := make(map[string]*builtin, len(o.Functions))
	for name, f := range o.Functions {
		all[name] = &builtin{name: name, arity: math.MaxInt, total: true, fn: f.call}
	}
	return all
}

// codeFunction is the code of an error of a function of the host.
const codeFunction = "function-failed"

// call calls the function with values only, and ensures that it returns one.
func (f Function) call(c call) (any, error) {
	checked := checker{live: c.scope.Context, meter: &c.Meter, most: anyLength}
	args := make([]Value, len(c.args))
	for i, arg := range c.args {
		v, err := checked.value(arg, 0)
		if errors.Is(err, errFunctionResult) {
			return nil, c.wrong(i, "a value, and no function,")
		} else if err != nil {
			return nil, err
		}
		args[i] = v
	}
	result, err := f(c.Context(), args)
	if err != nil {
		return nil, &Error{Code: codeFunction, Message: "$" + c.name + ": " + err.Error(), Offset: -1, Err: err}
	}
	v, err := checked.value(result, 0)
	if errors.Is(err, errFunctionResult) {
		return nil, &Error{Code: codeFunction, Message: fmt.Sprintf("$%s returns a %T, which is no Value; convert it with value.FromPlain", c.name, result), Offset: -1}
	}
	return v, err
}
