package value

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// MaxExact is the largest integer up to which every integer is a float64.
const MaxExact = 1 << 53

// decoder reads JSON text from the start; pos is the next byte. Strings are parts
// of one copy of the text: values of a run live as long as their document does.
type decoder struct {
	src  []byte
	text string // src, for the strings
	pos  int
	box  Box
}

// smallNumbers saves an allocation for each of the most frequent numbers.
var smallNumbers = func() (boxed [1024]any) {
	for i := range boxed {
		boxed[i] = float64(i)
	}
	return boxed
}()

func (d *decoder) failure(message string) error {
	return &DecodeError{Offset: d.pos, Message: message}
}

func (d *decoder) found(expected string) error {
	if d.pos >= len(d.src) {
		return d.failure("found the end, expected " + expected)
	}
	if c := d.src[d.pos]; c > ' ' && c < utf8.RuneSelf-1 {
		return d.failure(fmt.Sprintf("found %q, expected %s", string(rune(c)), expected))
	}
	return d.failure(fmt.Sprintf("found byte 0x%02x, expected %s", d.src[d.pos], expected))
}

func (d *decoder) space() {
	for d.pos < len(d.src) {
		switch d.src[d.pos] {
		case ' ', '\n', '\r', '\t':
			d.pos++
		default:
			return
		}
	}
}

func (d *decoder) value(depth int) (Value, error) {
	if d.pos >= len(d.src) {
		return nil, d.found("a value")
	}
	switch c := d.src[d.pos]; c {
	case '"':
		s, err := d.string()
		if err != nil {
			return nil, err
		}
		return d.box.String(s), nil
	case '{':
		return d.object(depth + 1)
	case '[':
		return d.array(depth + 1)
	case 't':
		return true, d.word("true")
	case 'f':
		return false, d.word("false")
	case 'n':
		return Null, d.word("null")
	default:
		if c == '-' || c >= '0' && c <= '9' {
			return d.number()
		}
		return nil, d.found("a value")
	}
}

func (d *decoder) word(word string) error {
	end := d.pos + len(word)
	if end > len(d.src) || string(d.src[d.pos:end]) != word {
		return d.found(word)
	}
	d.pos = end
	return nil
}

func (d *decoder) array(depth int) (Value, error) {
	if depth > MaxDepth {
		return nil, d.failure(ErrTooDeep.Error())
	}
	items := []any{}
	d.pos++
	d.space()
	if d.pos < len(d.src) && d.src[d.pos] == ']' {
		d.pos++
		return items, nil
	}
	for {
		item, err := d.value(depth)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		d.space()
		if d.pos >= len(d.src) {
			return nil, d.found("a comma or ]")
		}
		switch d.src[d.pos] {
		case ',':
			d.pos++
			d.space()
		case ']':
			d.pos++
			return items, nil
		default:
			return nil, d.found("a comma or ]")
		}
	}
}

func (d *decoder) object(depth int) (Value, error) {
	if depth > MaxDepth {
		return nil, d.failure(ErrTooDeep.Error())
	}
	object := NewMap()
	d.pos++
	d.space()
	if d.pos < len(d.src) && d.src[d.pos] == '}' {
		d.pos++
		return object, nil
	}
	for {
		key, err := d.key()
		if err != nil {
			return nil, err
		}
		item, err := d.value(depth)
		if err != nil {
			return nil, err
		}
		object.Set(key, item)
		d.space()
		if d.pos >= len(d.src) {
			return nil, d.found("a comma or }")
		}
		switch d.src[d.pos] {
		case ',':
			d.pos++
			d.space()
		case '}':
			d.pos++
			return object, nil
		default:
			return nil, d.found("a comma or }")
		}
	}
}

// key reads a key and the colon after it.
func (d *decoder) key() (string, error) {
	if d.pos >= len(d.src) || d.src[d.pos] != '"' {
		return "", d.found("a key in double quotes")
	}
	key, err := d.string()
	if err != nil {
		return "", err
	}
	d.space()
	if d.pos >= len(d.src) || d.src[d.pos] != ':' {
		return "", d.found("a colon")
	}
	d.pos++
	d.space()
	return key, nil
}

func (d *decoder) digits() int {
	start := d.pos
	for d.pos < len(d.src) && d.src[d.pos] >= '0' && d.src[d.pos] <= '9' {
		d.pos++
	}
	return d.pos - start
}

func (d *decoder) number() (Value, error) {
	start := d.pos
	if d.src[d.pos] == '-' {
		d.pos++
	}
	first := d.pos
	switch n := d.digits(); {
	case n == 0:
		return nil, d.found("a digit")
	case n > 1 && d.src[first] == '0':
		d.pos = first
		return nil, d.failure("found a number that starts with 0, expected no leading zero")
	}
	whole := true
	if d.pos < len(d.src) && d.src[d.pos] == '.' {
		whole = false
		d.pos++
		if d.digits() == 0 {
			return nil, d.found("a digit")
		}
	}
	if d.pos < len(d.src) && d.src[d.pos]|0x20 == 'e' {
		whole = false
		d.pos++
		if d.pos < len(d.src) && (d.src[d.pos] == '+' || d.src[d.pos] == '-') {
			d.pos++
		}
		if d.digits() == 0 {
			return nil, d.found("a digit")
		}
	}
	text := d.src[start:d.pos]
	if whole {
		return wholeNumber(text), nil
	}
	f, ok := shortDecimal(text)
	if ok {
		return d.box.Number(f), nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		d.pos = start
		return nil, d.failure("found a number that is too large, expected one within float64")
	}
	return f, nil
}

// wholeNumber is the number of digits after an optional minus.
func wholeNumber(text []byte) Value {
	digits, negative := text, false
	if digits[0] == '-' {
		digits, negative = digits[1:], true
	}
	if len(digits) > 16 {
		return json.Number(text)
	}
	n := int64(0)
	for _, c := range digits {
		n = n*10 + int64(c-'0')
	}
	switch {
	case n > MaxExact:
		return json.Number(text)
	case negative:
		return float64(-n)
	case n < int64(len(smallNumbers)):
		return smallNumbers[n]
	}
	return float64(n)
}

// shortDecimal is digits with a point between them as long as both the digits and
// the power of ten are exact in float64, so that their quotient is the nearest.
func shortDecimal(text []byte) (f float64, ok bool) {
	if len(text) > 16 {
		return 0, false
	}
	n, scale, negative := int64(0), -1, false
	for i, c := range text {
		switch {
		case c == '-' && i == 0:
			negative = true
		case c == '.':
			scale = 0
		case c < '0' || c > '9':
			return 0, false
		default:
			n = n*10 + int64(c-'0')
			if scale >= 0 {
				scale++
			}
		}
	}
	f = float64(n) / powersOfTen[max(0, scale)]
	if negative {
		f = -f
	}
	return f, f != 0
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}
