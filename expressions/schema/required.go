package schema

import (
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/wording"
)

// elsewhere are the keywords that can declare more properties than properties does.
var elsewhere = []string{
	"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties", "unevaluatedProperties",
}

// warnRequired tells of names in required that no property has: most likely one of
// the two is misspelt. It looks where the whole of an object is in one place, which
// the branches of a choice are not.
func warnRequired(d *config.Data, field string, found *config.Diagnostics) {
	if d == nil || d.Kind != config.KindObject {
		return
	}
	properties := d.Get("properties")
	if properties != nil && properties.Kind == config.KindObject {
		if closedHere(d) {
			warnUndeclared(d.Get("required"), properties, field, found)
		}
		for i, item := range properties.Items {
			warnRequired(item, field+pathText(nil, []string{"properties", properties.Keys[i].Value}), found)
		}
	}
	warnRequired(d.Get("items"), field+".items", found)
}

// closedHere tells whether the properties of an object are all that its schema speaks of.
func closedHere(d *config.Data) bool {
	for _, keyword := range elsewhere {
		if d.Get(keyword) != nil {
			return false
		}
	}
	more := d.Get("additionalProperties")
	return more == nil || more.Scalar == false
}

func warnUndeclared(required, properties *config.Data, field string, found *config.Diagnostics) {
	if required == nil || len(properties.Keys) == 0 {
		return
	}
	names := make([]string, len(properties.Keys))
	for i, key := range properties.Keys {
		names[i] = key.Value
	}
	for _, item := range required.Items {
		name, isText := item.Scalar.(string)
		if !isText || properties.Get(name) != nil {
			continue
		}
		hint := "declare it under properties"
		if near := wording.Nearest(name, names); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		found.Warn(item.Pos, "schema-required",
			fmt.Sprintf("%s requires %q, which is none of its properties: %s", field, wording.Shorten(name), wording.Shorten(strings.Join(names, ", "))), hint)
	}
}
