package completion

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
)

// Every function of the library is described, and no other one; each parameter has a name.
func TestFunctionsAreDescribed(t *testing.T) {
	if got, want := slices.Sorted(maps.Keys(functions())), jsonata.Functions(); !slices.Equal(got, want) {
		t.Errorf("described are\n%q\nand the library has\n%q", got, want)
	}
	for name, f := range functions() {
		params, _ := parametersOf(name)
		named := strings.Split(f.params, ", ")
		if f.params == "" {
			named = nil
		}
		if len(params) != len(named) {
			t.Errorf("$%s%s has %d parameters, and %d names: %q", name, jsonata.Signature(name), len(params), len(named), f.params)
		}
		for i, p := range params {
			if p.name != named[i] || p.typ == "" {
				t.Errorf("parameter %d of $%s is %+v", i+1, name, p)
			}
		}
		if !strings.HasSuffix(f.doc, ".") || !strings.Contains(f.call, "$"+name+"(") {
			t.Errorf("$%s: %q %q", name, f.doc, f.call)
		}
	}
}

// The examples have the values that their descriptions say.
func TestExamplesOfFunctions(t *testing.T) {
	for name, f := range functions() {
		e, err := jsonata.Compile(t.Context(), f.call)
		if err != nil {
			t.Errorf("$%s: %v", name, err)
			continue
		}
		got, err := e.Eval(t.Context(), expressions.NewScope(map[string]any{}, nil))
		if f.value == "" {
			continue
		}
		raw, _ := value.Encode(got)
		if err != nil || string(raw) != f.value {
			t.Errorf("%s is %s, %v; described as %s", f.call, raw, err, f.value)
		}
	}
}

// Every operator of rules is described, and no other one; the examples have the values that their
// descriptions say.
func TestOperatorsAreDescribed(t *testing.T) {
	if got, want := slices.Sorted(maps.Keys(operators())), jsonlogic.Operators(); !slices.Equal(got, want) {
		t.Errorf("described are\n%q\nand the engine has\n%q", got, want)
	}
	list := []any{1.0, 2.0}
	scope := expressions.NewScope(map[string]any{"n": 3.0, "list": list, "text": "graph"}, nil)
	for name, o := range operators() {
		var plain any
		if err := json.Unmarshal([]byte(o.rule), &plain); err != nil || !strings.HasPrefix(o.rule, `{"`+name+`":`) {
			t.Errorf("%s: %v in %s", name, err, o.rule)
			continue
		}
		rule, err := jsonlogic.Compile(t.Context(), plain)
		if err != nil {
			t.Errorf("%s: %v", o.rule, err)
			continue
		}
		got, err := rule.Eval(t.Context(), scope)
		raw, _ := value.Encode(got)
		if err != nil || string(raw) != o.value || !strings.HasSuffix(o.doc, ".") {
			t.Errorf("%s is %s, %v; described as %s", o.rule, raw, err, o.value)
		}
	}
}
