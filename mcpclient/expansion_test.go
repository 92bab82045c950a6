package mcpclient

import (
	"fmt"
	"strings"
	"testing"
	"time"
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

func TestSchemasThatNeverEndAreNotUsed(t *testing.T) {
	for _, refer := range []string{`"allOf":[NEXT,NEXT]`, `"anyOf":[NEXT,{"not":NEXT}]`, `"if":NEXT,"then":NEXT,"else":NEXT`} {
		w, p := strict(t, nil)
		w.offer(`{"tools":[{"name":"echo","inputSchema":` + doubling(60, refer) + `}]}`)
		began := time.Now()
		if _, err := call(p, "echo", `{"n":1}`); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s took %s", refer, took)
		}
	}
}

func TestExpansion(t *testing.T) {
	tree := `{"type":"object","properties":{"left":{"$ref":"#"},"right":{"$ref":"#/$defs/a~1b%20c"},"x":{"$ref":"#leaf"}},` +
		`"$defs":{"a/b c":{"$ref":"#"},"l":{"$anchor":"leaf","type":"string"}}}`
	for _, fine := range []string{tree, `true`, `{"type":"object"}`, doubling(10, `"allOf":[NEXT,NEXT]`), strictTools} {
		if err := checkExpansion([]byte(fine)); err != nil {
			t.Errorf("%.100s: %v", fine, err)
		}
	}
	for _, wide := range []string{doubling(30, `"allOf":[NEXT,NEXT]`), `{"$ref":"other.json"}`, `{"$ref":"#/nowhere"}`, `{"$ref":"#nowhere"}`, `{`} {
		if err := checkExpansion([]byte(wide)); err == nil {
			t.Errorf("%.100s passes", wide)
		}
	}
}
