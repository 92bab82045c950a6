package value

import (
	"slices"
	"strconv"
)

// AppendCanonical appends a value so that equal values are appended equally and different ones
// differently, for hashes: the order of an object's keys does not matter. What it appends is no
// JSON.
func AppendCanonical(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case []any:
		dst = strconv.AppendInt(append(dst, '['), int64(len(v)), 10)
		for _, item := range v {
			dst = AppendCanonical(dst, item)
		}
	case map[string]any:
		dst = AppendCanonical(dst, FromPlain(v))
	case Object:
		dst = strconv.AppendInt(append(dst, '{'), int64(v.Len()), 10)
		keys := slices.Clone(v.Keys())
		slices.Sort(keys)
		for _, key := range keys {
			item, _ := v.Get(key)
			dst = AppendCanonical(AppendString(append(dst, ' '), key), item)
		}
	default:
		dst, _ = Append(append(dst, ' '), v) // values are JSON: this does not fail
	}
	return dst
}
