package flow_test

import (
	"strings"
	"testing"
)

// boundsGraph passes an argument with the schema OWN to one of a tool.
const boundsGraph = `server: {name: s, version: "1"}
mcpServers: {up: {command: up}}
tools:
- name: t
  inputSchema: {type: object, properties: {n: OWN}, required: [n]}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: find, args: {n: {expr: $.entry.n}}, next: exit}
  - {id: exit, type: exit}
`

// An argument whose schema allows a number that the tool's schema excludes.
func TestBoundsOfArguments(t *testing.T) {
	for _, c := range []struct{ own, tool, want string }{
		{`{type: integer, minimum: 0, maximum: 100}`, `"exclusiveMinimum":0`, `5:72: warning: argument "n" of tool "find" is $.entry.n, which may be 0; expected more than 0; restrict it`},
		{`{type: integer, minimum: 1, maximum: 100}`, `"exclusiveMinimum":0`, ""},
		{`{type: integer, exclusiveMinimum: 0}`, `"minimum":1`, ""},
		{`{type: integer, exclusiveMaximum: 10, minimum: 0}`, `"maximum":9`, ""},
		{`{type: integer, exclusiveMaximum: 10, minimum: 0}`, `"maximum":8`, `which may be 9; expected at most 8`},
		{`{type: number, exclusiveMinimum: 0, maximum: 5}`, `"exclusiveMinimum":0,"exclusiveMaximum":5`, `which may be 5; expected more than 0 and less than 5`},
		{`{type: number, exclusiveMinimum: 0, exclusiveMaximum: 5}`, `"exclusiveMinimum":0,"exclusiveMaximum":5`, ""},
		{`{type: number, exclusiveMinimum: 0, maximum: 5}`, `"minimum":1`, `which may be 0.5; expected at least 1`},
		{`{enum: [0, 1]}`, `"exclusiveMinimum":0`, `which may be 0; expected more than 0`},
		{`{enum: [1, 2]}`, `"exclusiveMinimum":0`, ""},
		{`{type: number}`, `"exclusiveMinimum":0`, ""}, // without bounds of its own
	} {
		up := upstreams{"up": {"find": {InputSchema: []byte(`{"type":"object","properties":{"n":{"type":"number",` + c.tool + `}}}`)}}}
		got := checkFile(t, strings.Replace(boundsGraph, "OWN", c.own, 1), up).Error()
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s, %s: found\n%s\nexpected\n%s", c.own, c.tool, got, c.want)
		}
	}
}
