package observe

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// Traces records a span for each run and for each of its nodes. Safe for concurrent use.
type Traces struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// NewTraces returns traces that are sent over OTLP/HTTP in the background. OpenTelemetry's own
// environment variables (OTEL_EXPORTER_OTLP_ENDPOINT and others) configure the destination.
// Traces that cannot be sent are dropped with a warning in log, which becomes the error
// handler of the OpenTelemetry library for the whole process.
func NewTraces(ctx context.Context, version string, log *slog.Logger) (*Traces, error) {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces could not be sent", "error", err) }))
	client, err := newUpload(os.Getenv)
	if err != nil {
		return nil, err
	}
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("set up the export of traces: %w", err)
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

// Close sends the remaining spans, until ctx ends.
func (t *Traces) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// runTrace is the trace of one run. It belongs to the goroutine of the run.
type runTrace struct {
	traces *Traces
	ctx    context.Context // of the run's span
	run    trace.Span
	call   trace.Span // of the current call; nil between calls
	called context.Context
}

type traceKey struct{}

// fields reads and writes trace contexts in _meta.
var fields = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})

// Run returns the observer of one run of a tool, and the context that the run must have, so
// that its calls continue the trace. parent is the trace context of the client, or nil.
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

// begin starts the span of the run. The first event of a resumed run is not its start.
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

// end ends a span. It records the codes of a failure but not the message, which may contain
// values.
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

// Caller returns a caller that adds the trace of the run to the _meta of calls, so that the
// spans of upstream servers belong to it.
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
