package schema

import (
	"iter"
	"strconv"

	"toolgraph/config"
)

// The keywords whose values have schemas: one, a list of them, or several by name.
var (
	oneSchema = []string{
		"items", "additionalProperties", "additionalItems", "contains", "propertyNames", "not", "if", "then", "else",
		"unevaluatedProperties", "unevaluatedItems", "contentSchema",
	}
	listedSchemas = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	namedSchemas  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)

// schemas yields a schema and the schemas inside it that are mappings, with their paths as texts, outer
// ones first.
func schemas(d *config.Data) iter.Seq2[string, *config.Data] {
	return func(yield func(string, *config.Data) bool) { walkSchemas(d, "", yield) }
}

func walkSchemas(d *config.Data, path string, yield func(string, *config.Data) bool) bool {
	if d == nil || d.Kind != config.KindObject {
		return true
	}
	if !yield(path, d) {
		return false
	}
	for _, name := range oneSchema {
		if !walkSchemas(d.Get(name), path+"."+name, yield) {
			return false
		}
	}
	for _, name := range listedSchemas {
		if list := d.Get(name); list != nil && list.Kind == config.KindArray {
			for i, item := range list.Items {
				if !walkSchemas(item, path+"."+name+"["+strconv.Itoa(i)+"]", yield) {
					return false
				}
			}
		}
	}
	for _, name := range namedSchemas {
		if named := d.Get(name); named != nil && named.Kind == config.KindObject {
			for i, item := range named.Items {
				if !walkSchemas(item, path+pathText(nil, []string{name, named.Keys[i].Value}), yield) {
					return false
				}
			}
		}
	}
	return true
}
