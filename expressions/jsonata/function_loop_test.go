package jsonata

import "testing"

// A lambda that is called for each item has new variables each time, as far as an expression can see.
func TestRepeatedCalls(t *testing.T) {
	for source, want := range map[string]string{
		// Functions and transforms hold the variables of the call that made them.
		`$map($map([1, 2, 3], function($v){function(){$v}}), function($f){$f()})`:                                       `[1,2,3]`,
		`$map($map([1, 2, 3], function($v){(function(){$v})}), function($f){$f()})`:                                     `[1,2,3]`,
		`$map($map([1, 2], function($v){$v > 0 ? function($x){$x + $v} : 0}), function($f){$f(10)})`:                    `[11,12]`,
		`($fs := $map([1, 2, 3], function($v){|$|{"a": $v}|}); $map($fs, function($f){({"b": 1} ~> $f).a}))`:            `[1,2,3]`,
		`($add := function($a, $b){$a + $b}; $map($map([1, 2], function($v){$add(?, $v)}), function($f){$f(10)}))`:      `[11,12]`,
		`($fs := $map([1, 2], function($v){$string ~> function($s){$s & $v}}); $map($fs, function($f){$f("x")}))`:       `["x1","x2"]`,
		`$map($map([1, 2, 3], function($v){[$v].(function(){$v})}), function($f){$f()})`:                                `[1,2,3]`,
		`$map($reduce([1, 2, 3], function($l, $v){$append($l, [function(){$v}])}, []), function($f){$f()})`:             `[1,2,3]`,
		`$map([[3, 1], [2, 4]], function($l){$map($sort($l, function($a, $b){$a > $b}), function($x){$x * $l[0]})[0]})`: `[3,4]`,
		// What the body of one call assigns, the next one does not see.
		`$map([1, 2, 3], function($v){[$seen, $seen := $v]})`:                            `[[1],[2],[3]]`,
		`$map([1, 2, 3], function($v){$count([$seen, $seen := $v, $v := 7, $v])})`:       `[3,3,3]`,
		`$map([1, 2], function($v){($seen ? "bad" : ($seen := $v; $seen))})`:             `[1,2]`,
		`$filter([1, 2, 3], function($v, $i, $a, $more){$exists($more) or $v = $a[$i]})`: `[1,2,3]`,
		`$map([1, 2], function(){1})`:                                                    `[1,1]`,
		`$map([{"a": 1}, {}], function($v){$v.a})`:                                       `1`,
		// Calls within calls of the same function.
		`($f := function($n){$n <= 0 ? 0 : $sum($map([1..$n], function($k){$f($k - 1) + $k}))}; $f(5))`:                                     `57`,
		`($f := function($l){$type($l) = "array" ? $map($l, $f) : $l + 1}; $string($f([1, [2, [3, 4]]])))`:                                  `"[2,[3,[4,5]]]"`,
		`$map([1, 2], function($v){$map([10, 20], function($w){$v + $w})})`:                                                                 `[[11,21],[12,22]]`,
		`($g := function($v, $f){$v > 3 ? $v : $f($v + 1, $f)}; $map([1, 2], function($v){$g($v, $g)}))`:                                    `[4,4]`,
		`($even := function($n){$n = 0 ? true : $odd($n - 1)}; $odd := function($n){$n = 0 ? false : $even($n - 1)}; $map([10, 7], $even))`: `[true,false]`,
		// Functions of the library and others get arguments of their own.
		`$map(["a", "b"], $uppercase)`:                                            `["A","B"]`,
		`$map([["a"], "b"], $count)`:                                              `[1,1]`,
		`$reduce([1, 2, 3], $append)`:                                             `[1,2,3]`,
		`$map([1, 2], $string ~> $length)`:                                        `[1,1]`,
		`$map([1, 2], $append(?, 5))`:                                             `[[1,5],[2,5]]`,
		`$map([1, 2], function($v)<n:n>{$v + 1})`:                                 `[2,3]`,
		`$each({"a": 1, "b": 2}, function($v, $k){$k & $v})`:                      `["a1","b2"]`,
		`$sift({"a": 1, "b": 2}, function($v, $k){$k = "b"})`:                     `{"b":2}`,
		`$sort([3, 1, 2], function($a, $b){$a > $b})`:                             `[1,2,3]`,
		`$single([3, 1, 2], function($v, $i){$i = 1})`:                            `1`,
		`$reduce([1, 2, 3], function($a, $b, $i, $l){$a + $b * $i + $count($l)})`: `15`,
	} {
		t.Run(source, func(t *testing.T) {
			v, err := mustCompile(t, source).EvalAt(t.Context(), nil, nil)
			if got := mustEncode(t, v); err != nil || got != want {
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		})
	}
}
