package flow_test

import (
	"strings"
	"testing"
)

// Values that may be null, or are missing and never null, in a tool of steps that returns EXPR.
func TestNullOrMissing(t *testing.T) {
	const source = `server: {name: s, version: "1"}
tools:
- name: t
  inputSchema: {type: object, properties: {next: {type: string}, avg: {type: [number, "null"]}, list: {type: array, items: {type: object, properties: {due: {type: string}}}}}, required: [avg, list]}
  outputSchema: {type: object, properties: {v: {}, rows: {type: array, items: {type: object, properties: {due: {type: string}}}}}}
  steps:
  - {id: x, expr: '1'}
  - {id: byKey, each: args.list, key: $index, expr: '{"size": $index, "own": x}'}
  return: 'EXPR'
`
	for _, c := range []struct{ expr, want string }{
		{`{"v": byKey.* = null or args.next = null}`, `args.next is string or missing and never null: a missing value is not equal to null; write $not($exists(args.next)) [constant-condition]`},
		{`{"v": [byKey, null = args.next]}`, `args.next is string or missing and never null`},
		{`{"v": [byKey, args.next != null]}`, ""},
		{`{"v": [byKey, $exists(args.next) and args.next = null]}`, ""},
		{`{"v": [byKey, args.avg = null]}`, ""},
		{`{"v": [byKey, args.avg / 24]}`, `args.avg may be null, and the operator / takes numbers; test it first: $type(args.avg) = … and … [wrong-operand]`},
		{`{"v": [byKey, 1 + args.avg]}`, `args.avg may be null, and the operator + takes numbers`},
		{`{"v": [byKey, args.avg ? args.avg / 24 : 0]}`, ""},
		{`{"v": [byKey, args.avg != null ? args.avg / 24 : 0]}`, ""},
		{`{"v": byKey, "rows": [args.list.{"due": due ?? null}]}`, `"rows[].due" of the result: expected string by outputSchema of tool "t", but this alternative gives null`},
		{`{"v": byKey, "rows": [args.list.{"due": $exists(due) ? due : null}]}`, `but this alternative gives null`},
		{`{"v": byKey, "rows": [args.list.{"due": due ?? ""}]}`, ""},
		{`{"v": byKey.size}`, `byKey is an object by key, whose values have the field "size"; read that of each value: byKey.*.size; or of one: $lookup(byKey, key).size`},
		{`{"v": byKey.*.size}`, ""},
		{`{"v": $lookup(byKey, "0").size}`, ""},
	} {
		got := checkFile(t, strings.NewReplacer("EXPR", c.expr).Replace(source), nil).Error()
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: found\n%s\nexpected\n%s", c.expr, got, c.want)
		}
	}
}
