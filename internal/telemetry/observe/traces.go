package observe

import (
	"context"
	"fmt"
	"maps"
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// Traces records a span for each request of a client, for each run without one, and for each node; those
// of parts and of called graphs are inside that of their node. Safe for concurrent use.
type Traces struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// newExportedTraces returns traces that the collector of the environment gets.
func newExportedTraces(ctx context.Context, version string) (*Traces, error) {
	client, err := newUpload(os.Getenv, "traces")
	if err != nil {
		return nil, err
	}
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("set up the export of traces: %w", err)
	}
	described, err := describe(ctx, version)
	if err != nil {
		return nil, err
	}
	return newTraces(sdktrace.WithBatcher(exporter), sdktrace.WithResource(described)), nil
}

// describe describes this program to a collector.
func describe(ctx context.Context, version string) (*resource.Resource, error) {
	described, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "toolgraph"), attribute.String("service.version", version)),
		resource.WithFromEnv(), // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win
	)
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return described, nil
}

func newTraces(opts ...sdktrace.TracerProviderOption) *Traces {
	provider := sdktrace.NewTracerProvider(opts...)
	return &Traces{provider: provider, tracer: provider.Tracer("toolgraph")}
}

// Close sends the remaining spans, until ctx ends.
func (t *Traces) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

type traceKey struct{}

// fields reads and writes trace contexts in _meta.
var fields = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})

// Run returns the observer of one run of a tool, and the context that the run must have, so
// that its calls continue the trace. A run for a client's request has no span of its own: it is
// described on that of the request.
func (t *Traces) Run(ctx context.Context, tool string) (context.Context, execution.Observer) {
	r := &runTrace{traces: t, open: map[execution.Address]*openSpan{}, questions: map[execution.Address]trace.Span{}}
	r.request, _ = ctx.Value(requestKey{}).(*requestTrace)
	return context.WithValue(ctx, traceKey{}, r), execution.ObserverFunc(func(e execution.Event) { r.observe(ctx, tool, e) })
}

// Caller returns a caller that adds the trace of the run to the _meta of calls, so that the
// spans of upstream servers belong to it.
func (t *Traces) Caller(next execution.ToolCaller) execution.ToolCaller {
	return execution.CallerFunc(func(ctx context.Context, c execution.Call) (value.Value, error) {
		r, _ := ctx.Value(traceKey{}).(*runTrace)
		if r == nil {
			return next.CallTool(ctx, c)
		}
		of := r.spanOf(c.At())
		if of == nil {
			return next.CallTool(trace.ContextWithSpan(ctx, noSpan), c)
		}
		carried := propagation.MapCarrier{}
		fields.Inject(of.ctx, carried)
		meta := map[string]any{}
		maps.Copy(meta, c.Meta)
		for key, value := range carried {
			meta[key] = value
		}
		c.Meta = meta
		output, err := next.CallTool(trace.ContextWithSpan(ctx, of.span), c)
		r.failed(of, err)
		return output, err
	})
}
