package jsonlogic

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"toolgraph/expressions/jsonata"
	"toolgraph/internal/base/cost"
)

func TestL10FormsOfVar(t *testing.T) {
	const data = `{"a":{"0":"zero","s":"text"},"list":[10,[20,21]],"x":null}`
	checkRules(t, []ruleCase{
		{`{"var":""}`, data, data},
		{`{"var":null}`, data, data},
		{`{"var":[]}`, data, data},
		{`{"var":"$"}`, data, data},
		{`{"var":["gone",9]}`, data, `9`},
		{`{"var":["a.gone",{"+":[1,1]}]}`, data, `2`},
		{`{"var":["x",9]}`, data, `null`},
		{`{"var":["x.y",9]}`, data, `9`},
		{`{"var":"gone"}`, data, `null`},
		{`{"var":"$.list"}`, data, `[10,[20,21]]`},
		{`{"var":"list.0"}`, data, `10`},
		{`{"var":"list.1.1"}`, data, `21`},
		{`{"var":"list.01"}`, data, `null`},
		{`{"var":"list.7"}`, data, `null`},
		{`{"var":"a.0"}`, data, `"zero"`},
		{`{"var":"a.s.0"}`, data, `"t"`},
		{`{"var":"list[0] + 1"}`, data, `11`},
		{`{"var":[-1,"none"]}`, data, `"none"`},
		{`{"map":[{"var":"list"},{"var":[1e21,0]}]}`, data, `[0,0]`},
		{`{"map":[[[["p"],["q"]]],{"var":1.0}]}`, data, `[["q"]]`},
		{`{"map":[[["p","q"]],{"var":1}]}`, data, `["q"]`},
		{`{"map":[[5],{"var":""}]}`, data, `[5]`},
		{`{"var":{"if":[{"var":"x"},"a.s","list.0"]}}`, data, `10`},
		{`{"var":[{"?:":[true,"a.gone","list.0"]},"d"]}`, data, `"d"`},
	})
	for _, bad := range []string{`{"var":{"cat":["a"]}}`, `{"var":[["a"]]}`, `{"var":true}`, `{"var":{"if":[true,{"var":"x"},"b"]}}`, `{"var":["a",1,2]}`} {
		if _, err := Compile(t.Context(), parseRule(t, bad)); err == nil {
			t.Errorf("%s: compiled", bad)
		}
	}
}

func TestL13BadRulesSayWhere(t *testing.T) {
	for _, c := range []struct {
		rule    string
		path    []any
		message string
		hint    string
	}{
		{`{"==":[1,1],"!=":[1,2]}`, []any{}, `found "!=" and "=="`, `join them`},
		{`{"and":[true,{"a":1,"b":2}]}`, []any{"and", 1}, `found "a" and "b"`, ``},
		{`{"if":[true,1,{"equals":[1,1]}]}`, []any{"if", 2, "equals"}, `unknown operator "equals"`, `did you mean "=="?`},
		{`{"!":{"subst":["a",1]}}`, []any{"!", "subst"}, `unknown operator "subst"`, `did you mean "substr"?`},
		{`{"AND":[true]}`, []any{"AND"}, `unknown operator "AND"`, `did you mean "and"?`},
		{`{"contains_any":[[1],[2]]}`, []any{"contains_any"}, `some libraries`, `operators are`},
		{`{">":[1]}`, []any{">"}, `takes 2 arguments, found 1`, ``},
		{`{"<":[1,2,3,4]}`, []any{"<"}, `takes 2 to 3 arguments, found 4`, ``},
		{`{"==":1}`, []any{"=="}, `takes 2 arguments, found 1`, ``},
		{`{"and":[]}`, []any{"and"}, `takes at least 1 argument, found 0`, ``},
		{`{"log":[1,2]}`, []any{"log"}, `takes 1 argument, found 2`, ``},
		{`{"map":[[1],{"var":["a","b","c"]}]}`, []any{"map", 1, "var"}, `takes 0 to 2 arguments, found 3`, ``},
		{`[1,{"no such":1}]`, []any{1, "no such"}, `unknown operator`, `operators are`},
		{`{"missing":["a","b["]}`, []any{"missing", 1}, `not a JSONata expression`, ``},
	} {
		_, err := Compile(t.Context(), parseRule(t, c.rule))
		var failure *Error
		if !errors.As(err, &failure) {
			t.Errorf("%s: got %v", c.rule, err)
			continue
		}
		if !reflect.DeepEqual(append([]any{}, failure.Path...), c.path) {
			t.Errorf("%s: path %v, want %v", c.rule, failure.Path, c.path)
		}
		if !strings.Contains(failure.Message, c.message) || !strings.Contains(failure.Hint, c.hint) {
			t.Errorf("%s: %q, hint %q", c.rule, failure.Message, failure.Hint)
		}
	}
}

func TestL13SyntaxOfAVar(t *testing.T) {
	_, err := Compile(t.Context(), parseRule(t, `{"==":[{"var":"a.b ["},1]}`))
	var failure *Error
	if !errors.As(err, &failure) || failure.Syntax == nil {
		t.Fatalf("got %#v", err)
	}
	if want := []any{"==", 0, "var"}; !reflect.DeepEqual(failure.Path, want) {
		t.Errorf("path %v, want %v", failure.Path, want)
	}
}

func TestL14ConstantRules(t *testing.T) {
	for rule, want := range map[string][2]bool{
		`"false"`:                               {true, true},
		`1`:                                     {true, true},
		`[]`:                                    {false, true},
		`{"==":[1,2]}`:                          {false, true},
		`{"var":"a"}`:                           {false, false},
		`{"and":[false,{"var":""}]}`:            {false, false},
		`{"missing":["a"]}`:                     {false, false},
		`{"some":[[1,2],{">":[{"var":""},1]}]}`: {true, true},
		`{"some":[[1,2],{">":[{"var":"$ctx.a"},1]}]}`: {false, false},
		`{"some":[[1,2],{"var":"$now()"}]}`:           {false, false},
	} {
		truth, constant := compiled(t, rule).Constant()
		if truth != want[0] || constant != want[1] {
			t.Errorf("%s: holds %v constant %v, want %v", rule, truth, constant, want)
		}
	}
	_, err := Compile(t.Context(), map[string]any{})
	if err == nil {
		t.Error("{}: compiled")
	}
}

// nestedRule is an operator around itself, so many times.
func nestedRule(levels int, listed bool) any {
	var rule any = true
	for range levels {
		if listed {
			rule = []any{rule}
		}
		rule = map[string]any{"!": rule}
	}
	return rule
}

func TestL15DepthOfARule(t *testing.T) {
	for _, listed := range []bool{false, true} {
		if _, err := Compile(t.Context(), nestedRule(64, listed)); err != nil {
			t.Errorf("64 levels: %v", err)
		}
		if _, err := Compile(t.Context(), nestedRule(65, listed)); err == nil || !strings.Contains(err.Error(), "deeper than 64") {
			t.Errorf("65 levels: %v", err)
		}
	}
	deepArray := any(1.0)
	for range 3_000_000 {
		deepArray = []any{deepArray}
	}
	circle := map[string]any{}
	circle["!"] = circle
	wide := make([]any, 1_000_000)
	for name, rule := range map[string]any{
		"operators": nestedRule(100_000, true), "arrays": deepArray, "circle": circle, "wide": wide,
		"path": map[string]any{"var": deepArray}, "missing": map[string]any{"missing": deepArray},
	} {
		t.Run(name, func(t *testing.T) {
			cost.Below(t, 1<<20, func() { // nothing is made of what is refused
				if _, err := Compile(t.Context(), rule); err == nil {
					t.Error("compiled")
				}
			})
		})
	}
}

func TestL18NumbersAreEqualByValue(t *testing.T) {
	numbers := []any{3, int64(3), 3.0, json.Number("3"), json.Number("3.0"), json.Number("30e-1")}
	for _, a := range numbers {
		for _, b := range numbers {
			for _, op := range []string{"==", "===", "in"} {
				right := b
				if op == "in" {
					right = []any{1, b}
				}
				rule, err := Compile(t.Context(), map[string]any{op: []any{a, right}})
				if err != nil {
					t.Fatal(err)
				}
				if ok, err := rule.Holds(t.Context(), jsonata.NewScope(nil, nil)); !ok || err != nil {
					t.Errorf("%T %v %s %T %v: %v %v", a, a, op, b, b, ok, err)
				}
			}
		}
	}
	const data = `{"big":9007199254740993,"same":9007199254740993,"near":9007199254740992,"neg":-9007199254740993}`
	checkRules(t, []ruleCase{
		{`{"==":[{"var":"big"},{"var":"same"}]}`, data, `true`},
		{`{"==":[{"var":"big"},{"var":"near"}]}`, data, `false`},
		{`{">":[{"var":"big"},{"var":"near"}]}`, data, `true`},
		{`{"<":[{"var":"neg"},-9007199254740992]}`, data, `true`},
		{`{"in":[{"var":"near"},[{"var":"big"}]]}`, data, `false`},
		{`{"==":[{"var":"big"},"9007199254740992"]}`, data, `false`},
		{`{"var":"big"}`, data, `9007199254740993`},
		{`{"cat":{"var":"big"}}`, data, `"9007199254740993"`},
	})
	for _, bad := range []any{json.Number("1e999"), json.Number("x"), json.Number(""), fmt.Sprint, struct{}{}} {
		if _, err := Compile(t.Context(), bad); err == nil {
			t.Errorf("%v: compiled", bad)
		}
	}
}
