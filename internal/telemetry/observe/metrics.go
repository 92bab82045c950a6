package observe

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	"go.opentelemetry.io/otel/sdk/resource"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// Metrics counts and times runs, steps and calls. Its labels are names of the graph
// file, so there are no more series than the file has names. Safe for concurrent use.
type Metrics struct {
	provider *sdkmetric.MeterProvider
	reader   *sdkmetric.ManualReader // nil: there is no Handler
	meter    metric.Meter

	running  metric.Int64UpDownCounter
	runs     metric.Int64Counter
	runTime  metric.Float64Histogram
	steps    metric.Int64Counter
	calls    metric.Int64Counter
	usage    usageMetrics
	callTime metric.Float64Histogram
	starts   metric.Int64Counter // of upstream servers

	serverTime, serverSession metric.Float64Histogram // of requests and sessions of clients
	clientTime, clientSession metric.Float64Histogram // of requests to upstream servers, and sessions with them
}

// seconds are the bounds of the histograms: a graph of pure nodes takes well under a
// millisecond, a run of many calls minutes.
var seconds = metric.WithExplicitBucketBoundaries(.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300)

// mostSeries is the limit of series of a metric. The names of a file are far fewer; with --watch those
// of many versions of it could be more. The rest is one series with otel_metric_overflow.
const mostSeries = 10_000

// ofRequests are the bounds that the conventions advise.
var ofRequests = metric.WithExplicitBucketBoundaries(.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300)

// NewMetrics creates metrics for Prometheus that start at zero and are independent of all others.
func NewMetrics() *Metrics {
	reader := sdkmetric.NewManualReader()
	return newMetrics(reader, sdkmetric.WithReader(reader), sdkmetric.WithResource(resource.Empty()))
}

// newMetrics creates metrics; scraped is the reader of Handler, nil for none.
func newMetrics(scraped *sdkmetric.ManualReader, options ...sdkmetric.Option) *Metrics {
	provider := sdkmetric.NewMeterProvider(append(options,
		sdkmetric.WithCardinalityLimit(mostSeries), sdkmetric.WithExemplarFilter(exemplar.AlwaysOffFilter),
	)...)
	meter := provider.Meter("toolgraph")
	return &Metrics{
		provider: provider, reader: scraped, meter: meter,
		running: valid(meter.Int64UpDownCounter("toolgraph_runs_in_flight", metric.WithUnit("{run}"),
			metric.WithDescription("Runs that have started and not finished."))),
		runs: valid(meter.Int64Counter("toolgraph_runs_total", metric.WithUnit("{run}"),
			metric.WithDescription("Finished runs; outcome is ok or the code of the failure."))),
		runTime: valid(meter.Float64Histogram("toolgraph_run_duration_seconds", metric.WithUnit("s"),
			metric.WithDescription("Duration of runs."), seconds)),
		steps: valid(meter.Int64Counter("toolgraph_steps_total", metric.WithUnit("{step}"),
			metric.WithDescription("Node executions, by the type of the node."))),
		usage: newUsageMetrics(meter),
		calls: valid(meter.Int64Counter("toolgraph_calls_total", metric.WithUnit("{call}"),
			metric.WithDescription("Calls to upstream tools; outcome is ok or the code of the failure."))),
		callTime: valid(meter.Float64Histogram("toolgraph_call_duration_seconds", metric.WithUnit("s"),
			metric.WithDescription("Duration of calls to upstream tools."), seconds)),
		starts: valid(meter.Int64Counter("toolgraph_upstream_starts_total", metric.WithUnit("{start}"),
			metric.WithDescription("Starts of upstream servers; outcome is ok or the code of the failure."))),
		serverTime: valid(meter.Float64Histogram("mcp.server.operation.duration", metric.WithUnit("s"),
			metric.WithDescription("Duration of requests of clients."), ofRequests)),
		serverSession: valid(meter.Float64Histogram("mcp.server.session.duration", metric.WithUnit("s"),
			metric.WithDescription("Duration of sessions of clients over stdio."), ofRequests)),
		clientTime: valid(meter.Float64Histogram("mcp.client.operation.duration", metric.WithUnit("s"),
			metric.WithDescription("Duration of requests to upstream servers, from when they are sent."), ofRequests)),
		clientSession: valid(meter.Float64Histogram("mcp.client.session.duration", metric.WithUnit("s"),
			metric.WithDescription("Duration of sessions with upstream servers."), ofRequests)),
	}
}

// Close sends what is left to send, until ctx ends.
func (m *Metrics) Close(ctx context.Context) error { return m.provider.Shutdown(ctx) }

// valid returns an instrument. The only error is an invalid name, and the names are above.
func valid[T any](instrument T, err error) T {
	if err != nil {
		panic(err)
	}
	return instrument
}

// labels are pairs of a name and a value.
func labels(pairs ...string) metric.MeasurementOption {
	set := make([]attribute.KeyValue, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		set = append(set, attribute.String(pairs[i], pairs[i+1]))
	}
	return metric.WithAttributeSet(attribute.NewSet(set...))
}

// Run returns the observer of one run of a tool. A resumed run counts as started at the first
// event that the observer gets.
func (m *Metrics) Run(tool string) execution.Observer {
	ctx := context.Background()
	ofTool := labels("tool", tool)
	var began time.Time
	return execution.ObserverFunc(func(e execution.Event) {
		if began.IsZero() {
			began = beginning(e)
			m.running.Add(ctx, 1, ofTool)
		}
		switch e.Kind {
		case execution.StepFinished:
			m.steps.Add(ctx, 1, labels("tool", tool, "type", string(e.Record.NodeType)))
		case execution.RunSuspended:
			m.running.Add(ctx, -1, ofTool)
		case execution.RunFinished:
			outcome := "ok"
			if e.End.Failure != nil {
				outcome = string(e.End.Failure.Code)
			}
			m.runs.Add(ctx, 1, labels("tool", tool, "outcome", outcome))
			m.runTime.Record(ctx, e.Time.Sub(began).Seconds(), ofTool)
			m.running.Add(ctx, -1, ofTool)
			m.usage.add(ctx, e.End.Used, ofTool)
		}
	})
}

// beginning is the start of the step or run that the first observed event belongs to.
func beginning(e execution.Event) time.Time {
	if e.Kind == execution.StepFinished {
		return e.Record.Start
	}
	return e.Time
}

// Caller returns a caller that counts and times the calls that it passes to next.
func (m *Metrics) Caller(next execution.ToolCaller) execution.ToolCaller {
	return execution.CallerFunc(func(ctx context.Context, c execution.Call) (value.Value, error) {
		began, sent := time.Now(), &sentCall{}
		value, err := next.CallTool(context.WithValue(ctx, sentKey{}, sent), c)
		if !sent.at.IsZero() {
			m.sent(sent.at, sent.attributes, failureAttributes(err))
		}
		m.callTime.Record(ctx, time.Since(began).Seconds(), labels("server", c.Server, "tool", c.Tool))
		m.calls.Add(ctx, 1, labels("server", c.Server, "tool", c.Tool, "outcome", outcome(err)))
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
