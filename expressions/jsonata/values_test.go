package jsonata

import (
	"testing"

	"toolgraph/expressions/value"
)

func mustDecode(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatalf("Decode(%.80q): %v", text, err)
	}
	return v
}

func mustEncode(t testing.TB, v value.Value) string {
	t.Helper()
	text, err := value.Encode(v)
	if err != nil {
		t.Fatalf("Encode: %v", err)
	}
	return string(text)
}
