package schema

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// keywordTypes are the keywords of JSON Schema, of all drafts, by the types of values that they are
// about; "" for any.
var keywordTypes = map[string][]string{
	"object": {
		"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties",
		"dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties",
	},
	"array":  {"items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems"},
	"string": {"minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType", "contentSchema"},
	"number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
	"": {
		"type", "enum", "const", "format", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
		"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "definitions", "id",
		"$schema", "$id", "$ref", "$defs", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$comment", "$vocabulary",
	},
}

// foreignKeywords are keywords of other languages, and what JSON Schema has instead.
var foreignKeywords = map[string]string{
	"min": "minimum", "max": "maximum", "minLen": "minLength", "maxLen": "maxLength", "ge": "minimum", "gte": "minimum", "le": "maximum", "lte": "maximum",
	"gt": "exclusiveMinimum", "lt": "exclusiveMaximum", "regex": "pattern", "regexp": "pattern", "values": "enum", "choices": "enum", "options": "enum",
	"enums": "enum", "allowed": "enum", "oneof": "oneOf", "desc": "description", "defaultValue": "default", "fields": "properties", "props": "properties",
	"item": "items", "unique": "uniqueItems", "step": "multipleOf",
}

// annotations are keywords of other tools that are no slips, though some are near to one of JSON Schema.
var annotations = []string{"example", "note", "notes", "propertyOrder", "markdownDescription", "enumNames", "enumDescriptions", "errorMessage", "discriminator", "order"}

// suits reports whether a keyword can have a value like this one.
func suits(keyword string, value *config.Data) bool {
	_, isText := value.Scalar.(string)
	_, isBool := value.Scalar.(bool)
	switch keyword {
	case "enum", "oneOf":
		return value.Kind == config.KindArray
	case "pattern", "description":
		return isText
	case "uniqueItems":
		return isBool
	case "properties", "items":
		return value.Kind == config.KindObject
	case "default":
		return true
	}
	return numberOf(value) != nil
}

// boundsOf are the bounds that min and max mean for a type.
var boundsOf = map[string][2]string{"string": {"minLength", "maxLength"}, "array": {"minItems", "maxItems"}, "object": {"minProperties", "maxProperties"}}

// keywordHints are the remedies for foreign keywords that need more than another name.
var keywordHints = map[string]string{
	"optional": "remove it: a property is optional unless required of the object has its name",
	"nullable": `allow null in type: [TYPE, "null"]`,
	"null":     `allow null in type: [TYPE, "null"]`,
}

// warnKeywords warns of keywords that have no effect, in a schema and in all schemas inside it: those that
// JSON Schema does not have and that are most likely another one, and those of another type.
func warnKeywords(source *config.Data, field string, found *config.Diagnostics) {
	for path, part := range schemas(source) {
		k := keywords{part: part, where: field + path, types: typesOf(part), found: found}
		for i, key := range part.Keys {
			k.check(key, part.Items[i])
		}
	}
}

// keywords checks the keywords of one schema.
type keywords struct {
	part  *config.Data
	where string
	types []string
	found *config.Diagnostics
}

func (k *keywords) check(key config.Text, value *config.Data) {
	about, known := "", false
	for of, names := range keywordTypes {
		if slices.Contains(names, key.Value) {
			about, known = of, true
		}
	}
	switch {
	case key.Value == "format":
		k.format(value)
	case !known:
		if hint, fix := k.meant(key, value); hint != "" {
			k.found.Warn(key.Pos, "schema-keyword", fmt.Sprintf("%s has %s, which is no keyword of JSON Schema and has no effect", k.where, wording.Quote(key.Value)), hint).
				Over(key).Fixed(fix)
		}
	case about != "" && len(k.types) > 0 && !slices.Contains(k.types, about) && (about != "number" || !slices.Contains(k.types, "integer")):
		hint, fix := k.instead(key)
		k.found.Warn(key.Pos, "schema-keyword",
			fmt.Sprintf("%s of %s has no effect: it is about %s, and the type is %s", key.Value, k.where, typeNames[about], strings.Join(k.types, " or ")), hint).
			Over(key).Fixed(fix)
	}
}

// meant returns the remedy for an unknown keyword, "" for one that may be an annotation.
func (k *keywords) meant(key config.Text, value *config.Data) (string, config.Fix) {
	name := key.Value
	if strings.HasPrefix(strings.ToLower(name), "x-") || strings.HasPrefix(name, "$") {
		return "", config.Fix{}
	}
	if _, isBool := value.Scalar.(bool); isBool && keywordHints[name] != "" {
		if name == "optional" {
			return keywordHints[name], config.RemoveKey(key.Pos)
		}
		return keywordHints[name], config.Fix{}
	}
	if bound := k.bound(name); bound != "" && numberOf(value) != nil {
		return "write " + bound, config.WriteText(key, bound)
	}
	if other := foreignKeywords[name]; other != "" && k.part.Get(other) == nil && suits(other, value) {
		return "write " + other, config.WriteText(key, other)
	}
	if looksLikeSchema(value) && k.part.Get("$ref") == nil && (len(k.types) == 0 || slices.Contains(k.types, "object")) {
		if near := wording.Misspelt(name, []string{"items", "additionalProperties", "properties"}); near == "" {
			return "put the property " + wording.Quote(name) + " under properties", config.Fix{}
		}
	}
	near := k.misspelt(name)
	return wording.Meant(near), config.ReplaceWord(key, 0, len(name), near)
}

// misspelt returns the keyword that another one most likely is, misspelt, or "".
func (k *keywords) misspelt(name string) string {
	var free []string
	for _, names := range keywordTypes {
		for _, keyword := range names {
			if len(keyword) > 3 && keyword[0] != '$' && k.part.Get(keyword) == nil && !slices.Contains([]string{"then", "else"}, keyword) {
				free = append(free, keyword)
			}
		}
	}
	slices.Sort(free)
	if len(name) < 4 || slices.Contains(annotations, name) {
		return ""
	}
	return wording.Misspelt(name, free)
}

// bound returns the bound that min or max, or a bound of another type, means for the type of the schema.
func (k *keywords) bound(name string) string {
	if len(k.types) != 1 {
		return ""
	}
	bounds := boundsOf[k.types[0]]
	if t := k.types[0]; t == "number" || t == "integer" {
		bounds = [2]string{"minimum", "maximum"}
	}
	switch {
	case bounds[0] == "":
		return ""
	case slices.Contains([]string{"min", "minimum", "minLen", "minLength", "minItems", "minProperties"}, name):
		return bounds[0]
	case slices.Contains([]string{"max", "maximum", "maxLen", "maxLength", "maxItems", "maxProperties"}, name):
		return bounds[1]
	}
	return ""
}

// instead returns the remedy for a keyword of another type.
func (k *keywords) instead(key config.Text) (string, config.Fix) {
	if bound := k.bound(key.Value); bound != "" {
		return "write " + bound + ", or correct type", config.WriteText(key, bound)
	}
	return "remove it, or correct type", config.RemoveKey(key.Pos)
}

// typesOf returns the types that a schema names.
func typesOf(part *config.Data) (types []string) {
	t := part.Get("type")
	if t == nil {
		return nil
	}
	for _, one := range append([]*config.Data{t}, t.Items...) {
		if name, isText := one.Scalar.(string); isText {
			types = append(types, name)
		}
	}
	return types
}

// looksLikeSchema reports whether a mapping is certainly a schema: it has a type that there is, a
// reference, or choices.
func looksLikeSchema(d *config.Data) bool {
	if d.Kind != config.KindObject {
		return false
	}
	name := ""
	if t := d.Get("type"); t != nil {
		name, _ = t.Scalar.(string)
	}
	return typeNames[name] != "" || d.Get("$ref") != nil || d.Get("enum") != nil && d.Get("enum").Kind == config.KindArray
}
