package server

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// message is one line from a client. Its slices point into the line.
type message struct {
	jsonrpc, id, method, params, result, err []byte

	name, arguments, meta, cursor, notifications, requestID, requestState, inputResponses, level, uri, taskID []byte // of params

	progressToken, version, capabilities, logLevel []byte // of params._meta
	traceparent, tracestate, baggage, key          []byte // of params._meta

	fault string // why the message is refused although it is JSON
	apps  bool   // the client shows views, see showsApps
	depth int    // of arguments: 1 for a flat object
}

// fields are the keys that the protocol defines in each object, with the field of message for
// their value; nil for the keys that only the library reads.
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
		"taskId":          func(m *message) *[]byte { return &m.taskID },
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
		KeyMeta:                       func(m *message) *[]byte { return &m.key },
		mcp.MetaKeyClientInfo:         nil,
	},
}

// parse reads a line into m. After an error, m has the fields that were read before it, the
// id among them if possible. keys is memory to reuse.
func (m *message) parse(line []byte, keys [][]byte) ([][]byte, *rpcError) {
	s := scanner{Scanner: value.NewScanner(line), line: line, msg: m, keys: keys[:0]}
	if s.Peek() == '[' {
		return s.keys, invalidRequest("MCP has no batches; send one message per line")
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

// check returns the reason to refuse a message that is not a valid JSON-RPC message.
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
		return nil // an answer to a request of this server
	case m.method == nil || m.method[0] != '"':
		return invalidRequest("expected a method, which is a string")
	case m.id != nil && !validID(m.id):
		return invalidRequest("the id must be a string or an integer")
	case m.params != nil && m.params[0] != '{':
		return invalid("params must be an object, got " + describeRaw(m.params))
	case m.meta != nil && m.meta[0] != '{':
		return invalid("_meta must be an object, got " + describeRaw(m.meta))
	}
	return nil
}

// isRequest reports whether the message expects an answer.
func (m *message) isRequest() bool { return m.id != nil && m.method != nil }

// answerID is the id for an error about this message: its own, byte by byte, or null if that
// is not a valid id.
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

// text decodes a raw JSON string; "" for other values.
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

// idKey is equal for equal ids, even when their JSON differs.
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

// maxArgumentsDepth bounds the nesting of tool arguments; the client sees it in the error.
const maxArgumentsDepth = 64

// level is the object of a message that the scanner is in. Only the protocol's own
// objects have named fields.
type level int

const (
	levelMessage level = iota
	levelParams
	levelMeta
	levelOther
)

// scanner reads one message in one pass: it checks the grammar strictly, notes the
// protocol's own fields by their exact names, and refuses what decoders read in
// different ways (duplicate keys, keys that differ from a field only by case, lone
// surrogates). After such a fault it reads on, so that the answer can carry the id.
type scanner struct {
	value.Scanner
	line []byte
	msg  *message
	keys [][]byte // of the open objects, innermost last

	inArguments bool
	base        int // depth at which arguments began
	deepest     int
}

// fault notes the first reason to refuse the message.
func (s *scanner) fault(format string, args ...any) {
	if s.msg.fault == "" {
		s.msg.fault = fmt.Sprintf(format, args...)
	}
}

// value reads one value; at the message's own levels its fields are noted.
func (s *scanner) value(at level, depth int) error {
	var err error
	switch s.Peek() {
	case '{':
		return s.object(at, depth+1)
	case '[':
		return s.array(depth + 1)
	case '"':
		var raw []byte
		var plain bool
		raw, plain, err = s.Quoted()
		s.checkText(raw, plain)
	default:
		_, _, err = s.Literal()
	}
	return err
}

func (s *scanner) open(depth int) (more bool, err error) {
	if s.inArguments {
		s.deepest = max(s.deepest, depth-s.base)
	}
	return s.Open(depth)
}

func (s *scanner) array(depth int) error {
	more, err := s.open(depth)
	for more && err == nil {
		if err = s.value(levelOther, depth); err == nil {
			more, err = s.Next(']')
		}
	}
	return err
}

func (s *scanner) object(at level, depth int) error {
	seen := keySet{s: s, first: len(s.keys)}
	defer func() { s.keys = s.keys[:seen.first] }()
	more, err := s.open(depth)
	for more && err == nil {
		key, plain, keyErr := s.Key()
		if keyErr != nil {
			return keyErr
		}
		if s.checkText(key, plain); !plain {
			key = []byte(value.Unescape(key))
		}
		if seen.add(key) {
			s.fault("duplicate key %q in an object", wording.Shorten(string(key)))
		}
		if err = s.member(at, depth, key); err == nil {
			more, err = s.Next('}')
		}
	}
	return err
}

// checkText refuses half of a surrogate pair, which has no meaning in UTF-8.
func (s *scanner) checkText(raw []byte, plain bool) {
	if plain {
		return
	}
	if half := value.LoneSurrogate(raw); half != 0 {
		s.fault("a string contains half of a surrogate pair (\\u%04x); write both halves", half)
	}
}

// member reads the value of a key and notes it when the key is the protocol's.
func (s *scanner) member(at level, depth int, key []byte) error {
	start, inner := s.Pos(), levelOther
	switch {
	case at == levelMessage && string(key) == "params":
		inner = levelParams
	case at == levelParams && string(key) == "_meta":
		inner = levelMeta
	case at == levelParams && string(key) == "arguments":
		s.inArguments, s.base = true, depth
	}
	if err := s.value(inner, depth); err != nil {
		return err
	}
	if at == levelParams {
		s.inArguments = false
	}
	if at != levelOther {
		s.note(at, key, s.line[start:s.Pos()])
	}
	return nil
}

// note records a field of the message, or refuses a key that a decoder without
// regard to case would take for one.
func (s *scanner) note(at level, key, raw []byte) {
	place, known := fields[at][string(key)]
	if place != nil {
		field := place(s.msg)
		if *field != nil && at == levelMessage && string(key) == "id" {
			raw = []byte("null") // of two ids, neither can be the answer's
		}
		*field = raw
	}
	if known {
		return
	}
	for name := range fields[at] {
		if len(key) <= 2*len(name) && strings.EqualFold(string(key), name) {
			s.fault("unknown key %q; keys are case-sensitive, write %q", wording.Shorten(string(key)), name)
		}
	}
}

// manyKeys is the size from which an object's keys are looked up in a map: below
// it a walk over the few keys is faster, above it quadratic.
const manyKeys = 16

// keySet is the keys of one open object; they live on the scanner's stack.
type keySet struct {
	s     *scanner
	first int
	large map[string]struct{}
}

// add reports whether the key was there already.
func (k *keySet) add(key []byte) (repeated bool) {
	if k.large == nil && len(k.s.keys)-k.first == manyKeys {
		k.large = make(map[string]struct{}, 4*manyKeys)
		for _, known := range k.s.keys[k.first:] {
			k.large[string(known)] = struct{}{}
		}
	}
	if k.large != nil {
		_, repeated = k.large[string(key)]
		k.large[string(key)] = struct{}{}
		return repeated
	}
	for _, known := range k.s.keys[k.first:] {
		if bytes.Equal(known, key) {
			return true
		}
	}
	k.s.keys = append(k.s.keys, key)
	return false
}
