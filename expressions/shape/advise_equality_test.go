package shape_test

import (
	"testing"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
)

// A list on the left of in, and letters of the wrong kind, are never equal to what they are compared with.
func TestSlipsOfEquality(t *testing.T) {
	env := shape.Env{Context: map[string]shape.Binding{
		"entry": {Presence: shape.Always, Shape: shape.OfSchema([]byte(`{"type": "object", "properties": {
			"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}, "kind": {"enum": ["Bug", "Task"]}
		}, "required": ["name", "tags", "kind"]}`))},
	}}
	for source, code := range map[string]string{
		`entry.tags in entry.name`:                        shape.CodeConstantComparison,
		`["a", "b"] in entry.name`:                        shape.CodeConstantComparison,
		`entry.name in entry.tags`:                        "",
		`entry.tags[0] in ["a"]`:                          "",
		`$uppercase(entry.name) = "bug"`:                  shape.CodeConstantComparison,
		`$lowercase(entry.name) in ["Bug", "Task"]`:       shape.CodeConstantComparison,
		`$lowercase(entry.name) in ["Bug", "task"]`:       "",
		`$lowercase(entry.kind) = "bug"`:                  "",
		`entry.kind = $lowercase(entry.name)`:             shape.CodeConstantComparison,
		`$uppercase(entry.name) = $uppercase(entry.kind)`: "",
	} {
		e, err := jsonata.Compile(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		_, found := shape.Infer(t.Context(), e, env)
		switch {
		case code == "" && len(found) > 0:
			t.Errorf("%s: %v", source, found)
		case code != "" && (len(found) != 1 || found[0].Code != code):
			t.Errorf("%s: %v, want %s", source, found, code)
		}
	}
}
