package observe

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// received are the metrics that a collector gets, by name.
type received map[string]*metricspb.Metric

func newMetricCollector(t *testing.T) (address string, got received) {
	t.Helper()
	got = received{}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var sent metricspb.MetricsData
		if err != nil || r.URL.Path != "/v1/metrics" || proto.Unmarshal(body, &sent) != nil {
			t.Errorf("%s, %v: %q", r.URL, err, body)
			return
		}
		for _, from := range sent.ResourceMetrics {
			if attributeOf(from.Resource.Attributes, "service.name") == "" {
				t.Errorf("the resource is %v", from.Resource)
			}
			for _, m := range from.ScopeMetrics[0].Metrics {
				got[m.Name] = m
			}
		}
	}))
	t.Cleanup(collector.Close)
	return collector.URL, got
}

func attributeOf(all []*commonpb.KeyValue, key string) string {
	for _, a := range all {
		if a.Key == key {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

// sendMetrics runs the test graph twice, once without success, with metrics of this environment.
func sendMetrics(t *testing.T, env map[string]string) {
	t.Helper()
	reader, err := newMetricReader(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	described, err := describe(t.Context(), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	m := newMetrics(nil, sdkmetric.WithReader(reader), sdkmetric.WithResource(described))
	for _, failed := range []error{nil, errSecret} {
		caller := upstream(func(map[string]any) (value.Value, error) { return 1.0, failed })
		_, _ = execution.New(m.Caller(caller)).Run(t.Context(), testGraph(t), value.NewObject(nil, nil), execution.WithObserver(m.Run("t")))
	}
	if err := m.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestMetricsOverOTLP(t *testing.T) {
	address, got := newMetricCollector(t)
	sendMetrics(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": address})
	runs := got["toolgraph_runs_total"]
	outcomes := map[string]int64{}
	for _, p := range runs.GetSum().GetDataPoints() {
		outcomes[attributeOf(p.Attributes, "outcome")] = p.GetAsInt()
	}
	if runs.GetUnit() != "{run}" || !runs.GetSum().GetIsMonotonic() || outcomes["ok"] != 1 || outcomes["tool"] != 1 ||
		runs.GetSum().GetAggregationTemporality() != metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
		t.Errorf("%v", runs)
	}
	calls := got["toolgraph_call_duration_seconds"]
	points := calls.GetHistogram().GetDataPoints()
	if calls.GetUnit() != "s" || len(points) != 1 {
		t.Fatalf("%v", calls)
	}
	p := points[0]
	counted := uint64(0)
	for _, n := range p.BucketCounts {
		counted += n
	}
	if p.Count != 2 || counted != 2 || len(p.BucketCounts) != len(p.ExplicitBounds)+1 || p.ExplicitBounds[0] != .0005 ||
		p.GetSum() < p.GetMax() || p.GetMax() < p.GetMin() || p.StartTimeUnixNano == 0 || p.TimeUnixNano < p.StartTimeUnixNano || attributeOf(p.Attributes, "server") != "up" {
		t.Errorf("%v", p)
	}
}

func TestTemporalityOfMetrics(t *testing.T) {
	address, got := newMetricCollector(t)
	sendMetrics(t, map[string]string{
		"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": address + "/v1/metrics", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "Delta",
	})
	const delta = metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA
	if got["toolgraph_runs_total"].GetSum().GetAggregationTemporality() != delta || got["toolgraph_run_duration_seconds"].GetHistogram().GetAggregationTemporality() != delta ||
		got["toolgraph_runs_in_flight"].GetSum().GetAggregationTemporality() == delta {
		t.Errorf("%v", got)
	}
	_, err := temporalityOf(func(string) string { return "gauge" })
	if err == nil || err.Error() != `OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE is "gauge", expected cumulative, delta or lowmemory` {
		t.Error(err)
	}
}

// Names that come from outside a file can make no more series than the limit.
func TestSeriesAreBounded(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	m := newMetrics(reader, sdkmetric.WithReader(reader))
	caller := m.Caller(upstream(func(map[string]any) (value.Value, error) { return nil, errors.New("unknown") }))
	for i := range mostSeries + 100 {
		_, _ = caller.CallTool(context.Background(), execution.Call{Server: "up", Tool: string(rune('0' + i))})
	}
	if got := scrape(t, m); !strings.Contains(got, `toolgraph_calls_total{otel_metric_overflow="true"} 101`) {
		t.Errorf("no series for what exceeds the limit, in %d bytes", len(got))
	}
}
