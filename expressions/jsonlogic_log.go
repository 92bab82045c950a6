package expressions

import "context"

type ruleLogKey struct{}

// WithRuleLog makes the rules evaluated under the context hand what their log
// operator is given to log, on the evaluation's goroutine. Without it, log is silent:
// nothing is ever written by this package.
func WithRuleLog(ctx context.Context, log func(Value)) context.Context {
	return context.WithValue(ctx, ruleLogKey{}, log)
}
