package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/config"
)

// slipGraph has an expression of a transform, EXPR, over outputs of known shapes.
const slipGraph = `server: {name: s, version: "1"}
vars: {lot: 10, none: 0, ports: [21, 23], codes: ["21", x], words: [a, b], limits: {most: 5}}
mcpServers: {files: {command: files}}
tools:
- name: t
  inputSchema: {type: object, properties: {path: {type: string}, numbers: {type: array, items: {type: number}}, port: {type: [string, "null"]}, some: {type: array, minItems: 1, items: {type: number}}}, required: [path, numbers, port, some]}
  outputSchema: {type: object, properties: {v: {}}, required: [v]}
  nodes:
  - {id: entry, type: entry, next: list}
  - {id: list, type: mcp, server: files, tool: list_directory, args: {path: {expr: $.entry.path}}, next: read}
  - {id: read, type: mcp, server: files, tool: read_file, forEach: {items: '$.list.entries[type = "file"].name'}, args: {path: {expr: $item}}, next: all}
  - {id: all, type: mcp, server: files, tool: read_file, forEach: {items: '["a", "b"]'}, args: {path: {expr: $item}}, next: v}
  - id: v
    type: transform
    next: exit
    transform:
      expr: |-
        {"v": EXPR}
  - {id: exit, type: exit}
`

// slipsIn returns what is found in the graph with the expression.
func slipsIn(t *testing.T, expr string) config.Diagnostics {
	t.Helper()
	return check(t, "g.yaml", []byte(strings.Replace(slipGraph, "EXPR", expr, 1)), readUpstreams(t))
}

// Each slip is one finding with its code, at the part that is wrong, with the remedy.
func TestSlipsOfExpressions(t *testing.T) {
	for _, c := range []struct{ expr, code, at, hint string }{
		{`$.list.entries{size: name}`, "wrong-operand", `size`, "$string(…)"},
		{`$sum($.list.entries)`, "wrong-argument", `$.list.entries`, "$sum($.list.entries.size)"},
		{`$zip([$.list.entries.name, $.entry.numbers])`, "wrong-argument", `[`, "$zip($.list.entries.name, $.entry.numbers)"},
		{`[$sort($.entry.numbers, function($a, $b) { $a - $b })]`, "wrong-argument", `$a - $b`, "$a > $b"},
		{`$reduce($.list.entries.name, function($n, $s) { $n + $length($s) })`, "wrong-argument", `)}`, "0"},
		{`[$.list.entries.name.$substringAfter("[DIR] ", $)]`, "wrong-argument", `"[DIR] "`, `$substringAfter($, "[DIR] ")`},
		{`$split($.entry.path, "/\\r?\\n/")`, "wrong-argument", `"/`, `/\r?\n/`},
		{`$match($.entry.path, /a(b)/)[0].groups[1] ?? ""`, "impossible-path", `1] ??`, "groups[0]"},
		{`"is " & $.list.entries[0].size > 1 ? "large" : "small"`, "wrong-operand", `"is "`, "($.list.entries[0].size > 1)"},
		{`"is " & $.entry.path ? "known" : "unknown"`, "constant-condition", `"is "`, "($.entry.path ? … : …)"},
		{`1 / $count($.list.entries)`, "wrong-operand", `$count`, "$count($.list.entries) > 0 ? … : 0"},
		{`$average($.read.size)`, "maybe-missing", `$average`, "default"},
		{`$max($.entry.numbers)`, "maybe-missing", `$max`, "default"},
		{`$match($.entry.path, /a/)[0].match`, "maybe-missing", `$match`, "default"},
		{`$chunk($.entry.numbers, $vars.none)`, "wrong-argument", `$vars.none`, ""},
		{`1 / $vars.none`, "wrong-operand", `$vars.none`, ""},
		{`$fromMillis(0, "YYYY-MM-DD")`, "wrong-argument", `"YYYY`, "[Y0001]-[M01]-[D01]"},
		{`$fromMillis(0, "[Q]")`, "wrong-argument", `"[Q]"`, ""},
		{`"in " & $.list`, "wrong-operand", `$.list`, "$string(…)"},
		{`$split($.entry.path, "/").[-1]`, "impossible-path", `[-1]`, "…[-1]"},
		{`"Hello ${entry.path}"`, "literal-expression", `"Hello`, `"…" & $.entry.path & "…"`},
		{`$.entry.path = "a" or "b"`, "constant-condition", `"b"`, `in ["a", "b"]`},
		{`"n: " & $.entry.path ?? "none"`, "constant-condition", `"n: "`, `($.entry.path ?? "none")`},
		{`$count($.entry.path)`, "wrong-argument", `$.entry.path`, "$length(…)"},
		{`$type($.list) = "list"`, "constant-condition", `$type`, "array, boolean"},
		{`$.list.entries.length`, "impossible-path", `length`, "$count($.list.entries)"},
		{`$.list.entries^("size")`, "constant-condition", `"size"`, "^(size)"},
		{`"is " & ($.list.entries[0].name or $.entry.path)`, "wrong-operand", `$.list.entries[0].name or`, "write ??"},
		{`($n := $.entry.path or $vars.words[0] or $.list.entries[0].name; $n & "!")`, "wrong-operand", `$.entry.path or`, "??"},
		{`$.entry.path in $vars.ports`, "constant-condition", `$.entry`, "in quotes"},
		{`$.entry.port in $vars.ports`, "constant-condition", `$.entry`, "in quotes"},
		{`$.list.entries[0].size in ["21", "23"]`, "constant-condition", `$.list`, "without quotes"},
		{`$.entry.port in [21, 23]`, "constant-condition", `$.entry`, "in quotes"},
		{`$join(["a", $.list.entries[0].size], "-")`, "wrong-argument", `$.list.entries[0]`, "$string(…)"},
	} {
		found := slipsIn(t, c.expr)
		line := `{"v": ` + c.expr + `}`
		place := 8 + strings.Index(line, c.at) + 1
		if len(found) != 1 || found[0].Code != c.code || found[0].Pos.Line != 18 || found[0].Pos.Column != place || !strings.Contains(found[0].Hint, c.hint) {
			t.Errorf("%s: found %v, expected %s at column %d with %q", c.expr, found, c.code, place, c.hint)
		}
	}
}

// Expressions that look alike and are right have no finding.
func TestNoSlipsOfExpressions(t *testing.T) {
	for _, expr := range []string{
		`$.list.entries{type: $count(name)}`, `$sum($.list.entries.size)`, `$zip($.list.entries.name, $.entry.numbers)`,
		`[$sort($.entry.numbers, function($a, $b) { $a > $b })]`, `$reduce($.list.entries.name, function($n, $s) { $n + $length($s) }, 0)`,
		`$reduce($.entry.numbers, function($a, $b) { $a + $b }) ?? 0`, `[$.list.entries.name.$substringAfter($, "[DIR] ")]`,
		`$contains("jpg,png,gif", $.entry.path)`, `$split($.entry.path, "")[$contains("aeiou", $)] ?? []`, `$contains($.entry.path, "/src/")`, `$replace($.entry.path, "/tmp/", "")`,
		`$split($.entry.path, ".")[-1]`, `$match($.entry.path, /a(b)(c)/)[0].groups[1] ?? ""`, `$match($.entry.path, /a(b)/)[0].groups[-1] ?? ""`,
		`"is " & ($.list.entries[0].size > 1 ? "large" : "small")`, `$count($.list.entries) > 0 ? 1 / $count($.list.entries) : 0`,
		`[$.list.entries.(size / $count($$.list.entries))]`, `1 / $count($.entry.some)`, `$max($.entry.some)`, `$average($.all.size)`, `$average($.read.size) ?? 0`,
		`$count($.read) > 0 ? $average($.read.size) : 0`, `($n := $count($.list.entries); $n = 0 ? 0 : 1 / $n)`, `$exists($match($.entry.path, /a/)) ? $match($.entry.path, /a/)[0].match : ""`,
		`$chunk($.entry.numbers, $vars.lot)`, `1 / $vars.lot`, `$fromMillis(0, "[Y0001]-[M01]")`, `$fromMillis(0, "[[at]]")`, `"in " & $string($.list)`, `"in " & $.list.entries[0].name`,
		`"costs {5} and ${6}"`, `"a {{other.path}} b"`, `"{\"a\": 1}"`, `$.entry.path = "a" or $.entry.path = "b"`, `$.entry.path in ["a", "b"]`, `"n: " & ($.entry.path ?? "none")`,
		`$count($.entry.path ~> $split("/"))`, `$type($.list) = "object"`, `[$.list.entries^(>size, name)]`, `$join(["a", $string($.list.entries[0].size)], "-")`, `$.entry.path = $.entry.path & "/"`,
		`$filter($.list.entries, function($e) { $e.size }) ?? []`, `$each($.list, function($v, $k) { $k }) ?? []`, `[$.list.entries.(1)]`, `$formatNumber(1, "#0.00")`, `$vars.words[0] & "x"`,
		`"is " & ($.list.entries[0].name ?? $.entry.path)`, `"is " & ($.list.entries[0].size > 3 or $.entry.path = "a")`, `"any: " & ($exists($.entry.path) or $exists($.list))`, `"is " & ($.list.entries[0].name or $.entry.path ? "known" : "unknown")`,
		`$.entry.port in $vars.codes`, `$.entry.port in ["21", 23]`, `$.entry.port in [null, 23]`, `$.list.entries[0].size in $vars.ports`, `$.entry.port = null or $.entry.port in $vars.codes`,
		`[$map($.list.entries, function($e, $i) { $i & $e.name })]`, `$replace($.entry.path, /(a)/, "$1-$0")`,
	} {
		if found := slipsIn(t, expr); len(found) > 0 {
			t.Errorf("%s: found %v", expr, found)
		}
	}
}

// A constant is refused by each run, so that it is an error; that of the graph file can have another value.
func TestRefusedConstantsAreErrors(t *testing.T) {
	for expr, want := range map[string]config.Severity{
		`$chunk($.entry.numbers, 0)`: config.Error, `$chunk($.entry.numbers, $vars.none)`: config.Warning, `$formatBase(5, 1)`: config.Error,
		`$number("1,000")`: config.Error, `$.entry.path = "x" ? $number("1,000") : 0`: config.Warning, `$replace($.entry.path, "", "x")`: config.Error,
	} {
		if found := slipsIn(t, expr); len(found) != 1 || found[0].Severity != want {
			t.Errorf("%s: found %v, expected one finding of severity %s", expr, found, fmt.Sprint(want))
		}
	}
}
