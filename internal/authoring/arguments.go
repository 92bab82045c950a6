package authoring

import (
	"encoding/json"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// arguments are those of an operation; its inputSchema has checked them.
type arguments struct{ value.Value }

// get is the argument of this name; nil when it was left out or is null.
func (a arguments) get(name string) value.Value {
	given, ok := a.Value.(value.Object)
	if !ok {
		return nil
	}
	v, _ := given.Get(name)
	if v == value.Null {
		return nil
	}
	return v
}

func (a arguments) text(name string) string {
	text, _ := a.get(name).(string)
	return text
}

func (a arguments) flag(name string) bool {
	flag, _ := a.get(name).(bool)
	return flag
}

// number is a whole number, or otherwise when it was left out.
func (a arguments) number(name string, otherwise int) int {
	if n, ok := a.get(name).(float64); ok {
		return int(n)
	}
	return otherwise
}

// object is an object, empty when it was left out.
func (a arguments) object(name string) value.Value {
	if v := a.get(name); v != nil {
		return v
	}
	return value.NewObject(nil, nil)
}

// data is a definition as it would stand in a file.
func (a arguments) data(name string) *config.Data { return dataOf(a.get(name)) }

// dataOf is a value as a piece of a file, without places.
func dataOf(v value.Value) *config.Data {
	switch v := v.(type) {
	case value.Object:
		d := &config.Data{Kind: config.KindObject}
		for _, key := range v.Keys() {
			item, _ := v.Get(key)
			d.Keys, d.Items = append(d.Keys, config.Text{Value: key}), append(d.Items, dataOf(item))
		}
		return d
	case []any:
		d := &config.Data{Kind: config.KindArray}
		for _, item := range v {
			d.Items = append(d.Items, dataOf(item))
		}
		return d
	case string:
		return &config.Data{Scalar: v, Text: config.Text{Value: v}}
	case bool, float64, json.Number:
		return &config.Data{Scalar: v}
	}
	return &config.Data{}
}

// contextOf is a context for expressions: {nodeId: output}.
func contextOf(v value.Value) map[string]any {
	outputs := map[string]any{}
	if given, ok := v.(value.Object); ok {
		for _, key := range given.Keys() {
			outputs[key], _ = given.Get(key)
		}
	}
	return outputs
}
