package schema

import (
	"context"
	"fmt"
	"slices"

	"toolgraph/config"
)

// Input compiles the schema of a tool's arguments, which MCP requires to be of type
// object; a nil source allows every object. It adds what is wrong with the schema to
// found. After an error, Check finds no problems.
func Input(ctx context.Context, source *config.Data, found *config.Diagnostics) *Schema {
	s := &Schema{source: source, listed: withObjectType(source), patterns: newPatterns(false)}
	if source == nil || checkRoot(source, found) {
		s.defaults = newDefaults(source)
		s.prepare(ctx, "inputSchema", found)
		warnCombined(source, found)
	}
	return s
}

// Output compiles the schema of a tool's value. Clients reject a whole list of tools that
// has a schema whose root is not of type object, so other schemas are wrapped. It adds
// what is wrong with the schema to found, as Input does.
func Output(ctx context.Context, source *config.Data, found *config.Diagnostics) *Schema {
	s := &Schema{source: source, patterns: newPatterns(false)}
	if isObjectSchema(source) {
		s.listed = withObjectType(source)
	} else {
		s.wrapped, s.listed = true, wrap(source)
	}
	s.prepare(ctx, "outputSchema", found)
	return s
}

// Form compiles the schema of what a user fills in. It adds what is wrong with the schema to found,
// as Input does.
func Form(ctx context.Context, source *config.Data, found *config.Diagnostics) *Schema {
	s := &Schema{source: source, listed: source.JSON(), defaults: newDefaults(source), patterns: newPatterns(false)}
	s.prepare(ctx, "schema", found)
	return s
}

// checkRoot reports whether an inputSchema is of type object, as MCP requires.
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

// warnCombined warns of keywords that some model interfaces reject at the root.
func warnCombined(source *config.Data, found *config.Diagnostics) {
	for _, name := range []string{"oneOf", "anyOf", "allOf"} {
		if source.Get(name) == nil {
			continue
		}
		i := slices.IndexFunc(source.Keys, func(key config.Text) bool { return key.Value == name })
		found.Warn(source.Keys[i].Pos, "schema-portability",
			fmt.Sprintf("some hosts reject %s at the root of an inputSchema and drop the tool", name), "move it into a property")
	}
}

// withObjectType returns the schema as JSON, with "type":"object" in front when the root
// names no type.
func withObjectType(source *config.Data) []byte {
	const head = `{"type":"object"`
	switch {
	case source == nil || source.Kind == config.KindObject && len(source.Keys) == 0:
		return []byte(head + "}")
	case source.Kind != config.KindObject || source.Get("type") != nil:
		return source.JSON()
	}
	return append([]byte(head+","), source.JSON()[1:]...)
}

// isObjectSchema reports whether a schema certainly describes objects.
func isObjectSchema(source *config.Data) bool {
	if source == nil || source.Kind != config.KindObject {
		return false
	}
	if t := source.Get("type"); t != nil {
		return t.Scalar == "object"
	}
	return hasAny(source, "properties", "required", "additionalProperties", "patternProperties", "propertyNames")
}

// hasAny reports whether a schema has one of the keywords.
func hasAny(d *config.Data, keywords ...string) bool {
	return slices.ContainsFunc(keywords, func(keyword string) bool { return d.Get(keyword) != nil })
}

// resultKey is the property that holds a wrapped value, and resultPointer leads to its
// schema.
const (
	resultKey     = "result"
	resultPointer = "#/properties/" + resultKey
)

// wrap returns the schema of an object with the given schema as its property "result".
// References to its own parts are rewritten; $schema moves to the root.
func wrap(source *config.Data) []byte {
	dst, inner := []byte("{"), source
	if dialect := source.Get("$schema"); dialect != nil {
		dst = append(append(append(dst, `"$schema":`...), dialect.JSON()...), ',')
		inner = source.With("$schema", nil)
	}
	dst = append(dst, `"type":"object","properties":{"result":`...)
	if source.Get("$id") == nil {
		inner = rebase(inner, resultPointer)
	}
	dst = append(dst, inner.JSON()...)
	return append(dst, `},"required":["result"]}`...)
}

// rebase returns the schema with each local pointer of a $ref below the new root.
func rebase(d *config.Data, root string) *config.Data {
	if d == nil || (d.Kind != config.KindObject && d.Kind != config.KindArray) {
		return d
	}
	out := &config.Data{Pos: d.Pos, Kind: d.Kind, Keys: d.Keys, Items: make([]*config.Data, len(d.Items))}
	for i, item := range d.Items {
		out.Items[i] = item
		if d.Kind == config.KindArray {
			out.Items[i] = rebase(item, root)
			continue
		}
		switch ref, _ := item.Scalar.(string); d.Keys[i].Value {
		case "const", "enum", "default", "examples":
		case "$ref", "$dynamicRef":
			if ref == "#" || len(ref) > 1 && ref[:2] == "#/" {
				out.Items[i] = &config.Data{Pos: item.Pos, Scalar: root + ref[1:]}
			}
		default:
			out.Items[i] = rebase(item, root)
		}
	}
	return out
}
