package server

import (
	"strings"
	"testing"

	"toolgraph/config"
)

// With result: text a string is the text itself; anything else is JSON all the same, and
// so is structuredContent.
func TestResultAsText(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{"", `"a \"b\"\n1"`, `{"content":[{"type":"text","text":"a \"b\"\n1"}]}`},
		{"", `"a secret-0123456789"`, `{"content":[{"type":"text","text":"a [redacted]"}]}`},
		{"", `""`, `{"content":[{"type":"text","text":""}]}`},
		{"", `1.5`, `{"content":[{"type":"text","text":"1.5"}]}`},
		{"", `null`, `{"content":[{"type":"text","text":"null"}]}`},
		{"", `["a"]`, `{"content":[{"type":"text","text":"[\"a\"]"}]}`},
		{"", `{"a":"b"}`, `{"content":[{"type":"text","text":"{\"a\":\"b\"}"}],"structuredContent":{"a":"b"}}`},
		{`{"type":"string"}`, `"a\tb"`, `{"content":[{"type":"text","text":"a\tb"}],"structuredContent":{"result":"a\tb"}}`},
	} {
		for form, want := range map[config.ResultForm]string{config.TextResult: c.want, config.JSONResult: ""} {
			b := newBench(t, func(o *Options) {
				o.Tools = []Tool{toolOf(t, "give", "", c.schema)}
				o.Tools[0].Def.Result = form
			})
			b.server.tools.Load().secrets = config.NewSecrets("secret-0123456789")
			h := connect(t, b.server).handshake()
			h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"give","arguments":{"value":` + c.value + `}}}`)
			got := h.next()
			if want != "" && got != `{"jsonrpc":"2.0","id":1,"result":`+want+`}` {
				t.Errorf("%s %s:\ngot  %s\nwant %s", form, c.value, got, want)
			}
			if quoted := strings.Contains(got, `"text":"\"`); want == "" && quoted != strings.HasPrefix(c.value, `"`) {
				t.Errorf("%s %s: got %s", form, c.value, got)
			}
			if err := h.close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
