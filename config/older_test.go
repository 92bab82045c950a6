package config

import (
	"strings"
	"testing"
)

// shared is the oldest kind of file: one list of nodes, with every older form.
const shared = `# A file of the older language.
version: "1.0"
server:
  name: old # the name
  version: 1.0.0
tools:
  - name: first
    description: The first.
    inputSchema: {type: object}
    entryNode: entry_first
    exitNode: exit_first # the end

  # The second tool.
  - name: second
    inputSchema:
      type: object
servers:
  files:
    command: x

# The nodes of all tools.
nodes:
  # Where first begins.
  - id: entry_first
    type: entry
    next: call

  - id: call # calls
    type: "mcp_tool"
    server: files
    tool: read
    args:
      path: "$.entry_first.path"
      plain: $.entry_first.a
      text: a
      folded: >
        $.a
        & "b"
      cost: $5 or more
      deep: {a: $.b}
    next: pick
  - id: pick
    type: switch
    conditions:
      - rule: {"==": [{var: call.a}, 1]}
        target: exit_first
      # otherwise
      - target: again # once more
  - {id: again, type: transform, transform: {expr: "1"}, next: exit_first}
  - id: exit_first
    type: exit
    tool: first
  # Where second begins.
  - tool: second
    id: entry_second
    type: entry
    next: again2
  - id: again2
    type: transform
    transform:
      expr: |
        call.x

    next: exit_second
  - {id: exit_second, type: exit, tool: second}
  - id: nobody
    type: transform
    transform: {expr: "2"}
    next: nobody
# The end.
`

func TestOlderForms(t *testing.T) {
	f := mustParse(t, shared)
	wantAll(t, f.Warnings,
		"g.yaml:10:5: warning: entryNode on a tool is an older form", "g.yaml:17:1: warning: servers is the older name of mcpServers",
		"g.yaml:22:1: warning: nodes in one list", "g.yaml:29:11: warning: mcp_tool is the older name", "g.yaml:46:9: warning: target is the older name",
		"g.yaml:48:9: warning: a condition without a rule", "g.yaml:52:5: warning: tool on entry and exit nodes", `g.yaml:66:5: warning: no tool reaches node "nobody"`)
	for _, w := range f.Warnings[:7] {
		if !strings.Contains(w.Hint, "toolgraph upgrade") {
			t.Errorf("no remedy: %v", w)
		}
	}
	if !f.Older || len(f.Tools) != 2 || len(f.Servers) != 1 {
		t.Fatalf("file %+v", f)
	}
	var ids []string
	for _, tool := range f.Tools {
		for _, n := range tool.Nodes {
			ids = append(ids, tool.Name.Value+":"+n.ID.Value)
		}
	}
	if got := strings.Join(ids, " "); got != "first:entry_first first:call first:pick first:again first:exit_first second:entry_second second:again2 second:exit_second" {
		t.Errorf("nodes %s", got)
	}
	call, pick := f.Tools[0].Nodes[1], f.Tools[0].Nodes[2]
	if got := string(call.Args.JSON()); got != `{"path":{"expr":"$.entry_first.path"},"plain":{"expr":"$.entry_first.a"},"text":"a","folded":{"expr":"$.a & \"b\"\n"},"cost":{"expr":"$5 or more"},"deep":{"a":"$.b"}}` {
		t.Errorf("args %s", got)
	}
	if call.Type != MCPNode || pick.Conditions[0].Next.Value != "exit_first" || pick.Conditions[1].Rule != nil || pick.Conditions[1].Next.Value != "again" || pick.Next.IsSet() {
		t.Errorf("nodes %+v %+v", call, pick)
	}
	if at := call.Args.Get("folded").Expr.At(4); at.Line != 38 || at.Column != 9 {
		t.Errorf("the place in a folded expression is %v", at)
	}
}

func TestOlderMistakes(t *testing.T) {
	src := strings.NewReplacer("tool: second\n", "tool: secnd\n", "exitNode: exit_first", "exitNode: exit_frist", "entryNode: entry_first", "entryNode: call").Replace(shared)
	var errs Diagnostics
	for _, d := range findings(t, src) {
		if d.Severity == Error {
			errs = append(errs, d)
		}
	}
	wantAll(t, errs, `g.yaml:10:16: entryNode of tool "first" is "call", expected a node of type entry`,
		`g.yaml:11:15: exitNode of tool "first" is "exit_frist", but there is no such node; did you mean "exit_first"?`,
		`g.yaml:54:11: unknown tool "secnd"; did you mean "second"?`)
	want(t, head+"tools: [{name: t, nodes: [{id: a, type: entry, tool: u, next: b}]}]\n", "older form", `entry node "a" names tool "u", but is in tool "t"`)
}

func TestCurrentArgs(t *testing.T) {
	f := mustParse(t, withArgs(`{a: $.x.y, b: "$name(1)", c: $5, d: {e: $.f}, g: [{expr: $.h}], i: $$}`))
	if f.Older {
		t.Error("the file is older")
	}
	wantAll(t, f.Warnings, `"$.x.y" looks like an expression but is sent as literal text; write a: {expr: $.x.y}`, `"$name(1)" looks like an expression but is sent as literal text`, `"$$" looks like an expression but is sent as literal text`)
	if got := string(f.Tools[0].Nodes[2].Args.JSON()); got != `{"a":"$.x.y","b":"$name(1)","c":"$5","d":{"e":"$.f"},"g":[{"expr":"$.h"}],"i":"$$"}` {
		t.Errorf("args %s", got)
	}
}

func TestJ07ExprWithOtherKeys(t *testing.T) {
	want(t, withArgs("{x: {expr: a, other: b}}"), `args has the key "other" next to expr, expected expr alone`)
	want(t, withArgs("{x: [{other: b, expr: a}]}"), `args has the key "other" next to expr`)
	for _, expr := range []string{"5", "[]", "{a: b}", "", "true", "''"} {
		want(t, withArgs("{x: {expr: "+expr+"}}"), "a JSONata expression")
	}
	if f := mustParse(t, withArgs("{expr: a}")); f.Tools[0].Nodes[2].Args.Kind != KindExpression {
		t.Error("args as a whole is no expression")
	}
	if f := mustParse(t, withArgs("{}")); f.Tools[0].Nodes[2].Args.Kind != KindObject {
		t.Error("empty args are no object")
	}
}
