// Package observe watches runs and changes nothing: the log, in which no secret stands,
// traces (OpenTelemetry) and metrics (Prometheus).
//
// In go the events of runs; out come lines, spans and figures. Names, counts, times and
// codes of failures are told, values never. What is not switched on costs nothing.
//
// It owns the modules go.opentelemetry.io/otel and github.com/prometheus/client_golang.
package observe
