package flow_test

import (
	"strings"
	"testing"
)

// kindsGraph compares by RULE and gives EXPR.
const kindsGraph = `server: {name: s, version: "1"}
tools:
- name: t
  inputSchema:
    type: object
    properties: {q: {type: string}, n: {type: integer, minimum: 0, maximum: 10}, m: {type: integer, minimum: 0, maximum: 5}, least: {type: integer, minimum: 5, maximum: 9}, on: {type: boolean}, obj: {type: object, properties: {a: {type: string}}}, list: {type: array, items: {type: string}}, any: {}}
    required: [q, n, m, least, on, obj, list]
  outputSchema: {type: object, properties: {v: {}, s: {type: string}, p: {type: integer, minimum: 0}}, required: [v]}
  nodes:
  - {id: entry, type: entry, next: ask}
  - {id: ask, type: switch, conditions: [{rule: RULE, next: other}], next: v}
  - {id: other, type: transform, transform: {expr: '{"v": 1}'}, next: exit}
  - {id: v, type: transform, transform: {expr: 'EXPR'}, next: exit}
  - {id: exit, type: exit}
`

// Values that are compared, joined, subtracted or returned as if they were of another kind, or in another range.
func TestValuesOfAnotherKind(t *testing.T) {
	const rule, expr = `{var: $.entry.on}`, `{"v": 1}`
	for _, c := range []struct{ rule, expr, want string }{
		{`{"==": [{var: $.entry.obj}, "null"]}`, expr, `$.entry.obj is never "null"; it is {a?: string} [constant-condition]`},
		{`{"!=": [{var: $.entry.list}, "null"]}`, expr, `$.entry.list is never "null"; it is array of string [constant-condition]`},
		{`{"==": [{var: $.entry.obj}, "true"]}`, expr, `$.entry.obj is never "true"`},
		{`{"==": [{var: $.entry.n}, "null"]}`, expr, `$.entry.n is never "null"`},
		{`{"==": [{var: $.entry.any}, "null"]}`, expr, ""},
		{`{"==": [{var: $.entry.list}, "a"]}`, expr, ""},
		{`{"==": [{var: $.entry.n}, "3"]}`, expr, ""},
		{rule, `{"v": $join($map($.entry.list, function($x) { $split($x, " ") }), ",")}`, `argument 1 of $join is a list of lists when there are several, expected an array of strings; put the inner lists into one first: $flatten(…) [wrong-argument]`},
		{rule, `{"v": $join($.entry.list.[$], ",")}`, `a list of lists`},
		{rule, `{"v": $join($flatten($map($.entry.list, function($x) { $split($x, " ") })), ",")}`, ""},
		{rule, `{"v": $join($.entry.list.$split($, " "), ",") ?? ""}`, ""},
		{rule, `{"v": 1, "s": $match($.entry.q, /a/)}`, `"s" of the result is {match: string, index: number, groups: array} or array of object, expected string`},
		{rule, `{"v": 1, "s": $match($.entry.q, /a/)[0].match}`, ""},
		{rule, `{"v": 1, "p": $.entry.n - 1}`, `13:63: warning: "p" of the result is $.entry.n - 1, which may be -1; expected at least 0 (outputSchema of tool "t"); take the larger of both: $max([0, …]); or test first: … > … ? … : … [output-mismatch]`},
		{rule, `($p := $.entry.n - $.entry.m; {"v": 1, "p": $p})`, `"p" of the result is $.entry.n - $.entry.m, which may be -5`},
		{rule, `{"v": 1, "p": $count($.entry.list) - 1}`, `which may be -1`},
		{rule, `{"v": 1, "p": $.entry.least - $.entry.m}`, ""},
		{rule, `{"v": 1, "p": $.entry.n > 0 ? $.entry.n - 1 : 0}`, ""},
		{rule, `{"v": $.entry.n - 1, "p": $max([$.entry.n - 1, 0])}`, ""},
		{`{">": [{var: $.entry.n}, 3]}`, `{"v": 1, "p": $.entry.n - 1}`, ""},
	} {
		got := checkFile(t, strings.NewReplacer("RULE", c.rule, "EXPR", c.expr).Replace(kindsGraph), nil).Error()
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s, %s: found\n%s\nexpected\n%s", c.rule, c.expr, got, c.want)
		}
	}
}
