package config

import (
	"bytes"
	"encoding/json"
)

// Value is the data as plain Go values: nil, bool, float64, json.Number, string, []any
// and map[string]any. An expression is {"expr": source}. The caller may change it.
func (d *Data) Value() any {
	if d == nil {
		return nil
	}
	switch d.Kind {
	case KindObject:
		object := make(map[string]any, len(d.Keys))
		for i, k := range d.Keys {
			object[k.Value] = d.Items[i].Value()
		}
		return object
	case KindArray:
		list := make([]any, len(d.Items))
		for i, item := range d.Items {
			list[i] = item.Value()
		}
		return list
	case KindExpression:
		return map[string]any{"expr": d.Expr.Value}
	case KindScalar:
	}
	return d.Scalar
}

// JSON is the data as compact JSON, keys in file order, numbers exact.
func (d *Data) JSON() []byte { return d.appendJSON(nil) }

// MarshalJSON is JSON.
func (d *Data) MarshalJSON() ([]byte, error) { return d.JSON(), nil }

func (d *Data) appendJSON(dst []byte) []byte {
	if d == nil {
		return append(dst, "null"...)
	}
	switch d.Kind {
	case KindObject:
		dst = append(dst, '{')
		for i, k := range d.Keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendJSONText(dst, k.Value), ':')
			dst = d.Items[i].appendJSON(dst)
		}
		return append(dst, '}')
	case KindArray:
		dst = append(dst, '[')
		for i, item := range d.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst)
		}
		return append(dst, ']')
	case KindExpression:
		return append(appendJSONText(append(dst, `{"expr":`...), d.Expr.Value), '}')
	case KindScalar:
	}
	switch v := d.Scalar.(type) {
	case string:
		return appendJSONText(dst, v)
	case json.Number:
		return append(dst, v...)
	}
	raw, err := json.Marshal(d.Scalar)
	if err != nil { // a number that is not finite, which the loader refuses
		return append(dst, "null"...)
	}
	return append(dst, raw...)
}

// appendJSONText appends text as a JSON string; <, > and & stay as they are.
func appendJSONText(dst []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // strings always encode
		return append(dst, `""`...)
	}
	return append(dst, bytes.TrimRight(b.Bytes(), "\n")...)
}
