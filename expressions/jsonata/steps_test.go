package jsonata

import (
	"testing"

	"toolgraph/expressions/value"
)

// What an expression is charged does not depend on how fast it is evaluated: a limit of steps ends the same
// expressions over the same values.
func TestStepsOfForms(t *testing.T) {
	root := mustDecode(t, `{"a": {"b": {"c": 5}}, "n": 3, "t": "x,y", "list": [{"v": 1, "w": [1, 2]}, {"v": 2, "w": []}, {"v": 3}], "deep": [[1, [2]], [3]], "long": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}`)
	for source, want := range map[string]int{
		"n": 2, "a.b.c": 2, "$.a.b.c": 6, "a.b.missing.c": 2, "(a).b.c": 6, "$x.a.b": 3, "(n; a).b": 7, "list.v": 9, "list.w": 8, "list[0].v": 4, "$.list[-1].w": 5,
		"list[1].w[0]": 4, "list[v > 1].v": 16, "long[3]": 3, "$.long": 22, "(long)[2]": 3, "$.list.(v * 2)": 19, "$.list.w[0]": 7, "a.b.c[0]": 5, "a[0].b": 5, "a[1].b": 3,
		"list^(>v).v": 14, "list{$string(v): w}": 20, `{"a": n, "b": a.b}`: 9, `list.{"v": v}`: 18, `{"x": missing}`: 4, "[n, a.b.c]": 6, "n + 1 > 2 and n < 5": 10,
		`t & "z" & n`: 6, `$count($split(t, ","))`: 7, `$split(t, ",")[0]`: 5, "$map(list, function($i){$i.v})": 17, "$map(long, function($i, $k){$i + $k})": 71,
		"$reduce(long, function($x, $y){$x + $y})": 52, "$filter(long, function($i){$i > 3})": 68, "$sort(long, function($x, $y){$x < $y})": 151,
		"($f := function($k){$k = 0 ? 0 : $f($k - 1)}; $f(5))": 62, `$each(a, function($v, $k){$k})`: 7, "$sum(long)": 6, `$substring(t, 0, 1)`: 6, "n ~> $string": 4,
		"$append(long, long)": 50, "$map(long, $string)": 23, "a.*.c": 6, "**.c": 121, "list@$l.{'x': $l.v}": 24, "list#$i.$i": 9, "list.w.%.v": 12, "n ? a : t": 6, "missing ?? n": 4,
	} {
		if _, steps, _ := evaluate(t, source, root, value.Limits{}); steps != want {
			t.Errorf("%s is charged %d steps, want %d", source, steps, want)
		}
	}
}
