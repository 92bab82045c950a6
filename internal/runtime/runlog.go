package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"toolgraph/execution"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// ReportPanics logs the part of a panic that clients do not see.
func ReportPanics(log *slog.Logger) execution.Option {
	return execution.WithPanicReport(func(run string, p *execution.PanicError) {
		log.Error("a run panicked", "id", p.ID, "run", run, "panic", fmt.Sprint(p.Value), "stack", string(p.Stack))
	})
}

// maxLogged is how many bytes of JSON of a value in a rule are logged: it may share its parts.
const maxLogged = 64 << 10

// WithRuleLog lets the log operator of a tool's rules write to the log, at debug: the
// one level that may show values.
func WithRuleLog(ctx context.Context, log *slog.Logger, tool string) context.Context {
	if !log.Enabled(ctx, slog.LevelDebug) {
		return ctx
	}
	return jsonlogic.WithLog(ctx, func(v value.Value) {
		text, err := value.AppendMost(value.Until(ctx), nil, v, maxLogged)
		switch {
		case errors.Is(err, value.ErrTooLong):
			text = append(wording.Head(text, maxLogged), "…"...)
		case err != nil:
			text = []byte(err.Error())
		}
		log.DebugContext(ctx, "a rule logs", "tool", tool, "value", string(text))
	})
}
