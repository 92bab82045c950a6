package observe

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"toolgraph/internal/wording"
)

// isSent reports whether a signal, traces, metrics or logs, is sent to a collector, as
// OTEL_SDK_DISABLED and OTEL_…_EXPORTER say: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables.
// It is, without them.
func isSent(env func(string) string, signal string) (bool, error) {
	if strings.EqualFold(strings.TrimSpace(env("OTEL_SDK_DISABLED")), "true") {
		return false, nil
	}
	variable := "OTEL_" + strings.ToUpper(signal) + "_EXPORTER"
	switch v := strings.TrimSpace(env(variable)); v {
	case "", "otlp":
		return true, nil
	case "none":
		return false, nil
	case "prometheus":
		return false, fmt.Errorf("%s is %q, expected otlp or none; Prometheus reads /metrics, which serve --http ADDR --metrics serves", variable, v)
	default:
		return false, fmt.Errorf("%s is %q, expected otlp or none", variable, wording.Shorten(v))
	}
}

// pauseOfWarnings is the least time between two warnings about one destination.
const pauseOfWarnings = time.Minute

// warnings are those about one destination: a collector that is down would fill the log. Safe for
// concurrent use.
type warnings struct {
	log *slog.Logger

	mu   sync.Mutex // guards what follows
	last time.Time
	held int // warnings since the last one that was logged
}

// warn logs, unless it has logged within the last minute, and reports whether it has. The next
// warning says how many were left out.
func (w *warnings) warn(message string, attributes ...any) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if !w.last.IsZero() && now.Sub(w.last) < pauseOfWarnings {
		w.held++
		return false
	}
	if w.held > 0 {
		attributes = append(attributes, "left_out", w.held)
	}
	w.last, w.held = now, 0
	w.log.Warn(message, attributes...)
	return true
}
