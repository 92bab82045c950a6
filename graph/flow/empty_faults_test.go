package flow_test

import (
	"strings"
	"testing"
)

// emptyGraph makes its result, EXPR, of lists that may be empty, and of "some", which is not; BEFORE is what the node before it gives.
const emptyGraph = `server: {name: s, version: "1"}
tools:
- name: t
  inputSchema:
    type: object
    properties:
      list: {type: array, items: {type: object, properties: {text: {type: string}, size: {type: number}}, required: [text, size]}}
      some: {type: array, minItems: 1, items: {type: object, properties: {text: {type: string}, size: {type: number}}, required: [text, size]}}
      numbers: {type: array, items: {type: number}}
      on: {type: boolean}
    required: [list, some, numbers, on]
  outputSchema: {type: object, properties: {n: {type: number}, s: {type: string}, o: {type: number}}, required: [n, s]}
  nodes:
  - {id: entry, type: entry, next: pre}
  - {id: pre, type: transform, transform: {expr: 'BEFORE'}, next: ask}
  - {id: ask, type: switch, conditions: [{rule: RULE, next: other}], next: v}
  - {id: other, type: transform, transform: {expr: '{"n": 1, "s": $string($.pre)}'}, next: exit}
  - {id: v, type: transform, transform: {expr: 'EXPR'}, next: exit}
  - {id: exit, type: exit}
`

// A path over an empty list has no value, and neither has what $sum and others make of it.
func TestListsThatMayBeEmpty(t *testing.T) {
	const rule = `{var: $.entry.on}`
	for _, c := range []struct{ before, expr, want string }{
		{"1", `{"n": $sum($.entry.list.size), "s": ""}`, `$sum($.entry.list.size) is missing when $.entry.list.size finds nothing, and outputSchema requires "n" in the result; provide a default: … ?? value [maybe-missing]`},
		{"1", `{"n": 1, "s": $join($.entry.list.text, ", ")}`, `$join($.entry.list.text, ", ") is missing when $.entry.list.text finds nothing`},
		{"1", `{"n": 1, "s": $uppercase($join($.entry.some[size > 3].text))}`, `$join($.entry.some[size > 3].text) is missing when`},
		{"1", `($sizes := $.entry.list.size; {"n": $sum($sizes), "s": ""})`, `$sum($sizes) is missing when $sizes finds nothing`},
		{"1", `{"n": $sum($map($.entry.list, function($l) { $l.size * 2 })), "s": ""}`, `is missing when`},
		{"1", `{"n": $reduce($.entry.numbers, function($a, $b) { $a + $b }), "s": ""}`, `is missing when the list is empty`},
		{"1", `{"n": $average([]), "s": ""}`, `the result has no "n", which outputSchema of tool "t" requires (number)`},
		{"$sum($.entry.list.size)", `{"n": $.pre, "s": ""}`, `15:51: warning: "n" of the result is required, and $sum($.entry.list.size) is missing when its list is empty (outputSchema of tool "t"); give a default: … ?? value [maybe-missing]`},
		{`{"most": $max($.entry.numbers)}`, `{"n": $.pre.most, "s": ""}`, `"n" of the result is required, and $max($.entry.numbers) is missing when its list is empty`},
		{"1", `{"n": $sum($.entry.numbers), "s": $join($.entry.some.text)}`, ""},
		{"1", `{"n": $sum($.entry.some.size), "s": $join([$.entry.list.text], ", ")}`, ""},
		{"1", `{"n": $sum($.entry.list.size) ?? 0, "s": "", "o": $sum($.entry.list.size)}`, ""},
		{"1", `{"n": $count($.entry.list) > 0 ? $sum($.entry.list.size) : 0, "s": ""}`, ""},
		{"1", `{"n": $exists($.entry.list.size) ? $sum($.entry.list.size) : 0, "s": $.entry.list ? $join($.entry.list.text) : ""}`, ""},
		{"1", `($sizes := $.entry.list.size; {"n": $sizes ? $sum($sizes) : 0, "s": ""})`, ""},
		{"1", `{"n": $reduce($.entry.numbers, function($a, $b) { $a + $b }, 0), "s": ""}`, ""},
		{"1", `{"n": $average([1, 2]), "s": ""}`, ""},
		{"$sum($.entry.list.size)", `{"n": $.pre ?? 0, "s": ""}`, ""},
		{"$sum([$.entry.list.size])", `{"n": $.pre, "s": ""}`, ""},
		{"$sum($.entry.some.size)", `{"n": $.pre, "s": ""}`, ""},
	} {
		got := checkFile(t, strings.NewReplacer("RULE", rule, "BEFORE", c.before, "EXPR", c.expr).Replace(emptyGraph), nil).Error()
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s, %s: found\n%s\nexpected\n%s", c.before, c.expr, got, c.want)
		}
	}
	asked := strings.NewReplacer("RULE", `{"!": [{var: $.entry.list}]}`, "BEFORE", "$sum($.entry.list.size)", "EXPR", `{"n": $.pre, "s": $join($.entry.list.text)}`).Replace(emptyGraph)
	if found := checkFile(t, asked, nil); len(found) > 0 {
		t.Errorf("a switch asks for the list, and found %v", found)
	}
}
