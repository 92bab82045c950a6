package execution

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"strconv"

	"toolgraph/expressions/value"
)

// digest returns a hash of a value, 16 hex digits. The order of an object's keys does not
// matter.
func digest(v value.Value) string {
	h := sha256.New()
	var buf []byte
	put(h, v, &buf)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// put writes a value so that different values are written differently.
func put(h hash.Hash, v value.Value, buf *[]byte) {
	switch v := v.(type) {
	case []any:
		h.Write(strconv.AppendInt([]byte("["), int64(len(v)), 10)) // a hash never fails to write
		for _, item := range v {
			put(h, item, buf)
		}
	case map[string]any:
		put(h, value.FromPlain(v), buf)
	case value.Object:
		h.Write(strconv.AppendInt([]byte("{"), int64(v.Len()), 10))
		keys := slices.Clone(v.Keys())
		slices.Sort(keys)
		for _, key := range keys {
			value, _ := v.Get(key)
			put(h, key, buf)
			put(h, value, buf)
		}
	default:
		*buf, _ = value.Append(append((*buf)[:0], ' '), v) // arguments are JSON: this does not fail
		h.Write(*buf)
	}
}
