package mcpclient

import (
	"strings"
	"testing"

	"toolgraph/expressions"
)

func TestValueOfACall(t *testing.T) {
	for _, c := range []struct{ name, result, want string }{
		{"structured wins", `{"content":[{"type":"text","text":"no"}],"structuredContent":{"b":1,"a":[2]}}`, `{"b":1,"a":[2]}`},
		{"structured array", `{"structuredContent":[1]}`, `[1]`},
		{"null structured", `{"structuredContent":null,"content":[{"type":"text","text":"7"}]}`, `7`},
		{"one JSON text", `{"content":[{"type":"text","text":" {\"z\":1,\"a\":2}\n"}]}`, `{"z":1,"a":2}`},
		{"one plain text", `{"content":[{"type":"text","text":"hello"}]}`, `"hello"`},
		{"one almost JSON text", `{"content":[{"type":"text","text":"12 apples"}]}`, `"12 apples"`},
		{"empty text", `{"content":[{"type":"text","text":""}]}`, `""`},
		{"JSON null text", `{"content":[{"type":"text","text":"null"}]}`, `null`},
		{"string text", `{"content":[{"type":"text","text":"\"quoted\""}]}`, `"quoted"`},
		{"several", `{"content":[{"type":"text","text":"1"},{"type":"text","text":"x"}]}`, `[1,"x"]`},
		{"one image", `{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}`, `[{"type":"image","data":"aGk=","mimeType":"image/png"}]`},
		{"unknown type", `{"content":[{"type":"hologram","planes":[1]}]}`, `[{"type":"hologram","planes":[1]}]`},
		{"text without text", `{"content":[{"type":"text"}]}`, `[{"type":"text"}]`},
		{"empty", `{"content":[]}`, `[]`},
		{"missing", `{}`, `[]`},
		{"big integer", `{"structuredContent":{"n":9007199254740993}}`, `{"n":9007199254740993}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := readResult([]byte(c.result))
			if err != nil {
				t.Fatal(err)
			}
			got, err := expressions.Encode(r.value)
			if err != nil || string(got) != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
		})
	}
}

func TestFailedResult(t *testing.T) {
	for _, c := range []struct{ result, want string }{
		{`{"isError":true,"content":[{"type":"text","text":"disk full"},{"type":"text","text":"try later"}]}`, "disk full\ntry later"},
		{`{"isError":true,"structuredContent":{"code":5}}`, `{"code":5}`},
		{`{"isError":true,"content":[]}`, "the tool failed and did not say why"},
		{`{"isError":true,"content":"odd"}`, "the tool failed and did not say why"},
	} {
		r, err := readResult([]byte(c.result))
		if err != nil || !r.failed || r.text != c.want {
			t.Errorf("%s: got %+v, %v", c.result, r, err)
		}
	}
	long := `{"isError":true,"content":[{"type":"text","text":"` + strings.Repeat("é", 1<<20) + `"}]}`
	if r, err := readResult([]byte(long)); err != nil || len(r.text) > 17<<10 {
		t.Errorf("a text of a megabyte was kept: %d bytes, %v", len(r.text), err)
	}
}

func TestNoResult(t *testing.T) {
	for _, raw := range []string{``, `null`, `[]`, `"x"`, `{"content":5}`, `{"structuredContent":{"a":}}`, `{"content":[{"type":}]}`} {
		if r, err := readResult([]byte(raw)); err == nil {
			t.Errorf("%s: got %+v, want an error", raw, r)
		}
	}
}
