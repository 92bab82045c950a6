package server

import (
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

// message is one line from a client. Its slices point into the line.
type message struct {
	jsonrpc, id, method, params, result, err []byte

	name, arguments, meta, cursor, notifications, requestID, requestState, inputResponses, level, uri []byte // of params

	progressToken, version, capabilities, logLevel []byte // of params._meta
	traceparent, tracestate, baggage               []byte // of params._meta

	fault string // why it must be refused, although it is JSON
	depth int    // of arguments: 1 for a flat object
}

// fields are the keys that the protocol defines in each object, with the place where message
// has their value; nil for those that only the library reads.
var fields = map[level]map[string]func(m *message) *[]byte{
	levelMessage: {
		"jsonrpc": func(m *message) *[]byte { return &m.jsonrpc },
		"id":      func(m *message) *[]byte { return &m.id },
		"method":  func(m *message) *[]byte { return &m.method },
		"params":  func(m *message) *[]byte { return &m.params },
		"result":  func(m *message) *[]byte { return &m.result },
		"error":   func(m *message) *[]byte { return &m.err },
	},
	levelParams: {
		"name":            func(m *message) *[]byte { return &m.name },
		"arguments":       func(m *message) *[]byte { return &m.arguments },
		"_meta":           func(m *message) *[]byte { return &m.meta },
		"cursor":          func(m *message) *[]byte { return &m.cursor },
		"notifications":   func(m *message) *[]byte { return &m.notifications },
		"requestId":       func(m *message) *[]byte { return &m.requestID },
		"requestState":    func(m *message) *[]byte { return &m.requestState },
		"inputResponses":  func(m *message) *[]byte { return &m.inputResponses },
		"level":           func(m *message) *[]byte { return &m.level },
		"uri":             func(m *message) *[]byte { return &m.uri },
		"protocolVersion": nil, "capabilities": nil, "clientInfo": nil, "task": nil, "reason": nil,
	},
	levelMeta: {
		"progressToken":               func(m *message) *[]byte { return &m.progressToken },
		mcp.MetaKeyProtocolVersion:    func(m *message) *[]byte { return &m.version },
		mcp.MetaKeyClientCapabilities: func(m *message) *[]byte { return &m.capabilities },
		mcp.MetaKeyLogLevel:           func(m *message) *[]byte { return &m.logLevel },
		"traceparent":                 func(m *message) *[]byte { return &m.traceparent },
		"tracestate":                  func(m *message) *[]byte { return &m.tracestate },
		"baggage":                     func(m *message) *[]byte { return &m.baggage },
		mcp.MetaKeyClientInfo:         nil,
	},
}

// parse reads a line. The error is a protocol error whose id the caller may know
// from m, which is filled as far as the reading went.
func (m *message) parse(line []byte, keys [][]byte) ([][]byte, *rpcError) {
	s := scanner{Scanner: value.NewScanner(line), line: line, msg: m, keys: keys[:0]}
	if s.Peek() == '[' {
		return s.keys, invalidRequest("a batch is not part of MCP, expected one message a line")
	}
	err := s.value(levelMessage, 0)
	if err == nil {
		err = s.End()
	}
	m.depth = s.deepest
	switch {
	case err != nil:
		return s.keys, &rpcError{code: codeParse, message: err.Error()}
	case !utf8.Valid(line):
		return s.keys, &rpcError{code: codeParse, message: "the line is not valid UTF-8"}
	}
	return s.keys, m.check()
}

// check reports why the message is no JSON-RPC message that we can answer.
func (m *message) check() *rpcError {
	invalid := invalidParams
	if m.id == nil {
		invalid = invalidRequest
	}
	switch {
	case m.fault != "":
		return invalidRequest(m.fault)
	case string(m.jsonrpc) != `"2.0"`:
		return invalidRequest(`expected a JSON-RPC object with "jsonrpc": "2.0"`)
	case m.method == nil && (m.result != nil || m.err != nil):
		return nil // an answer to a request of ours
	case m.method == nil || m.method[0] != '"':
		return invalidRequest("expected a method, a string")
	case m.id != nil && !validID(m.id):
		return invalidRequest("the id must be a string or an integer")
	case m.params != nil && m.params[0] != '{':
		return invalid("params must be an object, got " + describeRaw(m.params))
	case m.meta != nil && m.meta[0] != '{':
		return invalid("_meta must be an object, got " + describeRaw(m.meta))
	}
	return nil
}

// isRequest reports whether the message wants an answer.
func (m *message) isRequest() bool { return m.id != nil && m.method != nil }

// answerID is the id for an error about this message: its own as it stands, or null
// when it has none that may be repeated.
func (m *message) answerID() []byte {
	if len(m.id) > 0 && (m.id[0] == '"' || m.id[0] == '-' || m.id[0] >= '0' && m.id[0] <= '9') && utf8.Valid(m.id) {
		return m.id
	}
	return []byte("null")
}

// validID reports whether a raw value is a string or an integer.
func validID(raw []byte) bool {
	if len(raw) == 0 {
		return false
	}
	if raw[0] == '"' {
		return true
	}
	for i, c := range raw {
		if (c < '0' || c > '9') && (i > 0 || c != '-') {
			return false
		}
	}
	return true
}

// text is the text of a raw string, or "" when it is none.
func text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	for _, c := range raw {
		if c == '\\' {
			return value.Unescape(raw[1 : len(raw)-1])
		}
	}
	return string(raw[1 : len(raw)-1])
}

// idKey is the same for ids that are equal, however they are written.
func idKey(raw []byte) string {
	if len(raw) > 0 && raw[0] == '"' {
		return `"` + text(raw)
	}
	return string(raw)
}

// describeRaw names the kind of a raw JSON value.
func describeRaw(raw []byte) string {
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "the string " + wording.Shorten(string(raw))
	case 'n':
		return "null"
	}
	return wording.Shorten(string(raw))
}
