package jsonata

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/blues/jsonata-go/jparse"
)

// jparse is a second opinion on syntax: a source that it parses compiles here too, and the
// first steps that references find are names in its tree.
func TestSecondOpinionOnSyntax(t *testing.T) {
	_, all := pairs(t, filepath.Join("testdata", "pairs.jsonl"))
	agreed := 0
	for _, p := range all {
		if strings.ContainsAny(p.Expr, "<@#") {
			continue // jparse v1.5.4 never ends for an open signature, and takes @ and # for letters
		}
		root, err := jparse.Parse(p.Expr)
		if err != nil {
			continue // an operator that its dialect does not have
		}
		e, err := Compile(t.Context(), p.Expr)
		if err != nil {
			t.Errorf("%s: %v, but jparse parses it", p.Expr, err)
			continue
		}
		names := namesIn(reflect.ValueOf(root), nil)
		for _, r := range e.References() {
			if len(r.Path) > 0 && r.Function == "" && !slices.Contains(names, r.Path[0]) {
				t.Errorf("%s reads %s, and jparse finds only the names %q", p.Expr, r.Path[0], names)
			}
		}
		agreed++
	}
	if agreed < 1000 {
		t.Errorf("jparse parses %d of %d sources", agreed, len(all))
	}
}

// namesIn adds the names in a tree of jparse.
func namesIn(v reflect.Value, names []string) []string {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return names
		}
		if name, ok := v.Interface().(*jparse.NameNode); ok {
			return append(names, name.Value)
		}
		return namesIn(v.Elem(), names)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				names = namesIn(v.Field(i), names)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			names = namesIn(v.Index(i), names)
		}
	default: // numbers, texts and regular expressions have no names
	}
	return names
}
