package jsonlogic

import (
	"context"

	"toolgraph/expressions/value"
)

type ruleLogKey struct{}

// WithLog returns a context under which the log operator of rules passes its argument to
// log, on the evaluation's goroutine. Without it, the operator is silent: this package never
// writes anything.
func WithLog(ctx context.Context, log func(value.Value)) context.Context {
	return context.WithValue(ctx, ruleLogKey{}, log)
}
