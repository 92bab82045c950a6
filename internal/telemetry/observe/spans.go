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
	traces  *Traces
	request *requestTrace // that the run is for; nil: none

	mu   sync.Mutex      // guards what follows
	ctx  context.Context // of the run's span
	run  trace.Span
	open map[execution.Address]*openSpan // of steps and parts that have begun

	questions map[execution.Address]trace.Span // that are not answered
	spans     int                              // so many have begun
	leftOut   int                              // steps and parts without a span, since there were too many
}

// mostSpans is the limit of spans of a run: a loop or a forEach may take thousands of steps.
const mostSpans = 1000

type openSpan struct {
	ctx    context.Context //nolint:containedctx // lives as long as the span; of a step that is left out: of what is around it
	span   trace.Span
	failed []attribute.KeyValue // of a call that has failed
}

// noSpan is that of a step that is left out.
var noSpan = trace.SpanFromContext(context.Background())

// spanOf returns the span of a call, nil when it has none.
func (r *runTrace) spanOf(at execution.Address) *openSpan {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open[at]
}

// failed notes how a call has failed, before the event of the failure.
func (r *runTrace) failed(of *openSpan, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of.failed = failureAttributes(err)
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
	case execution.QuestionAsked:
		r.questionAsked(e)
	case execution.Answered:
		r.answered(e.Step.At(), e.Time, attribute.String("toolgraph.question.answer", string(e.Answer.Action)))
	case execution.StepFinished:
		r.stepFinished(e.Record)
	case execution.RunFinished:
		r.runFinished(e)
	case execution.RunSuspended:
		r.runSuspended(e)
	}
}

// runSuspended ends the spans of a run that goes on later, or in another process, with another trace.
func (r *runTrace) runSuspended(e execution.Event) {
	for below, s := range r.open {
		s.span.End(trace.WithTimestamp(e.Time))
		delete(r.open, below)
	}
	for below := range r.questions {
		r.answered(below, e.Time)
	}
	r.run.SetAttributes(attribute.Bool("toolgraph.run.suspended", true))
	if r.request == nil {
		r.run.End(trace.WithTimestamp(e.Time))
	}
}

func (r *runTrace) runFinished(e execution.Event) {
	r.endBelow("", e.Time)
	if r.leftOut > 0 {
		r.run.SetAttributes(attribute.Int("toolgraph.spans.left_out", r.leftOut))
	}
	failure := e.End.Failure
	if r.request == nil {
		end(r.run, failure, nil, trace.WithTimestamp(e.Time))
		return
	}
	if failure != nil {
		r.run.SetStatus(codes.Error, string(failure.Code))
		r.run.SetAttributes(attribute.String("toolgraph.error.code", string(failure.Code)))
		if failure.Detail != "" {
			r.run.SetAttributes(attribute.String("toolgraph.error.detail", failure.Detail))
		}
	}
}

// begin starts the span of the run, or describes it on that of the request. The first event of a
// resumed run is not its start.
func (r *runTrace) begin(from context.Context, tool string, e execution.Event) {
	how := attribute.Bool("toolgraph.run.resumed", true)
	if e.Start != nil {
		how = attribute.String("toolgraph.graph.hash", e.Start.Graph)
	}
	of := []attribute.KeyValue{attribute.String("toolgraph.run.id", e.Run), how}
	if e.Start != nil && e.Start.ForkedFrom != "" {
		of = append(of, attribute.String("toolgraph.run.forked_from", e.Start.ForkedFrom))
	}
	if r.request != nil {
		r.ctx, r.run = from, r.request.span
		r.run.SetAttributes(of...)
		return
	}
	r.ctx, r.run = r.traces.tracer.Start(from, executeTool+" "+tool, trace.WithTimestamp(beginning(e)),
		trace.WithAttributes(keyOperation.String(executeTool), keyTool.String(tool)), trace.WithAttributes(of...))
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
	s := &openSpan{ctx: parent, span: noSpan}
	r.open[at] = s
	if r.spans == mostSpans {
		r.leftOut++
		return s
	}
	r.spans++
	s.ctx, s.span = r.traces.tracer.Start(parent, name, append(opts, trace.WithTimestamp(from))...)
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

// callStarted starts the span of a call, or of another attempt of it.
func (r *runTrace) callStarted(e execution.Event) {
	v := e.Step
	all := append(operation(callMethod, v.Tool, ""), attribute.String("toolgraph.server", v.Server))
	if v.Attempt > 1 {
		all = append(all, attribute.Int("toolgraph.attempt", v.Attempt))
	}
	r.start(v.At(), spanName(callMethod, v.Tool), e.Time, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(all...),
		trace.WithAttributes(stepAttributes(v.Frame, v.Index, v.Part, v.Graph, v.NodeID, v.NodeType)...))
}

// attemptFailed ends the span of an attempt that another one follows.
func (r *runTrace) attemptFailed(e execution.Event) {
	at := e.Step.At()
	if s := r.open[at]; s != nil {
		s.span.SetAttributes(attribute.Int64("toolgraph.wait.ms", e.Retry.WaitMs))
		end(s.span, e.Retry.Error, s.failed, trace.WithTimestamp(e.Time))
		delete(r.open, at)
	}
}

// questionAsked starts the span of a question. That of an ask node begins with it; that of a call which
// waits for the answer begins later.
func (r *runTrace) questionAsked(e execution.Event) {
	v, kind := e.Step, "ask"
	attributes := trace.WithAttributes(stepAttributes(v.Frame, v.Index, v.Part, v.Graph, v.NodeID, v.NodeType)...)
	if e.Question.IsConfirmation() {
		kind = "confirm"
	} else if r.open[v.At()] == nil {
		r.start(v.At(), v.NodeID, e.Time, attributes)
	}
	parent := r.ctx
	if s := r.open[v.At()]; s != nil {
		parent = s.ctx
	} else if s := r.open[aroundOf(v.At())]; s != nil {
		parent = s.ctx
	}
	_, r.questions[v.At()] = r.traces.tracer.Start(parent, "question", trace.WithTimestamp(e.Time), attributes,
		trace.WithAttributes(attribute.String("toolgraph.question.kind", kind)))
}

// answered ends the span of a question, if there is one.
func (r *runTrace) answered(at execution.Address, ended time.Time, answer ...attribute.KeyValue) {
	if s := r.questions[at]; s != nil {
		s.SetAttributes(answer...)
		s.End(trace.WithTimestamp(ended))
		delete(r.questions, at)
	}
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
	r.answered(at, rec.End)
	delete(r.open, at)
	s.span.SetAttributes(attribute.Int("toolgraph.output.bytes", rec.Bytes))
	if rec.Handled != nil {
		s.span.SetAttributes(attribute.String("toolgraph.handled", string(rec.Handled.Code)))
	}
	end(s.span, rec.Error, s.failed, trace.WithTimestamp(rec.End))
}

// endBelow ends the spans below a step that has ended: of parts that another one's failure ended,
// which have no record.
func (r *runTrace) endBelow(at execution.Address, ended time.Time) {
	for below, s := range r.open {
		if at.Contains(below) {
			end(s.span, &execution.Failure{Code: execution.CodeCancelled}, s.failed, trace.WithTimestamp(ended))
			delete(r.open, below)
		}
	}
	for below := range r.questions {
		if at.Contains(below) {
			r.answered(below, ended)
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
// values. The error.type of a call, in call, is that of the conventions.
func end(span trace.Span, failure *execution.Failure, call []attribute.KeyValue, opts ...trace.SpanEndOption) {
	if failure != nil {
		span.SetStatus(codes.Error, string(failure.Code))
		span.SetAttributes(keyError.String(string(failure.Code)))
		span.SetAttributes(call...)
		if failure.Detail != "" {
			span.SetAttributes(attribute.String("toolgraph.error.detail", failure.Detail))
		}
	}
	span.End(opts...)
}
