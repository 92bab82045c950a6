package jsonata

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"toolgraph/expressions/value"
)

// encodingFunctions encode and decode texts for URLs and as base64.
var encodingFunctions = []builtin{
	{name: "base64encode", types: "<s-:s>", arity: 1, fn: ofText(func(s string) any { return base64Encode(s) })},
	{name: "base64decode", types: "<s-:s>", arity: 1, fn: ofText(func(s string) any { return base64Decode(s) })},
	{name: "encodeUrl", types: "<s-:s>", arity: 1, fn: coded(percentEncode, urlUnreserved+urlReserved)},
	{name: "encodeUrlComponent", types: "<s-:s>", arity: 1, fn: coded(percentEncode, urlUnreserved)},
	{name: "decodeUrl", types: "<s-:s>", arity: 1, fn: coded(percentDecode, urlReserved)},
	{name: "decodeUrlComponent", types: "<s-:s>", arity: 1, fn: coded(percentDecode, "")},
}

// coded is a function of one string, which rejects some strings; it leaves the characters of
// plain unchanged.
func coded(f func(text, plain string) (string, bool), plain string) function {
	return withText(func(c call, text string) (any, error) {
		out, ok := f(text, plain)
		if !ok {
			return nil, c.fail("D3140", "cannot encode or decode the string: it is not UTF-8, or has an incomplete % escape")
		}
		return out, nil
	})
}

const (
	urlUnreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()"
	urlReserved   = ";/?:@&=+$,#"
)

// percentEncode escapes each byte of a text that is not in plain; ok is false for a text that
// is not UTF-8.
func percentEncode(text, plain string) (string, bool) {
	if !utf8.ValidString(text) {
		return "", false
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(text))
	for i := range len(text) {
		if c := text[i]; strings.IndexByte(plain, c) >= 0 {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String(), true
}

// percentDecode decodes escapes, except those of characters in reserved; ok is false when a %
// is not followed by two hexadecimal digits, or the bytes are not UTF-8.
func percentDecode(text, reserved string) (string, bool) {
	var b strings.Builder
	b.Grow(len(text))
	for text != "" {
		plain, _, found := strings.Cut(text, "%")
		b.WriteString(plain)
		if !found {
			break
		}
		text = text[len(plain):]
		var char [utf8.UTFMax]byte
		n := 0
		for n < len(char) && !utf8.FullRune(char[:n]) {
			if len(text) < 3*n+3 || text[3*n] != '%' || !value.IsHex(text[3*n+1]) || !value.IsHex(text[3*n+2]) {
				return "", false
			}
			char[n] = hexValue(text[3*n+1])<<4 | hexValue(text[3*n+2])
			n++
		}
		switch r, size := utf8.DecodeRune(char[:n]); {
		case r == utf8.RuneError && size <= 1:
			return "", false
		case n == 1 && strings.IndexByte(reserved, char[0]) >= 0:
			b.WriteString(text[:3])
		default:
			b.Write(char[:n])
		}
		text = text[3*n:]
	}
	return b.String(), true
}

// hexValue is the value of a hexadecimal digit.
func hexValue(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// base64Encode is $base64encode(text), of the text's UTF-8. That of jsonata-js takes the
// low byte of each UTF-16 code unit, which loses what is beyond Latin-1.
func base64Encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// base64Decode is $base64decode(text): the bytes are UTF-8, those that are none become
// U+FFFD. Both alphabets are read, with padding and without; other characters are
// skipped, and = ends the text.
func base64Decode(text string) string {
	text, _, _ = strings.Cut(text, "=")
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '+', r == '/':
			return r
		case r == '-':
			return '+'
		case r == '_':
			return '/'
		}
		return -1
	}, text)
	if len(clean)%4 == 1 {
		clean = clean[:len(clean)-1] // six bits are no byte
	}
	raw, err := base64.RawStdEncoding.DecodeString(clean)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}
