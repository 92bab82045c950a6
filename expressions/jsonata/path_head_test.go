package jsonata

import (
	"testing"

	"toolgraph/expressions/value"
)

// Paths whose first steps give one value each are those that go through the steps item by item.
func TestPathsOfOneValue(t *testing.T) {
	root := mustDecode(t, `{"a": {"b": {"c": 5, "none": [], "l": [1]}}, "list": [{"v": 1, "w": [1, 2]}, {"v": 2}], "deep": [[{"v": 1}, {"v": 2}], [{"v": 3}]], "e": []}`)
	for source, want := range map[string]string{
		`$.a.b.c`: `5`, `$$.a.b.c`: `5`, `(a).b.c`: `5`, `$.a.b.x.y`: `undefined`, `$x.a.b`: `undefined`, `$.a.b.c.d`: `undefined`,
		`$.a.b.none`: `[]`, `$.a.b.none.x`: `undefined`, `$.a.b.l`: `[1]`, `$.a.b.l[0]`: `1`, `$.a.b.l.$`: `1`, `$.a.b.l[]`: `[1]`, `$.a.b.c[]`: `[5]`,
		`$.list.v`: `[1,2]`, `$.list.w`: `[1,2]`, `$.list[0].v`: `1`, `$.list[-1].v`: `2`, `$.list[2].v`: `undefined`, `$.list[1.9].v`: `2`, `list[0].w[1]`: `2`,
		`$.list[0][0].v`: `1`, `$.list[0][1].v`: `undefined`, `$.list[0].w`: `[1,2]`, `$.a[0].b.c`: `5`, `$.a[-1].b.c`: `5`, `$.a[1].b.c`: `undefined`, `$.e[0]`: `undefined`,
		`$.deep[0]`: `[{"v":1},{"v":2}]`, `$.deep[0].v`: `[1,2]`, `$.deep[0][1].v`: `2`, `$.deep.v`: `[1,2,3]`, `$.deep[1].$count($)`: `1`,
		`$.list.(v + 1)`: `[2,3]`, `$.list^(>v).v`: `[2,1]`, `$.a.b^(c).c`: `5`, `$.a.b{"k": c}`: `{"k":5}`, `$.a.x{"k": 1}`: `{"k":1}`, `$.list[0]{"k": v}`: `{"k":1}`,
		`$.a.b@$x.($x.c)`: `5`, `$.list#$i.$i`: `[0,1]`, `$.a.b.c.%`: `{"c":5,"none":[],"l":[1]}`, `$.a.b.%.b.c`: `5`,
		`($x := list; $x.v)`: `[1,2]`, `($x := list[0]; $x.w[0])`: `1`, `($x := [list[0]]; $x.v)`: `1`, `($x := list[v = 1]; $x.w)`: `[1,2]`, `($x := a[]; $x.b.c)`: `5`,
		`($x := [[{"a": 1}]].[$, 2]; $x.$count($))`: `2`, `($x := [1, 2]; $x.$count($))`: `[1,1]`, `($x := {"l": list.v}; $x.l.$string())`: `["1","2"]`,
		`($f := function(){list}; $f().v)`: `[1,2]`, `list[0].$keys()`: `["v","w"]`, `{"x": {"y": 2}}.x.y`: `2`, `"text".length`: `undefined`, `[list, a].v`: `[1,2]`,
	} {
		if got, _, _ := evaluate(t, source, root, value.Limits{}); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
	items := []any{root, root}
	for source, want := range map[string]string{`a.b.c`: `[5,5]`, `$.a.b.c`: `[5,5]`, `$[0].a.b.c`: `5`, `a[0].b.c`: `5`, `$$.a.b.l`: `[1,1]`} {
		if got, _, _ := evaluate(t, source, items, value.Limits{}); got != want {
			t.Errorf("over an array %s is %s, want %s", source, got, want)
		}
	}
}
