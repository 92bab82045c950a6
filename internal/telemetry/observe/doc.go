// Package observe watches runs and changes nothing: the log, which contains no secrets,
// traces and metrics (OpenTelemetry; the metrics in Prometheus's text format).
//
// In go the events of runs; out come lines, spans and figures: names, counts, times and
// error codes, never values. What is not switched on costs nothing.
//
// It owns the module go.opentelemetry.io/otel.
package observe
