package value

import "fmt"

// MaxDepth is how deep arrays and objects may be nested in a Value.
const MaxDepth = 1000

// DecodeError is text that is not one JSON value. Offset is the byte in the text.
type DecodeError struct {
	Offset  int
	Message string // lower case: found and expected; never the text's values
}

// Error says what was found and what was expected.
func (e *DecodeError) Error() string {
	return fmt.Sprintf("not JSON: %s at byte %d", e.Message, e.Offset)
}

// Decode reads one JSON value (RFC 8259): keys keep their order, of two equal keys
// the last value counts and the first place, integers beyond 2^53 keep their
// digits as json.Number. Bytes that are no UTF-8, and escaped halves of a surrogate
// pair, become U+FFFD. More nesting than MaxDepth, a number beyond float64 and data
// after the value are errors. The error is a *DecodeError.
func Decode(src []byte) (Value, error) {
	d := decoder{src: src, text: string(src)}
	d.space()
	value, err := d.value(0)
	if err != nil {
		return nil, err
	}
	d.space()
	if d.pos < len(d.src) {
		return nil, d.failure("found data after the value, expected the end")
	}
	return value, nil
}

// Encode is v as compact JSON; see Append.
func Encode(v Value) ([]byte, error) { return Append(nil, v) }

// Append appends v as compact JSON to dst, numbers and strings as JavaScript's
// JSON.stringify writes them, a map without order by sorted keys. A number that is
// not finite, a function and more nesting than MaxDepth are errors; dst is then
// returned as it was.
func Append(dst []byte, v Value) ([]byte, error) {
	out, err := AppendValue(dst, v, 0)
	if err != nil {
		return dst, err
	}
	return out, nil
}
