package cli

import (
	"context"
	"log/slog"

	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
)

// withRuleLog lets the log operator of a tool's rules write to the log, at debug: the
// one level that may show values.
func withRuleLog(ctx context.Context, log *slog.Logger, tool string) context.Context {
	if !log.Enabled(ctx, slog.LevelDebug) {
		return ctx
	}
	return jsonlogic.WithLog(ctx, func(v value.Value) {
		text, err := value.Encode(v)
		if err != nil {
			text = []byte(err.Error())
		}
		log.DebugContext(ctx, "a rule logs", "tool", tool, "value", string(text))
	})
}
