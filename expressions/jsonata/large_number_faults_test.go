package jsonata

import (
	"testing"

	"toolgraph/expressions/value"
)

// A number that no float64 holds is passed on as it is written; only arithmetic with it fails.
func TestX14NumberBeyondFloat64(t *testing.T) {
	data, err := value.Decode([]byte(`{"a":1e400,"b":-2.5E+999,"rows":[{"n":1},{"n":1e400}]}`))
	if err != nil {
		t.Fatal(err)
	}
	scope := NewScope(map[string]any{"d": data}, nil)
	for source, want := range map[string]string{
		`d.a`: `1e400`, `d`: `{"a":1e400,"b":-2.5E+999,"rows":[{"n":1},{"n":1e400}]}`, `[d.rows.n, d.b]`: `[1,1e400,-2.5E+999]`,
		`d.rows[n = 1].n`: `1`, `$count(d.rows)`: `2`, `$exists(d.a)`: `true`, `$type(d.a)`: `"number"`, `d.a = d.a`: `true`, `d.a = 5`: `false`,
		`d.a + 1`: "", `-d.a`: "", `d.a * 0`: "", `$sum(d.rows.n)`: "", `$abs(d.b)`: "",
	} {
		e, err := Compile(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.Eval(t.Context(), scope)
		text := ""
		if err == nil {
			raw, encodeErr := value.Encode(v)
			text, err = string(raw), encodeErr
		}
		if text != want || want == "" && err == nil {
			t.Errorf("%s: got %s %v, want %s", source, text, err, want)
		}
	}
}
