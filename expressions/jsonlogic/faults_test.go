package jsonlogic

import (
	"encoding/json"
	"testing"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// parseRule makes the plain values of a rule written as JSON.
func parseRule(t testing.TB, src string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(src), &v); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return v
}

func compiled(t testing.TB, src string) *Rule {
	t.Helper()
	r, err := Compile(t.Context(), parseRule(t, src))
	if err != nil {
		t.Fatalf("compile %s: %v", src, err)
	}
	return r
}

// scopeOf is a scope over a context written as JSON.
func scopeOf(t testing.TB, src string) *jsonata.Scope {
	t.Helper()
	v, err := value.Decode([]byte(src))
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	o, ok := v.(value.Object)
	if !ok {
		t.Fatalf("%s is no object", src)
	}
	fields := map[string]any{}
	for _, key := range o.Keys() {
		fields[key], _ = o.Get(key)
	}
	return jsonata.NewScope(fields, nil)
}

// evaluated is a rule's value over a context, as JSON.
func evaluated(t testing.TB, rule, data string) string {
	t.Helper()
	v, err := compiled(t, rule).Eval(t.Context(), scopeOf(t, data))
	if err != nil {
		t.Fatalf("%s: %v", rule, err)
	}
	out, err := value.Encode(v)
	if err != nil {
		t.Fatalf("%s: %v", rule, err)
	}
	return string(out)
}

type ruleCase struct{ rule, data, want string }

func checkRules(t *testing.T, cases []ruleCase) {
	t.Helper()
	for _, c := range cases {
		if got := evaluated(t, c.rule, c.data); got != c.want {
			t.Errorf("%s over %s: got %s, want %s", c.rule, c.data, got, c.want)
		}
	}
}

func TestL01DataWithAnOperatorIsNotARule(t *testing.T) {
	checkRules(t, []ruleCase{{`{"==":[{"var":"call.approved"},true]}`, `{"call":{"approved":{"!":[false]}}}`, `false`}})
}

func TestL02DataCannotReadTheContext(t *testing.T) {
	checkRules(t, []ruleCase{{`{"==":[{"var":"x"},"s3cr3t"]}`, `{"x":{"var":"secret.token"},"secret":{"token":"s3cr3t"}}`, `false`}})
}

func TestL03DataCannotLog(t *testing.T) {
	const data = `{"x":{"log":"{\"jsonrpc\":\"2.0\",\"id\":1}"}}`
	logged := 0
	ctx := WithLog(t.Context(), func(value.Value) { logged++ })
	for _, rule := range []string{`{"var":"x"}`, `{"!!":[{"var":"x"}]}`, `{"if":[{"var":"x"},{"var":"x"}]}`, `{"map":[[1],{"var":"$ctx.x"}]}`} {
		if _, err := compiled(t, rule).Eval(ctx, scopeOf(t, data)); err != nil {
			t.Errorf("%s: %v", rule, err)
		}
	}
	if logged != 0 {
		t.Errorf("data was logged %d times", logged)
	}
	if _, err := compiled(t, `{"log":[{"var":"x"}]}`).Eval(ctx, scopeOf(t, data)); err != nil || logged != 1 {
		t.Errorf("the rule's own log: %d calls, %v", logged, err)
	}
}

func TestL04ListOfObjectsInFilter(t *testing.T) {
	checkRules(t, []ruleCase{{`{"filter":[{"var":"list"},{"==":[{"var":"q"},1]}]}`, `{"list":[{"q":1},{"q":2}]}`, `[{"q":1}]`}})
}

func TestL05BranchValueIsNotEvaluatedAgain(t *testing.T) {
	checkRules(t, []ruleCase{{`{"if":[true,{"var":"evil"}]}`, `{"evil":{"var":"secret"},"secret":1}`, `{"var":"secret"}`}})
}

func TestL06BodyComesFromTheRuleOnly(t *testing.T) {
	checkRules(t, []ruleCase{
		{`{"filter":[[1,2,3],{"var":"evil"}]}`, `{"evil":{"==":[1,1]}}`, `[]`},
		{`{"map":[[1,2,3],{"var":"evil"}]}`, `{"evil":{"==":[1,1]}}`, `[null,null,null]`},
	})
}

func TestL07BodiesAreAboutTheElement(t *testing.T) {
	const data = `{"qty":100,"items":[{"qty":1},{"qty":5}]}`
	checkRules(t, []ruleCase{
		{`{"some":[{"var":"items"},{">":[{"var":"qty"},50]}]}`, data, `false`},
		{`{"all":[{"var":"items"},{"<":[{"var":"qty"},50]}]}`, data, `true`},
		{`{"none":[{"var":"items"},{"==":[{"var":"qty"},100]}]}`, data, `true`},
		{`{"filter":[{"var":"items"},{">":[{"var":"qty"},2]}]}`, data, `[{"qty":5}]`},
	})
}

func TestL08OuterContextInABody(t *testing.T) {
	const data = `{"entry":{"limit":3},"items":[{"n":2,"in":[{"n":9},{"n":1}]},{"n":4,"in":[]}]}`
	checkRules(t, []ruleCase{
		{`{"filter":[{"var":"items"},{">":[{"var":"n"},{"var":"$ctx.entry.limit"}]}]}`, data, `[{"n":4,"in":[]}]`},
		{`{"map":[{"var":"items"},{"filter":[{"var":"in"},{">":[{"var":"n"},{"var":"$ctx.entry.limit"}]}]}]}`, data, `[[{"n":9}],[]]`},
		{`{"map":[{"var":"items"},{"var":"in[n > $ctx.entry.limit].n"}]}`, data, `[9,null]`},
		{`{"var":"$ctx.entry.limit"}`, data, `3`},
		{`{"reduce":[{"var":"items"},{"+":[{"var":"accumulator"},{"var":"$ctx.entry.limit"}]},0]}`, data, `6`},
	})
}

func TestL09Reduce(t *testing.T) {
	sum := `{"+":[{"var":"current"},{"var":"accumulator"}]}`
	checkRules(t, []ruleCase{
		{`{"reduce":[[1,2,3],` + sum + `,0]}`, `{}`, `6`},
		{`{"reduce":[[1,2,3],` + sum + `]}`, `{}`, `null`},
		{`{"reduce":[[],` + sum + `,7]}`, `{}`, `7`},
		{`{"reduce":[{"var":"gone"},` + sum + `,7]}`, `{}`, `7`},
		{`{"reduce":[[[1],[2]],{"merge":[{"var":"accumulator"},{"var":"current"}]},[]]}`, `{}`, `[1,2]`},
		{`{"reduce":[[1],{"var":"accumulator.a"},{"var":"start"}]}`, `{"start":{"a":5}}`, `5`},
		{`{"reduce":[[null,null,1],{"cat":[{"var":"accumulator"},{"var":"current"}]},null]}`, `{}`, `"1"`},
		{`{"reduce":[[1,2],[{"var":"accumulator"}],null]}`, `{}`, `[[null]]`},
		{`{"reduce":[[1],{"var":""},2]}`, `{}`, `{"accumulator":2,"current":1}`},
		{`{"reduce":[{"var":"l"},{"var":"current.a.b"},0]}`, `{"l":[{"a":[{"b":1},{"b":2}]}]}`, `[1,2]`},
	})
}

func TestL11UntakenPartsAreNotEvaluated(t *testing.T) {
	checkRules(t, []ruleCase{
		{`{"and":[false,{"var":"$error('x')"}]}`, `{}`, `false`},
		{`{"or":[1,{"var":"$error('x')"}]}`, `{}`, `1`},
		{`{"if":[false,{"var":"$error('x')"},"no"]}`, `{}`, `"no"`},
		{`{"if":[true,"yes",{"var":"$error('x')"},1]}`, `{}`, `"yes"`},
	})
	_, err := compiled(t, `{"and":[true,{"var":"$error('x')"}]}`).Holds(t.Context(), scopeOf(t, `{}`))
	if err == nil {
		t.Error("a part that is evaluated and fails: got no error")
	}
}

func TestL12MissingAsACondition(t *testing.T) {
	for rule, want := range map[string]bool{
		`{"missing":["entry.a"]}`:                                               false,
		`{"missing":["entry.b"]}`:                                               true,
		`{"missing":["$.entry.a","entry.list[0].n"]}`:                           false,
		`{"missing":{"merge":["entry.a",["entry.list[1].n"]]}}`:                 false,
		`{"missing":{"merge":["entry.a",["entry.list[2].n"]]}}`:                 true,
		`{"missing":{"var":"entry.keys"}}`:                                      true,
		`{"missing":["entry.empty"]}`:                                           true,
		`{"missing_some":[1,["entry.a","entry.b"]]}`:                            false,
		`{"missing_some":[2,["entry.a","entry.b"]]}`:                            true,
		`{"filter":[{"var":"entry.list"},{"missing":["n","$ctx.entry.a"]}]}`:    false,
		`{"filter":[{"var":"entry.list"},{"missing":["entry.a"]}]}`:             true,
		`{"missing_some":[1,{"var":"entry.keys"}]}`:                             false,
		`{"missing":["entry.list.0.n"]}`:                                        false,
		`{"missing":{"if":[{"var":"entry.a"},["entry.list.5.n"],["entry.a"]]}}`: true,
	} {
		got, err := compiled(t, rule).Holds(t.Context(), scopeOf(t, `{"entry":{"a":1,"empty":"","list":[{"n":1},{"n":2}],"keys":["entry.a","$error('x')"]}}`))
		if err != nil || got != want {
			t.Errorf("%s: got %v %v, want %v", rule, got, err, want)
		}
	}
}
