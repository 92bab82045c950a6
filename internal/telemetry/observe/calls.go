package observe

import (
	"context"
	"errors"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"toolgraph/mcpclient"
)

// sentCall is how a call of a run was sent, for its metric. The goroutine of the call uses it alone.
type sentCall struct {
	at         time.Time // of its first request; zero: it was not sent
	attributes []attribute.KeyValue
}

type sentKey struct{}

// Sending describes the request of a call on its span. Other requests, such as tools/list, get a span
// and are counted.
func (t *Telemetry) Sending(ctx context.Context, r mcpclient.Sending) (answered func(err error)) {
	all := append(operation(r.Method, r.Tool, r.Protocol), peerAttributes(r.Peer)...)
	var own []attribute.KeyValue
	if r.ID != "" {
		own = append(own, keyRequestID.String(r.ID))
	}
	if r.Session != "" {
		own = append(own, keySession.String(hidden(r.Session)))
	}
	began := time.Now()
	if r.Method == callMethod {
		if of, ok := ctx.Value(sentKey{}).(*sentCall); ok && of.at.IsZero() {
			of.at, of.attributes = began, all
		}
		span := trace.SpanFromContext(ctx)
		span.SetAttributes(all...)
		span.SetAttributes(own...)
		return func(error) {}
	}
	var span trace.Span
	if t.traces != nil {
		_, span = t.traces.tracer.Start(ctx, spanName(r.Method, ""), trace.WithSpanKind(trace.SpanKindClient),
			trace.WithTimestamp(began), trace.WithAttributes(all...), trace.WithAttributes(own...))
	}
	return func(err error) {
		failed := failureAttributes(err)
		if t.metrics != nil {
			t.metrics.sent(began, all, failed)
		}
		if span == nil {
			return
		}
		if failed != nil {
			span.SetAttributes(failed...)
			span.SetStatus(codes.Error, failed[0].Value.AsString())
		}
		span.End()
	}
}

// Opened counts a session with a server when it ends.
func (t *Telemetry) Opened(p mcpclient.Peer) (ended func(why error)) {
	if t.metrics == nil {
		return func(error) {}
	}
	began := time.Now()
	return func(why error) {
		all := append(peerAttributes(p), failureAttributes(why)...)
		if p.Protocol != "" {
			all = append(all, keyVersion.String(p.Protocol))
		}
		t.metrics.clientSession.Record(context.Background(), time.Since(began).Seconds(), metric.WithAttributeSet(attribute.NewSet(all...)))
	}
}

// peerAttributes describe an upstream server.
func peerAttributes(p mcpclient.Peer) []attribute.KeyValue {
	all := []attribute.KeyValue{attribute.String("toolgraph.server", p.Server)}
	if p.Host == "" {
		return append(all, keyTransport.String("pipe"))
	}
	return append(all, keyTransport.String("tcp"), keyProtocol.String("http"), keyServer.String(p.Host), keyServPort.Int(p.Port))
}

// sent counts a request to a server.
func (m *Metrics) sent(began time.Time, attributes, failed []attribute.KeyValue) {
	set := attribute.NewSet(append(attributes[:len(attributes):len(attributes)], failed...)...)
	m.clientTime.Record(context.Background(), time.Since(began).Seconds(), metric.WithAttributeSet(set))
}

// failureAttributes are error.type, and the code of a JSON-RPC error; nil without an error. They
// never have its message, which may contain values.
func failureAttributes(err error) []attribute.KeyValue {
	var rpc interface{ JSONRPCCode() int }
	var coded interface{ ErrorCode() string }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &coded) && coded.ErrorCode() == mcpclient.CodeToolError:
		return []attribute.KeyValue{keyError.String(isError)}
	case errors.As(err, &rpc):
		code := strconv.Itoa(rpc.JSONRPCCode())
		return []attribute.KeyValue{keyError.String(code), keyStatus.String(code)}
	case coded != nil:
		return []attribute.KeyValue{keyError.String(coded.ErrorCode())}
	case errors.Is(err, context.DeadlineExceeded):
		return []attribute.KeyValue{keyError.String(mcpclient.CodeTimeout)}
	case errors.Is(err, context.Canceled):
		return []attribute.KeyValue{keyError.String(mcpclient.CodeCancelled)}
	}
	return []attribute.KeyValue{keyError.String(otherError)}
}
