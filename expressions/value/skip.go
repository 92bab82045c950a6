package value

import "strings"

// Skip passes the value at Pos and returns its bytes. It only finds where the value ends; who decodes it checks it. So a
// part of a text of many megabytes is taken out without being read twice.
func (s *Scanner) Skip() (raw []byte, err error) {
	start := s.pos
	switch c := s.Peek(); {
	case s.pos == len(s.src):
		err = s.found("the end of a value")
	case c == '"':
		err = s.skipString()
	case c == '{' || c == '[':
		err = s.skipNested()
	case strings.IndexByte(" \n\t\r,:}]", c) >= 0:
		err = s.found("a value")
	default:
		for s.pos < len(s.src) && strings.IndexByte(" \n\t\r,:{}[]\"", s.src[s.pos]) < 0 {
			s.pos++
		}
	}
	if err != nil {
		return nil, err
	}
	return s.src[start:s.pos], nil
}

// nesting is what a byte outside of strings does to the depth; 2 for the quote of a string.
var nesting = [256]int8{'{': 1, '[': 1, '}': -1, ']': -1, '"': 2}

// skipNested passes an array or an object: up to the bracket that closes it, of whichever kind.
func (s *Scanner) skipNested() error {
	for depth := 0; s.pos < len(s.src); {
		switch by := nesting[s.src[s.pos]]; by {
		case 0:
			s.pos++
		case 2:
			if err := s.skipString(); err != nil {
				return err
			}
		default:
			s.pos++
			if depth += int(by); depth == 0 {
				return nil
			}
		}
	}
	return s.found("the end of a value")
}

// skipString passes a string.
func (s *Scanner) skipString() error {
	for s.pos++; s.pos < len(s.src); s.pos++ {
		s.ordinary()
		switch s.Peek() {
		case '"':
			s.pos++
			return nil
		case '\\':
			s.pos++
		}
	}
	s.pos = len(s.src)
	return s.found("the end of a string")
}

// Take decodes the array or object at Pos as DecodeInPlace does, and passes it: it ends where Skip does. After an error the
// scanner is where it was.
func (s *Scanner) Take() (Value, error) {
	d := newDecoder(textOf(s.src), *s)
	v, err := d.value(0)
	if err == nil {
		s.pos = d.pos
	}
	return v, err
}
