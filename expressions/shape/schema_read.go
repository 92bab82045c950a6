package shape

import (
	"maps"
	"slices"
	"strings"

	"toolgraph/expressions/value"
)

// OfSchema is the shape of what fits a JSON Schema. Keywords that only make the
// set of values smaller and cannot be told are passed over; what is no schema, or
// refers to somewhere else than its own $defs, is any value.
func OfSchema(raw []byte) Shape {
	v, err := value.Decode(raw)
	if err != nil {
		return Value()
	}
	plain := value.Plain(v)
	root, _ := plain.(map[string]any)
	// Plain values have no order; the order of properties is that of the text.
	r := schemaReader{root: root, order: v, steps: maxSchemaSteps}
	return r.read(plain, v, 0)
}

const (
	maxSchemaSteps = 20_000
	maxReferences  = 8 // $refs behind each other
)

// schemaReader reads one schema. Each schema comes twice: as a plain object and as
// the value that keeps the order of its keys.
type schemaReader struct {
	root  map[string]any
	order value.Value
	steps int // that may still be made
	refs  int // that are followed right now
}

func (r *schemaReader) read(plain any, ordered value.Value, depth int) Shape {
	if r.steps--; r.steps < 0 || depth > maxDepth {
		return Value()
	}
	schema, ok := plain.(map[string]any)
	if !ok {
		if plain == false {
			return none
		}
		return Value()
	}
	if ref, ok := schema["$ref"].(string); ok {
		return r.reference(ref, depth)
	}
	out := r.typed(schema, ordered, depth)
	for _, choice := range []string{"anyOf", "oneOf"} {
		branches, ok := schema[choice].([]any)
		if !ok || len(branches) == 0 {
			continue
		}
		// Beside types or properties of its own, a choice tells only which of them go
		// together; alone, it is what there is.
		if _, typed := schema["type"]; !typed && schema["properties"] == nil {
			out = r.choice(branches, member(ordered, choice), depth)
		}
	}
	if v, ok := schema["const"]; ok {
		return Constant(value.FromPlain(v))
	}
	if values, ok := schema["enum"].([]any); ok && len(values) > 0 && len(values) <= maxConstants {
		out = none
		for _, v := range values {
			out = union(out, Constant(value.FromPlain(v)))
		}
	}
	return out
}

// member is a field of an object, or an item of an array, in order.
func member(v value.Value, name string) value.Value {
	if o, ok := v.(value.Object); ok {
		item, _ := o.Get(name)
		return item
	}
	return nil
}

func (r *schemaReader) choice(branches []any, ordered value.Value, depth int) Shape {
	items, _ := ordered.([]any)
	out := none
	for i, branch := range branches {
		var inOrder value.Value
		if i < len(items) {
			inOrder = items[i]
		}
		out = union(out, r.read(branch, inOrder, depth+1))
	}
	return out
}

// reference follows #, #/$defs/name and #/definitions/name.
func (r *schemaReader) reference(ref string, depth int) Shape {
	r.refs++
	defer func() { r.refs-- }()
	if r.refs > maxReferences {
		return Value()
	}
	if ref == "#" {
		return r.read(r.root, r.order, depth+1)
	}
	rest, ok := strings.CutPrefix(ref, "#/")
	place, name, found := strings.Cut(rest, "/")
	if !ok || !found || place != "$defs" && place != "definitions" {
		return Value()
	}
	name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	defs, _ := r.root[place].(map[string]any)
	schema, ok := defs[name]
	if !ok {
		return Value()
	}
	return r.read(schema, member(member(r.order, place), name), depth+1)
}

var schemaKinds = map[string]kinds{
	"null": kindNull, "boolean": kindBoolean, "number": kindNumber, "integer": kindNumber,
	"string": kindString, "array": kindArray, "object": kindObject,
}

// typed is what type, properties and items say.
func (r *schemaReader) typed(schema map[string]any, ordered value.Value, depth int) Shape {
	a := alternatives{rest: open}
	switch t := schema["type"].(type) {
	case string:
		a.kinds, a.whole = schemaKinds[t], t == "integer"
	case []any:
		for _, one := range t {
			name, _ := one.(string)
			a.kinds |= schemaKinds[name]
		}
		a.whole = slices.Contains(t, any("integer")) && !slices.Contains(t, any("number"))
	}
	if a.kinds == 0 {
		a.kinds = kindValue
		if _, named := schema["properties"].(map[string]any); named && schema["type"] == nil {
			a.kinds = kindObject // a schema without a type that lists properties is meant for objects
		}
	}
	if a.kinds.has(kindArray) {
		a.items = r.items(schema, ordered, depth)
		if least, ok := schema["minItems"].(float64); ok && least >= 1 {
			a.filled = true
		}
	}
	if a.kinds.has(kindObject) {
		r.object(&a, schema, ordered, depth)
	}
	return shapeOf(a)
}

// items is what the items of arrays can be, those that have a place of their own
// included.
func (r *schemaReader) items(schema map[string]any, ordered value.Value, depth int) Shape {
	rest, restOrdered := schema["items"], member(ordered, "items")
	first, ok := schema["prefixItems"].([]any)
	firstOrdered := member(ordered, "prefixItems")
	if listed, older := rest.([]any); older {
		first, firstOrdered, ok = listed, restOrdered, true
		rest, restOrdered = schema["additionalItems"], member(ordered, "additionalItems")
	}
	out := Value()
	if rest != nil {
		out = r.read(rest, restOrdered, depth+1)
	}
	if ok {
		out = union(out, r.choice(first, firstOrdered, depth))
	}
	return out
}

// openers are keywords that tell of properties which properties does not.
var openers = []string{
	"patternProperties", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "dependencies",
	"$dynamicRef", "$recursiveRef", "unevaluatedProperties",
}

func (r *schemaReader) object(a *alternatives, schema map[string]any, ordered value.Value, depth int) {
	properties, _ := schema["properties"].(map[string]any)
	required := map[string]bool{}
	if names, ok := schema["required"].([]any); ok {
		for _, name := range names {
			if s, ok := name.(string); ok {
				required[s] = true
			}
		}
	}
	inOrder := member(ordered, "properties")
	if o, ok := inOrder.(value.Object); ok {
		for _, name := range o.Keys() {
			shape := r.read(properties[name], member(inOrder, name), depth+1)
			a.fields = append(a.fields, Field{Name: name, Shape: shape, Optional: !required[name]})
			delete(required, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(required)) {
		a.fields = append(a.fields, Field{Name: name, Shape: Value()})
	}
	if len(properties) > 0 {
		a.rest = declared
	}
	for _, keyword := range openers {
		if schema[keyword] != nil && schema[keyword] != false {
			a.rest = open
		}
	}
	switch more, given := schema["additionalProperties"]; {
	case more == false && schema["patternProperties"] == nil:
		a.rest = closed
	case given:
		a.rest = open
	}
}
