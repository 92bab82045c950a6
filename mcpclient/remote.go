package mcpclient

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/config"
)

// remote is a connection over HTTP: the library's transport with a lifetime of its own,
// a failure that callers notice, and errors that name the host only.
type remote struct {
	lifetime
	transport.HTTPConnection
	s       *session
	host    string
	client  *http.Client
	address string
	stream  bool // streamable HTTP: responses come in the bodies of answers
	headers map[string]string

	mu    sync.Mutex          // guards calls
	calls map[*watch]struct{} // in flight

	start sync.Once
	fault error // of the start

	version atomic.Value // string
}

var _ link = (*remote)(nil)

// addressOf returns the address of a server.
func addressOf(conf settings) (*url.URL, error) {
	address, err := url.Parse(conf.URL.Value)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, errors.New("its url cannot be used, expected http://host/path or https://host/path")
	}
	return address, nil
}

func newRemote(conf settings, s *session, auth *authorizer) (*remote, error) {
	origin, err := addressOf(conf)
	if err != nil {
		return nil, err
	}
	headers := make(map[string]string, len(conf.Headers))
	for _, h := range conf.Headers {
		headers[h.Name.Value] = h.Value.Value
	}
	r := &remote{s: s, host: origin.Host, client: newHTTPClient(origin, conf, auth), address: conf.URL.Value, headers: headers, calls: map[*watch]struct{}{}}
	r.begin()
	quiet := slog.New(slog.DiscardHandler) // the library's log shows addresses with their secrets
	if conf.Transport == config.SSE {
		sse, err := transport.NewSSE(r.address, transport.WithHTTPClient(r.client), transport.WithHeaders(headers),
			transport.WithSSELogger(quiet), transport.WithEndpointTimeout(conf.StartTimeout), transport.WithResponseTimeout(2*conf.Timeout))
		if err != nil {
			return nil, errors.New("its url cannot be used")
		}
		sse.SetConnectionLostHandler(r.lost)
		r.HTTPConnection = sse
		return r, nil
	}
	options := []transport.StreamableHTTPCOption{
		transport.WithHTTPBasicClient(r.client), transport.WithHTTPHeaders(headers), transport.WithHTTPLogger(quiet),
	}
	if s.elicit != nil { // servers that do not say which call a question belongs to ask on a stream of their own
		options = append(options, transport.WithContinuousListening()) //nolint:staticcheck // the stream is of the older era, and so are these servers
	}
	stream, err := transport.NewStreamableHTTP(r.address, options...)
	if err != nil {
		return nil, errors.New("its url cannot be used")
	}
	stream.SetRequestHandler(r.asked)
	r.HTTPConnection, r.stream = stream, true
	return r, nil
}

// Start opens the stream that the transport holds open, the first time. ctx bounds the
// start only.
func (r *remote) Start(ctx context.Context) error {
	r.start.Do(func() {
		inTime := context.AfterFunc(ctx, func() { r.stop(nil) })
		r.fault = r.HTTPConnection.Start(r.ctx)
		if inTime(); r.fault != nil {
			r.fault = r.explain(ctx, r.fault)
		}
	})
	return r.fault
}

// SetProtocolVersion notes the version on its way to the transport.
func (r *remote) SetProtocolVersion(version string) {
	r.version.Store(version)
	r.HTTPConnection.SetProtocolVersion(version)
}

func (r *remote) protocol() string {
	version, _ := r.version.Load().(string)
	return version
}

// SendRequest sends a request and waits for its response, or for the end of ctx or of
// the connection.
func (r *remote) SendRequest(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if req.Method == string(mcp.MethodInitialize) && r.s.modern != nil {
		return nil, r.s.modern.refusal() // the library would fall back to the older era
	}
	resp, err := r.send(ctx, req)
	if req.Method == string(mcp.MethodServerDiscover) && r.s.modern.again(resp, err) {
		req.ID = mcp.NewRequestId("discover-again")
		resp, err = r.send(ctx, req)
		r.s.modern.again(resp, err)
	}
	return resp, err
}

// send sends one request.
func (r *remote) send(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if w, ok := ctx.Value(watchKey{}).(*watch); ok {
		r.mu.Lock()
		r.calls[w] = struct{}{}
		r.mu.Unlock()
		defer func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(r.calls, w)
		}()
	}
	x := &exchange{id: req.ID, direct: r.stream, note: r.s.note, handshake: isHandshake(req.Method)}
	// The library does not see the deadline: its own timer would win over it by a hair
	// and give another error.
	bound, stop := context.WithCancel(context.WithValue(context.WithoutCancel(ctx), exchangeKey{}, x))
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	defer context.AfterFunc(r.ctx, stop)()
	resp, err := x.answered(r.HTTPConnection.SendRequest(bound, req))
	if err == nil {
		return resp, nil
	}
	if ctx.Err() != nil {
		r.cancel(req)
		return nil, ctx.Err()
	}
	return nil, r.explain(ctx, err)
}

// cancel notifies a server of the older era that no caller waits any more; in the modern
// era the end of the request's stream is the notification.
func (r *remote) cancel(req transport.JSONRPCRequest) {
	if mcp.IsModernProtocol(r.protocol()) || isHandshake(req.Method) {
		return
	}
	r.background(func() {
		n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
		n.Method = string(mcp.MethodNotificationCancelled)
		n.Params.AdditionalFields = map[string]any{"requestId": req.ID, "reason": "cancelled"}
		if r.stream {
			_ = r.post(n) // best effort
			return
		}
		ctx, stop := context.WithTimeout(r.ctx, courtesy)
		defer stop()
		_ = r.SendNotification(ctx, n) // likewise
	})
}

// lost takes the end of a stream that should not have ended.
func (r *remote) lost(err error) {
	why := &Error{Code: CodeTransport, Message: "the connection to " + r.host + " was lost"}
	if errors.Is(err, errBodyTooLarge) {
		why = &Error{Code: CodeTooLarge, Message: r.host + " sent a message that is larger than the limit"}
	}
	r.fail(why)
}

// Close fails all requests and ends the session with the server, within seconds.
func (r *remote) Close() error {
	r.fail(errClosed)
	_ = r.HTTPConnection.Close() // ends the session within 5 s; its failure changes nothing
	r.tasks.Wait()
	r.client.CloseIdleConnections()
	return nil
}

// asked answers requests of the server as conn does. They come down the stream of the
// call that they belong to, whose watch is in ctx, or down the one that is always open.
func (r *remote) asked(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	params, err := rawParams(req.Params)
	if err != nil {
		return nil, err
	}
	if req.Method != string(mcp.MethodElicitationCreate) {
		return r.response(req.ID, nil, req.Method, params), nil
	}
	by := func() (*watch, func(), error) {
		if w, ok := ctx.Value(watchKey{}).(*watch); ok {
			return w, func() {}, nil
		}
		return r.onlyCall()
	}
	r.background(func() {
		if err := r.post(r.response(req.ID, by, req.Method, params)); err != nil {
			r.s.note.logger.Debug("an answer did not reach the upstream", "server", r.s.note.server, "error", r.plain(err))
		}
	})
	return nil, nil // the library would wait for 30 s at most
}

// onlyCall returns the one call in flight: a question of the stream that is always open is its.
func (r *remote) onlyCall() (*watch, func(), error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch len(r.calls) {
	case 0:
		return nil, nil, errNoCall
	case 1:
		for w := range r.calls {
			return w, func() {}, nil
		}
	}
	return nil, nil, errUnclear
}

// response returns the response to a request of the server.
func (r *remote) response(id mcp.RequestId, by claim, method string, params json.RawMessage) *transport.JSONRPCResponse {
	result, refusal := r.s.asked(by, method, params)
	return &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Result: result, Error: refusal}
}

// post sends a message that has no response. The library would take a 404 for the end of
// the session, and of all its calls.
func (r *remote) post(message any) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(r.ctx, courtesy)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range r.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set(mcp.HeaderProtocolVersion, r.protocol())
	if session := r.GetSessionId(); session != "" {
		req.Header.Set(mcp.HeaderSessionID, session)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return r.explain(ctx, err)
	}
	discard(resp)
	return nil
}

// errNetwork marks an *Error of a server with which no exchange was possible at all, so
// that another kind of handshake would fail likewise.
var errNetwork = errors.New("the server cannot be reached")

// explain turns an error of the library into an *Error that names the host and never
// the address, which may hold a password or a key.
func (r *remote) explain(ctx context.Context, err error) error {
	if failed := r.failure(); failed != nil {
		return failed
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := &Error{Code: CodeTransport}
	var private *privateAddressError
	var address *url.Error
	var certificate *tls.CertificateVerificationError
	var token *tokenError
	var status *statusError
	switch {
	case errors.As(err, &token) && token.login:
		e.Code, e.Err, e.Message = CodeLoginNeeded, errNetwork, fmt.Sprintf("%s requires a login: %s", r.host, r.plain(token))
	case errors.As(err, &token):
		e.Err, e.RetryAfter = errNetwork, token.wait
		e.Message = fmt.Sprintf("%s requires a token, and %s", r.host, r.plain(token))
	case errors.As(err, &private):
		e.Code, e.Err = CodePrivateAddress, errNetwork
		e.Message = fmt.Sprintf("%s is refused: %v", r.host, private)
		if !private.never {
			e.Hint = "if that is intended, add allowPrivate: true to the server"
		}
	case errors.As(err, &status):
		r.explainStatus(e, status)
	case errors.Is(err, errForeignAnswer), errors.Is(err, errNoID), errors.Is(err, errBatch), errors.Is(err, errUnanswered):
		e.Message = fmt.Sprintf("%s broke the protocol: %s", r.host, r.plain(err))
		e.Hint = "its answer is not used; the server has to be repaired"
	case errors.Is(err, errBodyTooLarge):
		e.Code, e.Message = CodeTooLarge, r.host+" sent an answer that is larger than the limit"
	case errors.Is(err, errElsewhere):
		e.Err, e.Message = errNetwork, r.host+" redirects to another host, which is not followed"
		e.Hint = "give the final address as url"
	case errors.Is(err, errRedirects):
		e.Err, e.Message = errNetwork, fmt.Sprintf("%s redirects more than %d times", r.host, redirectsMost)
	case errors.As(err, &certificate):
		e.Err, e.Message = errNetwork, fmt.Sprintf("the certificate of %s is not trusted: %v", r.host, certificate.Err)
	case errors.Is(err, transport.ErrSessionTerminated):
		r.fail(&Error{Code: CodeTransport, Message: r.host + " answered 404: it does not know the session, or its url is wrong"})
		return fmt.Errorf("%w: %w", errUnsent, r.failure())
	case errors.Is(err, transport.ErrAuthorizationRequired):
		e.Message, e.Hint = r.host+" asks for authorization (401)", "give it in headers, for example Authorization, or add oauth: {} to the server"
	case errors.As(err, &address):
		e.Err, e.Message = errNetwork, fmt.Sprintf("%s cannot be reached: %s", r.host, r.plain(address.Err))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Message = r.host + " closed the connection in the middle of its answer"
	default:
		e.Message = fmt.Sprintf("the exchange with %s failed: %s", r.host, r.plain(err))
	}
	return e
}

// explainStatus describes an HTTP status of failure.
func (r *remote) explainStatus(e *Error, status *statusError) {
	e.Message, e.RetryAfter = fmt.Sprintf("%s answered with %v", r.host, status), status.wait
	if said := status.excerpt(r.s.note.redact); said != "" {
		e.Message += ": " + said
	}
	switch {
	case status.status == http.StatusTooManyRequests || status.wait > 0:
		e.Err = errNetwork // another kind of handshake would be one request more
	case status.handshake && status.status < 500:
		e.Hint = "check its url; a server of the first MCP revision needs type: sse"
	}
}

// plain returns the text of an error, redacted and short.
func (r *remote) plain(err error) string { return r.s.note.shown(err.Error(), 500) }
