package config

import (
	"strings"
	"testing"
	"time"
)

func TestAskNode(t *testing.T) {
	n := nodeOf(t, "ask", `message: "Sure?", schema: {type: object, properties: {keep: {type: boolean}}}, timeoutMs: 5000, onError: {codes: [declined]}, help: Ask again`)
	if n.Message.Scalar != "Sure?" || n.Message.Text.Pos.Line != 8 || n.Schema.Get("properties") == nil || n.Timeout != 5*time.Second ||
		n.OnError.Codes[0].Value != "declined" || n.Help.Value != "Ask again" {
		t.Errorf("node %+v", n)
	}
	n = nodeOf(t, "ask", `message: {expr: '"Remove " & $.entry.n'}`)
	if n.Message.Kind != KindExpression || n.Message.Expr.Value != `"Remove " & $.entry.n` || n.Schema != nil || n.Timeout != 0 {
		t.Errorf("node %+v", n)
	}
	for fields, problem := range map[string]string{
		"message: 5":                        `message of ask node "n" is the number 5, expected text; quote it: "5"`,
		"message: [a]":                      `message of ask node "n" is a list, expected a text or {expr: …}`,
		"message: {text: a}":                `message of ask node "n" is a mapping, expected a text or {expr: …}`,
		"message: {expr: a, b: c}":          `message has the key "b" next to expr, expected expr alone`,
		"message: {expr: }":                 `expr is empty; write a JSONata expression`,
		"message: $.entry.question":         `warning: "$.entry.question" looks like an expression but is sent as literal text; write message: {expr: $.entry.question}`,
		"message: a, timeoutMs: 1209600001": `timeoutMs of ask node "n" is 1209600001, expected at most 1209600000`,
		"message: a, timeoutMs: 0":          `timeoutMs of ask node "n" is 0, expected at least 1`,
		"message: a, onError: null":         `onError of ask node "n" is empty, expected a mapping`,
		"message: a, forEach: {items: $.x}": `unknown field "forEach" of ask node "n"; forEach belongs to nodes of type mcp, graph`,
		"message: a, retry: {}":             `unknown field "retry" of ask node "n"; retry belongs to nodes of type mcp`,
		"mesage: a":                         `unknown field "mesage" of ask node "n"; did you mean "message"?`,
		"message: a, confirm: true":         `unknown field "confirm" of ask node "n"; confirm belongs to nodes of type mcp`,
	} {
		want(t, withNode("ask", fields), problem)
	}
}

func TestConfirm(t *testing.T) {
	if n := nodeOf(t, "mcp", "server: s, tool: u"); n.Confirm != nil || n.ConfirmPos.IsValid() {
		t.Errorf("node %+v", n)
	}
	for text, wanted := range map[string]bool{"true": true, "false": false} {
		n := nodeOf(t, "mcp", "server: s, tool: u, confirm: "+text)
		if n.Confirm == nil || *n.Confirm != wanted || n.ConfirmPos.Line != 8 {
			t.Errorf("confirm: %s is %v at %s", text, n.Confirm, n.ConfirmPos)
		}
	}
	want(t, withNode("mcp", "server: s, tool: u, confirm: destroy"), `confirm of mcp node "n" is text, expected true or false`)
	want(t, withNode("graph", "tool: t, confirm: true"), `unknown field "confirm" of graph node "n"; confirm belongs to nodes of type mcp`)
	n := nodeOf(t, "parallel", "branches: {a: {type: mcp, server: s, tool: u, confirm: true}, b: {type: graph, tool: t}}")
	if confirm := n.Branches[0].Confirm; confirm == nil || !*confirm {
		t.Errorf("branch %+v", n.Branches[0])
	}
}

func TestAllow(t *testing.T) {
	f := mustParse(t, head+`allow: {calls: [files.read_text_file, "files.list_*"], effects: [read, write], confirm: []}
tools:
  - {name: a, allow: {confirm: [destroy]}}
  - {name: b}
`)
	a := f.Allow
	if len(a.Calls) != 2 || a.Calls[1].Value != "files.list_*" || len(a.Effects) != 2 || a.Effects[1].Value != "write" || a.Confirm == nil || len(a.Confirm) != 0 || a.Pos.Column != 1 {
		t.Errorf("allow %+v", a)
	}
	if own := f.Tools[0].Allow; own.Calls != nil || own.Effects != nil || own.Confirm[0].Value != "destroy" || f.Tools[1].Allow != nil {
		t.Errorf("allow of the tools %+v %+v", own, f.Tools[1].Allow)
	}
	for allow, problem := range map[string]string{
		"files.*":                   `allow of OWNER is text, expected a mapping; its keys are calls, effects, confirm`,
		"null":                      `allow of OWNER is empty, expected a mapping; write allow: {}, or remove it`,
		"{calls: files.*}":          `calls of allow of OWNER is text, expected a list; write calls: [files.*]`,
		"{calls: [5]}":              `calls of allow of OWNER has the number 5 in it, expected texts`,
		"{effects: [raed]}":         `effects of allow of OWNER names "raed", expected read, write or destroy; did you mean "read"?`,
		"{confirm: true}":           `confirm of allow of OWNER is the value true, expected a list`,
		"{confirm: [read, delete]}": `confirm of allow of OWNER names "delete", expected read, write or destroy`,
		"{effect: [read]}":          `unknown field "effect" of allow of OWNER; did you mean "effects"?`,
	} {
		wantAll(t, findings(t, head+"allow: "+allow+"\n"), strings.Replace(problem, "OWNER", "the graph file", 1))
		wantAll(t, findings(t, head+"tools: [{name: a, allow: "+allow+"}]\n"), strings.Replace(problem, "OWNER", `tool "a"`, 1))
	}
}

func TestMaxResultBytes(t *testing.T) {
	f := mustParse(t, head+"executionLimits: {maxResultBytes: 65536}\ntools: [{name: a, executionLimits: {maxResultBytes: 9}}, {name: b}]\n")
	if f.Limits.MaxResultBytes != 65536 || f.Limits.Own(f.Tools[0].Limits).MaxResultBytes != 9 || f.Limits.Own(f.Tools[1].Limits) != f.Limits {
		t.Errorf("limits %+v, %+v", f.Limits, f.Tools[0].Limits)
	}
	if f := mustParse(t, head); f.Limits.MaxResultBytes != 0 {
		t.Errorf("limits %+v", f.Limits)
	}
	for _, bad := range []string{"0", "-5", "1.5"} {
		wantAll(t, findings(t, head+"executionLimits: {maxResultBytes: "+bad+"}\n"), "maxResultBytes of executionLimits is ")
	}
}

// The toolkit writes the new keys in the usual order, and the upgrade keeps them.
func TestEditAsks(t *testing.T) {
	tool := parsed(t, `{"nodes": [{"next": "exit", "help": "h", "schema": {"properties": {"keep": {"title": "Keep", "type": "boolean"}}, "type": "object"},
		"message": "Sure?", "type": "ask", "id": "sure"}, {"next": "exit", "confirm": true, "effect": "destroy", "tool": "u", "server": "s", "type": "mcp", "id": "go"}],
		"allow": {"confirm": ["destroy"]}, "name": "other"}`)
	out, err := AddTool("g.yaml", []byte(editable), tool)
	if err != nil {
		t.Fatal(err)
	}
	const want = `
  - name: other
    allow: {confirm: [destroy]}
    nodes:
      - id: sure
        type: ask
        message: Sure?
        schema:
          type: object
          properties:
            keep: {type: boolean, title: Keep}
        help: h
        next: exit
      - id: go
        type: mcp
        server: s
        tool: u
        effect: destroy
        confirm: true
        next: exit
`
	if !strings.Contains(string(out), want) {
		t.Errorf("got\n%s", out)
	}
	older := upgraded(t, head+`servers: {s: {command: x}}
allow: {calls: [s.*]}
tools:
  - name: first
    nodes:
      - {id: e, type: entry, next: sure}
      - {id: sure, type: ask, message: $5, next: x}
      - {id: x, type: exit}
`)
	for _, part := range []string{"allow: {calls: [s.*]}", "message: $5", "mcpServers:"} {
		if !strings.Contains(older, part) {
			t.Errorf("no %s in\n%s", part, older)
		}
	}
}
