package expressions

import "testing"

// Each builtin of ours that falls back on the engine's finds the engine's, not itself.
func TestOwnFunctionsFindTheEngines(t *testing.T) {
	scope := NewScope(map[string]any{"s": "a.b"}, nil)
	for source, want := range map[string]string{
		`$contains($.s, ".")`:     `true`,
		`$split($.s, ".")`:        `["a","b"]`,
		`$replace($.s, ".", "-")`: `"a-b"`,
		`$join(["a", "b"], ".")`:  `"a.b"`,
		`$string($.s)`:            `"a.b"`,
		`$map([1, 2], $string)`:   `["1","2"]`,
	} {
		if got := evalText(t, source, scope); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
}
