package observe

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Metrics of another library are among those for Prometheus, by its names and labels; without metrics there are none.
func TestMeasures(t *testing.T) {
	var none *Telemetry
	if none.Measures("x") != nil || (&Telemetry{}).Measures("x") != nil {
		t.Error("measures without metrics")
	}
	telemetry := &Telemetry{metrics: NewMetrics(), scraped: true}
	m := telemetry.Measures("Of a library.")
	for range 2 { // the second time the instruments are there
		m.Count("lib_requests", map[string]string{"operation": "Poll"})(2)
		m.Level("lib_slots", map[string]string{"queue": `q"1`})(3)
		m.Time("lib_latency", nil)(2 * time.Millisecond)
	}
	answer := httptest.NewRecorder()
	telemetry.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	for _, want := range []string{
		"# HELP lib_requests_total Of a library.\n# TYPE lib_requests_total counter\n" + `lib_requests_total{operation="Poll"} 4`,
		"# TYPE lib_slots gauge\n" + `lib_slots{queue="q\"1"} 3`,
		`lib_latency_seconds_bucket{le="0.0025"} 2`, "lib_latency_seconds_count 2",
	} {
		if !strings.Contains(answer.Body.String(), want+"\n") {
			t.Errorf("no %s in\n%s", want, answer.Body)
		}
	}
}
