package observe

import (
	"fmt"
	"io"
	"log/slog"

	"toolgraph/config"
)

// NewLogger returns a logger that writes one line per entry, in the format text or json, from
// the level debug, info, warn or error on. It redacts secrets in messages and values, and
// escapes control characters, so that an entry cannot forge another one.
func NewLogger(w io.Writer, level, format string, secrets *config.Secrets) (*slog.Logger, error) {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("invalid log level %q; expected debug, info, warn or error", level)
	}
	opts := &slog.HandlerOptions{Level: least, ReplaceAttr: redact(secrets)}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, opts)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return nil, fmt.Errorf("invalid log format %q; expected text or json", format)
}

func redact(secrets *config.Secrets) func([]string, slog.Attr) slog.Attr {
	return func(_ []string, a slog.Attr) slog.Attr {
		switch v := a.Value.Resolve(); v.Kind() {
		case slog.KindString:
			a.Value = slog.StringValue(secrets.Redact(v.String()))
		case slog.KindAny:
			a.Value = slog.StringValue(secrets.Redact(fmt.Sprint(v.Any())))
		}
		return a
	}
}
