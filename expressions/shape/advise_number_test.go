package shape_test

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
)

// Variables that each read the one before many times are not followed along all of the ways: that would never end.
func TestVariablesThatReadOthers(t *testing.T) {
	var source strings.Builder
	source.WriteString("($v0 := list.size; ")
	for i := range 12 {
		fmt.Fprintf(&source, "$v%d := [%s]; ", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("$v%d, ", i), 40), ", "))
	}
	source.WriteString(`{"n": $max($v12)})`)
	e, err := jsonata.Compile(t.Context(), source.String())
	if err != nil {
		t.Fatal(err)
	}
	list := shape.Array(shape.Object([]shape.Field{{Name: "size", Shape: shape.Number()}}, false))
	asked := 0
	env := shape.Env{Context: map[string]shape.Binding{"list": {Shape: list, Presence: shape.Always}}, Empty: func([]string) bool { asked++; return false }}
	shape.Infer(t.Context(), e, env)
	if asked > 30_000 {
		t.Errorf("looked %d times", asked)
	}
}
