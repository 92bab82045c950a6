package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
)

// source returns a schema as a part of a graph file.
func source(t testing.TB, raw string) *config.Data {
	t.Helper()
	file, err := config.Parse("g.yaml", []byte("version: \"1.0\"\nserver: {name: s, version: \"1\"}\ntools:\n  - name: t\n    description: d\n    inputSchema: "+raw+
		"\n    nodes: [{id: in, type: entry, next: out}, {id: out, type: exit}]\n"), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return file.Tools[0].InputSchema
}

func input(t testing.TB, raw string) (*schema.Schema, config.Diagnostics) {
	t.Helper()
	var found config.Diagnostics
	return schema.Input(t.Context(), source(t, raw), &found), found
}

func TestDefaults(t *testing.T) {
	const tree = `{"type":"object","properties":{"child":{"$ref":"#"},"n":{"type":"integer","default":1}}}`
	for _, c := range []struct{ name, schema, args, want string }{
		{"given keys first, then the schema's order", `{"type":"object","properties":{"z":{"default":1},"b":{},"a":{"default":"x"},"y":{}}}`, `{"y":0,"b":null}`, `{"y":0,"b":null,"z":1,"a":"x"}`},
		{"what is given stays", `{"type":"object","properties":{"a":{"default":1}}}`, `{"a":null}`, `{"a":null}`},
		{"null is a default", `{"type":"object","properties":{"a":{"default":null}}}`, `{}`, `{"a":null}`},
		{"digits and key order are kept", `{"type":"object","properties":{"a":{"default":{"z":9007199254740993,"b":[]}}}}`, `{}`, `{"a":{"z":9007199254740993,"b":[]}}`},
		{"an object that is present", `{"type":"object","properties":{"o":{"type":"object","properties":{"a":{"default":1}}}}}`, `{"o":{}}`, `{"o":{"a":1}}`},
		{"an object that is absent", `{"type":"object","properties":{"o":{"type":"object","properties":{"a":{"default":1}}}}}`, `{}`, `{}`},
		{"an object that is a default", `{"type":"object","properties":{"o":{"default":{},"properties":{"a":{"default":1}}}}}`, `{}`, `{"o":{"a":1}}`},
		{"objects of a list", `{"type":"object","properties":{"l":{"prefixItems":[{}],"items":{"properties":{"a":{"default":1}}}}}}`, `{"l":[{},{},{"a":2}]}`, `{"l":[{},{"a":1},{"a":2}]}`},
		{"through references", `{"type":"object","properties":{"a":{"$ref":"#/$defs/size"}},"$defs":{"size":{"default":3}}}`, `{}`, `{"a":3}`},
		{"beside a reference", `{"type":"object","properties":{"a":{"$ref":"#/$defs/size","default":4}},"$defs":{"size":{"default":3}}}`, `{}`, `{"a":4}`},
		{"through an anchor", `{"type":"object","properties":{"a":{"$ref":"#size"}},"$defs":{"s":{"$anchor":"size","default":3}}}`, `{}`, `{"a":3}`},
		{"through allOf", `{"type":"object","allOf":[{"properties":{"a":{"default":1}}},{"properties":{"a":{"default":2},"b":{"default":3}}}]}`, `{}`, `{"a":1,"b":3}`},
		{"not through a choice", `{"type":"object","oneOf":[{"properties":{"a":{"default":1}}}],"anyOf":[{"properties":{"a":{"default":1}}}],"if":{"properties":{"a":{"default":1}}}}`, `{}`, `{}`},
		{"a schema in itself", tree, `{"child":{"child":{"n":5}}}`, `{"child":{"child":{"n":5},"n":1},"n":1}`},
		{"a reference in a circle", `{"type":"object","$ref":"#","properties":{"a":{"default":1}}}`, `{}`, `{"a":1}`},
		{"another type than an object", `{"type":"object","properties":{"o":{"properties":{"a":{"default":1}}}}}`, `{"o":"x"}`, `{"o":"x"}`},
		{"no defaults", ordinary, `{"directory":"x"}`, `{"directory":"x"}`},
	} {
		s, found := input(t, c.schema)
		if found.Err() != nil {
			t.Errorf("%s: %v", c.name, found)
			continue
		}
		given := decode(t, c.args)
		for range 2 { // what was put into the first arguments is not in the second
			got, err := s.Complete(t.Context(), given)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := value.Encode(got); err != nil || string(text) != c.want {
				t.Errorf("%s:\ngot  %s %v\nwant %s", c.name, text, err, c.want)
			}
		}
		if text, _ := value.Encode(given); string(text) != strings.ReplaceAll(c.args, " ", "") {
			t.Errorf("%s: the given arguments are now %s", c.name, text)
		}
	}
}

// The work of adding defaults is linear in the depth, for all kinds of references.
func TestDefaultsOfRecursion(t *testing.T) {
	s, _ := input(t, `{"type":"object","$ref":"#/$defs/n","$defs":{"n":{"allOf":[{"properties":{"child":{"$ref":"#/$defs/n"}}},{"properties":{"child":{"$ref":"#/$defs/n"}}}],"properties":{"d":{"default":1}}}}}`)
	args := func(depth int) value.Value { return decode(t, nested(depth, "{}")) }
	work := func(depth int) float64 {
		v := args(depth)
		return testing.AllocsPerRun(1, func() {
			if _, err := s.Complete(t.Context(), v); err != nil {
				t.Fatal(err)
			}
		})
	}
	if small, large := work(20), work(40); large > 3*small {
		t.Errorf("%v allocations at depth 20, %v at depth 40", small, large)
	}
}

func TestDefaultsThatDoNotFit(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{"type":"object","properties":{"limit":{"type":"integer","default":"ten"}}}`, `g.yaml:6:85: the default of inputSchema.properties.limit does not fit its own schema: default: expected an integer, got the string "ten"; change the default or the schema [schema-default]`},
		{`{"type":"object","properties":{"a/b~c":{"$ref":"#/$defs/s"}},"$defs":{"s":{"maximum":3,"default":4}}}`, `the default of inputSchema.properties["a/b~c"] does not fit its own schema: default: expected at most 3, got 4`},
		{`{"type":"object","properties":{"o":{"default":{},"required":["a"],"properties":{"a":{"default":1}}}}}`, ""},
		{`{"type":"object","properties":{"o":{"default":{},"required":["a"]}}}`, "default.a: required, but missing"},
		{`{"type":"object","oneOf":[{"properties":{"a":{"type":"string","default":1}}}]}`, ""},
	} {
		_, found := input(t, c.schema)
		errs, _ := found.Split()
		got := errs.Error()
		if len(errs) == 0 {
			got = ""
		}
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s:\ngot  %s\nwant %s", c.schema, got, c.want)
		}
	}
}

func TestRecursiveChoices(t *testing.T) {
	union := func(left, right string) string {
		return fmt.Sprintf(`{"type":"object","properties":{"x":{"$ref":"#/$defs/n"}},"$defs":{"n":{"oneOf":[%s,%s]}}}`, left, right)
	}
	for _, c := range []struct {
		name, schema string
		want         bool
	}{
		{"two branches", union(`{"properties":{"c":{"$ref":"#/$defs/n"}}}`, `{"properties":{"c":{"$ref":"#/$defs/n"}}}`), true},
		{"one branch", union(`{"properties":{"c":{"$ref":"#/$defs/n"}}}`, `{"type":"string"}`), false},
		{"with constants", union(`{"properties":{"k":{"const":"a"},"c":{"$ref":"#/$defs/n"}}}`, `{"properties":{"k":{"enum":["b"]},"c":{"$ref":"#/$defs/n"}}}`), false},
		{"with the same constant", union(`{"properties":{"k":{"const":"a"},"c":{"$ref":"#/$defs/n"}}}`, `{"properties":{"k":{"const":"a"},"c":{"$ref":"#/$defs/n"}}}`), true},
		{"to the root", `{"type":"object","properties":{"p":{"anyOf":[{"$ref":"#"},{"items":{"$ref":"#"}}]}}}`, true},
		{"through others", `{"type":"object","properties":{"x":{"$ref":"#/$defs/n"}},"$defs":{"n":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]},
			"a":{"properties":{"c":{"$ref":"#/$defs/n"}}},"b":{"properties":{"c":{"$ref":"#/$defs/n"}}}}}`, true},
		{"not recursive", `{"type":"object","properties":{"x":{"oneOf":[{"$ref":"#/$defs/n"},{"items":{"$ref":"#/$defs/n"}}]}},"$defs":{"n":{"type":"string"}}}`, false},
		{"an example", `{"type":"object","properties":{"x":{"$ref":"#/$defs/n"}},"$defs":{"n":{"examples":[{"oneOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/n"}]}]}}}`, false},
	} {
		_, found := input(t, strings.ReplaceAll(c.schema, "\n", " "))
		got := false
		for _, d := range found {
			got = got || d.Code == "schema-recursive"
		}
		if got != c.want {
			t.Errorf("%s: got %v, want a warning: %v", c.name, found, c.want)
		}
	}
}
