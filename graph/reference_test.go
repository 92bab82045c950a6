package graph

import (
	"strings"
	"testing"

	"toolgraph/config"
)

func TestReferencesOfExpressions(t *testing.T) {
	build := func(expr string) *config.File {
		return newFile(entryNode("entry", "my-node"), transformNode("my-node", "entry", "step"), transformNode("step", expr, "exit"), exitNode("exit"))
	}
	good := []string{
		"$.entry.x", "entry.x", "$$.entry.x", "$.`my-node`.x", "`my-node`.x", "$", "$previousNode().x", "$nodeExecution('step', -1).i",
		"entry.list[size > 1].name", "entry.list.(a + $$.entry.b)", "($a := entry; $a.whatever)", "$map(entry.list, function($v) { $v.x + entry.y })",
		"{'a': entry.b, 'c': 1}", "$executionCount(entry.id)",
	}
	for _, expr := range good {
		if _, found, _ := Build(t.Context(), build(expr)); found.Err() != nil {
			t.Errorf("%s: %v", expr, found)
		}
	}
	bad := map[string]string{
		"$.entri.x":                  `did you mean "entry"?`,
		"entri.x":                    `did you mean "entry"?`,
		"my-node.x":                  "write `my-node` in backticks",
		"$executionCount('stepp')":   `did you mean "step"?`,
		"{'a': elsewhere.deep.down}": "a path begins with a node's id: entry, my-node, step, exit",
	}
	for expr, hint := range bad {
		_, found, _ := Build(t.Context(), build(expr))
		if !has(found, "unknown-node-reference", hint) {
			t.Errorf("%s: %v, want a hint %s", expr, found, hint)
		}
	}
}

func TestReferencesOfRules(t *testing.T) {
	build := func(rule any) *config.File {
		return newFile(entryNode("entry", "s"), switchNode("s", "exit", when(data(rule), "exit")), exitNode("exit"))
	}
	body := func(path string) any {
		return object{"some", []any{object{"var", "entry.list"}, object{">", []any{object{"var", path}, 1}}}}
	}
	for _, rule := range []any{object{"var", "entry.x"}, object{"var", "$.entry.x"}, body("size"), body("$ctx.entry.limit")} {
		wantFindings(t, build(rule))
	}
	if found := wantFindings(t, build(object{"var", "entri.x"}), "error unknown-node-reference g.yaml:93:1"); found[0].Hint != `did you mean "entry"?` {
		t.Error(found)
	}
	if found := wantFindings(t, build(body("entry.limit")), "warning element-relative-var g.yaml:93:1"); !strings.Contains(found[0].Hint, "$ctx.entry.limit") {
		t.Error(found)
	}
	wantFindings(t, build(body("$ctx.entri.limit")), "error unknown-node-reference g.yaml:93:1")
	wantFindings(t, build(object{"reduce", []any{object{"var", "entry.list"}, object{"+", []any{object{"var", "current"}, object{"var", "accumulator"}}}, 0}}))
}

func has(found config.Diagnostics, code, hint string) bool {
	for _, d := range found {
		if d.Code == code && d.Hint == hint {
			return true
		}
	}
	return false
}

// A path that begins with an argument's name lacks the entry before it.
func TestReferenceToAnArgument(t *testing.T) {
	file := newFile(entryNode("in", "step"), transformNode("step", "directory & '/x'", "exit"), exitNode("exit"))
	file.Tools[0].InputSchema = data(object{"properties", object{"directory", object{"type", "string"}}})
	if _, found, _ := Build(t.Context(), file); !has(found, "unknown-node-reference", "for the tool's argument write $.in.directory") {
		t.Error(found)
	}
}
