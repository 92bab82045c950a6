package temporal

import (
	"maps"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"toolgraph/internal/telemetry/observe"
)

// measured describes the metrics of the SDK for people. Each has a name that begins with temporal_.
const measured = "A metric of Temporal's SDK; its documentation says what it counts."

// measures exports the metrics of the SDK with those of the process.
type measures struct {
	to     *observe.Measures
	labels map[string]string
}

// handlerOf returns the handler for the metrics of the SDK; nil without metrics.
func handlerOf(to *observe.Measures) client.MetricsHandler {
	if to == nil {
		return nil
	}
	return &measures{to: to}
}

// WithTags returns a handler whose metrics have these labels, too.
func (m *measures) WithTags(tags map[string]string) client.MetricsHandler {
	labels := maps.Clone(m.labels)
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, tags)
	delete(labels, "client_name") // always that of this SDK
	return &measures{m.to, labels}
}

// Counter returns a counter, exported with _total at the end of its name.
func (m *measures) Counter(name string) client.MetricsCounter {
	return counter(m.to.Count(nameOf(name), m.labels))
}

// Gauge returns a gauge.
func (m *measures) Gauge(name string) client.MetricsGauge {
	return gauge(m.to.Level(nameOf(name), m.labels))
}

// Timer returns a histogram of seconds, exported with _seconds at the end of its name.
func (m *measures) Timer(name string) client.MetricsTimer {
	return timer(m.to.Time(nameOf(name), m.labels))
}

// nameOf is the name of a metric with the prefix that those of the SDK have.
func nameOf(name string) string {
	if strings.HasPrefix(name, "temporal_") {
		return name
	}
	return "temporal_" + name
}

type counter func(int64)

// Inc adds to the counter.
func (c counter) Inc(n int64) { c(n) }

type gauge func(float64)

// Update sets the gauge.
func (g gauge) Update(v float64) { g(v) }

type timer func(time.Duration)

// Record adds a duration.
func (t timer) Record(d time.Duration) { t(d) }
