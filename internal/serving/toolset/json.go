package toolset

import (
	"bytes"
	"encoding/json"

	"toolgraph/expressions/value"
)

// JSON returns v as JSON on one line, with a line break at its end. The characters <, >
// and & are not escaped.
func JSON(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return out.Bytes(), err
}

// Value is a value inside another struct: it is encoded with its own order of keys and
// exact numbers, nil as null.
type Value struct{ value.Value }

// MarshalJSON returns the value's own JSON.
func (v Value) MarshalJSON() ([]byte, error) { return value.Encode(v.Value) }
