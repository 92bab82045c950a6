package observe

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"toolgraph/execution"
	"toolgraph/expressions"
)

// Metrics counts and times runs, steps and calls. Its labels are names of the graph
// file, so there are no more series than the file has names. Safe for concurrent use.
type Metrics struct {
	running  family[*metrics.Gauge]               // tool
	runs     family[*metrics.Counter]             // outcome, tool
	runTime  family[*metrics.PrometheusHistogram] // tool
	steps    family[*metrics.Counter]             // tool, type
	calls    family[*metrics.Counter]             // outcome, server, tool
	callTime family[*metrics.PrometheusHistogram] // server, tool
}

// NewMetrics makes metrics that nothing has been counted by.
func NewMetrics() *Metrics {
	return &Metrics{
		running:  gauges("toolgraph_runs_in_flight", "Runs that have begun and not ended."),
		runs:     counters("toolgraph_runs_total", "Runs that have ended; outcome is ok or the code of the failure."),
		runTime:  histograms("toolgraph_run_duration_seconds", "How long runs took."),
		steps:    counters("toolgraph_steps_total", "Node executions, by the node's type."),
		calls:    counters("toolgraph_calls_total", "Calls to upstream tools; outcome is ok or the code of the failure."),
		callTime: histograms("toolgraph_call_duration_seconds", "How long calls to upstream tools took."),
	}
}

// Handler answers with all metrics, and those of the Go runtime and the process, in the
// text format of Prometheus.
func (m *Metrics) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		m.running.write(w)
		m.runs.write(w)
		m.runTime.write(w)
		m.steps.write(w)
		m.calls.write(w)
		m.callTime.write(w)
		metrics.WriteProcessMetrics(w)
	})
}

// Run watches one run of a tool, from its first event on: a run that is resumed does not
// start again.
func (m *Metrics) Run(tool string) execution.Observer {
	var began time.Time
	return execution.ObserverFunc(func(e execution.Event) {
		if began.IsZero() {
			began = beginning(e)
			m.running.of("tool", tool).Inc()
		}
		switch e.Kind {
		case execution.StepFinished:
			m.steps.of("tool", tool, "type", string(e.Record.NodeType)).Inc()
		case execution.RunFinished:
			outcome := "ok"
			if e.End.Failure != nil {
				outcome = string(e.End.Failure.Code)
			}
			m.runs.of("outcome", outcome, "tool", tool).Inc()
			m.runTime.of("tool", tool).Update(e.Time.Sub(began).Seconds())
			m.running.of("tool", tool).Dec()
		}
	})
}

// beginning is when the thing began whose first event is e.
func beginning(e execution.Event) time.Time {
	if e.Kind == execution.StepFinished {
		return e.Record.Start
	}
	return e.Time
}

// Caller counts and times the calls that go through it to next.
func (m *Metrics) Caller(next execution.ToolCaller) execution.ToolCaller {
	return measured{m, next}
}

type measured struct {
	metrics *Metrics
	next    execution.ToolCaller
}

func (c measured) CallTool(ctx context.Context, server, tool string, args expressions.Value, meta map[string]any) (expressions.Value, error) {
	began := time.Now()
	value, err := c.next.CallTool(ctx, server, tool, args, meta)
	c.metrics.callTime.of("server", server, "tool", tool).Update(time.Since(began).Seconds())
	c.metrics.calls.of("outcome", outcome(err), "server", server, "tool", tool).Inc()
	return value, err
}

// outcome is ok, or the error's code.
func outcome(err error) string {
	var coded interface{ ErrorCode() string }
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &coded):
		return coded.ErrorCode()
	}
	return "error"
}
