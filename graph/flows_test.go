package graph_test

import (
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/graph"
)

// flowFile is a file whose tool t has these nodes, or steps.
func flowFile(body string) string {
	return `server: {name: g, version: 1.0.0}
mcpServers: {db: {command: c}, mail: {command: c}, web: {command: c}}
allow: {flows: [{from: db, to: [mail]}]}
tools:
  - name: inner
    hidden: true
    inputSchema: {type: object, properties: {x: {}}}
    nodes:
      - {id: entry, type: entry, next: post}
      - {id: post, type: mcp, server: web, tool: post, args: {x: 1}, next: exit}
      - {id: exit, type: exit}
  - name: t
    inputSchema: {type: object, properties: {x: {}}}
` + body
}

func nodes(lines ...string) string {
	return "    nodes:\n      - " + strings.Join(lines, "\n      - ") + "\n      - {id: exit, type: exit}\n"
}

func steps(lines ...string) string {
	return "    steps:\n      - " + strings.Join(lines, "\n      - ") + "\n"
}

// W13 for files: what db answers reaches mail and the client alone, however it gets there.
func TestW13FlowsOfFiles(t *testing.T) {
	const (
		entry = "{id: entry, type: entry, next: q}"
		query = "{id: q, type: mcp, server: db, tool: query, next: a}"
	)
	post := func(args, next string) string {
		return "{id: a, type: mcp, server: web, tool: post, args: {x: " + args + "}, next: " + next + "}"
	}
	for name, body := range map[string]string{
		"args":         nodes(entry, query, post("{expr: $.q.rows}", "exit")),
		"a transform":  nodes(entry, query, "{id: a, type: transform, transform: {expr: '$.q.rows[0]'}, next: b}", "{id: b, type: mcp, server: web, tool: post, args: {x: {expr: $.a}}, next: exit}"),
		"the context":  nodes(entry, query, post("{expr: $string($)}", "exit")),
		"the history":  nodes(entry, query, post("{expr: $previousNode()}", "exit")),
		"forEach":      nodes(entry, query, "{id: a, type: mcp, server: web, tool: post, forEach: {items: $.q.rows}, args: {x: 1}, next: exit}"),
		"a switch":     nodes(entry, query, "{id: a, type: switch, conditions: [{rule: {\"==\": [{var: q.n}, 1]}, next: b}], next: exit}", "{id: b, type: mcp, server: web, tool: post, args: {x: 1}, next: exit}"),
		"a called one": nodes(entry, query, "{id: a, type: graph, tool: inner, args: {x: {expr: $.q}}, next: exit}"),
		"a branch":     nodes(entry, query, "{id: a, type: parallel, branches: {one: {type: mcp, server: web, tool: post, args: {x: {expr: $.q}}}, two: {type: mcp, server: mail, tool: send, args: {x: 1}}}, next: exit}"),
		"a loop": nodes("{id: entry, type: entry, next: a}", "{id: a, type: mcp, server: web, tool: post, args: {x: {expr: $.q}}, next: q}",
			"{id: q, type: mcp, server: db, tool: query, next: s}", "{id: s, type: switch, conditions: [{rule: {\"<\": [{var: '$executionCount(\"a\")'}, 3]}, next: a}], next: exit}"),
		"a failure":  nodes(entry, "{id: q, type: mcp, server: db, tool: query, onError: {next: a}, next: exit}", post("1", "exit")),
		"steps":      steps("{id: q, call: db.query}", "{id: a, call: web.post, args: {x: {expr: q.rows}}}"),
		"an if":      steps("{id: q, call: db.query}", "{id: a, if: q.n = 1, call: web.post, args: {x: 1}}"),
		"a block":    steps("{id: q, call: db.query}", "{id: b, each: q.rows, steps: [{id: a, call: web.post, args: {x: 1}}]}"),
		"a tool":     steps("{id: q, call: db.query}", "{id: a, call: inner, args: {x: {expr: q}}}"),
		"two steps":  steps("{id: q, call: db.query}", "{id: m, call: mail.send, args: {x: {expr: q}}}", "{id: a, call: web.post, args: {x: {expr: m}}}"),
		"a turn":     steps("{id: b, repeat: {until: $n = 3}, steps: [{id: a, call: web.post, args: {x: {expr: $previous}}}, {id: q, call: db.query}]}"),
		"the fields": steps("{id: q, call: db.query}", "{id: v, expr: '[1,2,3][$ > $$.q.n]'}", "{id: a, call: web.post, args: {x: {expr: v}}}"),
	} {
		found := flowsOf(t, flowFile(body))
		if !strings.Contains(found, `sends what server "db" answers to web.post: allow (g.yaml:3:17) lets it reach mail and the client alone`) {
			t.Errorf("%s: %s", name, found)
		}
	}
	for name, body := range map[string]string{
		"to mail":      nodes(entry, query, "{id: a, type: mcp, server: mail, tool: send, args: {x: {expr: $.q}}, next: exit}"),
		"own data":     nodes("{id: entry, type: entry, next: a}", "{id: a, type: mcp, server: web, tool: post, args: {x: {expr: $.entry.x}}, next: q}", "{id: q, type: mcp, server: db, tool: query, args: {x: {expr: $.a}}, next: exit}"),
		"beside it":    nodes(entry, query, post("{expr: $.entry.x}", "exit")),
		"other steps":  steps("{id: q, call: db.query}", "{id: a, call: web.post, args: {x: {expr: args.x}}}"),
		"only after":   steps("{id: q, call: db.query}", "{id: a, after: [q], call: web.post, args: {x: 1}}"),
		"inner itself": steps("{id: a, call: inner, args: {x: 1}}", "{id: q, call: db.query, args: {x: {expr: a}}}"),
	} {
		if found := flowsOf(t, flowFile(body)); found != "" {
			t.Errorf("%s: %s", name, found)
		}
	}
	for flows, want := range map[string]string{
		"[{from: dbb, to: [mail]}]": `flows of allow names "dbb", which is no server of mcpServers; did you mean "db"?`,
		"[{from: db, to: [mial]}]":  `did you mean "mail"?`,
		"[{to: [mail]}]":            "has no from",
		"[db]":                      "an entry of flows of allow of the graph file is text, expected a mapping",
	} {
		found := flowsOf(t, strings.Replace(flowFile(steps("{id: q, call: db.query}")), "[{from: db, to: [mail]}]", flows, 1))
		if !strings.Contains(found, want) {
			t.Errorf("%s: %s", flows, found)
		}
	}
}

func flowsOf(t *testing.T, src string) string {
	t.Helper()
	file, err := config.Parse("g.yaml", []byte(src), config.Options{})
	if err != nil {
		return err.Error()
	}
	_, found, err := graph.Build(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	errs, _ := found.Split()
	if len(errs) == 0 {
		return ""
	}
	return errs.Error()
}
