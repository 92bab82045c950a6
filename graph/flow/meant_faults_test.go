package flow_test

import (
	"strings"
	"testing"

	"toolgraph/config"
)

// meantIn is slipsIn with a node "free" before it, of whose output nothing is known.
func meantIn(t *testing.T, expr string) config.Diagnostics {
	t.Helper()
	src := strings.NewReplacer("args: {path: {expr: $item}}, next: v}", "args: {path: {expr: $item}}, next: free}\n  - {id: free, type: mcp, server: files, tool: search, args: {}, next: v}",
		"EXPR", expr).Replace(slipGraph)
	return check(t, "g.yaml", []byte(src), readUpstreams(t))
}

// Expressions that are valid and mean something else than they say: one finding each, at the part, with the remedy.
func TestMeantOtherwise(t *testing.T) {
	for _, c := range []struct{ expr, code, at, hint string }{
		// $ is an item, and a node is read from it.
		{`[$.free[$.entry.path = "a"]]`, "impossible-path", `$.entry.path`, "write $$.entry.path"},
		{`[$.list.entries[size > $.entry.numbers[0]]]`, "impossible-path", `entry.numbers`, "the node's output is $$.entry"},
		{`[$.free.items.{"p": $.entry.path & name}]`, "impossible-path", `$.entry.path`, "write $$.entry.path"},
		{`[$.free.items.(name = $.entry.path ? 1 : 2)]`, "impossible-path", `$.entry.path`, "write $$.entry.path"},

		// Both sides of a comparison are the same.
		{`($type := "file"; [$.list.entries[type = type]])`, "constant-condition", `type = type]`, "type = $type"},
		{`($size := 2; [$.list.entries[size > size]])`, "constant-condition", `size > size]`, "size > $size"},
		{`[$.list.entries[name != name]]`, "constant-condition", `name != name`, "another value"},
		{`$.entry.path = $.entry.path`, "constant-condition", `$.entry`, "another value"},

		// A variable as a step.
		{`($key := $.entry.path; [$.list.entries.$key])`, "impossible-path", `$key])`, "$lookup($.list.entries, $key)"},
		{`($i := 1; $.list.entries.$i)`, "impossible-path", `$i)`, "$.list.entries[$i]"},

		// A variable in quotes as a key.
		{`$each($.list, function($v, $k) { {"$k": $v} }) ?? []`, "literal-expression", `"$k"`, "{$k: …}"},
		{`($name := "a"; $.list.entries{"$name": size})`, "literal-expression", `"$name"`, "{$name: …}"},

		// A value beside a comparison.
		{`[$.list.entries[name or type = "file"]]`, "constant-condition", `name or`, `name = "file" or type = "file"`},
		{`[$.list.entries[type = "file" or name]]`, "constant-condition", `name]`, `type = "file" or type = name`},
		{`[$.list.entries[type and name = "file"]]`, "constant-condition", `type and`, `type = "file" and name = "file"`},

		// Names looked up in values.
		{`[$.list.entries.$lookup($$.entry.numbers, name)]`, "impossible-path", `$$.entry.numbers`, "keys"},
		{`[$.list.entries.$lookup($vars.words, name)]`, "impossible-path", `$vars.words`, "in $vars.words"},
	} {
		found := meantIn(t, c.expr)
		place := 8 + strings.Index(`{"v": `+c.expr, c.at) + 1
		if len(found) != 1 || found[0].Code != c.code || found[0].Pos.Line != 19 || found[0].Pos.Column != place || !strings.Contains(found[0].Hint, c.hint) {
			t.Errorf("%s: found %v, expected %s at column %d with %q", c.expr, found, c.code, place, c.hint)
		}
	}
}

// Expressions that look alike and say what they mean.
func TestMeantAsWritten(t *testing.T) {
	for _, expr := range []string{
		`[$.free[$$.entry.path = "a"]]`, `[$.free.items.(name = $$.entry.path ? 1 : 2)]`, `[$.free.items[$.path = "a"]]`, `[$.free.items[$.entry.size > 1]]`, `[$.free.items[$.owner.path = "a"]]`,
		`[$map($.free.items, function($i) { $i.name = $.entry.path ? 1 : 2 })]`, `($f := function($n) { $n = $.entry.path }; [$.free.items[$f(name)]])`,
		`($type := "file"; [$.list.entries[type = $type]])`, `[$.list.entries[name = type]]`, `$random() = $random()`, `[$.list.entries[$.name = name & ""]]`,
		`($key := $.entry.path; [$.list.entries.$lookup($, $key)])`, `[$.list.entries#$i.$i]`, `[$.list.entries@$e.$e.name]`, `($e := $.list.entries; [$.entry.numbers.$e])`, `[$.list.entries.$string(size)]`,
		`$each($.list, function($v, $k) { {$k: $v} }) ?? []`, `($k := 1; {"$other": $k})`, `($ref := "a"; {"$ref": $ref})`, `($ref := "a"; {"$ref": "#/" & $ref})`, `($price := 1; {"$price": $price})`,
		`[$.list.entries[name = "a" or type = "file"]]`, `[$.list.entries[name and type = "file"]]`, `[$.free.items[name or type = "file"]]`, `[$.free.items[name and type = "file"]]`,
		`[$.list.entries[size or name]]`, `[$.list.entries[size and type = "file"]]`, `[$.list.entries.$lookup($vars.limits, name)]`, `[$.list.entries.$lookup($$.free, name)]`, `[$.list.entries.$lookup($$.list.entries, name)]`,
	} {
		if found := meantIn(t, expr); len(found) > 0 {
			t.Errorf("%s: found %v", expr, found)
		}
	}
}
