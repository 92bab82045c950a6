package observe

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// resumed resumes a run that was interrupted after its first node.
func resumed(t *testing.T, caller func(execution.ToolCaller) execution.ToolCaller, watching execution.Observer) {
	t.Helper()
	g := testGraph(t)
	answer := upstream(func(map[string]any) (value.Value, error) { return 1.0, nil })
	var events []execution.Event
	keep := execution.ObserverFunc(func(e execution.Event) { events = append(events, e) })
	if _, err := execution.New(answer).Run(t.Context(), g, value.NewObject(nil, nil), execution.WithObserver(keep)); err != nil {
		t.Fatal(err)
	}
	if _, err := execution.New(caller(answer)).Resume(t.Context(), g, events[:2], execution.WithObserver(watching)); err != nil {
		t.Fatal(err)
	}
}

func TestMetricsOfAResumedRun(t *testing.T) {
	m := NewMetrics()
	resumed(t, m.Caller, m.Run("t"))
	page := httptest.NewRecorder()
	m.Handler().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, want := range []string{
		`toolgraph_runs_total{outcome="ok",tool="t"} 1`,
		`toolgraph_runs_in_flight{tool="t"} 0`,
		`toolgraph_run_duration_seconds_bucket{tool="t",le="300"} 1`,
	} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("no %s in\n%s", want, page.Body)
		}
	}
}

func TestSpansOfAResumedRun(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	traces := newTraces(sdktrace.WithSyncer(kept))
	_, watching := traces.Run(t.Context(), "t")
	resumed(t, traces.Caller, watching)
	var names []string
	for _, s := range kept.GetSpans() {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, ", "); got != "tools/call add, done, exit, execute_tool t" {
		t.Errorf("the spans are %s", got)
	}
}
