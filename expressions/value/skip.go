package value

import (
	"bytes"
	"strings"
)

// Skip passes the value at Pos and returns its bytes. It only finds where the value ends; who decodes it checks it. So a
// part of a text of many megabytes is taken out without being read twice.
func (s *Scanner) Skip() (raw []byte, err error) {
	start, depth := s.pos, 0
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '"':
			if err := s.skipString(); err != nil {
				return nil, err
			}
		case '{', '[':
			depth++
			s.pos++
			continue
		case '}', ']':
			if depth--; depth < 0 {
				return nil, s.found("a value")
			}
			s.pos++
		case ' ', '\n', '\t', '\r', ',', ':':
			if depth == 0 {
				return nil, s.found("a value")
			}
			s.pos++
			continue
		default:
			for s.pos < len(s.src) && strings.IndexByte(" \n\t\r,:{}[]\"", s.src[s.pos]) < 0 {
				s.pos++
			}
		}
		if depth == 0 {
			return s.src[start:s.pos], nil
		}
	}
	return nil, s.found("the end of a value")
}

// skipString passes a string.
func (s *Scanner) skipString() error {
	for at := s.pos + 1; ; {
		q := bytes.IndexByte(s.src[at:], '"')
		if q < 0 {
			s.pos = len(s.src)
			return s.found("the end of a string")
		}
		at += q
		slashes := 0
		for s.src[at-1-slashes] == '\\' {
			slashes++ // ends at the opening quote at the latest
		}
		if at++; slashes%2 == 0 {
			s.pos = at
			return nil
		}
	}
}
