package schema

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"toolgraph/expressions/value"
)

// drawn makes schemas and values of few names and types, so that many fit.
type drawn struct{ *rand.Rand }

func (d drawn) one(of ...any) any { return of[d.IntN(len(of))] }

func (d drawn) schema(depth int) any {
	if depth > 3 || d.IntN(12) == 0 {
		return true
	}
	s := map[string]any{}
	if d.IntN(4) > 0 {
		name := func() any {
			return d.one("object", "object", "array", "string", "number", "integer", "boolean", "null")
		}
		if s["type"] = name(); d.IntN(4) == 0 {
			s["type"] = []any{"object", "string"}
		}
	}
	if d.IntN(2) == 0 {
		properties := map[string]any{}
		for range d.IntN(4) {
			properties[d.one("a", "b", "c", "d").(string)] = d.schema(depth + 1)
		}
		s["properties"] = properties
	}
	for key, is := range map[string]any{
		"required": []any{d.one("a", "b", "c")}, "additionalProperties": d.IntN(2) == 0, "items": d.schema(depth + 1), "title": "t", "x-more": 1,
		"default": 1, "description": "d",
	} {
		if d.IntN(4) == 0 {
			s[key] = is
		}
	}
	for key, is := range map[string]any{"minimum": 2, "enum": []any{1, "x"}, "maxItems": 1, "anyOf": []any{true}, "$ref": "#", "minProperties": 1, "format": "date"} {
		if d.IntN(60) == 0 {
			s[key] = is
		}
	}
	if depth == 0 && d.IntN(3) == 0 {
		s["$schema"] = d.one("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-04/schema#")
	}
	return s
}

func (d drawn) value(depth int) value.Value {
	if depth > 3 {
		return "deep"
	}
	switch d.IntN(9) {
	case 0:
		return d.one("x", true, value.Null, 1.0, 1.5, -3.0, 1e300, json.Number("12345678901234567890"))
	case 1, 2:
		list := []any{}
		for range d.IntN(3) {
			list = append(list, d.value(depth+1))
		}
		return list
	case 3:
		return d.one("x", 1.0)
	}
	var keys []string
	var values []value.Value
	for _, key := range []string{"a", "b", "c", "d"} {
		if d.IntN(3) > 0 {
			keys, values = append(keys, key), append(values, d.value(depth+1))
		}
	}
	return value.NewObject(keys, values)
}

// What the simple form says fits, the validator says too.
func TestSimpleSchemas(t *testing.T) {
	d := drawn{rand.New(rand.NewPCG(1, 2))}
	isSimple, fits := 0, 0
	for range 4000 {
		document := d.schema(0)
		raw, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Compile(raw)
		if err != nil || s.simple == nil {
			continue
		}
		isSimple++
		for range 10 {
			v := d.value(0)
			left := simpleValues
			if !s.simple.fits(v, &left) {
				continue
			}
			fits++
			plain, err := s.plain(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			if problems, err := s.check(t.Context(), "", plain); err != nil || len(problems) > 0 {
				text, _ := value.Encode(v)
				t.Fatalf("%s\n%s\n%v, %v", raw, text, problems, err)
			}
		}
	}
	if isSimple < 1000 || fits < 5000 {
		t.Errorf("%d simple schemas, %d values fit", isSimple, fits)
	}
}

// More than so many values are not looked at twice, and neither is what has other keywords.
func TestNotSimple(t *testing.T) {
	for _, raw := range []string{
		`{"minLength":1}`, `{"type":"string","format":"date"}`, `{"properties":{"a":{"enum":[1]}}}`, `{"items":[{"type":"string"}]}`, `{"type":["strange"]}`,
		`{"additionalProperties":{"type":"string"}}`, `{"$schema":"http://json-schema.org/draft-04/schema#"}`, `{"required":true}`, `false`,
		`{"items":{"items":{"items":{"items":{"items":{"items":{"items":{"items":{"items":{}}}}}}}}}}`, `{"properties":{"a":{"$schema":"https://json-schema.org/draft/2020-12/schema"}}}`,
	} {
		var document any
		if err := json.Unmarshal([]byte(raw), &document); err != nil {
			t.Fatal(err)
		}
		if newSimple(document, 0) != nil {
			t.Error(raw)
		}
	}
	s, err := Compile([]byte(`{"type":"array","items":{"type":"number"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]bool{simpleValues - 1: true, simpleValues: false} {
		list, left := make([]any, n), simpleValues
		for i := range list {
			list[i] = 1.0
		}
		if s.simple.fits(list, &left) != want {
			t.Errorf("%d values: %t", n, !want)
		}
	}
}
