package shape

import (
	"strings"
	"testing"

	"toolgraph/expressions/jsonata"
)

// The table has exactly the functions of the engine.
func TestEveryFunctionIsKnown(t *testing.T) {
	for _, name := range jsonata.Functions() {
		if _, ok := builtins()[name]; !ok {
			t.Errorf("the table lacks $%s", name)
		}
	}
	if len(builtins()) != len(jsonata.Functions()) {
		t.Errorf("%d functions are known, %d exist", len(builtins()), len(jsonata.Functions()))
	}
}

// samples are values of all kinds, in fields that expressions read.
const samples = `{"null": null, "yes": true, "number": 7, "text": "abc", "object": {"k": 1}, "numbers": [1, 2], "strings": ["a", "b"],
	"objects": [{"k": 1}, {"k": 2}], "none": [], "nulls": [null], "digits": "12", "one": [1], "nested": [[1], [2]]}`

// operands are arguments of functions and operators.
var operands = strings.Fields("`null` yes number text object numbers strings objects none nulls digits one nested missing function($v){$v} /a/ $sum")

// argumentFor returns a valid argument for a parameter.
func argumentFor(p param) string {
	switch {
	case p.items == kindString:
		return "strings"
	case p.items == kindObject:
		return "objects"
	case p.items != 0:
		return "numbers"
	case p.kinds == kindFunction:
		return "function($v, $w){true}"
	case p.kinds&kindAll == kindAll:
		return "numbers"
	}
	for kind, name := range map[kinds]string{kindNumber: "number", kindString: "text", kindBoolean: "yes", kindObject: "object"} {
		if p.kinds&kind != 0 {
			return name
		}
	}
	return "number"
}

// TestFunctionsAgainstEngine calls every function with arguments of every kind, too few and
// too many: a call with a finding that fails does fail, and every result has the shape.
func TestFunctionsAgainstEngine(t *testing.T) {
	data := mustDecode(t, samples)
	said, failed := 0, 0
	try := func(source string) {
		e, err := jsonata.Compile(t.Context(), source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		v, err := evaluated(e, data)
		for _, focus := range []Shape{Constant(data), OfValue(data)} {
			if complaint, _ := unsoundOf(source, e, v, err, focus); complaint != "" {
				t.Error(complaint)
			}
		}
		_, findings := inferOver(t.Context(), e, &Env{Open: true}, of(Constant(data)), map[string]fact{}, false)
		if err != nil {
			failed++
			if len(findings) > 0 {
				said++
			}
		}
	}
	for _, name := range jsonata.Functions() {
		params := builtins()[name].params
		args := make([]string, len(params))
		for i, p := range params {
			args[i] = argumentFor(p)
		}
		for n := range len(params) + 2 {
			try("$" + name + "(" + strings.Join(append(args[:min(n, len(args)):len(args)], strings.Fields(strings.Repeat("number ", max(0, n-len(args))))...), ", ") + ")")
		}
		for i := range params {
			for _, operand := range operands {
				changed := append([]string(nil), args...)
				changed[i] = operand
				try("$" + name + "(" + strings.Join(changed, ", ") + ")")
				try(changed[0] + " ~> $" + name + "(" + strings.Join(changed[1:], ", ") + ")")
			}
		}
	}
	for _, operator := range strings.Fields("+ - * / % & = != < <= > >= in and or ?? ?: ..") {
		for _, left := range operands {
			for _, right := range operands {
				operation := "(" + left + ") " + operator + " (" + right + ")"
				if operator == ".." {
					operation = "[" + operation + "]" // the only place for it
				}
				try(operation)
			}
		}
	}
	t.Logf("%d evaluations fail, of %d that is said", failed, said)
	if said < failed*7/10 {
		t.Errorf("%d evaluations fail, but that is said of %d only", failed, said)
	}
}
