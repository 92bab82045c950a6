package value_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"toolgraph/expressions/value"
)

// Skip ends where the value does, of whatever kind it is, and reports what has no end.
func TestSkip(t *testing.T) {
	for _, src := range []string{`1`, `-1.5e3`, `true`, `null`, `""`, `"a\"b\\"`, `"\\\\"`, `[]`, `[1,[2,{"a":"]"}],"}"]`, `{"a":{"b":[1 , 2]},"c":"\"}"}`} {
		for _, after := range []string{"", ",2", " ", "]", "}"} {
			s := value.NewScanner([]byte("  " + src + after))
			raw, err := s.Skip()
			if err != nil || string(raw) != src || s.Pos() != 2+len(src) {
				t.Errorf("%s%s: %s, %v, at %d", src, after, raw, err, s.Pos())
			}
		}
	}
	for _, src := range []string{``, `"`, `"a\"`, `[`, `[1`, `{"a":`, `]`, `}`, `,`, `:`, `[1,"]`} {
		s := value.NewScanner([]byte(src))
		if raw, err := s.Skip(); err == nil {
			t.Errorf("%s: passed %s", src, raw)
		}
	}
}

func FuzzSkip(f *testing.F) {
	for _, src := range []string{`{"a":[1,"\"",{}]}`, `[[[]]]`, `"\\"`, ` 1`, strings.Repeat("[", 100)} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s := value.NewScanner(src)
		raw, err := s.Skip()
		if !json.Valid(src) {
			return
		}
		if want := bytes.Trim(src, " \t\r\n"); err != nil || !bytes.Equal(raw, want) {
			t.Fatalf("%q: passed %q, want %q: %v", src, raw, want, err)
		}
	})
}
