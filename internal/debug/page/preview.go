package page

import (
	"slices"
	"strings"

	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

// preview is the beginning of a value's JSON, at most so many bytes and an ellipsis; of
// nothing, that word. It costs no more than what it shows.
func preview(v value.Value, most int) string {
	var b strings.Builder
	if !begin(&b, v, most) {
		return wording.Truncate(b.String(), most)
	}
	return b.String()
}

// begin writes JSON until there is enough, and reports whether that was all.
func begin(b *strings.Builder, v value.Value, most int) bool {
	if b.Len() > most {
		return false
	}
	switch kindOf(v) {
	case "nothing":
		b.WriteString("nothing")
	case "array":
		b.WriteByte('[')
		for i, item := range v.([]any) {
			if i > 0 {
				b.WriteByte(',')
			}
			if !begin(b, item, most) {
				return false
			}
		}
		b.WriteByte(']')
	case "object":
		b.WriteByte('{')
		for i, key := range keysOf(v) {
			if i > 0 {
				b.WriteByte(',')
			}
			begin(b, key, most)
			b.WriteByte(':')
			if !begin(b, fieldOf(v, key), most) {
				return false
			}
		}
		b.WriteByte('}')
	case "string":
		b.WriteString(scalar(wording.Truncate(v.(string), most)))
	default:
		b.WriteString(scalar(v))
	}
	return b.Len() <= most
}

// scalar is a scalar's JSON.
func scalar(v value.Value) string {
	raw, err := value.Encode(v)
	if err != nil {
		return "null" // a number that JSON does not have
	}
	return string(raw)
}

// kindOf is object, array, string, number, boolean, null or nothing.
func kindOf(v value.Value) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case value.Object, map[string]any:
		return "object"
	}
	if v == value.Null {
		return "null"
	}
	return "number"
}

func keysOf(v value.Value) []string {
	switch v := v.(type) {
	case value.Object:
		return v.Keys()
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		return keys
	}
	return nil
}

func fieldOf(v value.Value, key string) value.Value {
	switch v := v.(type) {
	case value.Object:
		item, _ := v.Get(key)
		return item
	case map[string]any:
		return v[key]
	}
	return nil
}
