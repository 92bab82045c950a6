package jsonata

import (
	"strings"
	"testing"
)

// X17: names of other languages lead to functions that there are.
func TestX17FunctionHints(t *testing.T) {
	for name, to := range otherNames() {
		if !IsFunction(to) && !strings.HasPrefix(to, "write ") {
			t.Errorf("%s leads to %s, which is neither a function nor a form", name, to)
		}
		if IsFunction(name) {
			t.Errorf("%s is a function", name)
		}
	}
	for name, want := range map[string]string{
		"unique": `did you mean "$distinct"?`, "contain": `did you mean "$contains"?`, "previous": `did you mean "$previousNode"?`, "last": "write list[-1]",
		"frobnicate": "", "toUpperCase": `did you mean "$uppercase"?`,
	} {
		if got, _ := FunctionHint(name); got != want {
			t.Errorf("$%s: %s, expected %s", name, got, want)
		}
	}
}
