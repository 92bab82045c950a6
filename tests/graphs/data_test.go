package graphs

import (
	"fmt"
	"strings"
)

// The arguments of a run: a JSON text, key order and all.

var (
	names = []string{"hat", "Cap", "bowler hat", "é", "日本", "a😀b", "shoe", ""}
	tags  = []string{"red", "wool", "é", "new", "a b"}
	texts = []string{"the hat, red; new", "Crème brûlée", "日本 語 text", "x", "", "12.5", "a😀b c", "aaa bbb"}
)

// one of the options.
func one[T any](m maker, options ...T) T { return options[m.IntN(len(options))] }

func (m maker) list(lengths []int, item func() string) string {
	items := make([]string, one(m, lengths...))
	for i := range items {
		items[i] = item()
	}
	return "[" + strings.Join(items, ",") + "]"
}

var listLengths = []int{0, 1, 2, 4}

func (m maker) number() string {
	return one(m, "0", "1", "2", "3", "-1", "2.5", "10.25", "100", "7", "-0.5", "1e3")
}

func (m maker) item() string {
	fields := []string{
		fmt.Sprintf(`"id":%d`, 1+m.IntN(4)),
		`"name":` + quote(one(m, names...)),
		`"price":` + m.number(),
	}
	maybe := func(field string) {
		if m.IntN(5) > 0 {
			fields = append(fields, field)
		}
	}
	maybe(fmt.Sprintf(`"qty":%d`, m.IntN(5)))
	maybe(`"kind":` + quote(one(m, "a", "b", "c")))
	maybe(`"active":` + one(m, "true", "false", "null"))
	maybe(`"tags":` + m.list(listLengths, func() string { return quote(one(m, tags...)) }))
	maybe(fmt.Sprintf(`"sub":{"x":%s,"y":%s,"list":%s}`, m.number(), quote(one(m, tags...)), m.list([]int{0, 1, 2}, m.number)))
	if m.IntN(2) == 0 {
		fields = append(fields, `"note":`+one(m, "null", `""`, `"é"`, `["n"]`, "0"))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// arguments are the arguments of a run, and entryPlaces what can be in them.
func (m maker) arguments() string {
	fields := []string{
		`"n":` + m.number(), `"flag":` + one(m, "true", "false"),
		`"text":` + quote(one(m, texts...)),
		`"items":` + m.list(listLengths, m.item),
		`"nums":` + m.list(listLengths, m.number),
	}
	for _, field := range []func() string{
		func() string { return `"x":` + one(m, "null", m.number()) },
		func() string { return `"words":` + quote(one(m, "a b c", "one", "x,y; z", "")) },
		func() string { return `"tags":` + m.list(listLengths, func() string { return quote(one(m, tags...)) }) },
		func() string { return `"one":` + m.item() },
		func() string {
			return fmt.Sprintf(`"map":{"a":%s,"price":%s,"é":{"name":"in"}}`, m.number(), m.number())
		},
		func() string {
			return `"matrix":` + m.list([]int{1, 2}, func() string { return m.list(listLengths, m.number) })
		},
		func() string { return `"none":null,"empty":[],"blank":""` },
		func() string { return `"required":` + one(m, `["entry.n"]`, `["entry.n","entry.gone"]`, `[]`) },
	} {
		if m.IntN(6) > 0 {
			fields = append(fields, field())
		}
	}
	return "{" + strings.Join(fields, ",") + "}"
}

var entryPlaces = []place{
	{"entry.n", "num"},
	{"entry.flag", "bool"},
	{"entry.text", "str"},
	{"entry.items", "items"},
	{"entry.items", "items"},
	{"entry.nums", "nums"},
	{"entry.x", "num"},
	{"entry.words", "str"},
	{"entry.tags", "strs"},
	{"entry.one", "obj"},
	{"entry.map", "obj"},
	{"entry.matrix", "any"},
	{"entry.none", "any"},
	{"entry.empty", "any"},
	{"entry.gone", "any"},
	{"entry.blank", "str"},
	{"entry", "obj"},
}
