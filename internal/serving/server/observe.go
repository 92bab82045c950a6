package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/internal/base/wording"
)

// Observer observes the requests of clients. Several goroutines call it at once.
type Observer interface {
	// Request begins to observe a request, before it is answered.
	Request(r *Request) Observed
	// SessionEnded reports the end of a session over stdio: its protocol version, and how long it lasted.
	SessionEnded(version string, lasted time.Duration, err error)
}

// Observed is a request that is being observed.
type Observed interface {
	// Context returns a context that leads to the request, for what is done for it.
	Context(ctx context.Context) context.Context
	// End is called once, when the answer is known.
	End(o Outcome)
}

// Request is a request of a client, without what it asks.
type Request struct {
	Method  string // as the client writes it
	Tool    string // of tools/call: the name of a tool that this server has, else ""
	ID      string // text or number, shortened
	Version string // of the protocol; "" when it is not known yet
	Trace   TraceContext

	// Of a client over HTTP, else "".
	Session string // as the client names it
	Client  string // its address and port
	HTTP    string // the version, as in 1.1
}

// TraceContext is the trace that a request belongs to: the fields traceparent, tracestate and
// baggage of _meta, as the W3C defines them. Nil: the client has sent none.
type TraceContext map[string]string

// Outcome is how a request was answered.
type Outcome struct {
	Code      int    // of a JSON-RPC error; 0: none
	Failed    bool   // a result with isError
	Waits     bool   // a question for the user, which another request answers
	Cancelled bool   // by the client
	Version   string // of the protocol, that initialize has agreed on
}

// observation is the observed request of a connection; nil: nothing observes.
type observation struct{ of Observed }

// observe begins to observe a request, except a subscription, which is none that ends. version is
// that of the connection or of a header, and r is nil over stdio.
func (s *Server) observe(m *message, version string, r *http.Request) *observation {
	if s.opts.Observer == nil || string(m.method) == `"subscriptions/listen"` {
		return nil
	}
	about := &Request{Method: text(m.method), ID: requestID(m.id), Version: version, Trace: traceContext(m)}
	if mcp.IsModernProtocol(text(m.version)) {
		about.Version = text(m.version)
	}
	if !mcp.IsValidProtocolVersion(about.Version) {
		about.Version = ""
	}
	if about.Method == string(mcp.MethodToolsCall) {
		if t, _ := s.tools.Load().find(text(m.name)); t != nil {
			about.Tool = t.name
		}
	}
	if r != nil {
		about.Session, about.Client = r.Header.Get(mcp.HeaderSessionID), r.RemoteAddr
		about.HTTP = fmt.Sprintf("%d.%d", r.ProtoMajor, r.ProtoMinor)
	}
	return &observation{s.opts.Observer.Request(about)}
}

// requestID is the id of a request as text.
func requestID(raw []byte) string {
	if id := text(raw); id != "" {
		return wording.Shorten(id)
	}
	return wording.Shorten(string(raw))
}

// context returns ctx, or the one that leads to the request.
func (o *observation) context(ctx context.Context) context.Context {
	if o == nil {
		return ctx
	}
	return o.of.Context(ctx)
}

func (o *observation) end(how Outcome) {
	if o != nil {
		o.of.End(how)
	}
}

// observed reports the end of a session.
func (c *conn) observed(lasted time.Duration, err error) {
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	if c.server.opts.Observer != nil {
		c.server.opts.Observer.SessionEnded(version, lasted, err)
	}
}

// refused ends the observation of a request that is answered with an error.
func (o *observation) refused(fault *rpcError) { o.end(Outcome{Code: fault.code}) }

// agreed is the protocol version of the result of initialize; "" without an observation.
func (o *observation) agreed(result []byte) string {
	if o == nil {
		return ""
	}
	var said struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(result, &said) // of the library, which is JSON
	return said.ProtocolVersion
}

// traceContext is nil without a traceparent, since the other fields depend on it.
func traceContext(m *message) TraceContext {
	parent := text(m.traceparent)
	if parent == "" {
		return nil
	}
	trace := TraceContext{"traceparent": parent}
	for name, raw := range map[string][]byte{"tracestate": m.tracestate, "baggage": m.baggage} {
		if given := text(raw); given != "" {
			trace[name] = given
		}
	}
	return trace
}
