package schema

import (
	"context"
	"fmt"

	"toolgraph/config"
)

// Input takes the schema of a tool's arguments, nil when there is none, which MCP
// wants to be of type object. What is wrong with it goes to found: with an error among
// it, Check finds no problems.
func Input(ctx context.Context, source *config.Data, found *config.Diagnostics) *Schema {
	s := &Schema{source: source, listed: withObjectType(source), patterns: newPatterns(false)}
	if source == nil || checkRoot(source, found) {
		var defaults []declared
		if deeperThan(source, maxDepth) == nil {
			defaults = s.prepareDefaults()
		}
		if s.prepare("inputSchema", found); s.instances != nil {
			s.checkDefaults(ctx, defaults, "inputSchema", found)
		}
		warnCombined(source, found)
	}
	return s
}

// Output takes the schema of a tool's value. Clients refuse a whole list that has a
// schema whose root is not of type object, so others are wrapped. What is wrong with it
// goes to found, as with Input.
func Output(ctx context.Context, source *config.Data, found *config.Diagnostics) *Schema {
	s := &Schema{source: source, patterns: newPatterns(false)}
	if isObjectSchema(source) {
		s.listed = withObjectType(source)
	} else {
		s.wrapped, s.listed = true, wrap(source)
	}
	s.prepare("outputSchema", found)
	return s
}

// checkRoot reports whether an inputSchema speaks of an object, as MCP demands.
func checkRoot(source *config.Data, found *config.Diagnostics) bool {
	if source.Kind != config.KindObject {
		found.Add(source.Pos, "schema-root", "inputSchema must be an object, a JSON Schema of type object", "")
		return false
	}
	if t := source.Get("type"); t != nil && t.Scalar != "object" {
		found.Add(t.Pos, "schema-root",
			fmt.Sprintf("inputSchema has type %s, expected object", t.JSON()),
			"arguments are always an object; make the value one of its properties")
		return false
	}
	return true
}

// warnCombined tells of keywords that some model interfaces refuse at the root.
func warnCombined(source *config.Data, found *config.Diagnostics) {
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		if source.Get(key) != nil {
			found.Warn(keyOf(source, key), "schema-portability",
				key+" at the root of an inputSchema is refused by some hosts, which then drop the tool",
				"move it into a property")
		}
	}
}

// withObjectType is the schema as it stands, with "type":"object" before the rest
// when the root names no type.
func withObjectType(source *config.Data) []byte {
	const head = `{"type":"object"`
	raw := source.JSON()
	switch {
	case source == nil:
		return []byte(head + "}")
	case source.Kind != config.KindObject:
		return raw
	case source.Get("type") != nil:
		return raw
	case len(source.Keys) == 0:
		return []byte(head + "}")
	}
	return append([]byte(head+","), raw[1:]...)
}

// isObjectSchema tells whether a schema without doubt speaks of objects.
func isObjectSchema(source *config.Data) bool {
	if source == nil || source.Kind != config.KindObject {
		return false
	}
	if t := source.Get("type"); t != nil {
		return t.Scalar == "object"
	}
	for _, key := range []string{"properties", "required", "additionalProperties", "patternProperties", "propertyNames"} {
		if source.Get(key) != nil {
			return true
		}
	}
	return false
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
