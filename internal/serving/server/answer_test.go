package server

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
)

// What a run has used is in _meta, in both eras; bytesOut counts what a model reads once, and
// tokensSaved is never below 0.
func TestUsageInMeta(t *testing.T) {
	const era = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, c := range []struct {
		tool, value string // the value of a run of "give"
		in          int
		out, saved  string
	}{
		{"give", `{"n":1}`, 47, `7`, `10`},
		{"give", `{"n":1}`, 1, `7`, `0`},
		{"typed", `{"n":1}`, 7, `7`, `0`},
		{"listed", `["a","b"]`, 109, `9`, `25`},
		{"text", `"héllo"`, 26, `6`, `5`},
		{"give", `[{"type":"image","data":"aGk=","mimeType":"image/png"},"a"]`, 80, `80`, `0`},
		{"fail", `0`, 452, `52`, `100`},
	} {
		for _, meta := range []string{"", era} {
			b := newBench(t, func(o *Options) {
				text := toolOf(t, "text", "", "")
				text.Def.Result = config.TextResult
				o.Tools = append(o.Tools, text)
			})
			b.usage = &Usage{Run: "R<1>", Calls: 3, BytesIn: c.in, Duration: 1500 * time.Microsecond}
			h := connect(t, b.server)
			if meta == "" {
				h.handshake()
			}
			h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + c.tool + `","arguments":{"value":` + c.value + `}` +
				strings.TrimSuffix(","+meta, ",") + `}}`)
			used := `"toolgraph/run":{"id":"R<1>","calls":3,"bytesIn":` + strconv.Itoa(c.in) + `,"bytesOut":` + c.out + `,"durationMs":1,"tokensSaved":` + c.saved + `}}}}`
			want := `,"_meta":{` + used
			if meta != "" {
				want = `,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.2.3","title":"Bench"},` + used
			}
			if got := h.next(); !strings.HasSuffix(got, want) {
				t.Errorf("%s %s\ngot  %s\nwant …%s", c.tool, c.value, got, want)
			}
		}
	}
}

// A notice is sent in place of a value: its texts without secrets, then the link.
func TestNotice(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Secrets = config.NewSecrets("hunter2-hunter2") })
	b.notice = &Notice{
		Texts: []string{`it is "hunter2-hunter2"`, "second"},
		Link:  &Resource{URI: "run://1/result", Name: "a", MIMEType: "application/json", Size: 10},
	}
	b.usage = &Usage{Run: "1", Calls: 1, BytesIn: 1129}
	const link = `{"type":"resource_link","uri":"run://1/result","name":"a","mimeType":"application/json","size":10}`
	const texts = `{"type":"text","text":"it is \"[redacted]\""},{"type":"text","text":"second"}`
	h := connect(t, b.server).handshake()
	out := len(`it is "[redacted]"second`) + len(link)
	tail := `"_meta":{"toolgraph/run":{"id":"1","calls":1,"bytesIn":1129,"bytesOut":` + strconv.Itoa(out) + `,"durationMs":0,"tokensSaved":` + strconv.Itoa((1129-out)/4) + `}}}}`
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"typed","arguments":{}}}`
	h.send(call)
	h.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[` + texts + `,` + link + `],` + tail)
	b.notice.Failed = true
	h.send(call)
	h.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[` + texts + `,` + link + `],"isError":true,` + tail)
}
