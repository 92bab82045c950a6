package server

import (
	"unicode/utf8"

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

// The names of the protocol's fields in each object: those that we read, and those
// that a library reads after us.
var fieldNames = map[level][]string{
	levelMessage: {"jsonrpc", "id", "method", "params", "result", "error"},
	levelParams: {
		"name", "arguments", "_meta", "cursor", "notifications", "requestId", "requestState", "inputResponses",
		"protocolVersion", "capabilities", "clientInfo", "level", "task", "uri", "reason",
	},
	levelMeta: {
		"progressToken", "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities",
		"io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/logLevel",
		"traceparent", "tracestate", "baggage",
	},
}

// field is where the value of a key is kept, or nil when it is not.
func (m *message) field(at level, key string) *[]byte {
	switch at {
	case levelMessage:
		return m.ownField(key)
	case levelParams:
		return m.paramsField(key)
	case levelMeta:
		return m.metaField(key)
	case levelOther:
	}
	return nil
}

func (m *message) ownField(key string) *[]byte {
	switch key {
	case "jsonrpc":
		return &m.jsonrpc
	case "id":
		return &m.id
	case "method":
		return &m.method
	case "params":
		return &m.params
	case "result":
		return &m.result
	case "error":
		return &m.err
	}
	return nil
}

func (m *message) paramsField(key string) *[]byte {
	switch key {
	case "name":
		return &m.name
	case "arguments":
		return &m.arguments
	case "_meta":
		return &m.meta
	case "cursor":
		return &m.cursor
	case "notifications":
		return &m.notifications
	case "requestId":
		return &m.requestID
	case "requestState":
		return &m.requestState
	case "inputResponses":
		return &m.inputResponses
	case "level":
		return &m.level
	case "uri":
		return &m.uri
	}
	return nil
}

func (m *message) metaField(key string) *[]byte {
	switch key {
	case "progressToken":
		return &m.progressToken
	case "io.modelcontextprotocol/protocolVersion":
		return &m.version
	case "io.modelcontextprotocol/clientCapabilities":
		return &m.capabilities
	case "io.modelcontextprotocol/logLevel":
		return &m.logLevel
	case "traceparent":
		return &m.traceparent
	case "tracestate":
		return &m.tracestate
	case "baggage":
		return &m.baggage
	}
	return nil
}

// parse reads a line. The error is a protocol error whose id the caller may know
// from m, which is filled as far as the reading went.
func (m *message) parse(line []byte, keys [][]byte) ([][]byte, *rpcError) {
	s := scanner{Scanner: value.NewScanner(line), line: line, msg: m, keys: keys[:0]}
	if s.Peek() == '[' {
		return s.keys, &rpcError{code: codeInvalidRequest, message: "a batch is not part of MCP, expected one message a line"}
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

// check tells why the message is no JSON-RPC message that we can answer.
func (m *message) check() *rpcError {
	switch {
	case m.fault != "":
		return &rpcError{code: codeInvalidRequest, message: m.fault}
	case string(m.jsonrpc) != `"2.0"`:
		return &rpcError{code: codeInvalidRequest, message: `expected a JSON-RPC object with "jsonrpc": "2.0"`}
	case m.method == nil && (m.result != nil || m.err != nil):
		return nil // an answer to a request of ours
	case m.method == nil || m.method[0] != '"':
		return &rpcError{code: codeInvalidRequest, message: "expected a method, a string"}
	case m.id != nil && !validID(m.id):
		return &rpcError{code: codeInvalidRequest, message: "the id must be a string or an integer"}
	case m.params != nil && m.params[0] != '{':
		return &rpcError{code: m.badParams(), message: "params must be an object, got " + describeRaw(m.params)}
	case m.meta != nil && m.meta[0] != '{':
		return &rpcError{code: m.badParams(), message: "_meta must be an object, got " + describeRaw(m.meta)}
	}
	return nil
}

func (m *message) badParams() int {
	if m.id != nil {
		return codeInvalidParams
	}
	return codeInvalidRequest
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
