package cli

import (
	"context"
	"log/slog"

	"toolgraph/expressions"
)

// withRuleLog lets the log operator of a tool's rules write to the log, at debug: the
// one level that may show values.
func withRuleLog(ctx context.Context, log *slog.Logger, tool string) context.Context {
	if !log.Enabled(ctx, slog.LevelDebug) {
		return ctx
	}
	return expressions.WithRuleLog(ctx, func(v expressions.Value) {
		text, err := expressions.Encode(v)
		if err != nil {
			text = []byte(err.Error())
		}
		log.DebugContext(ctx, "a rule logs", "tool", tool, "value", string(text))
	})
}
