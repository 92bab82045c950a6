package cli

import (
	"slices"
	"strings"

	"toolgraph/expressions/value"
)

// assumedOutput is a value that a JSON Schema allows, as far as that is easily told:
// what it names itself (const, default, an example, the first of an enum), else "", 0,
// false, an empty list, an object with every property that is declared. ok is false
// when there is no schema.
func assumedOutput(raw []byte) (v value.Value, ok bool) {
	if len(raw) == 0 {
		return nil, false
	}
	root, err := value.Decode(raw)
	if err != nil {
		return nil, false
	}
	a := &assumption{root: root, left: mostAssumed}
	return a.of(root, 0), true
}

// assumption makes values of the parts of one schema.
type assumption struct {
	root value.Value
	left int // how many values may still be made
}

// A schema may be part of itself, and in several places.
const (
	deepest     = 12     // how far properties are followed
	mostAssumed = 10_000 // values in one output
)

func (a *assumption) of(schema value.Value, depth int) value.Value {
	s, isObject := schema.(value.Object)
	if a.left--; !isObject || depth > deepest || a.left < 0 {
		return value.Null
	}
	for _, key := range []string{"const", "default"} {
		if v, ok := s.Get(key); ok {
			return v
		}
	}
	for _, key := range []string{"examples", "enum"} {
		if list := listAt(s, key); len(list) > 0 {
			return list[0]
		}
	}
	if target := a.target(s); target != nil {
		return a.of(target, depth+1)
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if list := listAt(s, key); len(list) > 0 {
			return a.of(list[0], depth+1)
		}
	}
	switch typeOf(s) {
	case "string":
		return ""
	case "number", "integer":
		if least, ok := s.Get("minimum"); ok {
			if n, ok := least.(float64); ok && n > 0 {
				return n
			}
		}
		return 0.0
	case "boolean":
		return false
	case "array":
		return a.array(s, depth)
	case "object":
		return a.object(s, depth)
	}
	return value.Null
}

// target is what a reference within the schema leads to, or nil.
func (a *assumption) target(s value.Object) value.Value {
	ref, _ := s.Get("$ref")
	path, ok := ref.(string)
	if path == "#" {
		return a.root
	}
	if !ok || !strings.HasPrefix(path, "#/") {
		return nil
	}
	at := a.root
	for _, key := range strings.Split(path[2:], "/") {
		object, ok := at.(value.Object)
		if !ok {
			return nil
		}
		at, _ = object.Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(key))
	}
	return at
}

// typeOf is the type that a schema names first, or that its keys tell.
func typeOf(s value.Object) string {
	kind, _ := s.Get("type")
	if list, ok := kind.([]any); ok && len(list) > 0 {
		kind = list[0]
	}
	if name, ok := kind.(string); ok {
		return name
	}
	for key, name := range map[string]string{"properties": "object", "items": "array"} {
		if slices.Contains(s.Keys(), key) {
			return name
		}
	}
	if len(listAt(s, "allOf")) > 0 {
		return "object"
	}
	return ""
}

func listAt(s value.Object, key string) []any {
	v, _ := s.Get(key)
	list, _ := v.([]any)
	return list
}

// array has as many items as the schema demands, up to three.
func (a *assumption) array(s value.Object, depth int) value.Value {
	least, _ := s.Get("minItems")
	n, _ := least.(float64)
	items, _ := s.Get("items")
	list := []any{}
	for range int(min(n, 3)) {
		list = append(list, a.of(items, depth+1))
	}
	return list
}

// object has every property that the schema or a part of it declares.
func (a *assumption) object(s value.Object, depth int) value.Value {
	var keys []string
	var values []value.Value
	add := func(from value.Value) {
		if o, ok := from.(value.Object); ok {
			for _, key := range o.Keys() {
				v, _ := o.Get(key)
				keys, values = append(keys, key), append(values, v)
			}
		}
	}
	for _, part := range listAt(s, "allOf") {
		add(a.of(part, depth+1))
	}
	properties, _ := s.Get("properties")
	if declared, ok := properties.(value.Object); ok {
		for _, key := range declared.Keys() {
			schema, _ := declared.Get(key)
			keys, values = append(keys, key), append(values, a.of(schema, depth+1))
		}
	}
	return value.NewObject(keys, values)
}
