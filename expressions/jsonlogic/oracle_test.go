package jsonlogic

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"toolgraph/expressions/value"
	"toolgraph/tests/thorough"

	"github.com/diegoholiveira/jsonlogic/v3"
)

// askLibrary is the jsonlogic library's answer as JSON; it panics on what it was
// not made for.
func askLibrary(rule, data any) (answer string) {
	defer func() {
		if e := recover(); e != nil {
			answer = fmt.Sprint("panic: ", e)
		}
	}()
	v, err := jsonlogic.ApplyInterface(rule, data)
	if err != nil {
		return "error: " + err.Error()
	}
	out, err := json.Marshal(v)
	if err != nil {
		return "error: " + err.Error()
	}
	return string(out)
}

// Whatever compiles here has only operators that the library knows too, but for log.
func TestOperatorsAreTheLibrarys(t *testing.T) {
	for name := range ruleOperators {
		if known := jsonlogic.ValidateJsonLogic(map[string]any{name: []any{1.0}}); !known && name != "log" {
			t.Errorf("the library does not know %q", name)
		}
	}
}

const oracleData = `{"n":3,"m":-2.5,"zero":0,"s":"abc","t":"","yes":true,"no":false,"l":[1,2,3,4],"none":[],"o":[{"q":1,"s":"a"},{"q":5,"s":"b"}],"d":{"e":{"f":7}}}`

// ruleMaker makes random rules whose arguments have the types that their
// operators are for.
type ruleMaker struct{ *rand.Rand }

func (m ruleMaker) pick(options ...any) any { return options[m.IntN(len(options))] }

func op(name string, args ...any) any {
	if name == "var" && len(args) == 1 {
		return map[string]any{name: args[0]}
	}
	return map[string]any{name: args}
}

func (m ruleMaker) number(depth int, inBody bool) any {
	if depth == 0 {
		if inBody {
			return m.pick(op("var", ""), 2.0, 10.0)
		}
		return m.pick(0.0, 1.0, 2.5, -3.0, 100.0, op("var", "n"), op("var", "m"), op("var", "d.e.f"), op("var", "gone", 4.0), op("var", "l.1"))
	}
	a, b := m.number(depth-1, inBody), m.number(depth-1, inBody)
	switch m.IntN(7) {
	case 0:
		return op(m.pick("+", "-", "*").(string), a, b)
	case 1:
		return op("/", a, m.pick(2.0, 4.0, -8.0))
	case 2:
		return op(m.pick("min", "max").(string), a, b, 1.0)
	case 3:
		return op(m.pick("if", "?:").(string), m.truth(depth-1, inBody), a, b)
	case 4:
		return op("reduce", m.list(depth-1), op("+", op("var", "current"), op("var", "accumulator")), a)
	case 5:
		return op("-", a)
	}
	return op("+", a, b, 1.0)
}

func (m ruleMaker) truth(depth int, inBody bool) any {
	if depth == 0 {
		return m.pick(true, false, op(m.pick("<", "<=", ">", ">=", "==", "===", "!=", "!==").(string), m.number(0, inBody), m.number(0, inBody)))
	}
	switch m.IntN(7) {
	case 0:
		return op(m.pick("and", "or").(string), m.truth(depth-1, inBody), m.truth(depth-1, inBody))
	case 1:
		return op(m.pick("!", "!!").(string), m.truth(depth-1, inBody))
	case 2:
		return op(m.pick("<", "<=").(string), m.number(depth-1, inBody), m.number(depth-1, inBody), m.number(depth-1, inBody))
	case 3:
		return op(m.pick("==", "!=", "===", "!==").(string), m.text(depth-1), m.text(depth-1))
	case 4:
		return op("in", m.number(depth-1, inBody), m.list(depth-1))
	case 5:
		return op("in", m.pick("a", "bc", "x"), m.text(depth-1))
	}
	return op(m.pick("==", "!=", ">", "<").(string), m.number(depth-1, inBody), m.number(depth-1, inBody))
}

func (m ruleMaker) text(depth int) any {
	if depth == 0 {
		return m.pick("a", "abc", "12", op("cat", "x", "y"), "jsonlogic")
	}
	switch m.IntN(3) {
	case 0:
		return op("cat", m.text(depth-1), m.text(depth-1))
	case 1:
		return op("substr", "jsonlogic", m.pick(0.0, 4.0, -5.0), m.pick(1.0, 3.0, -2.0))
	}
	return op("if", m.truth(depth-1, false), m.text(depth-1), m.text(depth-1))
}

func (m ruleMaker) list(depth int) any {
	if depth == 0 {
		return []any{1.0, 2.0, m.pick(5.0, 100.0)}
	}
	switch m.IntN(3) {
	case 0:
		return op("map", m.list(depth-1), m.number(depth-1, true))
	case 1:
		return op("filter", m.list(depth-1), op(m.pick("<", ">=").(string), op("var", ""), 3.0))
	}
	return op("merge", m.list(depth-1), m.list(depth-1))
}

// The operators that only some libraries have are operators of the library, and none of the compiler.
func TestElsewhere(t *testing.T) {
	for _, name := range elsewhere {
		if _, known := ruleOperators[name]; known || !jsonlogic.ValidateJsonLogic(map[string]any{name: []any{1.0}}) {
			t.Errorf("%s is not an operator of the library alone", name)
		}
	}
}

func TestRandomRulesAgreeWithLibrary(t *testing.T) {
	m := ruleMaker{rand.New(rand.NewPCG(1, 2))}
	data := parseRule(t, oracleData)
	scope := scopeOf(t, oracleData)
	for range thorough.Times(500, 10_000) {
		rule := m.pick(m.number(3, false), m.truth(3, false), m.list(2))
		src, err := json.Marshal(rule)
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := Compile(t.Context(), rule)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		v, err := compiled.Eval(t.Context(), scope)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		ours, err := value.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		theirs := askLibrary(parseRule(t, string(src)), data)
		if sortedJSON(t, ours) != theirs && theirs != "-0" {
			t.Errorf("%s: ours %s, the library's %s", src, ours, theirs)
		}
	}
}
