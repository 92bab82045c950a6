package flow_test

import (
	"strings"
	"testing"
)

// groupsGraph has objects with fields of any name: a group by a computed key, and arguments. Its result is EXPR.
const groupsGraph = `server: {name: s, version: "1"}
tools:
- name: t
  inputSchema:
    type: object
    properties:
      list: {type: array, items: {type: object, properties: {kind: {type: string}, text: {type: string}, size: {type: number}, sort: {enum: [a, b]}}, required: [kind, text, size, sort]}}
      prices: {type: object, additionalProperties: {type: number}}
      people: {type: object, additionalProperties: {type: object, properties: {name: {type: string}}, required: [name]}}
    required: [list, prices, people]
  outputSchema:
    type: object
    properties: {lists: {type: object, additionalProperties: {type: array, items: {type: string}}}, texts: {type: object, additionalProperties: {type: string}}, numbers: {type: object, additionalProperties: {type: number}}, x: {}}
  nodes:
  - {id: entry, type: entry, next: v}
  - {id: v, type: transform, transform: {expr: 'EXPR'}, next: exit}
  - {id: exit, type: exit}
`

// Groups whose values are lists only by chance, fields of any name that are of another kind, and functions of $each that take name and value for each
// other.
func TestFieldsOfAnyName(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`{"lists": $.entry.list{kind: text}}`, `"lists.*" of the result is array of string by outputSchema of tool "t": when the expression finds one item, its value is that item and no list; write [text] [maybe-no-list]`},
		{`($by := $.entry.list{kind: text}; {"lists": $by})`, `write [text] [maybe-no-list]`},
		{`{"lists": $.entry.list{sort: text}}`, `"lists.a" of the result`},
		{`{"lists": $.entry.list{kind: [text]}}`, ""},
		{`{"lists": $.entry.list{sort: [text]}}`, ""},
		{`{"lists": $.entry.list{kind: $count(text) > 1 ? text : [text]}}`, ""},
		{`{"texts": $.entry.list{kind: $sum(size)}}`, `"texts.*" of the result is number, expected string by outputSchema`},
		{`{"texts": $.entry.prices}`, `"texts.*" of the result is number, expected string by outputSchema`},
		{`{"numbers": $.entry.list{kind: $sum(size)}}`, ""},
		{`{"numbers": $.entry.prices}`, ""},
		{`{"numbers": $.entry.list{text: size}}`, ""}, // the texts may be unique
		{`{"x": $.entry.list{kind: text}}`, ""},
		{`{"x": [$each($.entry.prices, function($n, $p) { $p * 2 })]}`, `the first parameter of the function of $each is the value, the second one the name; $n and $p are used the other way round; write function($p, $n) [wrong-argument]`},
		{`{"x": $merge($each($.entry.people, function($id, $p) { {$id: $p.name} }))}`, `write function($p, $id) [wrong-argument]`},
		{`{"x": $sift($.entry.prices, function($n, $p) { $p > 3 })}`, `the function of $sift is the value`},
		{`{"x": [$each($.entry.list{kind: size}, function($g, $all) { {"k": $uppercase($g), "n": $sum($all)} })]}`, `write function($all, $g) [wrong-argument]`},
		{`{"x": [$map($.entry.list, function($n, $l) { {"line": $n + 1, "text": $trim($l.text)} })]}`, `the first parameter of the function of $map is the item, the second one the index; $n and $l are used the other way round; write function($l, $n) [wrong-argument]`},
		{`{"x": [$filter($.entry.list, function($n, $l) { $n > 0 and $l.size > 3 })]}`, `write function($l, $n) [wrong-argument]`},
		{`($long := function($t) { $length($t) > 9 }; {"x": [$map($.entry.list.text, function($n, $t) { $long($t) ? {"line": $n + 1, "text": $trim($t)} })]})`, `write function($t, $n) [wrong-argument]`},
		{`{"x": [$map($.entry.list, function($l, $n) { {"line": $n + 1, "text": $trim($l.text)} })]}`, ""},
		{`{"x": [$map($.entry.list, function($l, $n) { {"line": $n + "a", "text": $trim($l.text)} })]}`, `"a" is string`}, // wrong either way
		{`{"x": [$filter($.entry.list, function($l, $n) { $n > 0 and $l.size > 3 })]}`, ""},
		{`{"x": [$each($.entry.prices, function($p, $n) { $n & ": " & $p * 2 })]}`, ""},
		{`{"x": [$each($.entry.prices, function($p, $n) { $p * $n })]}`, `$n is string, but the operator * takes a number`}, // wrong either way
		{`{"x": $merge($each($.entry.people, function($p, $id) { {$id: $p.name} }))}`, ""},
		{`{"x": [$each($.entry.list{kind: $}, function($all, $g) { {"k": $g, "n": $count($all), "s": $sum($all.size)} })]}`, ""},
	} {
		got := checkFile(t, strings.Replace(groupsGraph, "EXPR", c.expr, 1), nil).Error()
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: found\n%s\nexpected\n%s", c.expr, got, c.want)
		}
	}
}
