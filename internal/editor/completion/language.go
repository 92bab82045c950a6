package completion

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"toolgraph/config"
)

// schema is a JSON Schema, decoded. nil is one that is unknown.
type schema map[string]any

// language is the schema of graph files.
var language = sync.OnceValue(func() schema {
	var root schema
	if err := json.Unmarshal(config.Schema(), &root); err != nil {
		panic("completion: the schema of the language is no JSON: " + err.Error()) // it is made by the program
	}
	return root
})

func schemaOf(v any) schema {
	m, _ := v.(map[string]any)
	return m
}

// mostSchemas bounds how many schemas one part can have.
const mostSchemas = 64

// expand returns the schemas that hold for an item: the schema itself, what it refers to, and its
// alternatives, of which the type of the item decides where it is given.
func expand(root, s schema, of *item) []schema {
	var all []schema
	var add func(s schema)
	resolved := func(s schema) schema {
		ref, _ := s["$ref"].(string)
		if of := schemaOf(schemaOf(root["$defs"])[strings.TrimPrefix(ref, "#/$defs/")]); of != nil {
			return of
		}
		return s
	}
	add = func(s schema) {
		if s = resolved(s); s == nil || len(all) >= mostSchemas {
			return
		}
		all = append(all, s)
		if cond := schemaOf(s["if"]); cond != nil {
			if holds(cond, of) {
				add(schemaOf(s["then"]))
			} else {
				add(schemaOf(s["else"]))
			}
		}
		for _, word := range []string{"oneOf", "anyOf", "allOf"} {
			options, _ := s[word].([]any)
			fits := slices.DeleteFunc(slices.Clone(options), func(o any) bool { return !holds(resolved(schemaOf(o)), of) })
			if len(fits) == 0 || of.word("type") == "" {
				fits = options
			}
			for _, option := range fits {
				add(schemaOf(option))
			}
		}
	}
	add(s)
	return all
}

// holds reports whether an item has the type and the keys that a schema wants. Only conditions of the
// language's own schema are understood.
func holds(s schema, of *item) bool {
	if want, ok := schemaOf(schemaOf(s["properties"])["type"])["const"].(string); ok && of.word("type") != want {
		return false
	}
	if schemaOf(schemaOf(s["properties"])["type"])["const"] != nil {
		return true
	}
	required, _ := s["required"].([]any)
	return !slices.ContainsFunc(required, func(name any) bool { return of.get(fmt.Sprint(name)) == nil })
}

// below returns the schemas of a part of an item.
func below(root schema, from []schema, child *item) []schema {
	var all []schema
	for _, s := range from {
		if child.parent.kind == sequence {
			all = append(all, expand(root, schemaOf(s["items"]), child)...)
			continue
		}
		if part := schemaOf(schemaOf(s["properties"])[child.key]); part != nil {
			all = append(all, expand(root, part, child)...)
		} else {
			all = append(all, expand(root, schemaOf(s["additionalProperties"]), child)...)
		}
	}
	return all[:min(len(all), mostSchemas)]
}

// schemasAt returns the schemas of an item: from is the item that the schema is of.
func schemasAt(root, s schema, from, of *item) []schema {
	if of == from {
		return expand(root, s, of)
	}
	if of.parent == nil {
		return nil
	}
	return below(root, schemasAt(root, s, from, of.parent), of)
}

// keys are candidates for the keys that the schemas of a mapping have and the mapping has not.
func keys(root schema, all []schema, of *item) []Candidate {
	var out []Candidate
	seen := map[string]int{} // their places in out, from 1
	for _, s := range all {
		required, _ := s["required"].([]any)
		properties := schemaOf(s["properties"])
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			part := schemaOf(properties[name])
			if i := seen[name]; i > 0 && out[i-1].Doc == "" {
				out[i-1].Doc = text(part["description"])
			}
			if seen[name] > 0 || of.get(name) != nil || properties[name] == false {
				continue
			}
			c := Candidate{Label: name, Kind: "property", Insert: name + ": ", Detail: typeOf(part), Doc: text(part["description"]), of: part}
			if ref, isRef := part["$ref"].(string); isRef && c.Doc == "" {
				c.Doc = text(schemaOf(schemaOf(root["$defs"])[strings.TrimPrefix(ref, "#/$defs/")])["description"])
			}
			if slices.Contains(required, any(name)) {
				c.Detail, c.Rank = strings.TrimPrefix(c.Detail+", required", ", "), 1
			}
			out = append(out, c)
			seen[name] = len(out)
		}
	}
	return out
}

// values are candidates for the values that schemas list.
func values(all []schema) []Candidate {
	var out []Candidate
	add := func(v any, doc string) {
		raw, err := json.Marshal(v)
		if s, isText := v.(string); isText && plainText(s) {
			raw, err = []byte(s), nil
		}
		if err == nil && !slices.ContainsFunc(out, func(c Candidate) bool { return c.Label == string(raw) }) {
			out = append(out, Candidate{Label: string(raw), Kind: "enum", Doc: doc})
		}
	}
	for _, s := range all {
		if v, has := s["const"]; has {
			add(v, text(s["description"]))
		}
		options, _ := s["enum"].([]any)
		for _, v := range options {
			add(v, "")
		}
		if s["type"] == "boolean" {
			add(true, "")
			add(false, "")
		}
		if v, has := s["default"]; has && s["type"] != "object" {
			add(v, "the default")
		}
	}
	return out
}

// plainText reports whether YAML, in brackets as well, has a text without quotes.
func plainText(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "~", "":
		return false
	}
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./") == "" && strings.Trim(s[:1], "0123456789.-") != ""
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// typeOf returns the type that a schema gives, in a word.
func typeOf(s schema) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		words := make([]string, len(t))
		for i, v := range t {
			words[i] = fmt.Sprint(v)
		}
		return strings.Join(words, " or ")
	}
	if s["enum"] != nil {
		return "enum"
	}
	if s["$ref"] != nil {
		return "object"
	}
	return ""
}

// jsonSchema has the keys of inputSchema, outputSchema and the schema of an ask, at any depth.
var jsonSchema = sync.OnceValue(func() schema {
	words := func(of ...any) schema { return schema{"enum": of} }
	self := schema{"$ref": "#/$defs/schema"}
	named := map[string]any{"type": "object", "additionalProperties": map[string]any(self)}
	properties := map[string]any{
		"type":       map[string]any(words("object", "array", "string", "number", "integer", "boolean", "null")),
		"properties": named, "items": map[string]any(self), "additionalProperties": map[string]any{"anyOf": []any{map[string]any{"type": "boolean"}, map[string]any(self)}},
		"required": map[string]any{"type": "array"}, "enum": map[string]any{"type": "array"}, "default": map[string]any{},
	}
	for _, word := range []string{"title", "description", "pattern"} {
		properties[word] = map[string]any{"type": "string"}
	}
	properties["format"] = map[string]any(words("date-time", "date", "time", "duration", "email", "uri", "uuid"))
	for _, word := range []string{"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"} {
		properties[word] = map[string]any{"type": "number"}
	}
	return schema{"$defs": map[string]any{"schema": map[string]any{"type": "object", "properties": properties}}}
})

// decoded returns a schema that is JSON; nil for none.
func decoded(raw []byte) schema {
	var s schema
	if json.Unmarshal(raw, &s) != nil {
		return nil
	}
	return s
}
