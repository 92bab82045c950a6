package observe

import (
	"context"
	"errors"
	"strings"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"

	"toolgraph/mcpclient"
)

// Numbers are read at each scrape, and are those of the moment.
func TestNumbersAreRead(t *testing.T) {
	m := NewMetrics()
	reads := 0.
	m.read(func(_ context.Context, report Report) {
		reads++
		report(StoreErrors, reads, "operation", "write")
		report(StoreErrors, 0, "operation", "read")
		report(QueueAgeS, 1.5)
		report(ConnectionWaitS, .25)
	})
	m.read(readSelf("1.2.3"))
	scrape(t, m)
	got := scrape(t, m)
	for _, want := range []string{
		"# TYPE toolgraph_store_errors_total counter\ntoolgraph_store_errors_total{operation=\"read\"} 0\ntoolgraph_store_errors_total{operation=\"write\"} 2\n",
		"# TYPE toolgraph_store_queue_age_seconds gauge\ntoolgraph_store_queue_age_seconds 1.5\n",
		"# TYPE toolgraph_database_connection_wait_seconds_total counter\ntoolgraph_database_connection_wait_seconds_total 0.25\n",
		"toolgraph_build_info{version=\"1.2.3\"} 1\n", "toolgraph_process_start_time_seconds 1.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "toolgraph_ready") {
		t.Error("a number that is not reported is exported")
	}
}

// Starts of servers are counted by the code of their failure.
func TestStartsAreCounted(t *testing.T) {
	tele := &Telemetry{metrics: NewMetrics()}
	tele.Started("up", nil)
	tele.Started("up", &mcpclient.Error{Code: mcpclient.CodeLoginNeeded})
	tele.Started("up", errors.New("unknown"))
	(&Telemetry{}).Started("up", nil)
	got := scrape(t, tele.metrics)
	for _, outcome := range []string{"ok", "login-needed", "error"} {
		if !strings.Contains(got, `toolgraph_upstream_starts_total{outcome="`+outcome+`",server="up"} 1`) {
			t.Errorf("no %s in\n%s", outcome, got)
		}
	}
}

// Numbers go to collectors as well. With delta, a counter that is read has what was added since it was last sent; with lowmemory
// it has not.
func TestNumbersOverOTLP(t *testing.T) {
	const cumulative, delta = metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE, metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA
	for preference, want := range map[string]metricspb.AggregationTemporality{"": cumulative, "lowmemory": cumulative, "delta": delta} {
		address, got := newMetricCollector(t)
		env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": preference}
		reader, err := newMetricReader(func(name string) string { return env[name] })
		if err != nil {
			t.Fatal(err)
		}
		described, err := describe(t.Context(), "1.2.3")
		if err != nil {
			t.Fatal(err)
		}
		m := newMetrics(nil, sdkmetric.WithReader(reader), sdkmetric.WithResource(described))
		m.read(func(_ context.Context, report Report) {
			report(Takeovers, 3)
			report(StoreRuns, 7, "status", "waiting")
		})
		m.starts.Add(t.Context(), 1)
		if err := m.Close(t.Context()); err != nil {
			t.Error(err)
		}
		sum := got["toolgraph_takeovers_total"].GetSum()
		if points := sum.GetDataPoints(); len(points) != 1 || points[0].GetAsDouble() != 3 || points[0].StartTimeUnixNano == 0 || !sum.GetIsMonotonic() || sum.GetAggregationTemporality() != want {
			t.Errorf("%q: %v", preference, sum)
		}
		points := got["toolgraph_store_runs"].GetGauge().GetDataPoints()
		if len(points) != 1 || points[0].GetAsDouble() != 7 || attributeOf(points[0].Attributes, "status") != "waiting" || points[0].TimeUnixNano == 0 {
			t.Errorf("%q: %v", preference, points)
		}
		if starts := got["toolgraph_upstream_starts_total"].GetSum().GetAggregationTemporality(); (starts == delta) != (preference != "") {
			t.Errorf("%q: starts are %v", preference, starts)
		}
	}
}
