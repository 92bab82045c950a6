package expressions

import "testing"

func mustDecode(t testing.TB, text string) Value {
	t.Helper()
	v, err := Decode([]byte(text))
	if err != nil {
		t.Fatalf("Decode(%.80q): %v", text, err)
	}
	return v
}

func mustEncode(t testing.TB, v Value) string {
	t.Helper()
	text, err := Encode(v)
	if err != nil {
		t.Fatalf("Encode: %v", err)
	}
	return string(text)
}
