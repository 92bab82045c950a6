package schema_test

import (
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/schema"
)

func TestRequiredNamesWhatIsDeclared(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"declared", `{type: object, properties: {a: {}}, required: [a]}`, ""},
		{"misspelt", `{type: object, properties: {directory: {}}, required: [directori]}`, `s.yaml:1:56: warning: inputSchema requires "directori", which is not one of its properties (directory); did you mean "directory"?`},
		{"not declared", `{type: object, properties: {a: {}, b: {}}, required: [a, size], additionalProperties: false}`, `s.yaml:1:58: warning: inputSchema requires "size", which is not one of its properties (a, b); declare it under properties`},
		{"in a property's items", `{type: object, properties: {a: {items: {properties: {x: {}}, required: [y]}}}}`, `s.yaml:1:73: warning: inputSchema.properties.a.items requires "y", which is not one of its properties (x); declare it under properties`},
		{"nothing declared", `{type: object, required: [a]}`, ""},
		{"open", `{type: object, properties: {a: {}}, required: [b], additionalProperties: true}`, ""},
		{"described", `{type: object, properties: {a: {}}, required: [b], additionalProperties: {type: string}}`, ""},
		{"patterns", `{type: object, properties: {a: {}}, required: [b], patternProperties: {b: {}}}`, ""},
		{"elsewhere", `{type: object, properties: {a: {}}, required: [b], $ref: "#/$defs/d", $defs: {d: {properties: {b: {}}}}}`, ""},
		{"a branch", `{type: object, properties: {c: {anyOf: [{properties: {a: {}}, required: [b]}]}}}`, ""},
		{"a property called required", `{type: object, properties: {required: {type: string}, properties: {}}, required: [required]}`, ""},
	} {
		source, err := config.ParseData("s.yaml", []byte(c.schema))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var found config.Diagnostics
		schema.Input(t.Context(), source, &found)
		got := ""
		for _, d := range found {
			got += d.String()
		}
		if want := c.want; want != "" {
			want += " [schema-required]"
			if got != want {
				t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, want)
			}
		} else if got != "" {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}
