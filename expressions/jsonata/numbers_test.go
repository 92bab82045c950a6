package jsonata

import (
	"testing"
)

// TestX10LargeNumbers holds that a whole number beyond 2^53 from data keeps its digits while it is
// passed on, and that the text of a computed one is the shortest of its float64.
func TestX10LargeNumbers(t *testing.T) {
	scope := NewScope(contextOf(t, `{"a":9007199254740993, "id":1152921504606846977, "list":[1,9007199254740993,-9007199254740995]}`), nil)
	for source, want := range map[string]string{
		// Passed on.
		`a`:                            `9007199254740993`,
		`"id-" & a`:                    `"id-9007199254740993"`,
		`$string({"a": a, "l": [id]})`: `"{\"a\":9007199254740993,\"l\":[1152921504606846977]}"`,
		`{$string(id): a}`:             `{"1152921504606846977":9007199254740993}`,
		`$max(list)`:                   `9007199254740993`,
		`$min(list)`:                   `-9007199254740995`,
		`$string($max([id, a, 7]))`:    `"1152921504606846977"`,
		`$max([1, 3, 2])`:              `3`,
		`$sort(list)`:                  `[-9007199254740995,1,9007199254740993]`,
		// Computed.
		`"id-" & (a*1)`:                       `"id-9007199254740992"`,
		`a * 1`:                               `9007199254740992`,
		`$string($max([9007199254740992,1]))`: `"9007199254740992"`,
		`$string(9007199254740993)`:           `"9007199254740992"`,
		`9007199254740993`:                    `9007199254740992`,
		`$string(id + 0)`:                     `"1152921504606847000"`,
		`id + 0`:                              `1152921504606847000`,
		`{$string(id + 0): [id + 0] & ""}`:    `{"1152921504606847000":"[1152921504606847000]"}`,
		`"" & (9007199254740992 + 9007199254740992 * 1000)`: `"9016206453995733000"`,
		`"" & -(a)`:                           `"-9007199254740992"`,
		`"" & $power(2, 70)`:                  `"1.1805916207174113e+21"`,
		`$string($sum([a, 1]))`:               `"9007199254740992"`,
		`$string(1e20 + 1)`:                   `"100000000000000000000"`,
		`$string(123456789012345680000 * 10)`: `"1.2345678901234568e+21"`,
		// A fraction has 15 digits, as in jsonata-js.
		`$string(0.1 + 0.2)`: `"0.3"`,
		`22/7 & ""`:          `"3.14285714285714"`,
		`22/7`:               `3.142857142857143`,
		// Powers.
		`$power(1.005,360)`:  `6.0225752122629865`,
		`$power(1.07,30)`:    `7.612255042662042`,
		`$power(5e-324,0.1)`: `4.6706622762338734e-33`,
		`$power(1, nope)`:    `error D3061`,
		`$power(-8, 1/3)`:    `error D3061`,
		`$power(10, 309)`:    `error D3061`,
		`$power(nope, 2)`:    `undefined`,
	} {
		if got := evalText(t, source, scope); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
}
