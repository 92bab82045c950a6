package mcpgraph

import (
	"fmt"
	"strings"
)

var (
	names = []string{"hat", "Cap", "bowler hat", "é", "shoe"}
	tags  = []string{"red", "wool", "new"}
	texts = []string{"the hat, red; new", "Crème brûlée", "x", "", "12.5", "aaa bbb", "red"}
)

func (m *maker) list(item func() string) string {
	items := make([]string, one(m, 0, 1, 2, 4))
	for i := range items {
		items[i] = item()
	}
	return "[" + strings.Join(items, ",") + "]"
}

func (m *maker) number() string { return one(m, "0", "1", "2", "3", "-1", "2.5", "10.25", "100") }

func (m *maker) item() string {
	fields := []string{
		fmt.Sprintf(`"id":%d`, 1+m.IntN(4)), `"name":` + quote(one(m, names...)), `"price":` + m.number(),
	}
	for _, field := range []string{
		fmt.Sprintf(`"qty":%d`, m.IntN(5)), `"kind":` + quote(one(m, "a", "b")), `"active":` + one(m, "true", "false", "null"),
		`"tags":` + m.list(func() string { return quote(one(m, tags...)) }), `"sub":{"x":` + m.number() + `,"y":"z"}`,
	} {
		if m.IntN(5) > 0 {
			fields = append(fields, field)
		}
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// arguments are the arguments of a call.
func (m *maker) arguments() string {
	fields := []string{
		`"n":` + m.number(), `"flag":` + one(m, "true", "false"), `"text":` + quote(one(m, texts...)),
		`"items":` + m.list(m.item), `"nums":` + m.list(m.number), `"one":` + m.item(),
		`"words":` + m.list(func() string { return quote(one(m, tags...)) }),
		`"none":null,"empty":[]`,
		`"single":{"a":1},"negation":{"!":[true]},"wanted":{"var":"entry.n"}`,
	}
	if m.IntN(8) == 0 {
		fields = append(fields, `"big":9007199254740993`)
	}
	if m.IntN(3) > 0 {
		fields = append(fields, `"x":`+one(m, "null", m.number()))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// entryPlaces are what an expression can read in the arguments; x is not always there.
var entryPlaces = []place{
	{"entry.n", "num"},
	{"entry.x", "num"},
	{"entry.one.price", "num"},
	{"entry.flag", "bool"},
	{"entry.text", "str"},
	{"entry.one.name", "str"},
	{"entry.nums", "nums"},
	{"entry.words", "strs"},
	{"entry.one.tags", "strs"},
	{"entry.one", "obj"},
	{"entry.single", "obj"},
}

// inputSchema declares what a wrong argument violates, and a default.
func (s *sample) inputSchema() string {
	page := ""
	if s.defaults {
		page = `,"page":{"type":"number","default":7}`
	}
	return `{"type":"object","properties":{"n":{"type":"number"},"text":{"type":"string"}` + page + `},"required":["n"]}`
}
