package observe

import (
	"context"
	"fmt"
	"log/slog"
	"maps"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// Traces makes a span of each run and of each of its nodes. Safe for concurrent use.
type Traces struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// NewTraces makes traces that go out over OTLP/HTTP to where OpenTelemetry's own
// environment variables (OTEL_EXPORTER_OTLP_ENDPOINT and the like) say. Nothing waits
// for them: what cannot be sent is dropped and told to log. The log is that of the whole
// process, as the library knows only one.
func NewTraces(ctx context.Context, version string, log *slog.Logger) (*Traces, error) {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces could not be sent", "error", err) }))
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("traces cannot be sent: %w", err)
	}
	described, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "toolgraph"), attribute.String("service.version", version)),
		resource.WithFromEnv(), // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win
	)
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return newTraces(sdktrace.WithBatcher(exporter), sdktrace.WithResource(described)), nil
}

func newTraces(opts ...sdktrace.TracerProviderOption) *Traces {
	provider := sdktrace.NewTracerProvider(opts...)
	return &Traces{provider: provider, tracer: provider.Tracer("toolgraph")}
}

// Close sends what is left, until ctx ends.
func (t *Traces) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// runTrace is the trace of one run; it belongs to the run's goroutine.
type runTrace struct {
	traces *Traces
	ctx    context.Context // of the run's span
	run    trace.Span
	call   trace.Span // of the call under way; nil when there is none
	called context.Context
}

type traceKey struct{}

// fields is how trace contexts are written in _meta.
var fields = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})

// Run watches one run of a tool. parent is the trace context that the host has sent,
// nil for none. The run must be given the context, so that its calls carry the trace on.
func (t *Traces) Run(ctx context.Context, tool string, parent map[string]string) (context.Context, execution.Observer) {
	r := &runTrace{traces: t}
	from := fields.Extract(ctx, propagation.MapCarrier(parent))
	return context.WithValue(ctx, traceKey{}, r), execution.ObserverFunc(func(e execution.Event) { r.observe(from, tool, e) })
}

func (r *runTrace) observe(from context.Context, tool string, e execution.Event) {
	if r.run == nil {
		r.begin(from, tool, e)
	}
	switch e.Kind {
	case execution.CallStarted:
		r.callStarted(e)
	case execution.StepFinished:
		r.stepFinished(e.Record)
	case execution.RunFinished:
		end(r.run, e.End.Failure, trace.WithTimestamp(e.Time))
	}
}

// begin makes the span of the run. Its first event is another than that of its start when
// an earlier process has started it.
func (r *runTrace) begin(from context.Context, tool string, e execution.Event) {
	how := attribute.Bool("toolgraph.run.resumed", true)
	if e.Start != nil {
		how = attribute.String("toolgraph.graph.hash", e.Start.Graph)
	}
	r.ctx, r.run = r.traces.tracer.Start(from, "tools/call "+tool,
		trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(beginning(e)),
		trace.WithAttributes(
			attribute.String("mcp.method.name", "tools/call"), attribute.String("gen_ai.tool.name", tool),
			attribute.String("toolgraph.run.id", e.Run), how,
		))
}

func (r *runTrace) callStarted(e execution.Event) {
	r.called, r.call = r.traces.tracer.Start(r.ctx, "tools/call "+e.Step.Tool,
		trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(e.Time),
		trace.WithAttributes(
			attribute.String("mcp.method.name", "tools/call"), attribute.String("gen_ai.tool.name", e.Step.Tool),
			attribute.String("toolgraph.server", e.Step.Server),
		), trace.WithAttributes(stepAttributes(e.Step.Index, e.Step.NodeID, string(e.Step.NodeType))...))
}

func (r *runTrace) stepFinished(rec *execution.Record) {
	span := r.call
	if span == nil {
		_, span = r.traces.tracer.Start(r.ctx, rec.NodeID, trace.WithTimestamp(rec.Start),
			trace.WithAttributes(stepAttributes(rec.Index, rec.NodeID, string(rec.NodeType))...))
	}
	r.call, r.called = nil, nil
	span.SetAttributes(attribute.Int("toolgraph.output.bytes", rec.Bytes))
	end(span, rec.Error, trace.WithTimestamp(rec.End))
}

func stepAttributes(index int, node, kind string) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.Int("toolgraph.step", index), attribute.String("toolgraph.node.id", node), attribute.String("toolgraph.node.type", kind),
	}
}

// end ends a span. Of a failure its codes are told: its text may hold values.
func end(span trace.Span, failure *execution.Failure, opts ...trace.SpanEndOption) {
	if failure != nil {
		span.SetStatus(codes.Error, string(failure.Code))
		span.SetAttributes(attribute.String("error.type", string(failure.Code)))
		if failure.Detail != "" {
			span.SetAttributes(attribute.String("toolgraph.error.detail", failure.Detail))
		}
	}
	span.End(opts...)
}

// Caller puts the trace of the run into the _meta of the calls that go through it to
// next, so that an upstream server's spans belong to it.
func (t *Traces) Caller(next execution.ToolCaller) execution.ToolCaller {
	return execution.CallerFunc(func(ctx context.Context, c execution.Call) (value.Value, error) {
		if r, ok := ctx.Value(traceKey{}).(*runTrace); ok && r.called != nil {
			carried := propagation.MapCarrier{}
			fields.Inject(r.called, carried)
			meta := map[string]any{}
			maps.Copy(meta, c.Meta)
			for key, value := range carried {
				meta[key] = value
			}
			c.Meta = meta
		}
		return next.CallTool(ctx, c)
	})
}
