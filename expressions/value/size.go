package value

import (
	"encoding/json"
	"unicode/utf8"
)

// Size is the length in bytes of v as compact JSON, as Append would write it (a
// number that is not finite counts as null).
func Size(v Value) int {
	switch x := v.(type) {
	case nil:
		return len("null")
	case bool:
		if x {
			return len("true")
		}
		return len("false")
	case float64:
		return sizeOfNumber(x)
	case json.Number:
		return len(x)
	case string:
		return sizeOfString(x)
	case []any:
		n := 2 + max(0, len(x)-1)
		for _, item := range x {
			n += Size(item)
		}
		return n
	case map[string]any:
		n := 2 + max(0, len(x)-1)
		for key, item := range x {
			n += sizeOfString(key) + 1 + Size(item)
		}
		return n
	case *Row:
		return int(x.size)
	case Object:
		n := 2 + max(0, x.Len()-1)
		for _, key := range x.Keys() {
			item, _ := x.Get(key)
			n += sizeOfString(key) + 1 + Size(item)
		}
		return n
	}
	return len("null")
}

// Exceeds reports whether v as compact JSON has more than most bytes. It ends as soon as that is
// known: a value that holds the same long text many times is cheap to build.
func Exceeds(v Value, most int) bool { return left(nil, v, most) < 0 }

// SizeWithin returns Size when v has at most so many bytes; otherwise how many it has at least, more
// than most. It ends as soon as that is known, and is charged to the meter: once that has ended, v is
// not within most.
func SizeWithin(m *Meter, v Value, most int) (size int, within bool) {
	rest := left(m, v, most)
	return most - rest, rest >= 0
}

// left returns what is left of a number of bytes after v; below 0 when v has more, or the meter, if
// there is one, has ended.
func left(m *Meter, v Value, n int) int {
	switch x := v.(type) {
	case []any:
		if spend(m, 1+len(x)) != nil {
			return -1
		}
		n -= 2 + max(0, len(x)-1)
		for i := 0; i < len(x) && n >= 0; i++ {
			n = left(m, x[i], n)
		}
		return n
	case map[string]any:
		if spend(m, 1+len(x)) != nil {
			return -1
		}
		n -= 2 + max(0, len(x)-1)
		for key, item := range x {
			if n -= sizeOfString(key) + 1; n < 0 {
				return n
			}
			n = left(m, item, n)
		}
		return n
	case Object:
		if spend(m, 1+x.Len()) != nil {
			return -1
		}
		if row, isRow := v.(*Row); isRow && int(row.size) <= n {
			return n - int(row.size)
		}
		n -= 2 + max(0, x.Len()-1)
		for i, keys := 0, x.Keys(); i < len(keys) && n >= 0; i++ {
			item, _ := x.Get(keys[i])
			n = left(m, item, n-sizeOfString(keys[i])-1)
		}
		return n
	case string:
		if len(x) > n { // without reading it
			return -1
		}
		for m != nil && len(x) > pieceBytes {
			var first string
			if first, x = piece(x); m.Spend(len(first)>>8) != nil {
				return -1
			}
			n -= sizeOfString(first) - len(`""`)
		}
		return n - sizeOfString(x)
	}
	return n - Size(v)
}

func sizeOfNumber(x float64) int {
	if i := int64(x); float64(i) == x && i > -1e15 && i < 1e15 {
		n := 1
		if i < 0 {
			n, i = 2, -i
		}
		for ; i >= 10; i /= 10 {
			n++
		}
		return n
	}
	var buf [32]byte
	text, err := AppendNumber(buf[:0], x)
	if err != nil {
		return len("null")
	}
	return len(text)
}

func sizeOfString(s string) int {
	n := 2 + len(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f':
			n++
		case c < ' ':
			n += len(`\u0000`) - 1
		case c >= utf8.RuneSelf:
			return 2 + sizeOfUnicode(s)
		}
	}
	return n
}

// sizeOfUnicode is the size inside the quotes of a string with characters beyond ASCII,
// which are written unchanged; bytes that are not UTF-8 become U+FFFD.
func sizeOfUnicode(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			n += sizeOfString(string(r)) - 2
		case r == utf8.RuneError:
			n += 3
		default:
			n += utf8.RuneLen(r)
		}
	}
	return n
}
