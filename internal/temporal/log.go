package temporal

import (
	"context"
	"log/slog"
)

// quietly returns a log without the warning that the SDK logs when a run ends while it says that it
// is alive, which is no trouble.
func quietly(log *slog.Logger) *slog.Logger { return slog.New(quiet{log.Handler()}) }

type quiet struct{ slog.Handler }

// Handle drops that warning.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "RecordActivityHeartbeat with error" {
		return nil
	}
	return q.Handler.Handle(ctx, r)
}

// WithAttrs keeps the handler.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

// WithGroup keeps the handler.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }
