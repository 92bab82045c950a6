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

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/config"
)

// remote is a connection over HTTP: mcp-go's transport with a life of its own, a
// death that callers notice, and errors that name the host only.
type remote struct {
	transport.HTTPConnection
	host    string
	note    notes
	client  *http.Client
	wire    *http.Transport
	address string
	direct  bool // answers come in the bodies of responses
	headers map[string]string
	asks    func(by claim, method string, params json.RawMessage) (json.RawMessage, *mcp.JSONRPCErrorDetails)

	life  context.Context // the connection's, not any request's
	stop  context.CancelFunc
	begin sync.Once
	fault error // of the start

	mu      sync.Mutex // guards what follows
	failed  *Error
	modern  bool
	version string
	tasks   sync.WaitGroup
}

func (u *upstream) connectRemote(ctx context.Context) (*session, *Error) {
	note := newNotes(u.conf.Name.Value, u.opts.logger, u.opts.secrets)
	note.auth = u.auth
	if u.authFault != nil {
		return nil, u.loginNeeded(u.authFault.Error())
	}
	r, err := newRemote(u.conf, u.set, note, u.auth)
	if err != nil {
		e := u.fault(CodeServerStart, "cannot be reached: "+err.Error())
		e.Err = errLocal
		return nil, e
	}
	s := &session{server: u.conf.Name.Value, note: note, link: r, reports: &u.reports}
	if u.conf.Transport == config.StreamableHTTP { // the library does not hear what comes by sse
		s.elicit = u.elicitation()
	}
	r.asks = s.asked
	want := u.set.protocol
	if u.conf.Transport == config.SSE {
		want = config.ProtocolLegacy // the modern era has no such transport
	}
	if err := s.negotiate(ctx, want, u.opts); err != nil {
		e := u.startFault(ctx, s, err)
		u.tasks.Go(s.close)
		return nil, e
	}
	return s, nil
}

// addressOf is where a server listens.
func addressOf(conf *config.Upstream) (*url.URL, error) {
	address, err := url.Parse(conf.URL.Value)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, errors.New("its url cannot be used, expected http://host/path or https://host/path")
	}
	return address, nil
}

func newRemote(conf *config.Upstream, set settings, note notes, auth *authorizer) (*remote, error) {
	origin, err := addressOf(conf)
	if err != nil {
		return nil, err
	}
	httpClient, wire := newHTTPClient(origin, set, auth)
	headers := make(map[string]string, len(conf.Headers))
	for _, h := range conf.Headers {
		headers[h.Name.Value] = h.Value.Value
	}
	r := &remote{host: origin.Host, note: note, client: httpClient, wire: wire, address: conf.URL.Value, headers: headers}
	r.life, r.stop = context.WithCancel(context.Background())
	quiet := slog.New(slog.DiscardHandler) // the library's log shows addresses with their secrets
	if conf.Transport == config.SSE {
		sse, err := transport.NewSSE(conf.URL.Value, transport.WithHTTPClient(httpClient), transport.WithHeaders(headers),
			transport.WithSSELogger(quiet), transport.WithEndpointTimeout(set.startTimeout), transport.WithResponseTimeout(2*set.callTimeout))
		if err != nil {
			return nil, errors.New("its url cannot be used")
		}
		sse.SetConnectionLostHandler(func(err error) { r.lost(err) })
		r.HTTPConnection = sse
		return r, nil
	}
	stream, err := transport.NewStreamableHTTP(conf.URL.Value, transport.WithHTTPBasicClient(httpClient),
		transport.WithHTTPHeaders(headers), transport.WithHTTPLogger(quiet))
	if err != nil {
		return nil, errors.New("its url cannot be used")
	}
	stream.SetRequestHandler(r.asked)
	r.HTTPConnection, r.direct = stream, true
	return r, nil
}

// Start opens what the transport keeps open, the first time. ctx bounds the start only.
func (r *remote) Start(ctx context.Context) error {
	r.begin.Do(func() {
		kept := context.AfterFunc(ctx, r.stop)
		r.fault = r.HTTPConnection.Start(r.life)
		if kept(); r.fault != nil {
			r.fault = r.explain(ctx, r.fault)
		}
	})
	return r.fault
}

// SetProtocolVersion notes the era on its way to the transport.
func (r *remote) SetProtocolVersion(version string) {
	r.mu.Lock()
	r.modern, r.version = mcp.IsModernProtocol(version), version
	r.mu.Unlock()
	r.HTTPConnection.SetProtocolVersion(version)
}

// SendRequest sends a request and waits for its response, the caller or the
// connection to end.
func (r *remote) SendRequest(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	x := &exchange{
		id: req.ID, direct: r.direct, note: r.note,
		handshake: req.Method == string(mcp.MethodInitialize) || req.Method == string(mcp.MethodServerDiscover),
	}
	// The deadline is kept from the library, whose own timer would win over it by a
	// hair and call it something else.
	bound, stop := context.WithCancel(context.WithValue(context.WithoutCancel(ctx), exchangeKey{}, x))
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	defer context.AfterFunc(r.life, stop)()
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

// cancel tells a server of the older era that nobody waits any more; to the modern
// era the end of the request's stream says so.
func (r *remote) cancel(req transport.JSONRPCRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.modern || r.failed != nil || req.Method == string(mcp.MethodInitialize) || req.Method == string(mcp.MethodServerDiscover) {
		return
	}
	r.tasks.Go(func() {
		n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
		n.Method = string(mcp.MethodNotificationCancelled)
		n.Params.AdditionalFields = map[string]any{"requestId": req.ID, "reason": "cancelled"}
		if _, streams := r.HTTPConnection.(*transport.StreamableHTTP); streams {
			_ = r.post(n) // best effort
			return
		}
		ctx, stop := context.WithTimeout(r.life, courtesy)
		defer stop()
		_ = r.SendNotification(ctx, n) // likewise
	})
}

// lost is the end of a stream that should not have ended.
func (r *remote) lost(err error) {
	why := &Error{Code: CodeTransport, Message: "the connection to " + r.host + " was lost"}
	if errors.Is(err, errBodyTooLarge) {
		why = &Error{Code: CodeTooLarge, Message: r.host + " sent more than is read of one message"}
	}
	r.fail(why)
}

func (r *remote) fail(why *Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = why
		r.stop()
	}
}

func (r *remote) dead() <-chan struct{} { return r.life.Done() }

func (r *remote) failure() *Error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// Close fails all requests and ends the session with the server, within seconds.
func (r *remote) Close() error {
	r.fail(&Error{Code: CodeClosed, Message: "the connection was closed"})
	_ = r.HTTPConnection.Close() // says goodbye for 5 s at most; its failure changes nothing
	r.tasks.Wait()
	r.wire.CloseIdleConnections()
	return nil
}

// asked answers requests of the server as the stdio transport does. They come down the
// stream of the call that they belong to, whose watch is in ctx.
func (r *remote) asked(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	params, err := rawParams(req.Params)
	if err != nil {
		return nil, err
	}
	if req.Method == string(mcp.MethodElicitationCreate) {
		by := func() (*watch, func(), error) {
			if w, ok := ctx.Value(watchKey{}).(*watch); ok {
				return w, func() {}, nil
			}
			return nil, nil, errNoCall
		}
		r.later(func() { r.reply(req.ID, req.Method, params, by) })
		return nil, nil // the library would wait for 30 s at most
	}
	result, refusal := r.asks(nil, req.Method, params)
	if refusal != nil {
		return transport.NewJSONRPCErrorResponse(req.ID, refusal.Code, refusal.Message, nil), nil
	}
	return transport.NewJSONRPCResultResponse(req.ID, result), nil
}

// later runs f behind the library's back unless the connection has failed.
func (r *remote) later(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.tasks.Go(f)
	}
}

// reply posts the answer to a request of the server.
func (r *remote) reply(id mcp.RequestId, method string, params json.RawMessage, by claim) {
	result, refusal := r.asks(by, method, params)
	answer := transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Result: result, Error: refusal}
	if err := r.post(answer); err != nil {
		r.note.logger.Debug("an answer did not reach the upstream", "server", r.note.server, "error", r.plain(err))
	}
}

// post sends a message that has no answer, as well as it can. The library would take a
// 404 for the end of the session, and all its calls with it.
func (r *remote) post(message any) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(r.life, courtesy)
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
	r.mu.Lock()
	version := r.version
	r.mu.Unlock()
	req.Header.Set(mcp.HeaderProtocolVersion, version)
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

// errNetwork marks an *Error of a server that could not be talked to at all.
var errNetwork = errors.New("the server cannot be reached")

// unreachable reports whether another kind of handshake would fail likewise.
func unreachable(err error) bool { return errors.Is(err, errNetwork) }

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
	var login *loginError
	var renewal *renewError
	var status *statusError
	switch {
	case errors.As(err, &login):
		e.Code, e.Err, e.Message = CodeLoginNeeded, errNetwork, fmt.Sprintf("%s wants a login: %s", r.host, r.plain(login))
	case errors.As(err, &renewal):
		e.Err, e.RetryAfter = errNetwork, renewal.wait
		e.Message = fmt.Sprintf("%s wants a token, and %s", r.host, r.plain(renewal))
	case errors.As(err, &private):
		e.Code, e.Err = CodePrivateAddress, errNetwork
		e.Message = fmt.Sprintf("%s is refused: %v", r.host, private)
		if !private.never {
			e.Hint = "if that is meant, add allowPrivate: true to the server"
		}
	case errors.As(err, &status):
		r.explainStatus(e, status)
	case errors.Is(err, errForeignAnswer), errors.Is(err, errNoID), errors.Is(err, errBatch), errors.Is(err, errUnanswered):
		e.Message = fmt.Sprintf("%s broke the protocol: %s", r.host, r.plain(err))
		e.Hint = "its answer is not used; the server has to be mended"
	case errors.Is(err, errBodyTooLarge):
		e.Code, e.Message = CodeTooLarge, fmt.Sprintf("%s sent more than is read of one answer", r.host)
	case errors.Is(err, errElsewhere):
		e.Err, e.Message = errNetwork, r.host+" points to another host, which is not followed"
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
		e.Message = r.host + " broke off its answer"
	default:
		e.Message = fmt.Sprintf("the exchange with %s failed: %s", r.host, r.plain(err))
	}
	return e
}

// explainStatus reports a status of failure as what it is.
func (r *remote) explainStatus(e *Error, status *statusError) {
	e.Message, e.RetryAfter = fmt.Sprintf("%s answered with %v", r.host, status), status.wait
	if said := status.excerpt(r.note.redact); said != "" {
		e.Message += ": " + said
	}
	switch {
	case status.status == http.StatusTooManyRequests || status.wait > 0:
		e.Err = errNetwork // another kind of handshake would be one request more
	case status.handshake && status.status < 500:
		e.Hint = "check its url; a server of the first MCP revision needs type: sse"
	}
}

// plain is the text of an error, redacted and short.
func (r *remote) plain(err error) string { return r.note.shown(err.Error(), 500) }
