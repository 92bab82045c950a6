package jsonata

import (
	"testing"

	"toolgraph/expressions/value"
)

// The values are jsonata-js 2.2.2's.
func TestDefaultsBindAsInJSONata(t *testing.T) {
	for source, want := range map[string]string{
		`3 ?? 2 = 1`:                                `3`,
		`1 = 3 ?? 2`:                                `false`,
		`nothing ?? 1 ?? 2`:                         `1`,
		`nothing ?? 2 ? 1 : 3`:                      `1`,
		`3 ?? 2 and false`:                          `3`,
		`(true and false) ?? 3`:                     `false`,
		`true and nothing ?? "d"`:                   `true`,
		`false and 3 ?? 2`:                          `false`,
		`false or nothing ?? 2`:                     `true`,
		`false or nothing ?? nothing ?? 4`:          `true`,
		`true and false ?: 3`:                       `true`,
		`true and "a" & nothing ?? "b"`:             `true`,
		`true and ($x := nothing ?? 2; $x)`:         `true`,
		`false or {"a": 1}.b ?? 0 or true`:          `true`,
		`[false or nothing ?? 2, 3]`:                `[true,3]`,
		`function($a){false or $a ?? 5}(nothing)`:   `true`,
		`{"k": false or nothing ?? 9}`:              `{"k":true}`,
		`false or nothing ?? 2 ? 7 : 8`:             `true`,
		`true and $exists(nothing) or nothing ?: 0`: `false`,
	} {
		compiled, err := Compile(t.Context(), source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		v, err := compiled.Eval(t.Context(), NewScope(map[string]any{}, nil))
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got, err := value.Encode(v); err != nil || string(got) != want {
			t.Errorf("%s: got %s %v, want %s", source, got, err, want)
		}
	}
}
