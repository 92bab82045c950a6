package jsonata

import (
	"testing"

	"toolgraph/expressions/value"
)

// Objects with constant keys are those that grouping makes.
func TestConstantKeys(t *testing.T) {
	root := mustDecode(t, `{"a": 1, "none": [], "one": [{"b": 2}], "two": [{"b": 2}, {"b": 3}], "keys": ["k", "l"]}`)
	for source, want := range map[string]string{
		`{"x": a, "y": two.b}`:         `{"x":1,"y":[2,3]}`,
		`{"x": missing, "y": a}`:       `{"y":1}`,
		`{"x": missing}`:               `{}`,
		`{}`:                           `{}`,
		`none.{"x": b}`:                `undefined`,
		`none{"x": a}`:                 `{}`,
		`one{"x": b}`:                  `{"x":2}`,
		`two{"x": b, "y": $count($)}`:  `{"x":[2,3],"y":2}`,
		`two.{"x": b}`:                 `[{"x":2},{"x":3}]`,
		`[]{"x": 1}`:                   `{"x":1}`,
		`{"x": 1, "x": 2}`:             `an object has a duplicate key`,
		`{"x": 1, keys[0]: 2, "l": 3}`: `{"x":1,"k":2,"l":3}`,
		`{"k": 1, keys[0]: 2}`:         `an object has a duplicate key`,
		`two@$t.{"x": $t.b, "y": a}`:   `[{"x":2,"y":1},{"x":3,"y":1}]`,
		`two@$t{"x": $t.b}`:            `{"x":[2,3]}`,
		`two#$i{"x": $i}`:              `{"x":[0,1]}`,
		`two.{"x": %.a}`:               `[{"x":1},{"x":1}]`,
		`{"x": {"y": {"x": a}}}`:       `{"x":{"y":{"x":1}}}`,
		`{"x": $}.x.a`:                 `1`,
		`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10}.[a, i, j, k]`: `[1,9,10]`,
		`{"x": 1} ~> |$|{"y": 2}, "x"|`:                                               `{"y":2}`,
		`$map([1, 2], function($v){{"x": $v} ~> |$|{"n" & $v: $v}|})`:                 `[{"x":1,"n1":1},{"x":2,"n2":2}]`,
		`$merge([{"x": 1}, {"x": 2, "y": 3}])`:                                        `{"x":2,"y":3}`,
	} {
		if got, _, _ := evaluate(t, source, root, value.Limits{}); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
}
