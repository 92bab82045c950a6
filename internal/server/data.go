package server

import (
	"encoding/json"
	"fmt"

	"toolgraph/config"
)

// appendData appends a piece of the graph file as compact JSON, keys in file order.
// An {expr: …} outside args is an object like any other.
func appendData(dst []byte, d *config.Data) []byte {
	if d == nil {
		return append(dst, "null"...)
	}
	switch d.Kind {
	case config.KindObject:
		dst = append(dst, '{')
		for i, key := range d.Keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, key.Value), ':')
			dst = appendData(dst, d.Items[i])
		}
		return append(dst, '}')
	case config.KindArray:
		dst = append(dst, '[')
		for i, item := range d.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendData(dst, item)
		}
		return append(dst, ']')
	case config.KindExpression:
		dst = appendString(append(dst, `{"expr":`...), d.Expr.Value)
		return append(dst, '}')
	case config.KindScalar:
	}
	return appendScalar(dst, d.Scalar)
}

func appendScalar(dst []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return appendString(dst, v)
	case json.Number:
		return append(dst, v.String()...)
	}
	raw, err := json.Marshal(v)
	if err != nil { // only what YAML cannot make: a float that is not finite
		return appendString(dst, fmt.Sprint(v))
	}
	return append(dst, raw...)
}

// keyOf is the place of a key of an object, or that of the object.
func keyOf(d *config.Data, key string) config.Pos {
	if d != nil && d.Kind == config.KindObject {
		for _, k := range d.Keys {
			if k.Value == key {
				return k.Pos
			}
		}
	}
	return d.Pos
}
