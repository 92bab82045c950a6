package schema

import (
	"slices"
	"strings"

	"toolgraph/expressions/value"
)

// A schema may be part of itself, and in several places.
const (
	maxSampleDepth  = 12     // how far properties are followed
	maxSampleValues = 10_000 // in one sample
)

// Sample returns a value that a JSON Schema allows, as far as that is simple: a value that the
// schema names itself (const, default, the first example or enum value), or else "", 0, false,
// a list of so many items where the schema describes them, or an object with all declared
// properties. ok is false when raw is empty or is not JSON.
func Sample(raw []byte, items int) (v value.Value, ok bool) {
	root, err := value.Decode(raw)
	if err != nil {
		return nil, false
	}
	s := &sampler{root: root, items: items, left: maxSampleValues}
	return s.of(root, 0), true
}

// sampler makes samples of the parts of one schema.
type sampler struct {
	root  value.Value
	items int // that a list has at least
	left  int // how many values may still be made
}

func (s *sampler) of(schema value.Value, depth int) value.Value {
	object, isObject := schema.(value.Object)
	if s.left--; !isObject || depth > maxSampleDepth || s.left < 0 {
		return value.Null
	}
	for _, key := range []string{"const", "default"} {
		if v, ok := object.Get(key); ok {
			return v
		}
	}
	for _, key := range []string{"examples", "enum"} {
		if list := listAt(object, key); len(list) > 0 {
			return list[0]
		}
	}
	if target := s.target(object); target != nil {
		return s.of(target, depth+1)
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if list := listAt(object, key); len(list) > 0 {
			return s.of(list[0], depth+1)
		}
	}
	switch typeOf(object) {
	case "string":
		return ""
	case "number", "integer":
		least, _ := object.Get("minimum")
		n, _ := least.(float64)
		return max(n, 0)
	case "boolean":
		return false
	case "array":
		return s.array(object, depth)
	case "object":
		return s.object(object, depth)
	}
	return value.Null
}

// target returns the schema that $ref points to within the root schema, or nil.
func (s *sampler) target(schema value.Object) value.Value {
	ref, _ := schema.Get("$ref")
	path, ok := ref.(string)
	if path == "#" {
		return s.root
	}
	if !ok || !strings.HasPrefix(path, "#/") {
		return nil
	}
	at := s.root
	for _, key := range strings.Split(path[2:], "/") {
		object, ok := at.(value.Object)
		if !ok {
			return nil
		}
		at, _ = object.Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(key))
	}
	return at
}

// typeOf returns the first type of a schema, or the type that its keywords imply.
func typeOf(schema value.Object) string {
	kind, _ := schema.Get("type")
	if list, ok := kind.([]any); ok && len(list) > 0 {
		kind = list[0]
	}
	if name, ok := kind.(string); ok {
		return name
	}
	switch keys := schema.Keys(); {
	case slices.Contains(keys, "properties"), len(listAt(schema, "allOf")) > 0:
		return "object"
	case slices.Contains(keys, "items"):
		return "array"
	}
	return ""
}

func listAt(schema value.Object, key string) []any {
	v, _ := schema.Get(key)
	list, _ := v.([]any)
	return list
}

// array returns as many items as the schema requires, up to three, or as the caller wants.
func (s *sampler) array(schema value.Object, depth int) value.Value {
	least, _ := schema.Get("minItems")
	n, _ := least.(float64)
	items, _ := schema.Get("items")
	if items != nil {
		n = max(n, float64(s.items))
	}
	list := []any{}
	for range int(min(n, 3)) {
		list = append(list, s.of(items, depth+1))
	}
	return list
}

// object returns all properties that the schema or a part of it declares.
func (s *sampler) object(schema value.Object, depth int) value.Value {
	var keys []string
	var values []value.Value
	for _, part := range listAt(schema, "allOf") {
		if o, ok := s.of(part, depth+1).(value.Object); ok {
			for _, key := range o.Keys() {
				v, _ := o.Get(key)
				keys, values = append(keys, key), append(values, v)
			}
		}
	}
	properties, _ := schema.Get("properties")
	if declared, ok := properties.(value.Object); ok {
		for _, key := range declared.Keys() {
			property, _ := declared.Get(key)
			keys, values = append(keys, key), append(values, s.of(property, depth+1))
		}
	}
	return value.NewObject(keys, values)
}
