package jsonlogic

import (
	"errors"
	"strings"
	"testing"

	"toolgraph/expressions/jsonata"
)

// The exceptions from json-logic-js, and conversions that its suite leaves out.
func TestRuleValues(t *testing.T) {
	const data = `{"o":{"a":1,"b":[true,null,{"c":"d"}]},"p":{"b":[true,null,{"c":"d"}],"a":1},"q":{"a":1,"b":[true,null,{"c":"e"}]},` +
		`"list":[{"a":1},{"a":2,"in":[{"n":5}]}],"null":null,"text":"12 monkeys","empty":[],"n":1.5}`
	checkRules(t, []ruleCase{
		// contents, whatever the order of keys
		{`{"==":[{"var":"o"},{"var":"p"}]}`, data, `true`},
		{`{"===":[{"var":"o"},{"var":"p"}]}`, data, `true`},
		{`{"!==":[{"var":"o"},{"var":"q"}]}`, data, `true`},
		{`{"==":[{"var":"o"},{"var":""}]}`, data, `false`},
		{`{"==":[{"var":""},{"var":"$"}]}`, data, `true`},
		{`{"==":[[1,[2]],[1,[2]]]}`, data, `true`},
		{`{"==":[[1],["1"]]}`, data, `false`},
		{`{"==":[{"var":"o"},{"var":"list"}]}`, data, `false`},
		{`{"in":[{"var":"list[0]"},{"var":"list"}]}`, data, `true`},
		{`{"in":[{"var":"o"},{"var":"list"}]}`, data, `false`},
		// code points
		{`{"substr":["a😀é",1,1]}`, data, `"😀"`},
		{`{"substr":["a😀é",-2]}`, data, `"😀é"`},
		{`{"substr":["a😀é",0,-1]}`, data, `"a😀"`},
		{`{"substr":["abc",9]}`, data, `""`},
		{`{"substr":["abc",-9,2]}`, data, `"ab"`},
		{`{"substr":["abc",0,"-1"]}`, data, `""`},
		{`{"<":["\ufffd","😀"]}`, data, `false`},
		// names over lists are JSONata's, numbers are JSON Logic's
		{`{"var":"list.a"}`, data, `[1,2]`},
		{`{"var":"list.1.a"}`, data, `2`},
		{`{"var":"list[a=2].in.n"}`, data, `5`},
		{`{"map":[{"var":"list"},{"var":"in.n"}]}`, data, `[null,5]`},
		{`{"map":[{"var":"list"},{"var":"$.a"}]}`, data, `[1,2]`},
		{`{"map":[[{"var":"list"}],{"var":"a"}]}`, data, `[[1,2]]`},
		// numbers that JSON does not have
		{`[{"/":[1,0]},{"-":[0]},{"+":["x"]},[{"%":[1,0]}]]`, data, `[null,0,null,[null]]`},
		{`{"<":[{"/":[1,0]},1]}`, data, `false`},
		{`{">":[{"/":[1,0]},1e308]}`, data, `true`},
		{`{"cat":[{"/":[1,0]},{"/":[-1,0]},{"+":["x"]},{"-":[0]}]}`, data, `"Infinity-InfinityNaN0"`},
		{`{"max":[{"/":[1,0]},"x"]}`, data, `null`},
		{`{"reduce":[[0],{"var":""},{"/":[1,0]}]}`, data, `{"accumulator":null,"current":0}`},
		// conversions
		{`{"+":[{"var":"text"},1]}`, data, `13`},
		{`{"-":[{"var":"text"},1]}`, data, `null`},
		{`{"-":["0x1f","0b11"]}`, data, `28`},
		{`{"-":["\u00a0\ufeff7\n",[]]}`, data, `7`},
		{`{"+":["-Infinityx","1e1e1",[3,4]]}`, data, `null`},
		{`{"==":[{"var":"null"},0]}`, data, `false`},
		{`{">=":[{"var":"null"},0]}`, data, `true`},
		{`{"==":[{"var":"empty"},""]}`, data, `true`},
		{`{"cat":[{"var":"o"},{"var":"null"},[1,[null,2]],true]}`, data, `"[object Object]1,,2true"`},
		{`{"cat":[1e21,1e-7,123456789012345680000,0.1]}`, data, `"1e+211e-71234567890123456800000.1"`},
		{`{"if":[{"var":"empty"},1,{"var":"null"},2,"0",3]}`, data, `3`},
		{`{"log":{"var":"n"}}`, data, `1.5`},
		{`{"map":[{"var":"text"},1]}`, data, `[]`},
		{`{"<":[1,{"var":"n"},2]}`, data, `true`},
	})
}

func TestRuleFailureNamesTheVarAndNoValues(t *testing.T) {
	scope := scopeOf(t, `{"a":"s3cr3t"}`)
	_, err := compiled(t, `{"==":[{"var":"a + 1"},2]}`).Holds(t.Context(), scope)
	var failure *jsonata.Error
	if !errors.As(err, &failure) || !strings.Contains(err.Error(), `var "a + 1"`) || failure.Offset != -1 {
		t.Errorf("got %v", err)
	}
	if strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("the error tells a value: %v", err)
	}
}
