package observe

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
)

// scrape is the text that Prometheus gets.
func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	got := httptest.NewRecorder()
	m.Handler().ServeHTTP(got, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if kind := got.Header().Get("Content-Type"); kind != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("the content type is %s", kind)
	}
	return got.Body.String()
}

func TestTextFormat(t *testing.T) {
	m := NewMetrics()
	m.runs.Add(t.Context(), 2, labels("tool", "b", "outcome", "ok"))
	m.runs.Add(t.Context(), 1, labels("tool", "a", "outcome", "ok"))
	m.callTime.Record(t.Context(), 0.25, labels("server", "up", "tool", "add"))
	m.callTime.Record(t.Context(), 700, labels("server", "up", "tool", "add"))
	got := scrape(t, m)
	for _, want := range []string{
		`# HELP toolgraph_runs_total Finished runs; outcome is ok or the code of the failure.
# TYPE toolgraph_runs_total counter
toolgraph_runs_total{outcome="ok",tool="a"} 1
toolgraph_runs_total{outcome="ok",tool="b"} 2
`,
		`# TYPE toolgraph_call_duration_seconds histogram
toolgraph_call_duration_seconds_bucket{server="up",tool="add",le="0.0005"} 0
`,
		`toolgraph_call_duration_seconds_bucket{server="up",tool="add",le="0.1"} 0
toolgraph_call_duration_seconds_bucket{server="up",tool="add",le="0.25"} 1
`,
		`toolgraph_call_duration_seconds_bucket{server="up",tool="add",le="300"} 1
toolgraph_call_duration_seconds_bucket{server="up",tool="add",le="+Inf"} 2
toolgraph_call_duration_seconds_sum{server="up",tool="add"} 700.25
toolgraph_call_duration_seconds_count{server="up",tool="add"} 2
`,
		"# TYPE go_goroutines gauge\ngo_goroutines ", "go_gc_duration_seconds{quantile=\"0.25\"} ", "go_gc_duration_seconds_count ",
		"go_info{version=\"go", "# TYPE go_memstats_alloc_bytes_total counter\n", "go_threads ", "process_start_time_seconds ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestLabelsAreEscaped(t *testing.T) {
	set := attribute.NewSet(attribute.String("tool", "a\"b\\c\nd"), attribute.String("outcome", "é"))
	if got := labelText(set); got != `outcome="é",tool="a\"b\\c\nd"` {
		t.Errorf("got %s", got)
	}
}
