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
