package jsonata

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Text is UTF-8 in base64, a meant difference: jsonata-js loses what is beyond Latin-1.
func TestBase64IsUTF8(t *testing.T) {
	for text, want := range map[string]string{
		"日本": "5pel5pys", "é€": "w6nigqw=", "😀": "8J+YgA==", "é": "w6k=", "": "",
	} {
		encoded := base64Encode(text)
		if encoded != want {
			t.Errorf("%q is encoded as %s, want %s", text, encoded, want)
		}
		if decoded := base64Decode(encoded); decoded != text {
			t.Errorf("%q comes back as %q", text, decoded)
		}
	}
}

// Bytes that are no character are no character after decoding either.
func TestURLsAreUTF8(t *testing.T) {
	for _, text := range []string{"\xff", "a\xc3", "\xed\xa0\x80"} {
		if encoded, ok := percentEncode(text, urlUnreserved+urlReserved); ok {
			t.Errorf("%q is encoded as %s", text, encoded)
		}
		if encoded, ok := percentEncode(text, urlUnreserved); ok {
			t.Errorf("%q is encoded as %s", text, encoded)
		}
	}
}

func FuzzTextFunctions(f *testing.F) {
	f.Add("a%20b", "%E0", 1.5)
	f.Add("#,##0.00;(0)", "0x1F", -2.675)
	f.Add("0.0e0", "6Q==", 1e300)
	f.Fuzz(func(t *testing.T, a, b string, n float64) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			t.Skip()
		}
		encoded, ok := percentEncode(a, urlUnreserved)
		if decoded, decodedOK := percentDecode(encoded, ""); !ok || !decodedOK || decoded != a {
			t.Errorf("%q comes back from %q as %q", a, encoded, decoded)
		}
		for _, text := range []string{base64Decode(a), upper(a), lower(a)} {
			if !utf8.ValidString(text) {
				t.Errorf("%q is not UTF-8", text)
			}
		}
		if text, ok := percentDecode(a, urlReserved); ok && !utf8.ValidString(text) {
			t.Errorf("%q is not UTF-8", text)
		}
		numberOf(a)
		formatBase(n, float64(len(a)))
		for _, name := range []string{"decimal-separator", "grouping-separator", "exponent-separator", "zero-digit", "digit", "percent", "pattern-separator"} {
			if _, err := formatNumber(n, a, map[string]string{name: b}); err != nil && strings.HasPrefix(err.Error(), ":") {
				t.Errorf("an error without code for %q", a)
			}
		}
	})
}
