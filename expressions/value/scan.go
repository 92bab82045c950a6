package value

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxBytes is how many bytes a Value has as JSON, apart from the escapes of its strings: an
// evaluation whose result has more fails. A value may hold its parts many times, which costs nothing
// until it is written.
const MaxBytes = 256 << 20

// MaxDepth is how deep arrays and objects may be nested in a Value.
const MaxDepth = 1000

// DecodeError reports text that is not one JSON value. Offset is the byte in the text, from 0.
type DecodeError struct {
	Offset  int
	Message string // lower case: found and expected; never the values of the text
}

// Error gives the place, what was found and what was expected.
func (e *DecodeError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Message)
}

// Scanner reads JSON (RFC 8259) token by token and checks the grammar; its caller decides
// how to use the tokens. Between two calls it is at a token, never at white space.
// Its errors are *DecodeError. A Scanner belongs to one goroutine.
type Scanner struct {
	src []byte
	pos int
}

// NewScanner returns a scanner at the first token of src, which must not change meanwhile.
func NewScanner(src []byte) Scanner {
	s := Scanner{src: src}
	s.space()
	return s
}

// Pos is the position of the next byte, from 0.
func (s *Scanner) Pos() int { return s.pos }

// Peek is the byte at Pos, or 0 at the end.
func (s *Scanner) Peek() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

func (s *Scanner) failure(message string) error { return &DecodeError{s.pos, message} }

// found is the error for the byte at Pos.
func (s *Scanner) found(expected string) error {
	if s.pos >= len(s.src) {
		return s.failure("found the end, expected " + expected)
	}
	if c := s.src[s.pos]; c > ' ' && c < utf8.RuneSelf-1 {
		return s.failure(fmt.Sprintf("found %q, expected %s", string(rune(c)), expected))
	}
	return s.failure(fmt.Sprintf("found byte 0x%02x, expected %s", s.src[s.pos], expected))
}

func (s *Scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\n', '\r', '\t':
			s.pos++
		default:
			return
		}
	}
}

// End checks that nothing follows the value.
func (s *Scanner) End() error {
	s.space()
	if s.pos < len(s.src) {
		return s.failure("found data after the value, expected the end")
	}
	return nil
}

// Open passes the bracket of an array or object, which is the depth-th that is open, and
// reports whether a member follows.
func (s *Scanner) Open(depth int) (more bool, err error) {
	if depth > MaxDepth {
		return false, s.failure(ErrTooDeep.Error())
	}
	closing := s.src[s.pos] + 2 // in ASCII, ] is two after [, and } two after {
	s.pos++
	s.space()
	if s.Peek() == closing {
		s.pos++
		return false, nil
	}
	return true, nil
}

// Next passes the comma after a member, or the closing bracket, and reports whether
// another member follows.
func (s *Scanner) Next(closing byte) (more bool, err error) {
	s.space()
	switch s.Peek() {
	case ',':
		s.pos++
		s.space()
		return true, nil
	case closing:
		s.pos++
		return false, nil
	}
	return false, s.found("a comma or " + string(rune(closing)))
}

// Key reads a key as Quoted does, and the colon after it.
func (s *Scanner) Key() (raw []byte, plain bool, err error) {
	if s.Peek() != '"' {
		return nil, false, s.found("a key in double quotes")
	}
	if raw, plain, err = s.Quoted(); err != nil {
		return nil, false, err
	}
	s.space()
	if s.Peek() != ':' {
		return nil, false, s.found("a colon")
	}
	s.pos++
	s.space()
	return raw, plain, nil
}

// Literal reads a number, true, false or null; whole says that it is a number of digits
// alone, perhaps after a minus.
func (s *Scanner) Literal() (raw []byte, whole bool, err error) {
	start := s.pos
	switch c := s.Peek(); {
	case c == 't':
		err = s.word("true")
	case c == 'f':
		err = s.word("false")
	case c == 'n':
		err = s.word("null")
	case c == '-' || c >= '0' && c <= '9':
		whole, err = s.number()
	default:
		err = s.found("a value")
	}
	return s.src[start:s.pos], whole, err
}

func (s *Scanner) word(word string) error {
	end := s.pos + len(word)
	if end > len(s.src) || string(s.src[s.pos:end]) != word {
		return s.found(word)
	}
	s.pos = end
	return nil
}

func (s *Scanner) number() (whole bool, err error) {
	if s.Peek() == '-' {
		s.pos++
	}
	first := s.pos
	switch n := s.digits(); {
	case n == 0:
		return false, s.found("a digit")
	case n > 1 && s.src[first] == '0':
		s.pos = first
		return false, s.failure("found a number that starts with 0, expected no leading zero")
	}
	whole = true
	if s.Peek() == '.' {
		whole = false
		s.pos++
		if s.digits() == 0 {
			return false, s.found("a digit")
		}
	}
	if s.Peek()|0x20 == 'e' {
		whole = false
		s.pos++
		if c := s.Peek(); c == '+' || c == '-' {
			s.pos++
		}
		if s.digits() == 0 {
			return false, s.found("a digit")
		}
	}
	return whole, nil
}

func (s *Scanner) digits() int {
	start := s.pos
	for s.pos < len(s.src) && s.src[s.pos] >= '0' && s.src[s.pos] <= '9' {
		s.pos++
	}
	return s.pos - start
}

// Quoted reads a string and returns the bytes between its quotes. They are the string
// itself when plain: no escapes and valid UTF-8. Otherwise Unescape gives it.
func (s *Scanner) Quoted() (raw []byte, plain bool, err error) {
	s.pos++
	start := s.pos
	escaped, all := false, uint64(0) // all has the bits of all bytes
	for s.pos < len(s.src) {
		all |= s.ordinary()
		switch c := s.Peek(); {
		case s.pos == len(s.src):
		case c == '"':
			raw = s.src[start:s.pos]
			s.pos++
			return raw, !escaped && (all&(eachByte*utf8.RuneSelf) == 0 || utf8.Valid(raw)), nil
		case c == '\\':
			escaped = true
			if err := s.escape(); err != nil {
				return nil, false, err
			}
		case c < ' ':
			return nil, false, s.failure(fmt.Sprintf(`found control character 0x%02x in a string, expected its escape (\u%04x)`, c, c))
		default:
			all |= uint64(c)
			s.pos++
		}
	}
	return nil, false, s.found("a closing quote")
}

// eachByte times a byte has it in each byte.
const eachByte = 0x0101010101010101

// ordinary passes bytes of a string up to the first that is a quote, a backslash or a control character, eight at a time: it may
// end up to seven bytes before the end of the text. It returns the bits of those that it has passed.
func (s *Scanner) ordinary() (all uint64) {
	for ; s.pos+8 <= len(s.src); s.pos += 8 {
		w := binary.LittleEndian.Uint64(s.src[s.pos:])
		quote, slash := w^(eachByte*'"'), w^(eachByte*'\\')
		// The lowest bit that is set is exact: a byte borrows only above one that is found.
		found := ((quote-eachByte)&^quote | (slash-eachByte)&^slash | (w-eachByte*' ')&^w) & (eachByte * 0x80)
		if found != 0 {
			n := bits.TrailingZeros64(found) &^ 7
			s.pos += n / 8
			return all | w&(1<<n-1)
		}
		all |= w
	}
	return all
}

// escape checks the escape at Pos and passes it.
func (s *Scanner) escape() error {
	s.pos++
	if s.pos >= len(s.src) {
		return s.found("the rest of an escape")
	}
	switch s.src[s.pos] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return nil
	case 'u':
		s.pos++
		for range 4 {
			if !IsHex(s.Peek()) {
				return s.found("four hexadecimal digits")
			}
			s.pos++
		}
		return nil
	}
	return s.found(`one of "\/bfnrtu after a backslash`)
}

// IsHex reports whether c is a hexadecimal digit.
func IsHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// Unescape is the string for the bytes between two quotes, which Quoted has checked.
// Bytes that are not UTF-8, and lone surrogates, become U+FFFD.
func Unescape(raw []byte) string {
	out := make([]byte, 0, len(raw)+8)
	for s := (Scanner{src: raw}); s.pos < len(raw); {
		start := s.pos
		if s.ordinary()&(eachByte*utf8.RuneSelf) == 0 {
			out = append(out, raw[start:s.pos]...)
		} else {
			out, s.pos = appendValid(out, raw, start, s.pos)
		}
		if s.pos == len(raw) {
			break
		}
		switch c := raw[s.pos]; {
		case c == '\\' && raw[s.pos+1] == 'u':
			r, size := unescapeUnicode(raw[s.pos:])
			out = utf8.AppendRune(out, r)
			s.pos += size
		case c == '\\':
			out = append(out, unescapeByte(raw[s.pos+1]))
			s.pos += 2
		case c < utf8.RuneSelf:
			out = append(out, c)
			s.pos++
		default:
			r, size := utf8.DecodeRune(raw[s.pos:])
			out = utf8.AppendRune(out, r)
			s.pos += size
		}
	}
	if len(out) >= largeFrom {
		return textOf(out)
	}
	return string(out) // without the room for escapes
}

// appendValid appends the characters of raw from start on that begin before end, and returns where the last one ends. Bytes
// that are not UTF-8 become U+FFFD.
func appendValid(dst, raw []byte, start, end int) (out []byte, last int) {
	for start < end {
		r, size := utf8.DecodeRune(raw[start:])
		dst = utf8.AppendRune(dst, r)
		start += size
	}
	return dst, start
}

// LoneSurrogate is the first escaped half of a surrogate pair without its other half in
// the bytes between two quotes, which Quoted has checked; 0 when all are whole.
func LoneSurrogate(raw []byte) rune {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if raw[i+1] != 'u' {
			i++
			continue
		}
		r, size := unescapeUnicode(raw[i:])
		if unit := hexRune(raw[i+2 : i+6]); r == utf8.RuneError && utf16.IsSurrogate(unit) {
			return unit
		}
		i += size - 1
	}
	return 0
}

func unescapeByte(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// unescapeUnicode reads \uXXXX or a surrogate pair of two; half a pair is U+FFFD.
func unescapeUnicode(raw []byte) (r rune, size int) {
	r = hexRune(raw[2:6])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
		if pair := utf16.DecodeRune(r, hexRune(raw[8:12])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func hexRune(digits []byte) rune {
	n, err := strconv.ParseUint(string(digits), 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}
