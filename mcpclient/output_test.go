package mcpclient

import (
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
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
		{"one image", `{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}`, `{"type":"image","data":"aGk=","mimeType":"image/png"}`},
		{"an image and a text", `{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"text","text":"{\"a\":1}"}]}`, `[{"type":"image","data":"aGk=","mimeType":"image/png"},{"a":1}]`},
		{"unknown type", `{"content":[{"type":"hologram","planes":[1]}]}`, `{"type":"hologram","planes":[1]}`},
		{"text without text", `{"content":[{"type":"text"}]}`, `{"type":"text"}`},
		{"empty", `{"content":[]}`, `nothing`},
		{"missing", `{}`, `nothing`},
		{"null contents", `{"content":null,"structuredContent":null}`, `nothing`},
		{"big integer", `{"structuredContent":{"n":9007199254740993}}`, `{"n":9007199254740993}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := readResult([]byte(c.result), false)
			if err != nil {
				t.Fatal(err)
			}
			got, err := value.Encode(r.value)
			if r.value == nil {
				got = []byte("nothing")
			}
			if err != nil || string(got) != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
		})
	}
}

// A task is no result: it must not pass for one that is empty.
func TestTaskIsNoResult(t *testing.T) {
	if r, err := readResult([]byte(`{"task":{"taskId":"1","status":"working"}}`), false); err != nil || r.task == nil {
		t.Errorf("%+v", r)
	}
	if r, err := readResult([]byte(`{"task":{"taskId":"1"},"content":[{"type":"text","text":"1"}]}`), false); err != nil || r.value != 1.0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestFailedResult(t *testing.T) {
	secrets := notes{secrets: config.NewSecrets("hunter2-hunter2")}
	for _, c := range []struct{ result, message, structured, value string }{
		{`{"isError":true,"content":[{"type":"text","text":"disk full"},{"type":"text","text":"try later"}]}`, "disk full\ntry later", "", `["disk full","try later"]`},
		{`{"isError":true,"structuredContent":{"code":5}}`, `{"code":5}`, `{"code":5}`, `{"code":5}`},
		{
			`{"isError":true,"content":[{"type":"text","text":"disk full"}],"structuredContent":{ "free":12345678901234567890, "a":null}}`,
			"disk full\nstructuredContent: {\"free\":12345678901234567890,\"a\":null}", `{"free":12345678901234567890,"a":null}`, `{"free":12345678901234567890,"a":null}`,
		},
		{`{"isError":true,"content":[{"type":"text","text":"{\"a\": 1, \"b\": 2}"}],"structuredContent":{"b":2,"a":1}}`, `{"a": 1, "b": 2}`, `{"b":2,"a":1}`, `{"b":2,"a":1}`},
		{`{"isError":true,"content":[{"type":"text","text":"no"}],"structuredContent":null}`, "no", "", `"no"`},
		{
			`{"isError":true,"content":[{"type":"text","text":"no"}],"structuredContent":{"key":"hunter2-hunter2"}}`,
			"no\nstructuredContent: {\"key\":\"[redacted]\"}", `{"key":"[redacted]"}`, `{"key":"hunter2-hunter2"}`,
		},
		{`{"isError":true,"content":[]}`, "the tool failed without a message", "", ""},
		{`{"isError":true,"content":"odd"}`, "the tool failed without a message", "", ""},
	} {
		r, err := readResult([]byte(c.result), false)
		var got []byte
		if r.value != nil {
			got, _ = value.Encode(r.value)
		}
		if err != nil || !r.failed || string(got) != c.value {
			t.Errorf("%s: got %+v with the value %s, %v", c.result, r, got, err)
		}
		if message, structured := secrets.failed(r); message != c.message || string(structured) != c.structured {
			t.Errorf("%s\ngot  %q, %s\nwant %q, %s", c.result, message, structured, c.message, c.structured)
		}
	}
	large := `{"isError":true,"structuredContent":{"a":"` + strings.Repeat("x", mostStructured) + `"}}`
	r, err := readResult([]byte(large), false)
	if message, structured := secrets.failed(r); err != nil || structured != nil || len(message) > 17<<10 || !strings.Contains(message, "it is left out") {
		t.Errorf("a structuredContent of 64 KiB was not left out: %d and %d bytes, %v", len(structured), len(message), err)
	}
	long := `{"isError":true,"content":[{"type":"text","text":"` + strings.Repeat("é", 1<<20) + `"}]}`
	r, err = readResult([]byte(long), false)
	if message, _ := secrets.failed(r); err != nil || len(message) > 17<<10 || len(r.text) > failureRoom+len("…") {
		t.Errorf("a text of a megabyte was not left out: %d bytes of %d, %v", len(message), len(r.text), err)
	}
}

func TestNoResult(t *testing.T) {
	for _, raw := range []string{``, `null`, `[]`, `"x"`, `{"content":5}`, `{"structuredContent":{"a":}}`, `{"content":[{"type":}]}`} {
		if r, err := readResult([]byte(raw), false); err == nil {
			t.Errorf("%s: got %+v, want an error", raw, r)
		}
	}
}
