package observe

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// Metrics counts and times runs, steps and calls. Its labels are names of the graph
// file, so there are no more series than the file has names. Safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	running  *prometheus.GaugeVec     // tool
	runs     *prometheus.CounterVec   // tool, outcome
	runTime  *prometheus.HistogramVec // tool
	steps    *prometheus.CounterVec   // tool, type
	calls    *prometheus.CounterVec   // server, tool, outcome
	callTime *prometheus.HistogramVec // server, tool
}

// seconds are the bounds of the histograms: a graph of pure nodes takes well under a
// millisecond, a run of many calls minutes.
var seconds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

// NewMetrics makes metrics of their own registry, with those of the process and of Go's
// runtime.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		running: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "toolgraph_runs_in_flight", Help: "Runs that have begun and not ended.",
		}, []string{"tool"}),
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "toolgraph_runs_total", Help: "Runs that have ended; outcome is ok or the code of the failure.",
		}, []string{"tool", "outcome"}),
		runTime: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "toolgraph_run_duration_seconds", Help: "How long runs took.", Buckets: seconds,
		}, []string{"tool"}),
		steps: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "toolgraph_steps_total", Help: "Node executions, by the node's type.",
		}, []string{"tool", "type"}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "toolgraph_calls_total", Help: "Calls to upstream tools; outcome is ok or the code of the failure.",
		}, []string{"server", "tool", "outcome"}),
		callTime: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "toolgraph_call_duration_seconds", Help: "How long calls to upstream tools took.", Buckets: seconds,
		}, []string{"server", "tool"}),
	}
	m.registry.MustRegister(
		m.running, m.runs, m.runTime, m.steps, m.calls, m.callTime,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// Handler tells the metrics in Prometheus's format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Run watches one run of a tool, from its first event on: one that is taken on does not
// start again.
func (m *Metrics) Run(tool string) execution.Observer {
	var began time.Time
	return execution.ObserverFunc(func(e execution.Event) {
		if began.IsZero() {
			began = beginning(e)
			m.running.WithLabelValues(tool).Inc()
		}
		switch e.Kind {
		case execution.StepFinished:
			m.steps.WithLabelValues(tool, string(e.Record.NodeType)).Inc()
		case execution.RunFinished:
			outcome := "ok"
			if e.End.Failure != nil {
				outcome = string(e.End.Failure.Code)
			}
			m.runs.WithLabelValues(tool, outcome).Inc()
			m.runTime.WithLabelValues(tool).Observe(e.Time.Sub(began).Seconds())
			m.running.WithLabelValues(tool).Dec()
		}
	})
}

// beginning is when that began of which an event is the first that is told.
func beginning(e execution.Event) time.Time {
	if e.Kind == execution.StepFinished {
		return e.Record.Start
	}
	return e.Time
}

// Caller counts and times the calls that go through it to next.
func (m *Metrics) Caller(next execution.ToolCaller) execution.ToolCaller {
	return execution.CallerFunc(func(ctx context.Context, c execution.Call) (value.Value, error) {
		began := time.Now()
		value, err := next.CallTool(ctx, c)
		m.callTime.WithLabelValues(c.Server, c.Tool).Observe(time.Since(began).Seconds())
		m.calls.WithLabelValues(c.Server, c.Tool, outcome(err)).Inc()
		return value, err
	})
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
