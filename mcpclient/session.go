package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// link is a connection to a server: a transport of the library that can also fail.
type link interface {
	transport.Interface
	dead() <-chan struct{} // closed when the connection has failed
	failure() *Error       // why it has failed; nil before
	fail(why *Error)       // ends the connection; the first reason counts
}

// lifetime is how long a connection lasts, and the goroutines for which its end waits.
type lifetime struct {
	ctx    context.Context // ends when the connection fails; its cause is the *Error
	stop   context.CancelCauseFunc
	adding sync.Mutex // held while a task is added, or the connection fails
	tasks  sync.WaitGroup
}

// errClosed is the failure of a connection that is of no more use.
var errClosed = &Error{Code: CodeClosed, Message: "the connection was closed"}

func (l *lifetime) begin() { l.ctx, l.stop = context.WithCancelCause(context.Background()) }

// background runs f in a goroutine of its own and reports whether it does: not after the end.
func (l *lifetime) background(f func()) bool {
	l.adding.Lock()
	defer l.adding.Unlock()
	if l.ctx.Err() != nil {
		return false
	}
	l.tasks.Go(f)
	return true
}

func (l *lifetime) fail(why *Error) {
	l.adding.Lock()
	defer l.adding.Unlock()
	l.stop(why)
}

func (l *lifetime) dead() <-chan struct{} { return l.ctx.Done() }

func (l *lifetime) failure() *Error {
	why, _ := context.Cause(l.ctx).(*Error) //nolint:errorlint // fail gave it as it is
	return why
}

// firstID leaves the ids below to the library's handshake, and to requests of servers,
// whose ids the library's SSE transport does not distinguish from those of its client.
const firstID = 1_000_000

// session is one connection after its handshake. Requests bypass the library's typed
// client, which loses schema keywords and rejects unknown kinds of content.
type session struct {
	link    link
	note    notes
	stderr  *stderrRing // nil for a remote server
	version string
	meta    map[string]any // which the modern era requires in every _meta; nil in the older
	ids     atomic.Int64
	tools   catalog
	about   About

	since           time.Time   // when it was ready
	notifiesChanges bool        // it can notify this client when its tools change
	subscribed      atomic.Bool // it was asked to, in the modern era

	modern *probe       // of a handshake of the modern era; nil in that of the older one
	elicit Elicitor     // nil: the server's requests are refused
	open   atomic.Int64 // questions without an answer
	called atomic.Bool  // a tool was called
	turns  *turns       // of a pipe
	serial bool         // calls take turns

	observer Observer // nil: nothing observes
	peer     Peer     // for it

	reports *reports // of the upstream, whichever session its calls are on
	changes *changes // of the upstream
	wakes   *wakes   // likewise
	able    abilities
}

func (s *session) alive() bool {
	select {
	case <-s.link.dead():
		return false
	default:
		return true
	}
}

func (s *session) close() { _ = s.link.Close() } // when it fails, there is nothing left to do

// received takes a notification of the server.
func (s *session) received(method string, params []byte) {
	switch method {
	case "notifications/message":
		s.note.message(params)
	case mcp.MethodNotificationToolsListChanged:
		s.tools.changed()
		s.changes.signal()
	case mcp.MethodNotificationPromptsListChanged, mcp.MethodNotificationResourcesListChanged:
		s.changes.signal()
	case progressMethod:
		s.reported(params)
	case taskMethod:
		s.wakes.received(params)
	}
}

// notified is received for HTTP, where the library reads; conn calls received itself.
func (s *session) notified(n mcp.JSONRPCNotification) {
	var params []byte
	if n.Method == progressMethod || n.Method == taskMethod { // of the others only the method counts
		params, _ = json.Marshal(n.Params) // it has just been decoded from JSON
	}
	s.received(n.Method, params)
}

// negotiate does the handshake. The older one is tried first: every server of that
// era answers it in one round trip, servers of both do too, and one of the modern era
// alone refuses it at once, while a modern probe would cost seconds with servers that
// leave unknown methods unanswered.
func (s *session) negotiate(ctx context.Context, want config.Protocol, o *options) error {
	var first error
	for _, modern := range []bool{false, true} {
		if modern && want == config.ProtocolLegacy || !modern && want == config.ProtocolModern {
			continue
		}
		version, err := s.handshake(ctx, modern, o)
		if err == nil {
			s.settle(version, o)
			return nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil || !s.alive() || errors.Is(err, errNetwork) {
			break
		}
	}
	return first
}

func (s *session) handshake(ctx context.Context, modern bool, o *options) (string, error) {
	opts := []client.ClientOption{client.WithProtocolVersion(mcp.LATEST_LEGACY_PROTOCOL_VERSION)}
	if modern {
		opts = []client.ClientOption{client.WithProtocolVersion(mcp.LATEST_PROTOCOL_VERSION), client.WithDiscoverTimeout(-1)}
	}
	s.modern = nil
	if modern {
		s.modern = &probe{}
	}
	c := client.NewClient(s.link, opts...)
	c.OnNotification(s.notified)
	if err := c.Start(ctx); err != nil {
		return "", err
	}
	var req mcp.InitializeRequest
	req.Params.ClientInfo = mcp.Implementation{Name: o.name, Version: o.version}
	req.Params.Capabilities = s.capabilities()
	answered := func(error) {}
	if s.observer != nil {
		method := mcp.MethodInitialize
		if modern {
			method = mcp.MethodServerDiscover
		}
		answered = s.sending(ctx, string(method), "", "")
	}
	said, err := c.Initialize(ctx, req)
	answered(err)
	if err != nil {
		return "", err
	}
	s.about = About{
		Name: s.note.redact(said.ServerInfo.Name), Title: s.note.redact(said.ServerInfo.Title),
		Version: s.note.redact(said.ServerInfo.Version), Instructions: s.note.redact(said.Instructions),
	}
	s.notifiesChanges = said.Capabilities.Tools != nil && said.Capabilities.Tools.ListChanged
	s.able = abilitiesOf(said.Capabilities)
	return c.ProtocolVersion(), nil
}

// settle records the result of the negotiation.
func (s *session) settle(version string, o *options) {
	s.version, s.about.Protocol, s.since = version, version, o.clock.now()
	s.ids.Store(firstID)
	if !mcp.IsModernProtocol(version) {
		s.serial = s.elicit != nil && s.turns != nil
		return
	}
	s.meta = map[string]any{
		mcp.MetaKeyProtocolVersion:    version,
		mcp.MetaKeyClientInfo:         mcp.Implementation{Name: o.name, Version: o.version},
		mcp.MetaKeyClientCapabilities: s.capabilities(),
	}
}

// rpcError is a JSON-RPC error of the server, redacted.
type rpcError struct {
	code    int
	message string
}

func (f *rpcError) Error() string { return fmt.Sprintf("JSON-RPC error %d: %s", f.code, f.message) }

// request is one request to a server.
type request struct {
	method string
	name   string // of the tool of tools/call, or the URI of resources/read: the modern era mirrors it into HTTP headers
	params json.RawMessage
	task   string // the id of the task of a request about one, which is mirrored likewise
	offer  *offer // the tool of tools/call; nil when it is unknown
	turn   *turn  // of a call where calls take turns; otherwise nil
	leave  func() // gives up its slot among the requests in flight

	timeout time.Duration // above 0: instead of the server's
}

// request sends one request and returns the raw result.
func (s *session) request(ctx context.Context, r request) (raw json.RawMessage, err error) {
	id := s.ids.Add(1)
	if s.observer != nil {
		answered := s.sending(ctx, r.method, r.name, strconv.FormatInt(id, 10))
		defer func() { answered(err) }()
	}
	req := transport.JSONRPCRequest{
		JSONRPC: mcp.JSONRPC_VERSION,
		ID:      mcp.NewRequestId(id),
		Method:  r.method,
		Params:  r.params,
		Header:  s.headers(r),
	}
	resp, err := s.link.SendRequest(ctx, req)
	if err != nil {
		return nil, err
	}
	if resp.Error != nil {
		message := s.note.shown(resp.Error.Message, stderrLine)
		return nil, &rpcError{code: resp.Error.Code, message: message}
	}
	return resp.Result, nil
}

// overModernHTTP reports whether requests are mirrored into HTTP headers.
func (s *session) overModernHTTP() bool { return s.meta != nil && s.stderr == nil }

func (s *session) headers(r request) http.Header {
	if !s.overModernHTTP() {
		return nil
	}
	params, _ := json.Marshal(map[string]string{"name": r.name, "uri": r.name}) // which cannot fail
	h := http.Header{}
	for key, value := range mcp.StandardHeaders(s.version, mcp.MCPMethod(r.method), params) {
		h.Set(key, value)
	}
	if id, ok := mcp.EncodeHeaderValue(r.task); ok && r.task != "" {
		h.Set(mcp.HeaderName, id)
	}
	r.offer.mirror(h, r.params)
	return h
}

// callParams returns the params of tools/call; more are the members of another try.
func (s *session) callParams(ctx context.Context, tool string, args value.Value, meta map[string]any, more []byte) (out json.RawMessage, err error) {
	out = append(value.AppendString([]byte(`{"name":`), tool), `,"arguments":`...)
	if args == nil {
		out = append(out, "{}"...)
	} else if out, err = value.AppendMost(value.Until(ctx), out, args, 2*value.MaxBytes); err != nil {
		return nil, err
	}
	if more != nil {
		out = append(append(out, ','), more...)
	}
	return s.endParams(out, meta)
}

// endParams adds _meta, if any, and the closing brace to params that begin with {.
func (s *session) endParams(out []byte, meta map[string]any) (json.RawMessage, error) {
	if len(meta) == 0 && s.meta == nil {
		return append(out, '}'), nil
	}
	all := map[string]any{}
	maps.Copy(all, meta)
	maps.Copy(all, s.meta)
	raw, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	if out[len(out)-1] != '{' {
		out = append(out, ',')
	}
	return append(append(append(out, `"_meta":`...), raw...), '}'), nil
}
