package server

import (
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// A text item has its details as far as they are valid, and without secrets.
func TestDetailsOfAnItem(t *testing.T) {
	c := &call{from: &catalog{secrets: config.NewSecrets("hunter2-hunter2", "0.62500001")}}
	for _, x := range []struct{ details, want string }{
		{
			`{"annotations":{"audience":["user","assistant"],"priority":0.5,"lastModified":"2026-01-02T03:04:05Z"}}`,
			`,"annotations":{"audience":["user","assistant"],"priority":0.5,"lastModified":"2026-01-02T03:04:05Z"}`,
		},
		{`{"annotations":{"audience":[],"priority":0}}`, `,"annotations":{"audience":[],"priority":0}`},
		{`{"annotations":{"audience":"user","priority":1}}`, `,"annotations":{"priority":1}`},
		{`{"annotations":{"audience":["user","root"],"priority":1}}`, `,"annotations":{"priority":1}`},
		{`{"annotations":{"audience":["user",1],"priority":1}}`, `,"annotations":{"priority":1}`},
		{`{"annotations":{"priority":"high","audience":["user"]}}`, `,"annotations":{"audience":["user"]}`},
		{`{"annotations":{"priority":1.5}}`, ``},
		{`{"annotations":{"priority":-1}}`, ``},
		{`{"annotations":{"priority":99999999999999999999}}`, ``},
		{`{"annotations":{"priority":null,"audience":null,"lastModified":null}}`, ``},
		{`{"annotations":{"lastModified":"yesterday"}}`, ``},
		{`{"annotations":{"lastModified":7}}`, ``},
		{`{"annotations":{"other":1}}`, ``},
		{`{"annotations":{},"_meta":{}}`, ``},
		{`{"_meta":{"z":[9007199254740993,"\u001b[2J\n"],"a":null}}`, `,"_meta":{"z":[9007199254740993,"\u001b[2J\n"],"a":null}`},
		{`{"_meta":{"hunter2-hunter2":"a hunter2-hunter2"}}`, `,"_meta":{"[redacted]":"a [redacted]"}`},
		{`{"annotations":{"priority":0.62500001,"lastModified":"hunter2-hunter2"},"_meta":{"a":0.62500001}}`, `,"_meta":{"a":"[redacted]"}`},
	} {
		v, err := value.Decode([]byte(x.details))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(appendDetails(nil, c, v)); got != x.want {
			t.Errorf("%s:\ngot  %s\nwant %s", x.details, got, x.want)
		}
	}
}

// The items that details belong to are sent as items; the form of all other results is as always.
func TestItemsWithDetails(t *testing.T) {
	const detail, image = `{"_meta":{"a":1}}`, `{"type":"image","data":"aGk=","mimeType":"image/png"}`
	for _, x := range []struct{ schema, value, details, want string }{
		{"", `"x"`, `[` + detail + `]`, `[{"type":"text","text":"\"x\"","_meta":{"a":1}}]`},
		{"", `{"b":1}`, `[` + detail + `]`, `[{"type":"text","text":"{\"b\":1}","_meta":{"a":1}}],"structuredContent":{"b":1}`},
		{"", `["x"]`, `[` + detail + `]`, `[{"type":"text","text":"[\"x\"]","_meta":{"a":1}}]`},
		{"", `["x",{"b":1}]`, `[` + detail + `,` + detail + `]`, `[{"type":"text","text":"x","_meta":{"a":1}},{"type":"text","text":"{\"b\":1}","_meta":{"a":1}}]`},
		{"", `["x","y"]`, `[null,` + detail + `]`, `[{"type":"text","text":"x"},{"type":"text","text":"y","_meta":{"a":1}}]`},
		{"", `["x","y"]`, `[` + detail + `]`, `[{"type":"text","text":"[\"x\",\"y\"]","_meta":{"a":1}}]`},
		{"", `["x","y"]`, `[]`, `[{"type":"text","text":"[\"x\",\"y\"]"}]`},
		{"", `[` + image + `,"y"]`, `[null,` + detail + `]`, `[` + image + `,{"type":"text","text":"y","_meta":{"a":1}}]`},
		{"", `[` + image + `,"y"]`, `[` + detail + `]`, `[` + image + `,{"type":"text","text":"y"}]`},
		{"", image, `[` + detail + `]`, `[` + image + `]`},
		{`{"type":"string"}`, `"x"`, `[` + detail + `]`, `[{"type":"text","text":"\"x\""}],"structuredContent":{"result":"x"}`},
		{`{"type":"array"}`, `["x","y"]`, `[` + detail + `,` + detail + `]`, `[{"type":"text","text":"[\"x\",\"y\"]"}],"structuredContent":{"result":["x","y"]}`},
	} {
		b := newBench(t, func(o *Options) { o.Tools = []Tool{toolOf(t, "give", "", x.schema)} })
		v, err := value.Decode([]byte(x.value))
		if err != nil {
			t.Fatal(err)
		}
		details, err := value.Decode([]byte(x.details))
		if err != nil {
			t.Fatal(err)
		}
		a := Answer{Value: v, Details: details.([]value.Value)}
		for i, d := range a.Details {
			if d == value.Null {
				a.Details[i] = nil
			}
		}
		all := b.server.tools.Load()
		c := &call{from: all, tool: all.byName["give"]}
		got := string(b.server.appendValue(t.Context(), nil, []byte("1"), c, a, false))
		if want := `{"jsonrpc":"2.0","id":1,"result":{"content":` + x.want + "}}\n"; got != want {
			t.Errorf("%s with %s:\ngot  %swant %s", x.value, x.details, got, want)
		}
		if strings.Contains(got, `"_meta":null`) {
			t.Error(got)
		}
	}
}
