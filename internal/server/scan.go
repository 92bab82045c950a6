package server

import (
	"bytes"
	"fmt"
	"strings"

	"toolgraph/internal/wording"
)

// The nesting that a message may have: a hard bound that keeps the scanner's stack
// small, and the bound on tool arguments, which is told to the client.
const (
	maxMessageDepth   = 1000
	maxArgumentsDepth = 64
)

// level says which object of a message the scanner is in. Only the protocol's own
// objects have named fields.
type level int

const (
	levelMessage level = iota
	levelParams
	levelMeta
	levelOther
)

// syntaxError is text that is not JSON.
type syntaxError struct {
	offset int
	found  string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("not JSON at byte %d: %s", e.offset, e.found)
}

// scanner reads one message in one pass: it checks the grammar strictly, notes the
// protocol's own fields by their exact names, and refuses what decoders read in
// different ways (keys given twice, keys that differ from a field only by case,
// halves of surrogate pairs). After such a fault it reads on, so that the answer
// can carry the id.
type scanner struct {
	src  []byte
	pos  int
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

func (s *scanner) syntax(found string) error { return &syntaxError{s.pos, found} }

func (s *scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// value reads one value; at the message's own levels its fields are noted.
func (s *scanner) value(at level, depth int) error {
	s.space()
	if s.pos >= len(s.src) {
		return s.syntax("found the end, expected a value")
	}
	switch c := s.src[s.pos]; c {
	case '{':
		return s.object(at, depth+1)
	case '[':
		return s.array(depth + 1)
	case '"':
		_, _, err := s.str()
		return err
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		return s.number()
	}
}

func (s *scanner) enter(depth int) error {
	if depth > maxMessageDepth {
		return s.syntax(fmt.Sprintf("nested deeper than %d levels", maxMessageDepth))
	}
	if s.inArguments {
		s.deepest = max(s.deepest, depth-s.base)
	}
	s.pos++
	s.space()
	return nil
}

func (s *scanner) array(depth int) error {
	if err := s.enter(depth); err != nil {
		return err
	}
	if s.peek() == ']' {
		s.pos++
		return nil
	}
	for {
		if err := s.value(levelOther, depth); err != nil {
			return err
		}
		more, err := s.comma(']')
		if err != nil || !more {
			return err
		}
	}
}

func (s *scanner) object(at level, depth int) error {
	if err := s.enter(depth); err != nil {
		return err
	}
	if s.peek() == '}' {
		s.pos++
		return nil
	}
	seen := keySet{s: s, first: len(s.keys)}
	defer func() { s.keys = s.keys[:seen.first] }()
	for {
		s.space()
		if s.peek() != '"' {
			return s.syntax("expected a key in double quotes")
		}
		key, err := s.key()
		if err != nil {
			return err
		}
		if seen.add(key) {
			s.fault("the key %q stands twice in one object", wording.Shorten(string(key)))
		}
		s.space()
		if s.peek() != ':' {
			return s.syntax("expected : after a key")
		}
		s.pos++
		if err := s.member(at, depth, key); err != nil {
			return err
		}
		more, err := s.comma('}')
		if err != nil || !more {
			return err
		}
	}
}

// member reads the value of a key and notes it when the key is the protocol's.
func (s *scanner) member(at level, depth int, key []byte) error {
	s.space()
	start, inner := s.pos, levelOther
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
		s.note(at, key, s.src[start:s.pos])
	}
	return nil
}

// comma reads what follows a member: a comma (more) or the closing bracket.
func (s *scanner) comma(closing byte) (more bool, err error) {
	s.space()
	switch s.peek() {
	case ',':
		s.pos++
		return true, nil
	case closing:
		s.pos++
		return false, nil
	}
	return false, s.syntax("expected , or " + string(closing))
}

// peek is the byte at hand, or 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

func (s *scanner) word(word string) error {
	if !bytes.HasPrefix(s.src[s.pos:], []byte(word)) {
		return s.syntax("expected a value")
	}
	s.pos += len(word)
	return nil
}

// note keeps a field of the message, or refuses a key that a decoder without
// regard to case would take for one.
func (s *scanner) note(at level, key, raw []byte) {
	field := s.msg.field(at, string(key))
	if field != nil {
		if *field != nil && at == levelMessage && string(key) == "id" {
			raw = []byte("null") // of two ids, none can be the answer's
		}
		*field = raw
		return
	}
	for _, name := range fieldNames[at] {
		if len(key) <= 2*len(name) && string(key) != name && strings.EqualFold(string(key), name) {
			s.fault("the key %q is no field of the protocol, expected %q in exactly this writing", wording.Shorten(string(key)), name)
		}
	}
}
