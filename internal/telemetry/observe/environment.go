package observe

import (
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"toolgraph/internal/base/wording"
)

// isSent reports whether a signal, traces, metrics or logs, is sent to a collector, as
// OTEL_SDK_DISABLED and OTEL_…_EXPORTER say: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables.
// It is, without them.
func isSent(env func(string) string, signal string) (bool, error) {
	switch v := strings.TrimSpace(env("OTEL_SDK_DISABLED")); strings.ToLower(v) {
	case "true":
		return false, nil
	case "", "false":
	default:
		return false, fmt.Errorf("OTEL_SDK_DISABLED is %q, expected true or false", wording.Shorten(v))
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

// samplers are the values of OTEL_TRACES_SAMPLER; those with a ratio read OTEL_TRACES_SAMPLER_ARG.
var samplers = []string{
	"always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio",
}

// checkVariables reports a variable that the OpenTelemetry library would pass over, with a line in the
// log at most, because its value is none that the library knows.
func checkVariables(env func(string) string) error {
	for _, name := range []string{
		"OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_EXPORT_TIMEOUT", "OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
		"OTEL_METRIC_EXPORT_INTERVAL", "OTEL_METRIC_EXPORT_TIMEOUT",
	} {
		if v := strings.TrimSpace(env(name)); v != "" {
			if n, err := strconv.Atoi(v); err != nil || n <= 0 {
				return fmt.Errorf("%s is %q, expected a number above 0", name, wording.Shorten(v))
			}
		}
	}
	sampler := strings.ToLower(strings.TrimSpace(env("OTEL_TRACES_SAMPLER")))
	if sampler != "" && !slices.Contains(samplers, sampler) {
		return fmt.Errorf("OTEL_TRACES_SAMPLER is %q, expected %s", wording.Shorten(sampler), wording.Or(samplers))
	}
	if v := strings.TrimSpace(env("OTEL_TRACES_SAMPLER_ARG")); v != "" && strings.HasSuffix(sampler, "traceidratio") {
		if ratio, err := strconv.ParseFloat(v, 64); err != nil || !(ratio >= 0 && ratio <= 1) {
			return fmt.Errorf("OTEL_TRACES_SAMPLER_ARG is %q, expected a number from 0 to 1", wording.Shorten(v))
		}
	}
	return nil
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
