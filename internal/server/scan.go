package server

import (
	"bytes"
	"fmt"
	"strings"

	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

// maxArgumentsDepth bounds the nesting of tool arguments; the client sees it in the error.
const maxArgumentsDepth = 64

// level says which object of a message the scanner is in. Only the protocol's own
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
