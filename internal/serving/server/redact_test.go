package server

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"toolgraph/config"
)

// No secret leaves in a value, an error or a log, and what leaves is still JSON.
func TestSecretsStay(t *testing.T) {
	var log syncBuffer
	b := newBench(t, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	hidden := config.NewSecrets("secret-0123456789", "123456", "no such file")
	b.server.tools.Load().secrets = hidden
	h := connect(t, b.server).handshake()
	for _, c := range []struct{ call, want string }{
		{`"give","arguments":{"value":{"k":"a secret-0123456789 b"}}`, `{"content":[{"type":"text","text":"{\"k\":\"a [redacted] b\"}"}],"structuredContent":{"k":"a [redacted] b"}}`},
		{`"give","arguments":{"value":{"secret-0123456789":[1]}}`, `{"content":[{"type":"text","text":"{\"[redacted]\":[1]}"}],"structuredContent":{"[redacted]":[1]}}`},
		// Outside a string, the whole scalar goes.
		{`"give","arguments":{"value":{"n":[9123456,true,null,1.5],"s":"x123456"}}`, `{"content":[{"type":"text","text":"{\"n\":[\"[redacted]\",true,null,1.5],\"s\":\"x[redacted]\"}"}],"structuredContent":{"n":["[redacted]",true,null,1.5],"s":"x[redacted]"}}`},
		{`"fail"`, `{"content":[{"type":"text","text":"g.yaml:7:3: node \"call\" of tool \"fail\": [redacted]"}],"isError":true}`},
		{`"echo","arguments":{"msg":5,"secret-0123456789":1}`, `{"content":[{"type":"text","text":"invalid arguments: arguments.msg: expected a string, got 5\narguments.[redacted]: unknown property, expected one of count, msg"}],"isError":true}`},
	} {
		h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + c.call + `}}`)
		got := h.next()
		if !json.Valid([]byte(got)) {
			t.Errorf("no JSON: %s", got)
		}
		if want := `{"jsonrpc":"2.0","id":1,"result":` + c.want + `}`; got != want {
			t.Errorf("\ngot  %s\nwant %s", got, want)
		}
	}
	h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"secret-0123456789"}}`)
	h.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool \"[redacted]\""}}`)
	h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"panic"}}`)
	h.next()
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(log.String(), "secret-0123456789") || !strings.Contains(log.String(), "[redacted] in the text") {
		t.Errorf("the log: %s", log.String())
	}
}
