package jsonlogic

import (
	"strings"
	"testing"
)

// Where the jsonlogic library v3.9.1 answers otherwise than this package, which
// answers as json-logic-js 2.0.5 does unless the reason says more. A library that
// changes its mind fails here, and its row can go. "error:" stands for a Go run-time
// error inside the library.
var libraryDifferences = []struct{ rule, data, ours, library, why string }{
	{`{"if":[true,{"var":"evil"}]}`, `{"evil":{"var":"secret"},"secret":1}`, `{"var":"secret"}`, `1`, "data is run as a rule"},
	{`{"filter":[[1,2,3],{"var":"evil"}]}`, `{"evil":{"==":[1,1]}}`, `[]`, `[1,2,3]`, "data is run as a rule"},
	{`{"filter":[[1,5],{">":[{"var":[""]},3]}]}`, `{}`, `[5]`, `[]`, "the element is not found when var has brackets"},
	{`{"map":[[1,[2]],{"var":"q"}]}`, `{}`, `[null,null]`, `[null,2]`, "a name of something that has none is the element itself"},
	{`{"var":["o.q",2]}`, `{"o":[{"q":1}]}`, `1`, `{"q":1}`, "a name over a list is its last element; here it is JSONata's, an exception of ours"},
	{`{"reduce":[[1,2],{"var":"current"}]}`, `{}`, `2`, `0`, "a missing start is 0, not null"},
	{`{"reduce":["x",true,"y"]}`, `{}`, `"y"`, `0`, "what is no list reduces to 0, not to the start"},
	{`{"reduce":[["a"],{"cat":["x"]},null]}`, `{}`, `"x"`, `error:`, "a null start is refused"},
	{`{"reduce":[[1,2],[1]]}`, `{}`, `[1]`, `0`, "a list from the body is lost"},
	{`{"all":[[1],1]}`, `{}`, `true`, `error:`, "a body that is no rule panics"},
	{`{"none":[[1],false]}`, `{}`, `true`, `error:`, "a body that is no rule panics"},
	{`{"max":[null,1]}`, `{}`, `1`, `error:`, "null is no number to it"},
	{`{"min":["a"]}`, `{}`, `null`, `0`, "text that is no number is 0, not NaN"},
	{`{"+":["x"]}`, `{}`, `null`, `0`, "text that is no number is 0, not NaN"},
	{`{"+":["12px"]}`, `{}`, `12`, `0`, "parseFloat reads the number in front"},
	{`{"*":[".5"]}`, `{}`, `".5"`, `0.5`, "json-logic-js gives a single factor back as it is"},
	{`{"-":["0"]}`, `{}`, `0`, `-0`, "-0 is written as 0"},
	{`{"-":[true]}`, `{}`, `-1`, `error:`, "true is no number to it"},
	{`{"-":[[5],10]}`, `{}`, `-5`, `error:`, "a list of one is no number to it"},
	{`{"%":[false,"10"]}`, `{}`, `0`, `error:`, "false is no number to it"},
	{`{">=":[1,[]]}`, `{}`, `true`, `false`, "lists are not compared"},
	{`{">=":["0x1F",null]}`, `{}`, `true`, `false`, "null is not compared"},
	{`{"==":["[object Object]",{"var":"o"}]}`, `{"o":{}}`, `true`, `false`, "an object is never equal to text"},
	{`{"==":[[1],"1"]}`, `{}`, `true`, `false`, "a list is never equal to text"},
	{`{"==":[[1],[1]]}`, `{}`, `true`, `false`, "equality of contents, an exception of ours: json-logic-js says false"},
	{`{"===":[{"var":"o"},{"var":"o"}]}`, `{"o":{"a":1}}`, `true`, `false`, "equality of contents"},
	{`{"==":[{"var":"x"},false]}`, `{"x":[]}`, `true`, `false`, "the empty list equals false"},
	{`{"in":[1,"123"]}`, `{}`, `true`, `error:`, "a number is looked for as text"},
	{`{"cat":[1e-7]}`, `{}`, `"1e-7"`, `"0.0000001"`, "numbers are written as in JavaScript"},
	{`{"cat":[1e21]}`, `{}`, `"1e+21"`, `"1000000000000000000000"`, "numbers are written as in JavaScript"},
	{`{"cat":[[1,[2,null]]]}`, `{}`, `"1,2,"`, `error:`, "a list is its elements with commas"},
	{`{"cat":[null,true]}`, `{}`, `"true"`, `error:`, "null is empty"},
	{`{"substr":["abc",2,-3]}`, `{}`, `""`, `error:`, "more is taken off than there is"},
	{`{"substr":[true,2]}`, `{}`, `"ue"`, `error:`, "true is text"},
	{`{"!!":[{"var":"o"}]}`, `{"o":{}}`, `true`, `false`, "an empty object is true"},
	{`{"missing":["a"]}`, `{"a":""}`, `["a"]`, `[]`, "the empty text counts as missing"},
	{`{"missing":[["a"],"b"]}`, `{}`, `["a"]`, `[["a"],"b"]`, "a list in front stands for all"},
	{`{"var":"l.length"}`, `{"l":[1]}`, `null`, `1`, "names over a list are JSONata's, an exception of ours: json-logic-js says 1"},
	{`{"log":[1]}`, `{}`, `1`, `error:`, "log is unknown"},
	{`{"/":[1,0]}`, `{}`, `null`, `error:`, "a number that JSON does not have is null"},
	{`{"%":[1,0]}`, `{}`, `null`, `error:`, "a number that JSON does not have is null"},
	{`{"var":"$.a"}`, `{"a":1}`, `1`, `null`, "$ is JSONata's, an exception of ours"},
	{`{"map":[{"var":"l"},{"var":"$ctx.n"}]}`, `{"l":[1],"n":5}`, `[5]`, `[null]`, "$ctx is an addition of ours"},
	{`{"filter":[{"var":"l"},{">":[{"var":""},{"var":"n"}]}]}`, `{"l":[1,7],"n":5}`, `[]`, `[7]`, "bodies see the context"},
	{`{">":[5,{"var":"gone"}]}`, `{}`, `false`, `true`, "nothing is undefined, an exception of ours: json-logic-js says null"},
}

func TestKnownDifferencesFromLibrary(t *testing.T) {
	for _, d := range libraryDifferences {
		if got := evaluated(t, d.rule, d.data); got != d.ours {
			t.Errorf("%s: got %s, want %s", d.rule, got, d.ours)
		}
		if got := askLibrary(parseRule(t, d.rule), parseRule(t, d.data)); !strings.HasPrefix(got, d.library) {
			t.Errorf("%s: the library says %s, listed is %s (%s)", d.rule, got, d.library, d.why)
		}
	}
}
