package observe

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"toolgraph/config"
	"toolgraph/execution"
)

// runTrace is the trace of one run. Its events come one at a time; calls of parts come at once.
type runTrace struct {
	traces *Traces

	mu   sync.Mutex      // guards what follows
	ctx  context.Context // of the run's span
	run  trace.Span
	open map[execution.Address]*openSpan // of steps and parts that have begun
}

type openSpan struct {
	ctx  context.Context //nolint:containedctx // lives as long as the span
	span trace.Span
}

// contextOf returns the context of the span of a call, nil when it has none.
func (r *runTrace) contextOf(at execution.Address) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.open[at]; s != nil {
		return s.ctx
	}
	return nil
}

func (r *runTrace) observe(from context.Context, tool string, e execution.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == nil {
		r.begin(from, tool, e)
	}
	switch e.Kind {
	case execution.CallStarted:
		r.callStarted(e)
	case execution.AttemptFailed:
		r.attemptFailed(e)
	case execution.PartsStarted:
		r.partsStarted(e)
	case execution.StepFinished:
		r.stepFinished(e.Record)
	case execution.RunFinished:
		r.endBelow("", e.Time)
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

// start starts the span of a step or part inside that of what is around it. There is no event for
// the start of a called graph: its span begins with what first happens in it.
func (r *runTrace) start(at execution.Address, name string, from time.Time, opts ...trace.SpanStartOption) *openSpan {
	parent := r.ctx
	if around := aroundOf(at); around != "" {
		outer := r.open[around]
		if outer == nil {
			_, _, part := around.Split()
			outer = r.start(around, part, from)
		}
		parent = outer.ctx
	}
	s := &openSpan{}
	s.ctx, s.span = r.traces.tracer.Start(parent, name, append(opts, trace.WithTimestamp(from))...)
	r.open[at] = s
	return s
}

// aroundOf returns the step or part around an address, empty for the run.
func aroundOf(at execution.Address) execution.Address {
	frame, index, part := at.Split()
	if part != "" {
		return execution.AddressOf(frame, index, "")
	}
	return frame
}

func (r *runTrace) callStarted(e execution.Event) {
	v := e.Step
	if s := r.open[v.At()]; s != nil && v.Attempt > 1 {
		s.span.AddEvent("attempt", trace.WithTimestamp(e.Time), trace.WithAttributes(attribute.Int("toolgraph.attempt", v.Attempt)))
		return
	}
	r.start(v.At(), "tools/call "+v.Tool, e.Time, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("mcp.method.name", "tools/call"), attribute.String("gen_ai.tool.name", v.Tool),
		attribute.String("toolgraph.server", v.Server),
	), trace.WithAttributes(stepAttributes(v.Frame, v.Index, v.Part, v.Graph, v.NodeID, v.NodeType)...))
}

// attemptFailed adds the failure to the span of the call, without its message, which may contain
// values.
func (r *runTrace) attemptFailed(e execution.Event) {
	s := r.open[e.Step.At()]
	if s == nil {
		return
	}
	s.span.AddEvent("attempt failed", trace.WithTimestamp(e.Time), trace.WithAttributes(
		attribute.Int("toolgraph.attempt", max(1, e.Step.Attempt)), attribute.String("error.type", string(e.Retry.Error.Code)),
		attribute.String("toolgraph.error.detail", e.Retry.Error.Detail), attribute.Int64("toolgraph.wait.ms", e.Retry.WaitMs),
	))
}

func (r *runTrace) partsStarted(e execution.Event) {
	v := e.Step
	if r.open[v.At()] != nil {
		return
	}
	r.start(v.At(), v.NodeID, e.Time, trace.WithAttributes(attribute.Int("toolgraph.parts", e.Parts.Count)),
		trace.WithAttributes(stepAttributes(v.Frame, v.Index, v.Part, v.Graph, v.NodeID, v.NodeType)...))
}

func (r *runTrace) stepFinished(rec *execution.Record) {
	at := rec.At()
	s, attributes := r.open[at], stepAttributes(rec.Frame, rec.Index, rec.Part, rec.Tool, rec.NodeID, rec.NodeType)
	if s == nil {
		s = r.start(at, rec.NodeID, rec.Start, trace.WithAttributes(attributes...))
	} else if rec.NodeType != config.MCPNode {
		s.span.SetName(rec.NodeID) // of a called graph, which was not known before
		s.span.SetAttributes(attributes...)
	}
	r.endBelow(at, rec.End)
	delete(r.open, at)
	s.span.SetAttributes(attribute.Int("toolgraph.output.bytes", rec.Bytes))
	if rec.Handled != nil {
		s.span.SetAttributes(attribute.String("toolgraph.handled", string(rec.Handled.Code)))
	}
	end(s.span, rec.Error, trace.WithTimestamp(rec.End))
}

// endBelow ends the spans below a step that has ended: of parts that another one's failure ended,
// which have no record.
func (r *runTrace) endBelow(at execution.Address, ended time.Time) {
	for below, s := range r.open {
		if at.Contains(below) {
			end(s.span, &execution.Failure{Code: execution.CodeCancelled}, trace.WithTimestamp(ended))
			delete(r.open, below)
		}
	}
}

func stepAttributes(frame execution.Address, index int, part, tool, node string, kind config.NodeType) []attribute.KeyValue {
	all := []attribute.KeyValue{
		attribute.Int("toolgraph.step", index), attribute.String("toolgraph.node.id", node), attribute.String("toolgraph.node.type", string(kind)),
	}
	if frame != "" || part != "" {
		all = append(all, attribute.String("toolgraph.address", string(execution.AddressOf(frame, index, part))))
	}
	if tool != "" {
		all = append(all, attribute.String("toolgraph.graph", tool))
	}
	return all
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
