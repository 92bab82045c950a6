package shape

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"toolgraph/expressions/value"

	"pgregory.net/rapid"
)

func mustDecode(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestOfSchema(t *testing.T) {
	for schema, want := range map[string]string{
		`true`:                                  "any value",
		`false`:                                 "no value",
		`{}`:                                    "any value",
		`[]`:                                    "any value",
		`nope`:                                  "any value",
		`{"type": "string"}`:                    "string",
		`{"type": "integer"}`:                   "integer",
		`{"type": ["string", "null"]}`:          "string or null",
		`{"type": "text"}`:                      "any value",
		`{"enum": ["a", 1, true, null]}`:        `"a" or 1 or true or null`,
		`{"type": "string", "const": "a"}`:      `"a"`,
		`{"enum": []}`:                          "any value",
		`{"type": "array"}`:                     "array",
		`{"type": "array", "items": false}`:     "empty array",
		`{"type": "object"}`:                    "object",
		`{"properties": {"a": {}}}`:             "{a?: any value}",
		`{"type": "object", "required": ["a"]}`: "{a: any value, …}",
		`{"type": "array", "items": {"type": "number"}, "minItems": 1}`:                             "array of number",
		`{"type": "array", "prefixItems": [{"type": "number"}], "items": false}`:                    "array of number",
		`{"type": "array", "items": [{"type": "number"}, {"type": "string"}]}`:                      "array",
		`{"type": "object", "properties": {"b": {"type": "number"}, "a": {}}, "required": ["b"]}`:   "{b: number, a?: any value}",
		`{"type": "object", "properties": {"a": {}}, "additionalProperties": true}`:                 "{a?: any value, …}",
		`{"type": "object", "properties": {"a": {}}, "patternProperties": {"^x": {}}}`:              "{a?: any value, …}",
		`{"type": "object", "properties": {"a": {}}, "allOf": [{"properties": {"b": {}}}]}`:         "{a?: any value, …}",
		`{"type": "object", "additionalProperties": false}`:                                         "empty object",
		`{"anyOf": [{"type": "string"}, {"type": "number"}]}`:                                       "string or number",
		`{"oneOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}}]}`:      "{a?: any value, b?: any value}",
		`{"type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}]}`:               "{a?: any value, …}",
		`{"allOf": [{"type": "string"}]}`:                                                           "any value",
		`{"not": {"type": "string"}}`:                                                               "any value",
		`{"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}`:                                 "string",
		`{"$ref": "#/definitions/a~1b", "definitions": {"a/b": {"type": "string"}}}`:                "string",
		`{"$ref": "other.json#/a"}`:                                                                 "any value",
		`{"$ref": "#/$defs/none"}`:                                                                  "any value",
		`{"$ref": "#"}`:                                                                             "any value",
		`{"type": "object", "properties": {"child": {"$ref": "#"}}, "additionalProperties": false}`: "{child?: {child?: {child?: {child?: object}}}}",
		`{"type": "object", "properties": {"a": false, "b": {}}}`:                                   "{b?: any value}",
	} {
		if got := OfSchema([]byte(schema)).String(); got != want {
			t.Errorf("%s is %s, want %s", schema, got, want)
		}
	}
}

// The schema of a shape has the same shape.
func TestSchemaRoundTrip(t *testing.T) {
	for _, s := range []Shape{
		String(), Number(), Integer(), Union(Integer(), Null()), Boolean(), Null(), Value(), Array(String()), filledArray(Number()), Array(none), simple(kindTrue),
		Union(String(), Null()), Constant("a"), Union(Constant("a"), Constant(2.0), Null()), Union(Constant("a"), Number()),
		Object(nil, true), Object(nil, false), object([]Field{{Name: "a", Shape: String()}}, declared),
		Object([]Field{{Name: "b", Shape: Value()}, {Name: "a", Shape: Array(Union(Number(), Null())), Optional: true}}, false),
		Union(String(), Object([]Field{{Name: "a", Shape: simple(kindFalse)}}, true)),
	} {
		schema := s.Schema()
		if got := OfSchema(schema); !got.Equal(s) {
			t.Errorf("%s became %s, which is read as %s", s, schema, got)
		}
	}
	if got := string(Nothing().Schema()); got != `{"not":{}}` {
		t.Errorf("nothing is %s", got)
	}
}

func TestSchemaRoundTripRandom(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := randomShape(rt, value.FromPlain(randomValue(4).Draw(rt, "value")))
		if got := OfSchema(s.Schema()); !got.Equal(s) {
			rt.Fatalf("%s became %s, which is read as %s", s, s.Schema(), got)
		}
	})
}

// A random shape of a value has the value, and so does every union with it.
func TestHas(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := value.FromPlain(randomValue(4).Draw(rt, "value"))
		w := value.FromPlain(randomValue(4).Draw(rt, "other"))
		s, other := randomShape(rt, v), randomShape(rt, w)
		both := Union(s, other)
		switch {
		case !s.Has(v) || !both.Has(v) || !both.Has(w):
			rt.Fatalf("%s or %s, together %s, lack their values", s, other, both)
		case !Union(other, s).Equal(both) || !Union(both, s).Equal(both):
			rt.Fatalf("the union of %s and %s depends on the order", s, other)
		}
		if c, differ := s.Conflict(both); differ {
			rt.Fatalf("%s conflicts with %s: %+v", s, both, c)
		}
		if _, differ := s.Conflict(other); differ && (s.Has(w) || other.Has(v)) {
			rt.Fatalf("%s is said to have nothing of %s, but has", s, other)
		}
	})
}

func TestConflict(t *testing.T) {
	schema := func(text string) Shape { return OfSchema([]byte(text)) }
	issue := schema(`{"type": "object", "required": ["title"], "additionalProperties": false,
		"properties": {"title": {"type": "string"}, "labels": {"type": "array", "items": {"type": "string"}}, "state": {"enum": ["open", "closed"]}}}`)
	for _, c := range []struct {
		name        string
		found, want Shape
		conflict    string
	}{
		{"the same", String(), String(), ""},
		{"another kind", Number(), String(), ": number, not string"},
		{"perhaps another kind", Union(Number(), String()), String(), ""},
		{"not known", Any(), String(), ""},
		{"perhaps nothing", Union(String(), Nothing()), String(), ""},
		{"nothing", Nothing(), String(), ": missing, not string"},
		{"nothing of an optional", Nothing(), Union(String(), Nothing()), ""},
		{"another constant", Constant("merged"), schema(`{"enum": ["open", "closed"]}`), `: "merged", not "closed" or "open"`},
		{"a field of another kind", Object([]Field{{Name: "title", Shape: Number()}}, false), issue, "title: number, not string"},
		{"no required field", Object([]Field{{Name: "titel", Shape: String()}}, false), issue, "title: missing, not string"},
		{"perhaps a required field", Object([]Field{{Name: "title", Shape: String(), Optional: true}}, false), issue, ""},
		{"a field too many", Object([]Field{{Name: "title", Shape: String()}, {Name: "x", Shape: Number()}}, false), issue, "x: number, not missing"},
		{"perhaps a field too many", Object([]Field{{Name: "title", Shape: String()}, {Name: "x", Shape: Number(), Optional: true}}, false), issue, ""},
		{"an open object", Object(nil, true), issue, ""},
		{"items", Constant(value.FromPlain(map[string]any{"title": "t", "labels": []any{1.0}})), issue, "labels.[]: 1, not string"},
		{"perhaps no items", Object([]Field{{Name: "title", Shape: String()}, {Name: "labels", Shape: Array(Number())}}, false), issue, ""},
		{"one item for an array", Object([]Field{{Name: "title", Shape: String()}, {Name: "labels", Shape: String()}}, false), issue, "labels: string, not array of string"},
		{"an enum inside", Constant(value.FromPlain(map[string]any{"title": "t", "state": "opne"})), issue, `state: "opne", not "closed" or "open"`},
		{"no value", none, String(), ""},
		{"a fraction", Constant(1.5), Integer(), ": 1.5, not integer"},
		{"fractions", Union(Constant(1.5), Constant(0.25)), Integer(), ": 0.25 or 1.5, not integer"},
		{"perhaps a fraction", Union(Constant(1.5), Constant(2.0)), Integer(), ""},
		{"a whole number", Constant(-2.0), Integer(), ""},
		{"any number", Number(), Integer(), ""},
		{"an integer for a fraction", Integer(), schema(`{"enum": [0.5, 1.5]}`), ": integer, not 0.5 or 1.5"},
		{"an integer for a number", Integer(), Number(), ""},
		{"integer or number", Constant(1.5), schema(`{"type": ["integer", "number"]}`), ""},
		{"integer or text", Constant(1.5), schema(`{"type": ["integer", "string"]}`), ": 1.5, not string or integer"},
		{"a fraction inside", Constant(value.FromPlain(map[string]any{"n": 1.5})), schema(`{"properties": {"n": {"type": "integer"}}}`), "n: 1.5, not integer"},
	} {
		got := ""
		if conflict, differ := c.found.Conflict(c.want); differ {
			got = strings.Join(conflict.Path, ".") + ": " + conflict.Found + ", not " + conflict.Expected
		}
		if got != c.conflict {
			t.Errorf("%s: %q, want %q", c.name, got, c.conflict)
		}
	}
}

// A loop that grows its own output reaches a shape that does not change.
func TestUnionEnds(t *testing.T) {
	for name, grow := range map[string]func(Shape) Shape{
		"deeper": func(s Shape) Shape {
			return Object([]Field{{Name: "before", Shape: s}, {Name: "again", Shape: s}}, false)
		},
		"arrays":  func(s Shape) Shape { return Array(Array(s)) },
		"text":    func(s Shape) Shape { return stringOf(strings.Repeat("x", s.get().size+len(s.get().strings))) },
		"numbers": func(s Shape) Shape { return Constant(float64(len(s.get().numbers))) },
		"wide": func(s Shape) Shape {
			fields := s.Fields()
			return Object(append(fields, Field{Name: strings.Repeat("f", len(fields)%200+1), Shape: s}), false)
		},
	} {
		s, turns := Constant(0.0), 0
		for ; turns < 5000; turns++ {
			next := Union(s, grow(s))
			if next.Equal(s) {
				break
			}
			s = next
		}
		if turns > 4500 || s.get().size > maxSize || s.get().depth > maxDepth {
			t.Errorf("%s: still growing after %d turns; size %d, depth %d", name, turns, s.get().size, s.get().depth)
		}
	}
}

func TestString(t *testing.T) {
	names := []Field{{Name: "name", Shape: String()}, {Name: "size", Shape: Number(), Optional: true}}
	for want, s := range map[string]Shape{
		"anything":                               Any(),
		"no value":                               none,
		"missing":                                Nothing(),
		"any value":                              Value(),
		"function":                               simple(kindFunction),
		"array of {name: string, size?: number}": Array(Object(names, false)),
		"array of (string or number)":            Array(Union(String(), Number())),
		`"a" or "b" or missing`:                  Union(Constant("a"), Constant("b"), Nothing()),
		`"a" or "b" or "c" or one of 2 more`:     Union(Constant("a"), Constant("b"), Constant("c"), Constant("d"), Constant("e")),
		"array":                                  Array(Value()),
		"{name: string, size?: number, …}":       Object(names, true),
		`"a string that is rather…"`:             Constant("a string that is rather long"),
		"string or number or boolean or object or array of string": Union(String(), Number(), Boolean(), Object(nil, true), Array(String())),
	} {
		if got := s.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	wide := Object(nil, false)
	for range 6 {
		wide = Object([]Field{{Name: "quite_a_long_name", Shape: wide}, {Name: "another_long_name", Shape: Array(wide)}}, false)
	}
	if got := Union(wide, Constant(strings.Repeat("ü", 100)), Array(wide)).String(); utf8.RuneCountInString(got) > maxText {
		t.Errorf("%q is %d characters long", got, utf8.RuneCountInString(got))
	}
}

func TestFields(t *testing.T) {
	s := OfSchema([]byte(`{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["b"]}`))
	if got := s.Fields(); len(got) != 2 || got[0].Name != "a" || !got[0].Optional || got[1].Optional {
		t.Errorf("%+v", got)
	}
	if s.get().rest != declared || !s.Field("a").Equal(Union(String(), Nothing())) || !s.Field("c").IsAny() {
		t.Errorf("%v %s %s", s.get().rest, s.Field("a"), s.Field("c"))
	}
	if got := Object(s.Fields(), false); got.get().rest != closed || !got.Field("c").IsNothing() || !String().Field("c").IsNothing() {
		t.Errorf("%s", got)
	}
	if again := Object([]Field{{Name: "a", Shape: Number()}, {Name: "a", Shape: String()}}, false); again.String() != "{a: string}" {
		t.Errorf("%s", again)
	}
}

// OfValue learns from recorded values: no constants, and other fields may come.
func TestOfValue(t *testing.T) {
	v := mustDecode(t, `{"items": [{"id": 1, "name": "a"}, {"id": 2}], "next": null, "big": 12345678901234567890}`)
	s := OfValue(v)
	if got := s.String(); got != "{items: array of {id: number, name?: any value}, next: null, big: number}" && !s.Has(v) {
		t.Errorf("%s", got)
	}
	if !Constant(v).Has(v) || Constant(v).Has(mustDecode(t, `{}`)) || !OfValue(nil).IsNothing() {
		t.Error("a value lacks its own shape")
	}
	var keys []string
	for _, f := range s.Fields() {
		keys = append(keys, f.Name)
	}
	if !slices.Equal(keys, []string{"items", "next", "big"}) {
		t.Errorf("the order of fields is %v", keys)
	}
}
