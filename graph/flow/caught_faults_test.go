package flow_test

import (
	"strings"
	"testing"
)

// caughtGraph has a forEach whose onError gives an item for each that fails: ONERROR. Its result is EXPR.
const caughtGraph = `server: {name: s, version: "1"}
tools:
- name: t
  inputSchema: {type: object, properties: {ids: {type: array, items: {type: string}}}, required: [ids]}
  outputSchema: {type: object, properties: {v: {}, total: {type: number}, l: {type: array, items: {type: object, properties: {n: {type: string}}, required: [n]}}}, required: [v]}
  nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: graph, tool: u, forEach: {items: $.entry.ids}, args: {id: {expr: $item}}, onError: ONERROR, next: v}
  - {id: v, type: transform, transform: {expr: 'EXPR'}, next: exit}
  - {id: exit, type: exit}
- name: u
  inputSchema: {type: object, properties: {id: {type: string}}, required: [id]}
  outputSchema: {type: object, properties: {name: {type: string}, size: {type: number}}, required: [name, size]}
  nodes:
  - {id: entry, type: entry, next: v}
  - {id: v, type: transform, transform: {expr: '{"name": $.entry.id, "size": 1}'}, next: exit}
  - {id: exit, type: exit}
`

// What reads the items of a forEach as if none had failed is found, also behind a variable or a function; what leaves them out, or has a default,
// is not.
func TestItemsThatHaveFailed(t *testing.T) {
	for _, c := range []struct{ onError, expr, want string }{
		{`{}`, `{"v": $.each.name}`, `9:55: warning: when every item of "each" fails, its onError gives {error: object}: $.each.name is missing, and outputSchema of tool "t" requires "v" in the result; give a default: … ?? value; or give onError a value that fits [maybe-missing]`},
		{`{value: null}`, `($good := $.each; {"v": $sum($good.size)})`, `9:73: warning: when every item of "each" fails, its onError gives null: $sum($good.size) is missing, and outputSchema of tool "t" requires "v" in the result; give a default: … ?? value; or give onError a value that fits [maybe-missing]`},
		{`{}`, `{"v": $sum($map($.each, function($e) { $e.size * 2 }))}`, `when every item of "each" fails`},
		{`{}`, `{"v": 1, "l": [$map($.each, function($e) { {"n": $e.name} })]}`, `9:98: warning: when an item of "each" fails, its onError gives {error: object}: $e.name is missing, and outputSchema of tool "t" requires "l[].n" in the result; take the others alone: $.each[$not($exists(error))]; or give onError a value that fits [maybe-missing]`},
		{`{value: null}`, `($good := $.each; {"v": 1, "l": [$good.{"n": name}]})`, `9:94: warning: when an item of "each" fails, its onError gives null: name is missing, and outputSchema of tool "t" requires "l[].n" in the result; give onError a value that fits, or check the items first [maybe-missing]`},
		{`{value: null}`, `($good := $.each; {"v": 1, "l": [$map($good, function($e) { {"n": $uppercase($e.name)} })]})`, `when an item of "each" fails`},
		{`{}`, `{"v": [$.each.name], "total": $sum($.each.size)}`, ""},
		{`{}`, `{"v": $sum($.each.size) ?? 0}`, ""},
		{`{}`, `($good := $.each[$not($exists(error))]; {"v": 1, "l": [$good.{"n": name}]})`, ""},
		{`{value: null}`, `($good := $.each[$ != null]; {"v": 1, "l": [$good.{"n": name}]})`, ""},
		{`{value: null}`, `($good := $filter($.each, function($e) { $exists($e.name) }); {"v": 1, "l": [$good.{"n": name}]})`, ""},
		{`{}`, `{"v": 1, "l": [$map($.each, function($e) { {"n": $e.name ?? "?"} })]}`, ""},
		{`{}`, `{"v": 1, "l": [$map($.each, function($e) { $exists($e.error) ? {"n": "?"} : {"n": $e.name} })]}`, ""},
		{`{value: {name: "?", size: 0}}`, `{"v": 1, "total": $sum($.each.size), "l": [$.each.{"n": name}]}`, ""},
	} {
		got := checkFile(t, strings.NewReplacer("ONERROR", c.onError, "EXPR", c.expr).Replace(caughtGraph), nil).Error()
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s %s: found\n%s\nexpected\n%s", c.onError, c.expr, got, c.want)
		}
	}
}
