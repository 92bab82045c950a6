package observe

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Measures are metrics that another library names. They are collected with those of Telemetry, for Prometheus and OTLP
// alike. An instrument is made when its name comes first, and its help text is of. Safe for concurrent use.
type Measures struct {
	meter metric.Meter
	of    string

	mu       sync.Mutex // guards what follows
	counters map[string]metric.Int64Counter
	levels   map[string]metric.Float64Gauge
	times    map[string]metric.Float64Histogram
}

// Measures returns the metrics of another library, which of describes for people; nil without metrics.
func (t *Telemetry) Measures(of string) *Measures {
	if t == nil || t.metrics == nil {
		return nil
	}
	return &Measures{
		meter: t.metrics.meter, of: of,
		counters: map[string]metric.Int64Counter{}, levels: map[string]metric.Float64Gauge{}, times: map[string]metric.Float64Histogram{},
	}
}

// Count returns what adds to a counter, which is exported with _total at the end of its name.
func (m *Measures) Count(name string, labels map[string]string) func(n int64) {
	counter := ensured(m, m.counters, name, func() (metric.Int64Counter, error) {
		return m.meter.Int64Counter(name+"_total", metric.WithDescription(m.of))
	})
	set := setOf(labels)
	return func(n int64) { counter.Add(context.Background(), n, set) }
}

// Level returns what sets a gauge.
func (m *Measures) Level(name string, labels map[string]string) func(v float64) {
	gauge := ensured(m, m.levels, name, func() (metric.Float64Gauge, error) {
		return m.meter.Float64Gauge(name, metric.WithDescription(m.of))
	})
	set := setOf(labels)
	return func(v float64) { gauge.Record(context.Background(), v, set) }
}

// Time returns what adds a duration to a histogram of seconds, which is exported with _seconds at the end of its name.
func (m *Measures) Time(name string, labels map[string]string) func(d time.Duration) {
	histogram := ensured(m, m.times, name, func() (metric.Float64Histogram, error) {
		return m.meter.Float64Histogram(name+"_seconds", metric.WithUnit("s"), metric.WithDescription(m.of), seconds)
	})
	set := setOf(labels)
	return func(d time.Duration) { histogram.Record(context.Background(), d.Seconds(), set) }
}

// ensured returns the instrument with a name.
func ensured[T any](m *Measures, all map[string]T, name string, create func() (T, error)) T {
	m.mu.Lock()
	defer m.mu.Unlock()
	one, known := all[name]
	if !known {
		one, _ = create() // of an invalid name: it measures, and the error handler of the library is called
		all[name] = one
	}
	return one
}

func setOf(labels map[string]string) metric.MeasurementOption {
	set := make([]attribute.KeyValue, 0, len(labels))
	for name, value := range labels {
		set = append(set, attribute.String(name, value))
	}
	return metric.WithAttributeSet(attribute.NewSet(set...))
}
