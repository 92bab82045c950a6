package value

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a string.
func (d *decoder) string() (string, error) {
	start := d.pos + 1
	raw, plain, err := d.quoted()
	switch {
	case err != nil:
		return "", err
	case plain:
		return d.text[start : start+len(raw)], nil
	}
	return Unescape(raw), nil
}

// quoted reads a string and returns what stands between its quotes, checked, and
// whether that is the string itself: no escapes and all of it UTF-8.
func (d *decoder) quoted() (raw []byte, plain bool, err error) {
	d.pos++
	start := d.pos
	escaped, ascii := false, byte(0)
	for d.pos < len(d.src) {
		switch c := d.src[d.pos]; {
		case c == '"':
			raw = d.src[start:d.pos]
			d.pos++
			return raw, !escaped && (ascii < utf8.RuneSelf || utf8.Valid(raw)), nil
		case c == '\\':
			escaped = true
			if err := d.escape(); err != nil {
				return nil, false, err
			}
		case c < ' ':
			return nil, false, d.found("no control character inside a string")
		default:
			ascii |= c
			d.pos++
		}
	}
	return nil, false, d.found("a closing quote")
}

// escape checks the escape at pos and passes it.
func (d *decoder) escape() error {
	d.pos++
	if d.pos >= len(d.src) {
		return d.found("the rest of an escape")
	}
	switch d.src[d.pos] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		d.pos++
		return nil
	case 'u':
		d.pos++
		for range 4 {
			if d.pos >= len(d.src) || !IsHex(d.src[d.pos]) {
				return d.found("four hexadecimal digits")
			}
			d.pos++
		}
		return nil
	}
	return d.found(`one of "\/bfnrtu after a backslash`)
}

// IsHex reports whether c is a hexadecimal digit.
func IsHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// Unescape is the string that the checked text between two quotes stands for.
func Unescape(raw []byte) string {
	out := make([]byte, 0, len(raw)+8)
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '\\' && raw[i+1] == 'u':
			r, size := unescapeUnicode(raw[i:])
			out = utf8.AppendRune(out, r)
			i += size
		case c == '\\':
			out = append(out, unescapeByte(raw[i+1]))
			i += 2
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, size := utf8.DecodeRune(raw[i:])
			out = utf8.AppendRune(out, r)
			i += size
		}
	}
	return string(out)
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
