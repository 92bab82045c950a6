package jsonata

import (
	"testing"
)

// TestEngineTraps holds that what is easily got wrong comes out as jsonata-js 2.2.2 has
// it, but for the differences that docs/expressions.md lists.
func TestEngineTraps(t *testing.T) {
	scope := NewScope(contextOf(t, `{
		"a":1, "arr":[10,20,30], "one":[5], "nest":[[1,2],[3,[4,5]]], "nul":null, "nuls":[1,null,2],
		"big":9007199254740993, "rows":[{"v":[1]},{"v":[2,3]}], "s":"x/y", "deep":{"list":[7],"none":[]}, "name":"f(x)"
	}`), nil)
	for source, want := range map[string]string{
		`arr[0] / 2`:                        `5`,
		`arr[0]/arr[1]`:                     `0.5`,
		`(1; 10) / 4`:                       `2.5`,
		`$count(arr) / 2`:                   `1.5`,
		`arr[1] /* half */ / 2`:             `10`,
		`$contains(s, /\//)`:                `true`,
		`$split("a] / b", "] /")`:           `["a"," b"]`,
		`$replace("a]/b", /\]\//, "-")`:     `"a-b"`,
		`$contains(name, /\(/)`:             `true`,
		`$match(name, /\((.)\)/).groups[0]`: `"x"`,
		`a[]`:                               `[1]`,
		`$.a[]`:                             `[1]`,
		`deep.list[]`:                       `[7]`,
		`arr[0][]`:                          `[10]`,
		`($v := 1; $v[])`:                   `1`,
		`($v := [1,2]; $v[])`:               `[1,2]`,
		`{"x": $.a[], "y": [arr[0][]]}`:     `{"x":[1],"y":[10]}`,
		`{"x": arr[0][]}`:                   `{"x":[10]}`,
		`($v := 1; {"x": $v[]})`:            `{"x":1}`,
		`{"x": deep.list[][]}`:              `{"x":[7]}`,
		`{"x": $string(a)[]}`:               `{"x":"1"}`,
		`{"x": (a)[]}`:                      `{"x":1}`,
		`{"x": arr[$ > 20][]}`:              `{"x":[30]}`,
		`{"x": a[].b}`:                      `{}`,
		`nothing[]`:                         `undefined`,
		`one`:                               `[5]`,
		`{"x": a[]}`:                        `{"x":[1]}`,
		`1/0`:                               `error D1001`,
		`-1/0`:                              `error D1001`,
		`0/0`:                               `error D1001`,
		`[1/0]`:                             `error D1001`,
		`{"x": 0/0}`:                        `error D1001`,
		`big`:                               `9007199254740993`,
		`[big]`:                             `[9007199254740993]`,
		`$string(big)`:                      `"9007199254740993"`,
		`big + 0`:                           `9007199254740992`,
		`nul`:                               `null`,
		`{"n": nul}`:                        `{"n":null}`,
		`$map(nuls, function($x){$x})`:      `[1,null,2]`,
		`nuls[1]`:                           `null`,
		`$exists(nul)`:                      `true`,
		`nest.$`:                            `[1,2,3,[4,5]]`,
		`rows.*`:                            `[1,2,3]`,
		`rows.v`:                            `[1,2,3]`,
		`deep.none`:                         `[]`,
		`"x" & arr`:                         `"x[10,20,30]"`,
		`arr & {"b":[1.50,"<"]}`:            `"[10,20,30]{\"b\":[1.5,\"<\"]}"`,
		`"a" & nothing & "b"`:               `"ab"`,
		`1 + 2 & 3 * 4`:                     `"312"`,
		`rows[0].v & "-" & $count(rows)`:    `"[1]-2"`,
		`-a & "x"`:                          `"-1x"`,
		`nothing{k: 1}`:                     `{}`,
		`nothing{"k": 1}`:                   `{"k":1}`,
		`{"z":1,"a":{"y":2,"b":3}}`:         `{"z":1,"a":{"y":2,"b":3}}`,
		`$merge([{"z":1},{"a":2}])`:         `{"z":1,"a":2}`,
		`$keys({"z":1,"a":2})`:              `["z","a"]`,
		`$match("ab", /b/)`:                 `{"match":"b","index":1,"groups":[]}`,
		`"ab" ~> /b/`:                       `{"match":"b","start":1,"end":2,"groups":[]}`,
		`$string({"a":1/3})`:                `"{\"a\":0.333333333333333}"`,
		`$string([1,"a"], true)`:            `"[\n  1,\n  \"a\"\n]"`,
		`$distinct([{"a":1,"b":2},{"b":2,"a":1}])`:                             `[{"a":1,"b":2}]`,
		`$distinct([1,1])`:                                                     `[1]`,
		`$substring("héllo", -3, 2)`:                                           `"ll"`,
		`$split("héllo", "")`:                                                  `["h","é","l","l","o"]`,
		`$replace("abc", /(b)/, "[$1$0$$$9]")`:                                 `"a[bb$]c"`,
		`$replace("aa", "a", "b", 1)`:                                          `"ba"`,
		`$replace("a1b2", /\d/, function($m){$string($number($m.match) + 1)})`: `"a2b3"`,
		`{"b": 1} ~> |$|{"self": $}|`:                                          `{"b":1,"self":{"b":1}}`,
		`5000000000000001`:                                                     `5000000000000001`,
		`$string(5000000000000001)`:                                            `"5000000000000001"`,
	} {
		if got := evalText(t, source, scope); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
}

// TestValuesOfFewItems holds what expressions give over lists of one item and of none, and
// what else graphs were found to stumble on; the answers are those of jsonata-js 2.2.2.
func TestValuesOfFewItems(t *testing.T) {
	scope := NewScope(contextOf(t, `{"items":[{"id":1,"name":"a","price":5,"qty":2,"tags":["x"]}],"none":[],"two":[{"v":[]},{"v":[]}]}`), nil)
	for source, want := range map[string]string{
		`items.tags`:                      `["x"]`,
		`items^(price)`:                   `{"id":1,"name":"a","price":5,"qty":2,"tags":["x"]}`,
		`none^(price)`:                    `undefined`,
		`items[[0..1]]`:                   `{"id":1,"name":"a","price":5,"qty":2,"tags":["x"]}`,
		`$distinct(["a","a"])`:            `["a"]`,
		`$distinct(items.tags)`:           `["x"]`,
		`two.v`:                           `undefined`,
		`[].tags`:                         `[]`,
		`items[0][]`:                      `[{"id":1,"name":"a","price":5,"qty":2,"tags":["x"]}]`,
		`items.tags[]`:                    `["x"]`,
		`items[0]{name: $.id}`:            `{"a":1}`,
		`items^(>price)[0]{name: $.id}`:   `{"a":1}`,
		`items[price>4]{id: $sum($.qty)}`: `error T1003`,
		`$formatNumber(2.675, "0.00")`:    `"2.68"`,
		`$formatNumber(34.45, "0.0")`:     `"34.4"`,
		`-5%3`:                            `-2`,
		`$number("1_000")`:                `error D3030`,
		`$number("  12 ")`:                `error D3030`,
		`$match("ac", /(b)?c/)`:           `{"match":"c","index":1,"groups":[null]}`,
		`$formatBase(2.5,2)`:              `"10"`,
		`$formatNumber(1e10,"#.##e0")`:    `"1e10"`,
		`[1] in [[1]]`:                    `false`,
		`$uppercase("straße")`:            `"STRASSE"`,
		`$decodeUrlComponent("%E0")`:      `error D3140`,
		`"n: " & items^(price)`:           `"n: [{\"id\":1,\"name\":\"a\",\"price\":5,\"qty\":2,\"tags\":[\"x\"]}]"`,
		`$count(nothing)`:                 `0`,
		`$exists(nothing)`:                `false`,
		`nothing ?? "x"`:                  `"x"`,
	} {
		if got := evalText(t, source, scope); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
	if _, err := Compile(t.Context(), `items[1..2]`); err == nil {
		t.Error("items[1..2] compiles; a range stands in an array only: items[[1..2]]")
	}
}
