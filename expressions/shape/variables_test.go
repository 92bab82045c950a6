package shape

import (
	"context"
	"strings"
	"testing"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"

	"pgregory.net/rapid"
)

// Of values with a known shape, the items of a forEach and what expressions make of a variable
// have the shapes that are inferred.
func TestSoundVariables(t *testing.T) {
	var compiled []*jsonata.Expression
	for _, source := range []string{
		`$item`, `$item.a`, `[$item]`, `$item[a = 1]`, `$item + 1`, `$item & "x"`, `{"v": $item, "i": $index + 1}`, `$exists($item.b) ? $item.b : $index`,
		`($item := $item.a; $item.b)`, `$map([1, 2], function($item){$item})`, `$map($item, function($v){$v})`, `$chunk($item, 2)`, `$item.a ~> $string`,
	} {
		e, err := jsonata.Compile(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		compiled = append(compiled, e)
	}
	rapid.Check(t, func(rt *rapid.T) {
		v := value.FromPlain(randomValue(3).Draw(rt, "item"))
		s := randomShape(rt, v)
		items, isList := v.([]any)
		if !isList && !value.IsNull(v) {
			items = []any{v}
		}
		for _, item := range items {
			if !s.Each().Has(item) {
				rt.Fatalf("an item of %v is not %s, of %s", value.Plain(v), s.Each(), s)
			}
		}
		scope := expressions.NewScope(map[string]any{}, nil)
		scope.Variables = map[string]value.Value{expressions.VarItem: v, expressions.VarIndex: 2.0}
		env := Env{Variables: map[string]Shape{expressions.VarItem: s, expressions.VarIndex: Integer()}}
		for _, e := range compiled {
			got, findings := Infer(context.Background(), e, env)
			result, err := e.Eval(context.Background(), scope)
			if err != nil {
				continue
			}
			for _, f := range findings {
				if f.Fails || f.Code == CodeUnboundVariable {
					rt.Fatalf("%s gives a value, but has %+v, of %s", e.Source(), f, s)
				}
			}
			if !got.Has(result) {
				rt.Fatalf("%s is %v, which is not %s, of %s", e.Source(), value.Plain(result), got, s)
			}
		}
	})
}

// A list that may be one item alone is distinguished from other values.
func TestBare(t *testing.T) {
	closed := Object([]Field{{Name: "a", Shape: Number()}}, false)
	for _, c := range []struct {
		shape Shape
		want  string
	}{
		{sequence(String()), "string"},
		{sequence(closed), "{a: number}"},
		{Array(String()), ""},
		{String(), ""},
		{Nothing(), ""},
		{Any(), ""},
		{Value(), ""},
		{Union(Array(Any()), String()), "string"},
		{Union(Array(String()), Null()), ""}, // null is no item
		{Union(Array(String()), Nothing()), ""},
	} {
		item, may := c.shape.Bare()
		if got := item.String(); may != (c.want != "") || may && got != c.want {
			t.Errorf("%s may be bare: %t, as %s, expected %q", c.shape, may, got, c.want)
		}
	}
	e, err := jsonata.Compile(t.Context(), `$item + $itme + $index`)
	if err != nil {
		t.Fatal(err)
	}
	_, found := Infer(t.Context(), e, Env{Variables: map[string]Shape{expressions.VarItem: Number()}})
	var text []string
	for _, f := range found {
		text = append(text, f.Message+"; "+f.Hint)
	}
	if got := strings.Join(text, "\n"); got != "the variable $itme is not defined here; did you mean \"$item\"?\nthe variable $index is not defined here; the variables here are $item" {
		t.Error(got)
	}
}
