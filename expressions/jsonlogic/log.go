package jsonlogic

import (
	"context"

	"toolgraph/expressions/value"
)

type ruleLogKey struct{}

// WithLog makes the rules evaluated under the context hand what their log
// operator is given to log, on the evaluation's goroutine. Without it, log is silent:
// nothing is ever written by this package.
func WithLog(ctx context.Context, log func(value.Value)) context.Context {
	return context.WithValue(ctx, ruleLogKey{}, log)
}
