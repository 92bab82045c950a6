package server

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
)

func TestListedSchemas(t *testing.T) {
	for _, c := range []struct{ name, source, input, output string }{
		{"whole, in file order", `{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema","z":1,"properties":{"b":{},"a":true},"x-own":[1.50,9007199254740993,"<&>"]}`, "", ""},
		{"no type", `{"properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}}}`},
		{"empty", `{}`, `{"type":"object"}`, `{"type":"object","properties":{"result":{}},"required":["result"]}`},
		{
			"a list", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"array","items":{"$ref":"#/$defs/a"},"$defs":{"a":{"const":{"$ref":"#"}},"b":{"$ref":"#"}}}`, "-",
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"result":{"type":"array","items":{"$ref":"#/properties/result/$defs/a"},` +
				`"$defs":{"a":{"const":{"$ref":"#"}},"b":{"$ref":"#/properties/result"}}}},"required":["result"]}`,
		},
		{
			"references in a list", `{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}],"$defs":{"a":{"type":"string"}}}`, "-",
			`{"type":"object","properties":{"result":{"anyOf":[{"$ref":"#/properties/result/$defs/a"},{"type":"null"}],"$defs":{"a":{"type":"string"}}}},"required":["result"]}`,
		},
		{"object or null", `{"type":["object","null"]}`, "-", `{"type":"object","properties":{"result":{"type":["object","null"]}},"required":["result"]}`},
		{"boolean", `true`, "-", `{"type":"object","properties":{"result":true},"required":["result"]}`},
	} {
		source := dataOf(t, c.source)
		for _, side := range []struct {
			take func(context.Context, *config.Data, *config.Diagnostics) *schema.Schema
			want string
		}{{schema.Input, c.input}, {schema.Output, c.output}} {
			if side.want == "" {
				side.want = c.source
			}
			if side.want == "-" {
				continue
			}
			var found config.Diagnostics
			if got := string(side.take(t.Context(), source, &found).JSON()); got != side.want || found != nil {
				t.Errorf("%s:\ngot  %s\nwant %s\n%v", c.name, got, side.want, found)
			}
		}
	}
}

func TestResultsAreValidated(t *testing.T) {
	for _, c := range []struct {
		schema string
		value  value.Value
		want   string
	}{
		{`{"type":"array","items":{"type":"string"}}`, []any{"a"}, ""},
		{`{"type":"array","items":{"type":"string"}}`, []any{"a", 1.0}, "result[1]: expected a string, got 1"},
		{"", 5.0, ""},
	} {
		offered := toolOf(t, "x", "", c.schema)
		offered.Run = func(context.Context, value.Value, Watch) (Answer, error) {
			return Answer{Value: c.value}, nil
		}
		var found config.Diagnostics
		_, err := newTool(offered, &found).run(t.Context(), value.NewObject(nil, nil), Watch{})
		if got := fmt.Sprint(err); found != nil || !strings.Contains(got, c.want) || c.want == "" && err != nil {
			t.Errorf("%s: %v %v", c.schema, err, found)
		}
	}
}

func TestG15Schemas(t *testing.T) {
	deep := strings.Repeat(`{"properties":{"a":`, 2500) + "{}" + strings.Repeat("}}", 2500)
	for _, c := range []struct{ name, input, output, want string }{
		{"fine", ordinarySchema, `{"type":"string"}`, ""},
		{"from elsewhere", `{"properties":{"a":{"$ref":"http://192.0.2.1/x.json#/a"}}}`, "", `g.yaml:1:55: inputSchema: refers to "http://192.0.2.1/x.json#/a", but schemas are never fetched; put the schema into $defs and refer to #/$defs/NAME [schema-reference]`},
		{"from a file", `{"$ref":"file:///etc/passwd"}`, "", `g.yaml:1:28: inputSchema: refers to "file:///etc/passwd", but schemas are never fetched; put the schema into $defs and refer to #/$defs/NAME [schema-reference]`},
		{"relative", `{"$ref":"other.json"}`, "", `g.yaml:1:20: inputSchema: refers to "other.json", but schemas are never fetched; put the schema into $defs and refer to #/$defs/NAME [schema-reference]`},
		{"too deep", deep, "", `g.yaml:1:609: inputSchema is nested deeper than 64 levels [schema-depth]`},
		{"lookahead", `{"properties":{"a":{"pattern":"(?=x)"}}}`, "", "g.yaml:1:37: inputSchema.properties.a.pattern is not a usable regular expression: invalid or unsupported Perl syntax: `(?=`; patterns follow RE2: no lookaround, no backreferences [schema-invalid]"},
		{"no type", `{"properties":{"a":{"type":"strnig"}}}`, "", `g.yaml:1:35: inputSchema.properties.a.type is not a valid JSON Schema: expected one of "array", "boolean", "integer", "null", "number", "object", "string", found "strnig"; did you mean "string"? [schema-invalid]`},
		{"no list", `{"required":"a"}`, "", `g.yaml:1:15: inputSchema.required is not a valid JSON Schema: expected an array, found "a"; write required: [a] [schema-invalid]`},
		{"no object", `{"type":"array"}`, "", `g.yaml:1:15: inputSchema has type "array", expected object; arguments are always an object; make the value one of its properties [schema-root]`},
		{"no schema", `[]`, "", `g.yaml:1:1: inputSchema must be an object, a JSON Schema of type object [schema-root]`},
		{"not there", `{"properties":{"a":{"$ref":"#/$defs/b"}}}`, "", `g.yaml:1:38: inputSchema: refers to "#/$defs/b", which does not exist [schema-reference]`},
		{"no anchor", `{"properties":{"a":{"$ref":"#b"}}}`, "", `g.yaml:1:31: inputSchema: refers to "#b", which does not exist [schema-reference]`},
		{"dialect", `{"$schema":"http://example.com/mine","type":"object"}`, "", `g.yaml:1:36: inputSchema: unknown $schema "http://example.com/mine"; leave $schema out (2020-12), or name a published draft [schema-reference]`},
		{"wrapped, not there", "", `{"type":"array","items":{"$ref":"#/$defs/b"}}`, `g.yaml:1:43: outputSchema: refers to "#/$defs/b", which does not exist [schema-reference]`},
		{"wrapped, invalid", "", `{"type":"array","items":{"type":5}}`, `g.yaml:1:33: outputSchema.items.type is not a valid JSON Schema: expected one of "array", "boolean", "integer", "null", "number", "object", "string", found 5 [schema-invalid]`},
		{"two at once", `{"minProperties":-1,"required":["a","a"]}`, "", "g.yaml:1:19: inputSchema.minProperties is not a valid JSON Schema: expected at least 0, found -1 [schema-invalid]\ng.yaml:1:32: inputSchema.required is not a valid JSON Schema: expected items that differ, but 0 and 1 are equal, found [\"a\",\"a\"] [schema-invalid]"},
		{"header", `{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`, "", `g.yaml:1:54: inputSchema: property "a": x-mcp-header can only be applied to primitive types (integer, string, boolean), got "number"; clients skip a tool with an invalid x-mcp-header [schema-header]`},
		{"combined", `{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]}`, "", "g.yaml:1:24: warning: some hosts reject oneOf at the root of an inputSchema and drop the tool; move it into a property [schema-portability]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := toolOf(t, "x", c.input, c.output)
			found := checkSchemas([]*config.Tool{g.Def})
			if got := found.Error(); got != c.want {
				t.Errorf("\ngot  %s\nwant %s", got, c.want)
			}
			_, err := newCatalog([]Tool{g}, nil)
			if (err == nil) != (found.Err() == nil) {
				t.Errorf("checkSchemas and New do not agree: %v", err)
			}
		})
	}
}

// A schema as large as a graph file may hold compiles in no time.
func TestG15WideSchema(t *testing.T) {
	var wide strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&wide, `,"p%d":{"type":"string"}`, i)
	}
	found := checkSchemas([]*config.Tool{toolOf(t, "x", `{"properties":{`+wide.String()[1:]+`}}`, "").Def})
	if found != nil {
		t.Error(found)
	}
}

func TestTwoToolsOfOneName(t *testing.T) {
	if _, err := newCatalog([]Tool{toolOf(t, "x", "", ""), toolOf(t, "x", "", "")}, nil); err == nil {
		t.Error("taken")
	}
}

// The schemas of a graph are compiled with the graph, and not once more by the server.
func TestCompiledSchemasAreUsed(t *testing.T) {
	offered := toolOf(t, "x", `{"type":"object"}`, `{"type":"object"}`)
	var found config.Diagnostics
	offered.Input = schema.Input(t.Context(), offered.Def.InputSchema, &found)
	offered.Output = schema.Output(t.Context(), offered.Def.OutputSchema, &found)
	if got := newTool(offered, &found); got.input != offered.Input || got.output != offered.Output || found.Err() != nil {
		t.Errorf("the schemas were compiled again: %v", found)
	}
}
