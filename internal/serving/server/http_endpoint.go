package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/internal/base/wording"
)

// endpoint handles Endpoint: a POST has one message, a GET opens a stream of notifications.
type endpoint struct {
	server    *Server
	opts      HTTPOptions
	sessions  sessions
	questions questions
	base      context.Context // of all requests; cancelled to end the calls in flight
	closing   chan struct{}   // closed when streams must end
	calls     gate            // of tools/call
	running   sync.WaitGroup  // of the runs that outlive their calls
	forget    func()          // it gets no more messages of other processes
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	modernGet := mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
	switch {
	case r.Method == http.MethodPost:
		e.post(w, r)
	case r.Method == http.MethodGet && !modernGet:
		e.news(w, r)
	case modernGet:
		notAllowed(w, "POST")
	default: // DELETE among them: sessions need not be ended
		notAllowed(w, "GET, POST")
	}
}

// post handles one message.
func (e *endpoint) post(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "expected Content-Type: application/json", http.StatusUnsupportedMediaType)
		return
	}
	if !accepts(r.Header, "application/json") && !accepts(r.Header, "text/event-stream") {
		http.Error(w, "expected Accept: application/json, text/event-stream", http.StatusNotAcceptable)
		return
	}
	x := e.newExchange(w, r)
	body, fault, status := e.body(w, r)
	m := &message{}
	if fault == nil {
		status = http.StatusBadRequest
		_, fault = m.parse(body, nil)
	}
	switch {
	case fault != nil:
		e.refuse(x, m, fault, status)
	case !m.isRequest():
		if m.method == nil && !e.questions.answered(sessionOf(r), m) && !e.passOn(r.Context(), sessionOf(r), m) {
			x.answer(e.server.appendRefusal(nil, []byte("null"), errNotAsked), http.StatusBadRequest)
			return
		}
		if fault := e.notified(r, m); fault != nil {
			e.refuse(x, m, fault, http.StatusNotFound)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	default:
		ctx, cancel := context.WithCancelCause(r.Context())
		defer cancel(context.Canceled)
		defer e.sessions.begin(sessionOf(r), m.id, func() { cancel(errCancelledByClient) })()
		e.request(x, r.WithContext(ctx), m)
	}
}

// errNotAsked refuses an answer without a question.
var errNotAsked = invalidRequest("no open question of this session has this id; it was answered, was withdrawn or belongs to another process")

// errCancelledByClient is the cause of the end of a request that its client has cancelled.
var errCancelledByClient = fmt.Errorf("the client has cancelled the request: %w", context.Canceled)

// notified handles a notification. It fails for the cancellation of a request that this process
// never received, unless there are others that may have it.
func (e *endpoint) notified(r *http.Request, m *message) *rpcError {
	if string(m.method) != `"notifications/cancelled"` || m.requestID == nil ||
		e.sessions.cancel(sessionOf(r), m.requestID) || e.cancelElsewhere(r.Context(), sessionOf(r), m.requestID) {
		return nil
	}
	return invalidParams("requestId: this process has not received request " + wording.Shorten(string(m.requestID)) +
		" of this session; if another process serves it, end it by closing its connection")
}

// body reads the message within its limits in size and time.
func (e *endpoint) body(w http.ResponseWriter, r *http.Request) (body []byte, fault *rpcError, status int) {
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTimeout))
	limit := e.server.opts.MaxLineBytes
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(limit)))
	_ = rc.SetReadDeadline(time.Time{}) // an expired deadline would look like a closed connection
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, invalidRequest(fmt.Sprintf("the message is longer than %d bytes", limit)), http.StatusRequestEntityTooLarge
	case err != nil:
		return nil, &rpcError{code: codeParse, message: "the message is incomplete"}, http.StatusBadRequest
	}
	return body, nil, http.StatusOK
}

func (e *endpoint) refuse(x *exchange, m *message, fault *rpcError, status int) Outcome {
	x.answer(e.server.appendRefusal(nil, m.answerID(), fault), status)
	return Outcome{Code: fault.code}
}

// request answers one request.
func (e *endpoint) request(x *exchange, r *http.Request, m *message) {
	o := e.server.observe(m, r.Header.Get(mcp.HeaderProtocolVersion), r)
	o.end(e.route(x, r, m, o))
}

func (e *endpoint) route(x *exchange, r *http.Request, m *message, o *observation) Outcome {
	at, fault := e.era(r.Header, m)
	if fault != nil {
		return e.refuse(x, m, fault, http.StatusBadRequest)
	}
	e.server.showsApps(m, at, appsIn(sessionOf(r).name))
	method := text(m.method)
	switch {
	case e.server.isTask(method, at):
		return e.task(x, r, m, o)
	case e.server.isCall(method, m) && at != refused:
		return e.call(x, r, m, at, o)
	case method == "subscriptions/listen" && at == modern:
		e.listen(x, r, m)
		return Outcome{}
	case method == "logging/setLevel" && at == legacy:
		level, fault := parseLevel(m.level)
		if fault != nil {
			return e.refuse(x, m, fault, http.StatusOK)
		}
		e.sessions.setLevel(sessionOf(r), level)
		x.answer(appendAnswer(nil, m.id, emptyObject), http.StatusOK)
		return Outcome{}
	}
	result, fault := e.server.reply(o.context(r.Context()), m, at)
	if fault != nil {
		return e.refuse(x, m, fault, statusOf(fault, at))
	}
	agreed := ""
	if method == "initialize" {
		agreed = o.agreed(result)
		x.w.Header().Set(mcp.HeaderSessionID, newSession(m.declared()))
	}
	x.answer(appendAnswer(nil, m.id, result), http.StatusOK)
	return Outcome{Version: agreed}
}

// statusOfCall is the HTTP status of a call that is refused after it was accepted.
func statusOfCall(fault *rpcError) int {
	switch fault.code {
	case codeInternal:
		return http.StatusServiceUnavailable
	case codeMissingCapability:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// statusOf is the HTTP status of an error; see the revision 2026-07-28 for the modern era, in which a capability that
// the client has not declared is a bad request. Clients of the legacy era get the error in a response that is fine.
func statusOf(fault *rpcError, at era) int {
	switch {
	case at == legacy:
		return http.StatusOK
	case fault.code == codeMethodNotFound:
		return http.StatusNotFound
	case at == refused || fault.code == codeMissingCapability:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// call answers a tools/call. It ends when the client closes the connection, or cancels the
// call through its session.
func (e *endpoint) call(x *exchange, r *http.Request, m *message, at era, o *observation) Outcome {
	call, fault := e.server.newCall(m, at, SubjectOf(r.Context()))
	if fault != nil {
		return e.refuse(x, m, fault, statusOf(fault, at))
	}
	if call.tool.headers {
		if fault := call.tool.checkHeaders(r.Header, m, at); fault != nil {
			call.from.release()
			return e.refuse(x, m, fault, http.StatusBadRequest)
		}
	}
	leave, open := e.calls.enter()
	if !open {
		call.from.release()
		x.retryAfter()
		return e.refuse(x, m, errDraining, http.StatusServiceUnavailable)
	}
	defer leave()
	if !e.server.reserve(call) {
		defer call.from.release()
		x.answer(e.server.appendFailure(nil, m.id, call, e.server.busy()), http.StatusOK)
		return call.outcome
	}
	defer e.server.finished(call)
	defer busy(r.Context())()
	if at == legacy {
		session := sessionOf(r)
		call.level = e.sessions.level(session)
		if call.can = abilitiesIn(session.name); call.can != (abilities{}) {
			call.user = &legacyUser{&e.questions, session, x.send, e.closing}
		}
	}
	call.notify, call.life, call.gone, call.running = x.notify, o.context(e.base), e.closing, &e.running
	of := r.Context()
	if call.key != "" {
		var release func()
		of, release = e.lastingContext(of)
		defer release()
	}
	ctx := o.context(of)
	defer every(e.opts.KeepAlive, x.keepAlive)()
	line := e.server.perform(ctx, call, nil, m.id)
	if ctx.Err() != nil && e.base.Err() == nil { // the client cancelled it
		x.drop()
		return Outcome{Cancelled: true}
	}
	if call.status == http.StatusServiceUnavailable {
		x.retryAfter()
	}
	x.answer(line, cmp.Or(call.status, http.StatusOK))
	return call.outcome
}

// task answers a request of the extension for tasks.
func (e *endpoint) task(x *exchange, r *http.Request, m *message, o *observation) Outcome {
	if fault := checkTaskName(r.Header, m); fault != nil {
		return e.refuse(x, m, fault, http.StatusBadRequest)
	}
	result, fault := e.server.task(o.context(r.Context()), m, e.place())
	if fault != nil {
		return e.refuse(x, m, fault, statusOfCall(fault))
	}
	x.answer(appendAnswer(nil, m.id, result), http.StatusOK)
	return Outcome{}
}

// era returns the era of a request, and checks that its headers agree with its body, because
// proxies route by headers.
func (e *endpoint) era(h http.Header, m *message) (era, *rpcError) {
	for _, name := range []string{mcp.HeaderProtocolVersion, mcp.HeaderMethod, mcp.HeaderName} {
		if len(h.Values(name)) > 1 {
			return refused, mismatch("the header " + name + " is given twice")
		}
	}
	header, version := h.Get(mcp.HeaderProtocolVersion), text(m.version)
	switch {
	case !mcp.IsModernProtocol(header) && !mcp.IsModernProtocol(version):
		if header != "" && !mcp.IsValidProtocolVersion(header) {
			return refused, invalidRequest("the protocol version " + wording.Quote(header) + " is unknown; the latest is " + mcp.LATEST_PROTOCOL_VERSION)
		}
		return legacy, nil
	case header == "":
		return refused, mismatch("the header " + mcp.HeaderProtocolVersion + " is missing, expected " + wording.Quote(version) + " as in _meta")
	case m.version == nil:
		return refused, invalidParams("_meta: " + mcp.MetaKeyProtocolVersion + " is missing, expected " + wording.Quote(header) + " as in the header")
	case header != version:
		return refused, mismatch("the header " + mcp.HeaderProtocolVersion + " is " + wording.Quote(header) + " but _meta says " + wording.Quote(version))
	}
	at := m.era()
	if at == refused {
		return refused, nil // the library describes the error
	}
	if err := mcp.ValidateStandardHeaders(h.Get, version, mcp.MCPMethod(text(m.method)), m.params); err != nil {
		return refused, mismatch(err.Error())
	}
	return at, nil
}

func mismatch(message string) *rpcError {
	return &rpcError{code: mcp.HEADER_MISMATCH, message: message}
}

// checkHeaders compares arguments with the headers that repeat them: the inputSchema of the
// tool marks these arguments with x-mcp-header. Only the modern era has them.
func (t *tool) checkHeaders(h http.Header, m *message, at era) *rpcError {
	if at != modern {
		return nil
	}
	lookUp := func(name string) (string, bool) {
		values := h.Values(name)
		if len(values) != 1 {
			return "", false // given twice
		}
		return values[0], true
	}
	if err := mcp.ValidateParamHeadersLookup(lookUp, t.forHeaders(), m.params); err != nil {
		return mismatch(err.Error())
	}
	return nil
}

// prepareHeaders records whether the tool has such arguments, and reports invalid marks; those of a foreign tool are
// ignored.
func (t *tool) prepareHeaders(found *config.Diagnostics, foreign bool) {
	mark := schema.Find(t.def.InputSchema, "x-mcp-header")
	if mark == nil {
		return
	}
	t.headers = true
	if err := mcp.ValidateParamHeaderAnnotations(t.forHeaders()); err != nil && foreign {
		t.headers = false
	} else if err != nil {
		found.Add(mark.Pos, "schema-header", "inputSchema: "+err.Error(), "clients skip a tool with an invalid x-mcp-header")
	}
}

// forHeaders is the tool in the form in which the library looks for x-mcp-header.
func (t *tool) forHeaders() *mcp.Tool {
	return &mcp.Tool{Name: t.name, RawInputSchema: t.input.JSON()}
}
