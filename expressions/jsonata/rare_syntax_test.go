package jsonata

import (
	"testing"
)

// TestX13RareSyntax holds that partial calls without a value, words behind a transform and
// predicates behind a group are those of jsonata-js 2.2.2.
func TestX13RareSyntax(t *testing.T) {
	scope := NewScope(contextOf(t, `{"a":{"b":1}, "big":1152921504606846976, "next":1152921504606846977, "nest":[[1,2],[],[3]], "staff":[{"uid":"u1","n":1},{"uid":"u2","n":2}]}`), nil)
	for source, want := range map[string]string{
		`$ ~> |a|{"b": 2}| and true`:                           `true`,
		`$ ~> |a|{"b": 2}| or false`:                           `true`,
		`true and a ~> |$|{"b": 2}| and true`:                  `true`,
		`(a ~> |$|{"c": b = 1 and true}|).c`:                   `true`,
		`a ~> |$|{"c": $ ~> |$|{"d": true and true}|}, ["b"]|`: `{"c":{"b":1,"d":true}}`,
		`(a ~> |$|{"b": 8}|).b / 2`:                            `4`,
		`"b" in $keys(a ~> |$|{"c": 1}|) and true`:             `true`,

		`["a"] ~> $append(?, nope)`:     `["a"]`,
		`$count(?)(nope)`:               `0`,
		`$count(?)()`:                   `0`,
		`$append(?, ?)("a")`:            `"a"`,
		`$append(nope, ?)(["a"])`:       `["a"]`,
		`$substring(?, 1, nope)("abc")`: `"bc"`,
		`$join(?, nope)(["a","b"])`:     `"ab"`,
		`$exists(?)(nope)`:              `false`,
		`$sum(?)(nope)`:                 `undefined`,
		`$power(2, ?)(nope)`:            `error D3061`,
		`$map(?, nope)([1])`:            `error T0410`,
		`$string(?, ?)(1)`:              `"1"`,

		`staff{uid: 1}[0]`:           `{"u1":1}`,
		`staff{uid: $count($)}[n=2]`: `{"u2":1}`,
		`staff{uid: n}[n=2][]`:       `{"u2":2}`,
		`staff{uid: 1}[0][0]`:        `{"u1":1}`,
		`staff{uid: 1}[-1].x`:        `{}`,
		`[staff{uid: n}[1]]`:         `[{"u2":2}]`,
	} {
		if got := evalText(t, source, scope); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
	for source, want := range map[string]string{
		`($f := function($x){$filter([], $exists)} ~> $trim(?); $f(1))`: `undefined`,
		`($f := $filter(?, $exists) ~> $trim; $f([]))`:                  `undefined`,
		`$map(["abc", "b"], function($s){$match($s, /b/, 0)})`:          `[[],[]]`,
		`$match("abc", /b/, 0)`:                                         `undefined`,
		`$pad("abc", nope)`:                                             `"abc"`,
		`$pad(?, nope)("abc")`:                                          `"abc"`,
		`$spread(nest.nope[[0]])`:                                       `undefined`,
		`$boolean((staff[3])[][[0..1]])`:                                `undefined`,
		`$not((staff[3])[][[0..1]])`:                                    `true`,
		`$boolean([[1]])`:                                               `true`,
		`-(1/0) < 1`:                                                    `error D1001`,
		`$distinct([big, 1152921504606846976, 1])`:                      `[1152921504606846976,1]`,
		`$distinct([1152921504606846976, big])`:                         `[1152921504606847000]`,
		`$distinct([big, big, next])`:                                   `[1152921504606846976,1152921504606846977]`,
	} {
		if got := evalText(t, source, scope); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
	for _, source := range []string{`(staff){uid: 1}[0]`, `staff{uid: 1}[0]{uid: 2}`, `|a|{}|b|`, `a|b`} {
		if _, err := Compile(t.Context(), source); err == nil {
			t.Errorf("%s compiles", source)
		}
	}
}
