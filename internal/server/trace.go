package server

import "context"

// TraceContext is what a client says of the trace that its call belongs to: the fields
// traceparent, tracestate and baggage of _meta, as the W3C defines them.
type TraceContext map[string]string

type traceKey struct{}

// TraceOf is the trace context of the call to which ctx belongs, or nil.
func TraceOf(ctx context.Context) TraceContext {
	trace, _ := ctx.Value(traceKey{}).(TraceContext)
	return trace
}

// traceContext is nil when there is none, as without a traceparent the rest means nothing.
func traceContext(m *message) TraceContext {
	parent := text(m.traceparent)
	if parent == "" {
		return nil
	}
	trace := TraceContext{"traceparent": parent}
	if state := text(m.tracestate); state != "" {
		trace["tracestate"] = state
	}
	if baggage := text(m.baggage); baggage != "" {
		trace["baggage"] = baggage
	}
	return trace
}
