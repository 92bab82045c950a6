package schema_test

import (
	"strings"
	"testing"

	"toolgraph/expressions/schema"
)

func TestCompile(t *testing.T) {
	deep := strings.Repeat(`{"properties":{"a":`, 2500) + "{}" + strings.Repeat("}}", 2500)
	for _, c := range []struct{ name, raw, want string }{
		{"fine", ordinary, ""},
		{"boolean", "true", ""},
		{"an old dialect", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, ""},
		{"a pattern that RE2 does not know", `{"pattern":"(?=x)","patternProperties":{"(?!y)":{}}}`, ""},
		{"no JSON", `{"type":`, "the schema is not JSON: unexpected EOF"},
		{"too deep", deep, "the schema is nested deeper than 64 levels"},
		{"no schema", `{"type":"strnig"}`, `schema.type is not a valid JSON Schema: expected one of "array", "boolean", "integer", "null", "number", "object", "string", found "strnig"`},
		{"from elsewhere", `{"$ref":"http://192.0.2.1/x.json"}`, `schema: refers to "http://192.0.2.1/x.json", but schemas are never fetched`},
		{"not there", `{"$ref":"#/$defs/b"}`, `schema: refers to "#/$defs/b", which does not exist`},
		{"an unknown dialect", `{"$schema":"http://example.com/mine"}`, `schema: refers to "http://example.com/mine", but schemas are never fetched`},
	} {
		_, err := schema.Compile([]byte(c.raw))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A pattern that is not supported passes; the other keywords are checked.
func TestUnknownPattern(t *testing.T) {
	s, err := schema.Compile([]byte(`{"pattern":"^(?=x)","maxLength":2}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := check(t, s, "ab"); got != nil {
		t.Errorf("got %v", got)
	}
	if got := check(t, s, "abc").Text("value"); got != `value: expected at most 2 characters, got the string "abc"` {
		t.Errorf("got %s", got)
	}
}
