package config

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/internal/base/cost"
)

func TestY01AliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9), ","))
	}
	cost.Below(t, 256<<10, func() { want(t, b.String(), "too many aliases") })
}

func TestY02LargeAnchorInArgs(t *testing.T) {
	list := "x-list: &list [" + strings.TrimSuffix(strings.Repeat("1,", 5000), ",") + "]\n"
	src := list + withArgs("{x: ["+strings.TrimSuffix(strings.Repeat("*list,", 2000), ",")+"]}")
	cost.Below(t, 8<<20, func() { want(t, src, "more than 50000 values;") })
}

func TestY03LongAnchor(t *testing.T) {
	src := "x-long: &long " + strings.Repeat("x", 1<<20-10_000) + "\nx-list: [" + strings.TrimSuffix(strings.Repeat("*long,", 1000), ",") + "]\n" + head
	cost.Below(t, 20<<20, func() { want(t, src, "longer than 4 MiB") })
}

func TestY03LongValuesOfVariables(t *testing.T) {
	src := head + "mcpServers: {s: {command: x, args: [\"" + strings.Repeat("${LONG}", 1000) + "\"]}}\n"
	_, err := Parse("g.yaml", []byte(src), Options{LookupEnv: environment("LONG", strings.Repeat("x", 10_000))})
	if err == nil || !strings.Contains(err.Error(), "make the file longer than 4 MiB") {
		t.Error(err)
	}
}

func TestY04MergeChain(t *testing.T) {
	var b strings.Builder
	b.WriteString("x-m:\n  - &m0 {k: 1}\n")
	for i := 1; i < 2000; i++ {
		fmt.Fprintf(&b, "  - &m%d {<<: *m%d}\n", i, i-1)
	}
	cost.Below(t, 4<<20, func() { want(t, b.String()+head, "nested deeper than 64 levels, aliases written out") })
}

func TestY04MergesOfManyKeys(t *testing.T) {
	var b strings.Builder
	b.WriteString("x-m: &m {")
	for i := range 900 {
		fmt.Fprintf(&b, "k%d: 1,", i)
	}
	b.WriteString("}\nx-list:\n" + strings.Repeat("  - {<<: *m}\n", 20_000))
	cost.Below(t, 100<<20, func() { want(t, b.String()+head, "too many aliases") })
}

func TestY05AliasInItself(t *testing.T) {
	want(t, "a: &a [*a]\n", "g.yaml:1:8: the alias *a is inside the value that it names, so the value contains itself")
	want(t, "a: &a {<<: *a}\n", "contains itself")
	want(t, "a: &a {b: {c: *a}}\n", "contains itself")
}

func TestY06ManyKeys(t *testing.T) {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "k%d:\n", i)
	}
	src := b.String()
	cost.Below(t, 200<<20, func() { want(t, src, "g.yaml:1001:1: the mapping has more than 1000 keys") })
}

func TestY06ManyKeysByMerges(t *testing.T) {
	merged := func(n int) string {
		return head + "x-a: &a {" + inFlow(n, "a%d: 1,") + "}\nx-b: {" + inFlow(n, "b%d: 1,") + ", <<: *a}\n"
	}
	want(t, merged(500))
	want(t, merged(501), "the mapping has more than 1000 keys, those of << included")
}

func TestAliasesAndMerges(t *testing.T) {
	f := mustParse(t, "x-base: &base {type: object, required: [a]}\nx-text: &text hello\n"+head+`
tools:
  - name: t
    description: *text
    inputSchema:
      <<: *base
      required: [b]
    outputSchema: {<<: [*base, {title: T, type: array}]}
    nodes: []
`)
	tool := f.Tools[0]
	if tool.Description.Value != "hello" || tool.Description.Pos.Line != 2 {
		t.Errorf("description %v", tool.Description)
	}
	if got := string(tool.InputSchema.JSON()); got != `{"required":["b"],"type":"object"}` {
		t.Errorf("input schema %s", got)
	}
	if got := string(tool.OutputSchema.JSON()); got != `{"type":"object","required":["a"],"title":"T"}` {
		t.Errorf("output schema %s", got)
	}
	want(t, head+"x-a: {<<: 1}\n", "g.yaml:3:11: the value of << is the number 1, expected an alias of a mapping")
}
