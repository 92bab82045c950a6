package value

import (
	"bytes"
	"encoding/json"
	"slices"
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
	return decode(src, string(src))
}

// DecodeInPlace is Decode of bytes that never change afterwards: the value refers to them instead of a copy, and has them
// in memory as long as it is there.
func DecodeInPlace(src []byte) (Value, error) { return decode(src, textOf(src)) }

// DecodeText is Decode of a text, without a copy of it.
func DecodeText(text string) (Value, error) { return decode(bytesOf(text), text) }

func decode(src []byte, text string) (Value, error) {
	d := newDecoder(text, NewScanner(src))
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
	text  string // src, for the strings
	box   Box
	large *large // nil: the document is not
}

// newDecoder returns a decoder of what is left of a text.
func newDecoder(text string, at Scanner) decoder {
	d := decoder{Scanner: at, text: text}
	if len(text)-at.pos >= largeFrom && len(text) <= mostLarge {
		d.large = newLarge()
	}
	return d
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
		if d.large != nil {
			return d.largeObject(depth + 1)
		}
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
	start := d.pos
	for more && err == nil {
		var item Value
		if item, err = d.value(depth); err == nil {
			if len(items) == cap(items) && len(items) >= growsFrom {
				items = slices.Grow(items, d.further(start, len(items)))
			}
			items = append(items, item)
			more, err = d.Next(']')
		}
	}
	if err != nil {
		return nil, err
	}
	return items, nil
}

// growsFrom is how many items an array has before its length is estimated.
const growsFrom = 256

// further estimates how many more items an array has, of which so many begin at start. It is at most that number: the array
// need not go on as it began.
func (d *decoder) further(start, items int) int {
	each := (d.pos-start)/(items+1) + 1
	return min(max(items/4, (len(d.src)-d.pos)/each+items/64), items)
}

func (d *decoder) object(depth int) (Value, error) {
	object := NewMap()
	more, err := d.Open(depth)
	if err != nil {
		return nil, err
	}
	return d.members(object, more, depth)
}

// members reads the members of an object, if there are more.
func (d *decoder) members(object *Map, more bool, depth int) (_ Value, err error) {
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
