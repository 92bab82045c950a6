package server

import (
	"strings"
	"testing"
)

func TestTraceContextReachesTheRun(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Tools = []Tool{toolOf(t, "trace", "", "")} })
	h := connect(t, b.server).handshake()
	for meta, want := range map[string]string{
		`{}`:                   `null`,
		`{"tracestate":"a=1"}`: `null`,
		`{"traceparent":5}`:    `null`,
		`{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","tracestate":"a=1","baggage":"k=v"}`: `{"baggage":"k=v",` +
			`"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","tracestate":"a=1"}`,
	} {
		h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"trace","_meta":` + meta + `}}`)
		if got := h.next(); !strings.Contains(got, strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("%s: no %s in %s", meta, want, got)
		}
	}
}
