package observe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"toolgraph/internal/serving/server"
)

// The names and values that the semantic conventions for MCP define:
// https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
const (
	keyMethod    = attribute.Key("mcp.method.name")
	keyVersion   = attribute.Key("mcp.protocol.version")
	keySession   = attribute.Key("mcp.session.id")
	keyRequestID = attribute.Key("jsonrpc.request.id")
	keyTool      = attribute.Key("gen_ai.tool.name")
	keyOperation = attribute.Key("gen_ai.operation.name")
	keyError     = attribute.Key("error.type")
	keyStatus    = attribute.Key("rpc.response.status_code")
	keyTransport = attribute.Key("network.transport")
	keyProtocol  = attribute.Key("network.protocol.name")
	keyHTTP      = attribute.Key("network.protocol.version")
	keyClient    = attribute.Key("client.address")
	keyPort      = attribute.Key("client.port")
	keyServer    = attribute.Key("server.address")
	keyServPort  = attribute.Key("server.port")

	callMethod  = "tools/call"
	executeTool = "execute_tool"
	isError     = "tool_error" // of a result with isError
	otherError  = "_OTHER"
)

// methods are those that a span or metric names. A client can invent others without end.
var methods = map[string]bool{
	callMethod: true, "tools/list": true, "initialize": true, "server/discover": true, "ping": true, "logging/setLevel": true,
	"resources/list": true, "resources/read": true, "resources/templates/list": true, "prompts/list": true, "prompts/get": true, "completion/complete": true,
}

// operation are the attributes of a request that metrics have too.
func operation(method, tool, version string) []attribute.KeyValue {
	if !methods[method] {
		method = otherError
	}
	all := []attribute.KeyValue{keyMethod.String(method)}
	if version != "" {
		all = append(all, keyVersion.String(version))
	}
	if method == callMethod {
		all = append(all, keyOperation.String(executeTool))
	}
	if tool != "" {
		all = append(all, keyTool.String(tool))
	}
	return all
}

// spanName is the method, and the tool of a call.
func spanName(method, tool string) string {
	if !methods[method] {
		return otherError
	}
	return strings.TrimSpace(method + " " + tool)
}

// hidden identifies a session without naming it: who knows the name can answer its questions.
func hidden(session string) string {
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:8])
}

// requestTrace is a request of a client that is observed.
type requestTrace struct {
	of         *Telemetry
	began      time.Time
	attributes []attribute.KeyValue // of span and metric

	span    trace.Span // nil: there are no traces
	baggage baggage.Baggage
}

type requestKey struct{}

// Request begins the span of a request of a client; it continues the trace that the client has sent.
func (t *Telemetry) Request(r *server.Request) server.Observed {
	o := &requestTrace{of: t, began: time.Now(), attributes: operation(r.Method, r.Tool, r.Version)}
	if r.HTTP == "" {
		o.attributes = append(o.attributes, keyTransport.String("pipe"))
	} else {
		o.attributes = append(o.attributes, keyTransport.String("tcp"), keyProtocol.String("http"), keyHTTP.String(strings.TrimSuffix(r.HTTP, ".0")))
	}
	if t.traces == nil {
		return o
	}
	own := []attribute.KeyValue{keyRequestID.String(r.ID)}
	if r.Session != "" {
		own = append(own, keySession.String(hidden(r.Session)))
	}
	if host, port, err := net.SplitHostPort(r.Client); err == nil {
		n, _ := strconv.Atoi(port) // of a connection
		own = append(own, keyClient.String(host), keyPort.Int(n))
	}
	parent := fields.Extract(context.Background(), propagation.MapCarrier(r.Trace))
	o.baggage = baggage.FromContext(parent)
	_, o.span = t.traces.tracer.Start(parent, spanName(r.Method, r.Tool), trace.WithSpanKind(trace.SpanKindServer),
		trace.WithTimestamp(o.began), trace.WithAttributes(o.attributes...), trace.WithAttributes(own...))
	return o
}

// Context returns the context of what is done for the request.
func (o *requestTrace) Context(ctx context.Context) context.Context {
	if o.span == nil {
		return ctx
	}
	ctx = baggage.ContextWithBaggage(trace.ContextWithSpan(ctx, o.span), o.baggage)
	return context.WithValue(ctx, requestKey{}, o)
}

// End ends the span and counts the request.
func (o *requestTrace) End(how server.Outcome) {
	if how.Version != "" {
		o.attributes = append(o.attributes, keyVersion.String(how.Version)) // the last one of a key counts
	}
	failed := ""
	switch {
	case how.Cancelled:
		failed = "cancelled"
	case how.Code != 0:
		failed = strconv.Itoa(how.Code)
		o.attributes = append(o.attributes, keyStatus.String(failed))
	case how.Failed:
		failed = isError
	}
	if failed != "" {
		o.attributes = append(o.attributes, keyError.String(failed))
	}
	if m := o.of.metrics; m != nil {
		m.serverTime.Record(context.Background(), time.Since(o.began).Seconds(), metric.WithAttributeSet(attribute.NewSet(o.attributes...)))
	}
	if o.span == nil {
		return
	}
	o.span.SetAttributes(o.attributes...)
	if how.Waits {
		o.span.SetAttributes(attribute.Bool("toolgraph.request.waits", true))
	}
	if said, recorded := o.span.(sdktrace.ReadOnlySpan); failed != "" && recorded && said.Status().Code != codes.Error { // the run has said why
		o.span.SetStatus(codes.Error, failed)
	}
	o.span.End()
}

// SessionEnded counts a session of a client over stdio.
func (t *Telemetry) SessionEnded(version string, lasted time.Duration, err error) {
	if t.metrics == nil {
		return
	}
	all := []attribute.KeyValue{keyTransport.String("pipe")}
	if version != "" {
		all = append(all, keyVersion.String(version))
	}
	if err != nil {
		all = append(all, keyError.String(otherError))
	}
	t.metrics.serverSession.Record(context.Background(), lasted.Seconds(), metric.WithAttributeSet(attribute.NewSet(all...)))
}
