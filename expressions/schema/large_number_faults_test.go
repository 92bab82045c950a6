package schema_test

import "testing"

// A number that no float64 holds is validated by its digits.
func TestX14NumberBeyondFloat64(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"n":{"type":"number","minimum":5},"l":{"type":"array","uniqueItems":true},"top":{"maximum":5}}}`)
	for src, problems := range map[string]int{
		`{"n":1e400}`: 0, `{"n":-1e400}`: 1, `{"top":1e999}`: 1, `{"l":[1e400,1e401]}`: 0, `{"l":[1e400,10e399]}`: 1,
	} {
		if found := check(t, s, decode(t, src)); len(found) != problems {
			t.Errorf("%s: %v, want %d problems", src, found, problems)
		}
	}
}
