package value

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// MaxExact is the largest integer up to which every integer is a float64.
const MaxExact = 1 << 53

// Decode reads one JSON value (RFC 8259): keys keep their order, of two equal keys
// the last value counts and the first place, integers beyond 2^53 keep their
// digits as json.Number. Bytes that are not UTF-8, and lone surrogates, become U+FFFD.
// More nesting than MaxDepth, a number beyond float64 and data after the value are
// errors. The error is a *DecodeError.
func Decode(src []byte) (Value, error) {
	d := decoder{Scanner: NewScanner(src), text: string(src)}
	value, err := d.value(0)
	if err != nil {
		return nil, err
	}
	if err := d.End(); err != nil {
		return nil, err
	}
	return value, nil
}

// decoder makes values of tokens. Strings are parts of one copy of the text: the values
// of a run live as long as their document does.
type decoder struct {
	Scanner
	text string // src, for the strings
	box  Box
}

// smallNumbers saves an allocation for each of the most frequent numbers.
var smallNumbers = func() (boxed [1024]any) {
	for i := range boxed {
		boxed[i] = float64(i)
	}
	return boxed
}()

func (d *decoder) value(depth int) (Value, error) {
	switch d.Peek() {
	case '"':
		start := d.pos + 1
		raw, plain, err := d.Quoted()
		if err != nil {
			return nil, err
		}
		return d.box.String(d.unquoted(start, raw, plain)), nil
	case '{':
		return d.object(depth + 1)
	case '[':
		return d.array(depth + 1)
	}
	start := d.pos
	raw, whole, err := d.Literal()
	if err != nil {
		return nil, err
	}
	switch raw[0] {
	case 't':
		return true, nil
	case 'f':
		return false, nil
	case 'n':
		return Null, nil
	}
	return d.number(start, raw, whole)
}

// unquoted is the string whose checked bytes raw start at a byte of the text.
func (d *decoder) unquoted(start int, raw []byte, plain bool) string {
	if plain {
		return d.text[start : start+len(raw)]
	}
	return Unescape(raw)
}

func (d *decoder) array(depth int) (Value, error) {
	items := []any{}
	more, err := d.Open(depth)
	for more && err == nil {
		var item Value
		if item, err = d.value(depth); err == nil {
			items = append(items, item)
			more, err = d.Next(']')
		}
	}
	if err != nil {
		return nil, err
	}
	return items, nil
}

func (d *decoder) object(depth int) (Value, error) {
	object := NewMap()
	more, err := d.Open(depth)
	for more && err == nil {
		start := d.pos + 1
		raw, plain, keyErr := d.Key()
		if keyErr != nil {
			return nil, keyErr
		}
		key := d.unquoted(start, raw, plain)
		var item Value
		if item, err = d.value(depth); err == nil {
			object.Set(key, item)
			more, err = d.Next('}')
		}
	}
	if err != nil {
		return nil, err
	}
	return object, nil
}

// number is the value of a number that starts at a byte of the text. One that no float64 holds
// stays as it is written, up to 1e999: validation makes all its digits.
func (d *decoder) number(start int, text []byte, whole bool) (Value, error) {
	if whole {
		return wholeNumber(text), nil
	}
	f, ok := shortDecimal(text)
	if ok {
		return d.box.Number(f), nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err == nil {
		return f, nil
	}
	exponent := bytes.TrimLeft(text[bytes.IndexAny(text, "eE")+1:], "+0")
	if len(exponent) <= 3 {
		return json.Number(text), nil
	}
	d.pos = start
	return nil, d.failure("found a number that is too large, expected one below 1e1000")
}

// fromDigits is the number for the text of a json.Number; Null when that is not a number.
func fromDigits(text string) Value {
	v, _ := Decode([]byte(text)) // nil after an error
	switch v.(type) {
	case float64, json.Number:
		return v
	}
	return Null
}

// wholeNumber is the value of digits after an optional minus.
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
