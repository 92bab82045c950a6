package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/internal/wording"
)

// door is the endpoint: one message comes in by each POST, news go out by each GET.
type door struct {
	server    *Server
	opts      HTTPOptions
	sessions  sessions
	questions questions
	base      context.Context // of all requests; ends when the calls in flight must
	closing   chan struct{}   // closed when streams are to end
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	modernGet := mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
	switch {
	case r.Method == http.MethodPost:
		d.post(w, r)
	case r.Method == http.MethodGet && !modernGet:
		d.news(w, r)
	case modernGet:
		notAllowed(w, "POST")
	default: // DELETE among them: a session is nothing that could be ended
		notAllowed(w, "GET, POST")
	}
}

// post takes one message.
func (d *door) post(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "expected Content-Type: application/json", http.StatusUnsupportedMediaType)
		return
	}
	if !accepts(r.Header, "application/json") && !accepts(r.Header, "text/event-stream") {
		http.Error(w, "expected Accept: application/json, text/event-stream", http.StatusNotAcceptable)
		return
	}
	x := d.newExchange(w, r)
	body, fault, status := d.body(w, r)
	m := &message{}
	if fault == nil {
		status = http.StatusBadRequest
		_, fault = m.parse(body, nil)
	}
	switch {
	case fault != nil:
		d.refuse(x, m, fault, status)
	case !m.isRequest():
		if m.method == nil && !d.questions.answered(r.Header.Get(mcp.HeaderSessionID), m) {
			x.answer(d.server.appendRefusal(nil, []byte("null"), errNotAsked), http.StatusBadRequest)
			return
		}
		if fault := d.notified(r, m); fault != nil {
			d.refuse(x, m, fault, http.StatusNotFound)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	default:
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer d.sessions.begin(r.Header.Get(mcp.HeaderSessionID), m.id, cancel)()
		d.request(x, r.WithContext(ctx), m)
	}
}

// errNotAsked is an answer without a question.
var errNotAsked = invalidRequest("no question of this session with this id waits for an answer here: it was answered already, was withdrawn, or is of another process")

// notified takes a notification. The fault is that of a cancellation of a request which
// this process has never had: another process may serve it.
func (d *door) notified(r *http.Request, m *message) *rpcError {
	if string(m.method) != `"notifications/cancelled"` || m.requestID == nil || d.sessions.cancel(r.Header.Get(mcp.HeaderSessionID), m.requestID) {
		return nil
	}
	return invalidParams("requestId: this process has had no request " + wording.Shorten(string(m.requestID)) +
		" of this session; if another process serves it, end it by closing its connection")
}

// body reads the message within its limits in size and time.
func (d *door) body(w http.ResponseWriter, r *http.Request) (body []byte, fault *rpcError, status int) {
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTimeout))
	limit := d.server.opts.MaxLineBytes
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(limit)))
	_ = rc.SetReadDeadline(time.Time{}) // or the end of the deadline would pass for the client's end
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, invalidRequest(fmt.Sprintf("the message is longer than %d bytes", limit)), http.StatusRequestEntityTooLarge
	case err != nil:
		return nil, &rpcError{code: codeParse, message: "the message has not come in whole"}, http.StatusBadRequest
	}
	return body, nil, http.StatusOK
}

func (d *door) refuse(x *exchange, m *message, fault *rpcError, status int) {
	x.answer(d.server.appendRefusal(nil, m.answerID(), fault), status)
}

// request answers a request.
func (d *door) request(x *exchange, r *http.Request, m *message) {
	at, fault := d.era(r.Header, m)
	if fault != nil {
		d.refuse(x, m, fault, http.StatusBadRequest)
		return
	}
	session := r.Header.Get(mcp.HeaderSessionID)
	method := text(m.method)
	switch {
	case method == "tools/call" && at != refused:
		d.call(x, r, m, at)
		return
	case method == "subscriptions/listen" && at == modern:
		d.listen(x, r, m)
		return
	case method == "logging/setLevel" && at == legacy:
		level, fault := parseLevel(m.level)
		if fault != nil {
			d.refuse(x, m, fault, http.StatusOK)
			return
		}
		d.sessions.setLevel(session, level)
		x.answer(appendAnswer(nil, m.id, emptyObject), http.StatusOK)
		return
	}
	result, fault := d.server.reply(r.Context(), m, at)
	if fault != nil {
		d.refuse(x, m, fault, statusOf(fault, at))
		return
	}
	if method == "initialize" {
		x.w.Header().Set(mcp.HeaderSessionID, newSession(m.abilities()))
	}
	x.answer(appendAnswer(nil, m.id, result), http.StatusOK)
}

// statusOf is the status that goes with a refusal. The modern era prescribes some.
func statusOf(fault *rpcError, at era) int {
	switch {
	case at == legacy:
		return http.StatusOK
	case fault.code == codeMethodNotFound:
		return http.StatusNotFound
	case at == refused:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// call makes a run and answers with its result. It ends when the client closes the
// connection, or cancels it by its session.
func (d *door) call(x *exchange, r *http.Request, m *message, at era) {
	call, fault := d.server.newCall(m, at)
	if fault != nil {
		d.refuse(x, m, fault, http.StatusOK)
		return
	}
	if call.tool.headers {
		if fault := call.tool.checkHeaders(r.Header, m, at); fault != nil {
			call.from.release()
			d.refuse(x, m, fault, http.StatusBadRequest)
			return
		}
	}
	if !d.server.reserve(call) {
		defer call.from.release()
		x.answer(d.server.appendFailure(nil, m.id, call, d.server.busy()), http.StatusOK)
		return
	}
	defer d.server.finished(call)
	if at == legacy {
		session := r.Header.Get(mcp.HeaderSessionID)
		call.level = d.sessions.level(session)
		if call.can = abilitiesIn(session); call.can != (abilities{}) {
			call.ask = func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
				return d.questions.ask(ctx, session, x.send, d.closing, params)
			}
		}
	}
	call.notify, call.life = x.notify, d.base
	ctx := r.Context()
	defer every(d.opts.KeepAlive, x.keepAlive)()
	line := d.server.perform(ctx, call, nil, m.id)
	if ctx.Err() != nil && d.base.Err() == nil { // the client's wish, not ours
		x.drop()
		return
	}
	x.answer(line, http.StatusOK)
}

// era tells to which era a request belongs, and checks that its headers say what its
// body says: those who route by headers must not be told something else.
func (d *door) era(h http.Header, m *message) (era, *rpcError) {
	for _, name := range []string{mcp.HeaderProtocolVersion, mcp.HeaderMethod, mcp.HeaderName} {
		if len(h.Values(name)) > 1 {
			return refused, mismatch("the header " + name + " stands there twice")
		}
	}
	header, version := h.Get(mcp.HeaderProtocolVersion), text(m.version)
	switch {
	case !mcp.IsModernProtocol(header) && !mcp.IsModernProtocol(version):
		if header != "" && !mcp.IsValidProtocolVersion(header) {
			return refused, invalidRequest("the protocol version " + wording.Quote(header) + " is not known; the latest is " + mcp.LATEST_PROTOCOL_VERSION)
		}
		return legacy, nil
	case header == "":
		return refused, mismatch("the header " + mcp.HeaderProtocolVersion + " is missing, expected " + wording.Quote(version) + " as in _meta")
	case m.version == nil:
		return refused, invalidParams("_meta: " + mcp.MetaKeyProtocolVersion + " is missing, expected " + wording.Quote(header) + " as in the header")
	case header != version:
		return refused, mismatch("the header " + mcp.HeaderProtocolVersion + " is " + wording.Quote(header) + ", and _meta says " + wording.Quote(version))
	}
	at := m.era()
	if at == refused {
		return refused, nil // the library says why
	}
	if err := mcp.ValidateStandardHeaders(h.Get, version, mcp.MCPMethod(text(m.method)), m.params); err != nil {
		return refused, mismatch(err.Error())
	}
	return at, nil
}

func mismatch(message string) *rpcError {
	return &rpcError{code: mcp.HEADER_MISMATCH, message: message}
}

// checkHeaders checks the arguments that travel in headers as well, which the tool's
// inputSchema marks by x-mcp-header. Only the modern era knows them.
func (t *tool) checkHeaders(h http.Header, m *message, at era) *rpcError {
	if at != modern {
		return nil
	}
	lookUp := func(name string) (string, bool) {
		values := h.Values(name)
		if len(values) != 1 {
			return "", false // two are as wrong as none
		}
		return values[0], true
	}
	if err := mcp.ValidateParamHeadersLookup(lookUp, t.forHeaders(), m.params); err != nil {
		return mismatch(err.Error())
	}
	return nil
}

// prepareHeaders notes whether there are such arguments, and tells what is wrong with
// them.
func (t *tool) prepareHeaders(found *config.Diagnostics) {
	mark := schema.Find(t.def.InputSchema, "x-mcp-header")
	if mark == nil {
		return
	}
	t.headers = true
	if err := mcp.ValidateParamHeaderAnnotations(t.forHeaders()); err != nil {
		found.Add(mark.Pos, "schema-header", "inputSchema: "+err.Error(), "clients leave out a tool whose x-mcp-header they cannot use")
	}
}

// forHeaders is the tool as the library wants it to look for x-mcp-header.
func (t *tool) forHeaders() *mcp.Tool {
	return &mcp.Tool{Name: t.name, RawInputSchema: t.input.JSON()}
}
