package schema

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/expressions/value"
)

// A schema allows its sample.
func TestSample(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{}`, `null`},
		{`true`, `null`},
		{`{"type": "string"}`, `""`},
		{`{"type": ["integer", "null"], "minimum": 3}`, `3`},
		{`{"type": "boolean"}`, `false`},
		{`{"type": "null"}`, `null`},
		{`{"enum": ["b", "a"]}`, `"b"`},
		{`{"const": {"x": 1}}`, `{"x":1}`},
		{`{"type": "number", "default": 7, "examples": [8]}`, `7`},
		{`{"type": "number", "examples": [8]}`, `8`},
		{`{"items": {"type": "string"}}`, `[]`},
		{`{"type": "array", "items": {"type": "string"}, "minItems": 2}`, `["",""]`},
		{`{"properties": {"b": {"type": "string"}, "a": {"type": "array"}}}`, `{"b":"","a":[]}`},
		{`{"allOf": [{"type": "object", "properties": {"a": {"type": "number"}}}, {"properties": {"b": {"const": 1}}}]}`, `{"a":0,"b":1}`},
		{`{"anyOf": [{"type": "string"}, {"type": "number"}]}`, `""`},
		{`{"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "boolean"}}}`, `false`},
	} {
		got, ok := Sample([]byte(c.schema), 0)
		raw, err := value.Encode(got)
		if err != nil || !ok || string(raw) != c.want {
			t.Errorf("%s: got %s, want %s", c.schema, raw, c.want)
		}
		s, err := Compile([]byte(c.schema))
		if err != nil {
			t.Fatal(err)
		}
		if problems, err := s.Check(t.Context(), got); err != nil || len(problems) > 0 {
			t.Errorf("%s: %s does not fit it: %s %v", c.schema, raw, problems.Text("it"), err)
		}
	}
	for _, none := range []string{"", "nonsense"} {
		if v, ok := Sample([]byte(none), 0); ok {
			t.Errorf("%q gave %v", none, v)
		}
	}
	// A schema that is part of itself ends.
	if _, ok := Sample([]byte(`{"properties": {"next": {"$ref": "#"}}}`), 0); !ok {
		t.Error("a schema that is part of itself gave nothing")
	}
	// One that is so in many places ends as well, before it fills the memory.
	var again []string
	for i := range 200 {
		again = append(again, fmt.Sprintf(`"p%d": {"$ref": "#"}`, i))
	}
	many, _ := Sample([]byte(`{"properties": {`+strings.Join(again, ",")+`}}`), 0)
	if raw, err := value.Encode(many); err != nil || len(raw) > 20*maxSampleValues*maxSampleDepth {
		t.Errorf("a schema that is often part of itself gave %d bytes, %v", len(raw), err)
	}
}
