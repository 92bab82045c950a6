package value

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// maxEncoded is how many bytes of JSON Append writes: a Value with escapes in its strings has some
// more than MaxBytes.
const maxEncoded = 2 * MaxBytes

// Encode returns v as compact JSON; see Append.
func Encode(v Value) ([]byte, error) { return Append(nil, v) }

// Append appends v as compact JSON to dst, numbers and strings as JavaScript's
// JSON.stringify writes them, a map without order by sorted keys. A number that is
// not finite, a function, more nesting than MaxDepth and more than 512 MiB are errors; dst is then
// returned as it was.
func Append(dst []byte, v Value) ([]byte, error) {
	e := encoder{most: len(dst) + maxEncoded}
	out, err := e.value(dst, v, 0)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// EncodeWithin is Encode for a value that may be large: it is charged to a meter, and allocates what a
// long text takes at once.
func EncodeWithin(m *Meter, v Value) ([]byte, error) {
	out, err := AppendMost(m, nil, v, mostGrown)
	if !errors.Is(err, ErrTooLong) {
		return out, err
	}
	size, within := SizeWithin(m, v, maxEncoded)
	if m.Cause() != nil {
		return nil, m.Cause()
	} else if !within {
		return nil, ErrTooLong
	}
	return AppendMost(m, make([]byte, 0, size), v, maxEncoded)
}

// mostGrown is the length up to which a text grows while it is written.
const mostGrown = 64 << 10

// AppendMost is Append of at most so many bytes of JSON, charged to a meter. Of a value that has
// more, dst gets the first bytes, at least so many, and the error is ErrTooLong.
func AppendMost(m *Meter, dst []byte, v Value, most int) ([]byte, error) {
	e := encoder{meter: m, most: len(dst) + most}
	out, err := e.value(dst, v, 0)
	if err == nil && len(out) > e.most {
		err = ErrTooLong
	}
	return out, err
}

// Errors of values that have no JSON form.
var (
	ErrTooDeep   = fmt.Errorf("nested deeper than %d levels", MaxDepth)
	ErrNotFinite = errors.New("a number that is not finite has no JSON form")
	ErrTooLong   = errors.New("the value has more JSON than is allowed; make it smaller, or select a part of it")
	errNotJSON   = errors.New("a function has no JSON form")
)

// encoder writes JSON up to a length.
type encoder struct {
	meter *Meter // nil: only most bounds the work
	most  int    // bytes of all that is written to
}

// spend charges a meter, if there is one.
func spend(m *Meter, steps int) error {
	if m == nil {
		return nil
	}
	return m.Spend(steps)
}

// value appends a value inside depth others.
func (e *encoder) value(dst []byte, v Value, depth int) ([]byte, error) {
	switch x := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return e.text(dst, x)
	case float64:
		return AppendNumber(dst, x)
	case bool:
		return strconv.AppendBool(dst, x), nil
	case json.Number:
		return append(dst, x...), nil
	case []any:
		return e.array(dst, x, depth)
	}
	if o, ok := ObjectOf(v); ok {
		return e.object(dst, o, depth)
	}
	if IsNull(v) {
		return append(dst, "null"...), nil
	}
	return dst, errNotJSON
}

func (e *encoder) text(dst []byte, s string) ([]byte, error) {
	if room := e.most - len(dst); len(s) > room {
		return AppendString(dst, s[:max(0, room)]), ErrTooLong
	}
	return AppendText(e.meter, dst, s)
}

// AppendText is AppendString charged to a meter, if there is one.
func AppendText[T string | []byte](m *Meter, dst []byte, s T) ([]byte, error) {
	if len(s) > pieceBytes {
		dst = slices.Grow(dst, len(s)+len(`""`))
	}
	dst = append(dst, '"')
	for rest := s; len(rest) > 0; {
		if s, rest = piece(rest); len(s) > uncharged {
			if err := spend(m, len(s)>>8); err != nil {
				return dst, err
			}
		}
		dst = appendEscaped(dst, s)
	}
	return append(dst, '"'), nil
}

// uncharged is the length of a text up to which writing it is charged with the value that it belongs to.
const uncharged = 1 << 10

// pieceBytes is how much of a text is handled between two looks of a meter.
const pieceBytes = 256 << 10

// piece returns the first piece of a text, which ends with a character, and the rest.
func piece[T string | []byte](s T) (first, rest T) {
	if len(s) <= pieceBytes {
		return s, rest
	}
	end := pieceBytes
	for end > pieceBytes-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end], s[end:]
}

func (e *encoder) array(dst []byte, items []any, depth int) ([]byte, error) {
	if depth >= MaxDepth {
		return dst, ErrTooDeep
	}
	err := spend(e.meter, 1+len(items))
	if err != nil {
		return dst, err
	}
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = e.value(dst, item, depth+1); err != nil {
			return dst, err
		}
		if len(dst) > e.most {
			return dst, ErrTooLong
		}
	}
	return append(dst, ']'), nil
}

func (e *encoder) object(dst []byte, o Object, depth int) ([]byte, error) {
	if depth >= MaxDepth {
		return dst, ErrTooDeep
	}
	err := spend(e.meter, 1+o.Len())
	if err != nil {
		return dst, err
	}
	if row, isRow := o.(*Row); isRow && row.size <= uncharged && len(dst)+int(row.size) <= e.most {
		if exact := row.exact(); exact != "" {
			return append(dst, exact...), nil
		}
	}
	dst = append(dst, '{')
	for i, key := range o.Keys() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, key), ':')
		item, _ := o.Get(key)
		if dst, err = e.value(dst, item, depth+1); err != nil {
			return dst, err
		}
		if len(dst) > e.most {
			return dst, ErrTooLong
		}
	}
	return append(dst, '}'), nil
}

// AppendNumber writes a number as JavaScript does: decimal from 1e-6 up to 1e21,
// else with an exponent; minus zero is 0.
func AppendNumber(dst []byte, f float64) ([]byte, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return dst, ErrNotFinite
	}
	if i := int64(f); float64(i) == f && i > -1<<53 && i < 1<<53 {
		return strconv.AppendInt(dst, i, 10), nil
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64), nil
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// e-09 is written e-9
	if n := len(dst); n >= 4 && dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst, nil
}

const hexDigits = "0123456789abcdef"

// AppendString writes s quoted and escapes only what JSON demands, so not the characters
// that HTML escapes. Bytes that are not UTF-8 become U+FFFD.
func AppendString[T string | []byte](dst []byte, s T) []byte {
	return append(appendEscaped(append(dst, '"'), s), '"')
}

func appendEscaped[T string | []byte](dst []byte, s T) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += size
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		i++
		start = i
	}
	return append(dst, s[start:]...)
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
