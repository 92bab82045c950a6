package config

import (
	"strings"
	"unicode/utf16"
)

// secretView is a way to read a text: with the escapes of URLs decoded, and then those of nested
// JSON strings.
type secretView struct {
	percent bool
	levels  int
}

// mostLevels is the number of nested JSON strings that are read: a response is one, its text may
// be another, with the JSON body of a request.
const mostLevels = 3

// secretViews returns the views in which a text differs; the first is the text itself.
func secretViews(text string) []secretView {
	views := make([]secretView, 1, 2*(mostLevels+1))
	mark := `\`
	for level := 1; level <= mostLevels && strings.Contains(text, mark); level++ {
		views = append(views, secretView{levels: level})
		mark += mark
	}
	if !strings.Contains(text, "%") {
		return views
	}
	for _, v := range views {
		views = append(views, secretView{percent: true, levels: v.levels})
	}
	if len(views) == 2 && (strings.Contains(text, "%5C") || strings.Contains(text, "%5c")) {
		views = append(views, secretView{percent: true, levels: 1})
	}
	return views
}

// rawByte marks a byte that is part of a character, or of none.
const rawByte = 1 << 24

// letter returns the character at an index of the text, and its length in bytes there.
func (v secretView) letter(text string, i, levels int) (r rune, size int) {
	if levels == 0 {
		if text[i] == '%' && v.percent {
			return percentLetter(text, i)
		}
		return asByte(rune(text[i])), 1
	}
	r, size = v.letter(text, i, levels-1)
	if r != '\\' || i+size >= len(text) {
		return r, size
	}
	escape, n := v.letter(text, i+size, levels-1)
	after := i + size + n
	if at := strings.IndexRune(`"\/'nrtbf`, escape); at >= 0 {
		return rune("\"\\/'\n\r\t\b\f"[at]), after - i
	}
	switch escape {
	case 'x':
		if code, n := v.hex(text, after, levels-1, 2); n > 0 {
			return asByte(code), after + n - i
		}
	case 'u':
		if code, n := v.hex(text, after, levels-1, 4); n > 0 {
			low, m := v.lowSurrogate(text, after+n, levels, code)
			return low, after + n + m - i
		}
	}
	return r, size
}

// percentLetter returns the byte that an escape of URLs at an index stands for, and its length there. A
// text may be escaped more than once: %252f is %2f, which is a slash.
func percentLetter(text string, i int) (r rune, size int) {
	r, size = '%', 1
	for r == '%' {
		code, n := (secretView{}).hex(text, i+size, 0, 2)
		if n == 0 {
			break
		}
		r, size = code, size+n
	}
	return asByte(r), size
}

func asByte(r rune) rune {
	if r >= 0x80 {
		return r | rawByte
	}
	return r
}

// lowSurrogate returns the character of a code, which may be the first of a surrogate pair; size
// is the length of the second.
func (v secretView) lowSurrogate(text string, i, levels int, high rune) (r rune, size int) {
	if !utf16.IsSurrogate(high) || i >= len(text) {
		return high, 0
	}
	backslash, n := v.letter(text, i, levels-1)
	if backslash != '\\' || i+n >= len(text) {
		return high, 0
	}
	u, m := v.letter(text, i+n, levels-1)
	code, k := v.hex(text, i+n+m, levels-1, 4)
	if pair := utf16.DecodeRune(high, code); u == 'u' && k > 0 && pair != '\uFFFD' {
		return pair, n + m + k
	}
	return high, 0
}

// hex returns the number of a hexadecimal code, and its length in bytes; 0 when it is not one.
func (v secretView) hex(text string, i, levels, digits int) (code rune, size int) {
	from := i
	for range digits {
		if i >= len(text) {
			return 0, 0
		}
		r, n := v.letter(text, i, levels)
		at := strings.IndexRune("0123456789abcdef", r|0x20)
		if at < 0 || r < '0' {
			return 0, 0
		}
		code = code<<4 | rune(at)
		i += n
	}
	return code, i - from
}
