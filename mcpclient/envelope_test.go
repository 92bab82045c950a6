package mcpclient

import (
	"bytes"
	"encoding/json"
	"testing"
)

// What encoding/json takes for an object must be split the same way; beyond that
// nothing may panic or read past the end.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{
		`{}`, ` {"a" : 1 , "b":[1,{"c":"}"}],"d":"\"\\"} `, `{"a":1,}`, `{"a"}`, `{"a":}`, `{"a":1 2}`, `{"a":"x`, `[1]`, `{"\u0061":1}`, `{"a":{"b":[`, `{"a":]}`, ``,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		got := map[string][]byte{}
		err := members(src, func(name, value []byte) {
			var plain string
			if json.Unmarshal([]byte(`"`+string(name)+`"`), &plain) == nil {
				got[plain] = value
			}
		})
		var want map[string]json.RawMessage
		if json.Unmarshal(src, &want) != nil || bytes.Equal(bytes.TrimSpace(src), []byte("null")) {
			return
		}
		if err != nil || len(got) != len(want) {
			t.Fatalf("%q: %v, %q", src, err, got)
		}
		for name, value := range want {
			if !bytes.Equal(got[name], value) {
				t.Errorf("%q: %q is %q, want %q", src, name, got[name], value)
			}
		}
	})
}

func FuzzElements(f *testing.F) {
	for _, s := range []string{`[]`, ` [1 , "a,]" ,{"b":[2]}] `, `[1,]`, `[,]`, `[1 2]`, `[`, `{}`, `["\"]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		var got [][]byte
		err := elements(src, func(value []byte) { got = append(got, value) })
		var want []json.RawMessage
		if json.Unmarshal(src, &want) != nil || want == nil {
			return
		}
		if err != nil || len(got) != len(want) {
			t.Fatalf("%q: %v, %q", src, err, got)
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Errorf("%q: %q, want %q", src, got[i], want[i])
			}
		}
	})
}
