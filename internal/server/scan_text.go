package server

import (
	"bytes"
	"encoding/json"
	"unicode/utf16"
)

// key reads a string and is its text, which points into the message where it can.
func (s *scanner) key() ([]byte, error) {
	raw, escaped, err := s.str()
	if err != nil {
		return nil, err
	}
	if escaped {
		return []byte(unquote(raw)), nil
	}
	return raw[1 : len(raw)-1], nil
}

// str reads a string and is what stands there, quotes included.
func (s *scanner) str() (raw []byte, escaped bool, err error) {
	start := s.pos
	s.pos++
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '"':
			s.pos++
			return s.src[start:s.pos], escaped, nil
		case c == '\\':
			escaped = true
			if err := s.escape(); err != nil {
				return nil, false, err
			}
		case c < 0x20:
			return nil, false, s.syntax("a control character in a string, expected its escape")
		default:
			s.pos++
		}
	}
	return nil, false, s.syntax("found the end, expected the end of a string")
}

// escape reads what begins with a backslash. Halves of surrogate pairs have no
// meaning in UTF-8, so the message is refused.
func (s *scanner) escape() error {
	s.pos++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return nil
	case 'u':
	default:
		return s.syntax("expected a known escape after a backslash")
	}
	s.pos++
	first, err := s.hex()
	if err != nil || !utf16.IsSurrogate(first) {
		return err
	}
	if s.pos+1 < len(s.src) && s.src[s.pos] == '\\' && s.src[s.pos+1] == 'u' {
		s.pos += 2
		second, err := s.hex()
		if err != nil {
			return err
		}
		if utf16.DecodeRune(first, second) != '\uFFFD' {
			return nil
		}
	}
	s.fault("a string holds half of a surrogate pair (\\u%04x), expected a whole character", first)
	return nil
}

func (s *scanner) hex() (rune, error) {
	var r rune
	for range 4 {
		c := s.peek()
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, s.syntax("expected four hexadecimal digits")
		}
		s.pos++
	}
	return r, nil
}

func (s *scanner) number() error {
	if s.peek() == '-' {
		s.pos++
	}
	switch c := s.peek(); {
	case c == '0':
		s.pos++
	case '1' <= c && c <= '9':
		s.digits()
	default:
		return s.syntax("expected a value")
	}
	if s.peek() == '.' {
		s.pos++
		if s.digits() == 0 {
			return s.syntax("expected a digit")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if s.digits() == 0 {
			return s.syntax("expected a digit")
		}
	}
	return nil
}

func (s *scanner) digits() int {
	start := s.pos
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.pos++
	}
	return s.pos - start
}

// unquote is the text of a JSON string that the scanner has checked.
func unquote(raw []byte) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
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
