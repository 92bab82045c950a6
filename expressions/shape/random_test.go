package shape

import (
	"os"
	"strings"
	"testing"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"

	"pgregory.net/rapid"
)

// corpus are expressions over {a, b, c} with any values.
func corpus(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// randomValue draws a JSON value that often has the names a, b and c.
func randomValue(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		switch {
		case kind <= 1 || depth <= 0 && kind > 5:
			return rapid.SampledFrom([]any{0.0, 1.0, 2.0, -1.5, 3.0}).Draw(t, "number")
		case kind <= 3:
			return rapid.SampledFrom([]any{"", "x", "y", "12", "a", "b"}).Draw(t, "string")
		case kind == 4:
			return rapid.Bool().Draw(t, "boolean")
		case kind == 5:
			return nil
		case kind <= 7:
			return rapid.SliceOfN(randomValue(depth-1), 0, 3).Draw(t, "array")
		}
		out := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			if rapid.IntRange(0, 3).Draw(t, name) > 0 {
				out[name] = randomValue(depth-1).Draw(t, name)
			}
		}
		return out
	})
}

// randomShape draws a shape of the value v.
func randomShape(t *rapid.T, v value.Value) Shape {
	switch rapid.IntRange(0, 6).Draw(t, "shape") {
	case 0:
		return Constant(v)
	case 1:
		return OfValue(v)
	case 2:
		return OfSchema(OfValue(v).Schema())
	case 3:
		return OfSchema(Constant(v).Schema())
	case 4:
		return Union(Constant(v), Constant(value.FromPlain(randomValue(2).Draw(t, "other"))))
	case 5:
		if f, isNumber := v.(float64); isNumber && !hasFraction(f) {
			return Integer()
		}
	}
	return Union(OfValue(v), OfValue(value.FromPlain(randomValue(2).Draw(t, "other"))))
}

// TestSound checks, for random values and shapes of them, that the value of an expression
// has the inferred shape.
func TestSound(t *testing.T) {
	sources := corpus(t)
	compiled := make([]*jsonata.Expression, len(sources))
	for i, source := range sources {
		e, err := jsonata.Compile(t.Context(), source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		compiled[i] = e
	}
	rapid.Check(t, func(rt *rapid.T) {
		root, fields := map[string]any{}, []Field(nil)
		for _, name := range []string{"a", "b", "c"} {
			if rapid.IntRange(0, 5).Draw(rt, name) == 0 {
				fields = append(fields, Field{Name: name, Shape: Number(), Optional: true})
				continue
			}
			v := value.FromPlain(randomValue(3).Draw(rt, name))
			root[name] = v
			fields = append(fields, Field{Name: name, Shape: randomShape(rt, v), Optional: rapid.Bool().Draw(rt, "optional")})
		}
		data := value.FromPlain(root)
		focus := Object(fields, rapid.Bool().Draw(rt, "open"))
		if !focus.Has(data) {
			rt.Fatalf("%s is no shape of %v", focus, value.Plain(data))
		}
		for i, source := range sources {
			if complaint, _ := unsound(source, compiled[i], data, focus); complaint != "" {
				text, _ := value.Encode(data)
				rt.Fatalf("%s, in fact %s", complaint, text)
			}
		}
	})
}
