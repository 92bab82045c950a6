package mcpclient

import (
	"strings"
	"testing"

	"toolgraph/expressions/value"
)

// A result has the details of its text items in the order of the items, as far as they are objects and
// not too long together. The value does not depend on them.
func TestDetailsOfTextItems(t *testing.T) {
	long := func(n int) string { return `{"type":"text","text":"x","_meta":{"a":"` + strings.Repeat("a", n) + `"}}` }
	half := long(detailsMost / 2)
	for _, c := range []struct{ name, content, want string }{
		{"none", `{"type":"text","text":"x"}`, `nothing`},
		{"one", `{"type":"text","text":"x","_meta":{"b":1,"a":[2]},"annotations":{"priority":1}}`, `[{"annotations":{"priority":1},"_meta":{"b":1,"a":[2]}}]`},
		{"one of three", `{"type":"text","text":"x"},{"type":"text","text":"1","_meta":{"a":1}},{"type":"text","text":"y"}`, `[null,{"_meta":{"a":1}},null]`},
		{"an image has its own", `{"type":"image","data":"aGk=","mimeType":"image/png","annotations":{"priority":1}}`, `nothing`},
		{"white space", "{\"type\":\"text\",\"text\":\"x\",\"_meta\":{ \"a\" :\r\n 1}}", `[{"_meta":{"a":1}}]`},
		{"no objects", `{"type":"text","text":"x","_meta":[1],"annotations":"high"}`, `nothing`},
		{"null", `{"type":"text","text":"x","_meta":null,"annotations":null}`, `nothing`},
		{"one is no object", `{"type":"text","text":"x","_meta":7,"annotations":{}}`, `[{"annotations":{}}]`},
		{"no JSON", `{"type":"text","text":"x","_meta":{a:1}}`, `nothing`},
		{"a control character", "{\"type\":\"text\",\"text\":\"x\",\"_meta\":{\"a\":\"\x1b[2J\"}}", `nothing`},
		{"too long", long(detailsMost), `nothing`},
		{"too long together", half + `,` + half, `nothing`},
		{"too long, then short", long(1<<20) + `,{"type":"text","text":"y","_meta":{"a":1}}`, `nothing`},
		{"short, then too long", `{"type":"text","text":"y","_meta":{"a":1}},` + long(1<<20), `nothing`},
		{"too deep", `{"type":"text","text":"x","_meta":` + strings.Repeat(`{"a":`, 3000) + `1` + strings.Repeat(`}`, 3000) + `}`, `nothing`},
	} {
		r, err := readResult([]byte(`{"content":[`+c.content+`]}`), false)
		if err != nil || r.value == nil {
			t.Errorf("%s: %v, %v", c.name, r.value, err)
			continue
		}
		got := []byte("nothing")
		if r.details != nil {
			if got, err = value.Encode([]value.Value(r.details)); err != nil {
				t.Fatal(err)
			}
		}
		if string(got) != c.want {
			t.Errorf("%s: got %.200s, want %s", c.name, got, c.want)
		}
	}
	const item = `"content":[{"type":"text","text":"x","_meta":{"a":1}}]`
	for _, raw := range []string{`{` + item + `,"structuredContent":{"a":1}}`, `{` + item + `,"isError":true}`} {
		if r, err := readResult([]byte(raw), false); err != nil || r.details != nil {
			t.Errorf("%s: %v, %v; these are not details of its value", raw, r.details, err)
		}
	}
}
