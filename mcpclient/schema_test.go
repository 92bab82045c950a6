package mcpclient

import (
	"fmt"
	"strings"
	"testing"
)

// doubling is a schema of which each part wants the next one twice.
func doubling(n int, refer string) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{%s},`, i, strings.ReplaceAll(refer, "NEXT", fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)))
	}
	fmt.Fprintf(&b, `"d%d":{"maxProperties":9}}}`, n)
	return b.String()
}

// A validation by such a schema comes to an end.
func TestSchemasThatDouble(t *testing.T) {
	for _, refer := range []string{`"allOf":[NEXT,NEXT]`, `"anyOf":[NEXT,{"not":NEXT}]`, `"if":NEXT,"then":NEXT,"else":NEXT`} {
		w, p := strict(t, nil)
		w.offer(`{"tools":[{"name":"echo","inputSchema":` + doubling(60, refer) + `}]}`)
		if _, err := call(p, "echo", `{"n":1}`); err != nil {
			t.Errorf("%s: %v", refer, err)
		}
	}
}
