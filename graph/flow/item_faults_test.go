package flow_test

import (
	"strings"
	"testing"
)

// itemsGraph passes EXPR of each of the ITEMS to a tool of the file, which has the argument as PROPERTY.
const itemsGraph = `server: {name: s, version: "1"}
tools:
- name: t
  inputSchema: {type: object, properties: {list: {type: array, items: {type: object, properties: {name: {type: string}, range: {type: string}, kind: {type: string, default: any}}, required: [name], additionalProperties: false}}, more: {type: array, items: {type: object}}}, required: [list]}
  nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: graph, tool: one, forEach: {items: 'ITEMS'}, args: {range: {expr: 'EXPR'}}, ONERROR next: exit}
  - {id: exit, type: exit}
- name: one
  hidden: true
  inputSchema: {type: object, properties: {range: PROPERTY}, required: [range]}
  nodes: [{id: entry, type: entry, next: v}, {id: v, type: transform, transform: {expr: '$.entry.range & "!"'}, next: exit}, {id: exit, type: exit}]
`

// A field that an item may lack is no value for a required argument.
func TestOptionalFieldOfItem(t *testing.T) {
	const list, text = `$.entry.list`, `{type: string}`
	for _, c := range []struct{ items, expr, onError, property, want string }{
		{list, `$item.range`, ``, text, `7:96: warning: argument "range" of tool "one" is required, and $item.range may be missing; give a default: … ?? value; or require it in the schema of the items [maybe-missing]`},
		{list, `$item.range`, `onError: {codes: [timeout]},`, text, `$item.range may be missing`},
		{list, `$item.range`, `onError: {codes: [invalid-arguments]},`, text, ""},
		{list, `$item.name`, ``, text, ""},
		{list, `$item.kind`, ``, text, ""},
		{list, `$item.range ?? "*"`, ``, text, ""},
		{list, `$item.range`, ``, `{type: string, default: "*"}`, ""},
		{`$.entry.more`, `$item.range`, ``, text, ""}, // of which nothing is known, and none when there is no list
		{`$.entry.list[$exists(range)]`, `$item.range`, ``, text, ""},
	} {
		got := checkFile(t, strings.NewReplacer("ITEMS", c.items, "EXPR", c.expr, "ONERROR", c.onError, "PROPERTY", c.property).Replace(itemsGraph), nil).Error()
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s, %s, %s, %s: found\n%s\nexpected\n%s", c.items, c.expr, c.onError, c.property, got, c.want)
		}
	}
}
