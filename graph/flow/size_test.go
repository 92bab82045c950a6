package flow_test

import (
	"strings"
	"testing"

	"toolgraph/graph/flow"
)

const collecting = `server: {name: g, version: 1.0.0}
executionLimits: {maxNodeExecutions: 100}
mcpServers: {s: {command: s}}
tools:
  - name: t
    inputSchema: {type: object, properties: {few: {type: array, maxItems: 5}, many: {type: array}}, required: [few, many]}
    nodes:
      - {id: entry, type: entry, next: read}
      - {id: read, type: mcp, server: s, tool: read, forEach: {items: $.entry.many}, args: {path: {expr: $item}}, next: exit}
      - {id: exit, type: exit}
`

// Results of all calls that go to the client as they are get a warning, unless something bounds them.
func TestLargeResult(t *testing.T) {
	up := typedUpstreams{
		"read": `{}`, "count": `{"type":"object","properties":{"n":{"type":"integer"},"kind":{"enum":["a","b"]}},"additionalProperties":false}`,
		"lines": `{"type":"object","properties":{"lines":{"type":"array","items":{"type":"integer"}}},"additionalProperties":false}`,
		"word":  `{"type":"string"}`,
	}
	through := func(expr string) [2]string {
		return [2]string{"next: exit}\n", "next: all}\n      - {id: all, type: transform, transform: {expr: '" + expr + "'}, next: exit}\n"}
	}
	for _, c := range []struct {
		name    string
		changes [][2]string
		want    string // where; "" for none
	}{
		{"nothing is known", nil, ""},
		{"what was read", [][2]string{{"tool: read,", "tool: read, effect: read,"}}, "9:77"},
		{"known to be long", [][2]string{{"tool: read", "tool: lines"}}, "9:64"},
		{"texts", [][2]string{{"tool: read", "tool: word"}}, "9:63"},
		{"known to be short", [][2]string{{"tool: read", "tool: count"}}, ""},
		{"one call", [][2]string{{"tool: read,", "tool: word,"}, {"forEach: {items: $.entry.many}, args: {path: {expr: $item}}", "args: {path: a}"}}, ""},
		{"few items", [][2]string{{"tool: read,", "tool: word,"}, {"entry.many", "entry.few"}}, ""},
		{"a list in the file", [][2]string{{"tool: read,", "tool: word,"}, {"$.entry.many", "'[\"a\",\"b\"]'"}}, ""},
		{"a range", [][2]string{{"tool: read,", "tool: word,"}, {"$.entry.many", "'[1..$.entry.n]'"}}, "9:63"},
		{"changes something", [][2]string{{"tool: read,", "tool: word, effect: write,"}}, ""},
		{"maxResultBytes", [][2]string{{"tool: read,", "tool: word,"}, {"maxNodeExecutions: 100", "maxResultBytes: 200000"}}, ""},
		{"maxNodeOutputBytes", [][2]string{{"tool: read,", "tool: word,"}, {"maxNodeExecutions: 100", "maxNodeOutputBytes: 100000"}}, ""},
		{"a larger limit of each output", [][2]string{{"tool: read,", "tool: word,"}, {"maxNodeExecutions: 100", "maxNodeOutputBytes: 100001"}}, "9:63"},
		{"the host keeps more", [][2]string{{"tool: read,", "tool: word,"}, {"- name: t\n", "- name: t\n    _meta: {anthropic/maxResultSizeChars: 500000}\n"}}, ""},
		{"the output as it is", [][2]string{{"tool: read,", "tool: word,"}, through("$.read")}, "10:55"},
		{"the output in an object", [][2]string{{"tool: read,", "tool: word,"}, through(`{"n": 1, "all": read[]}`)}, "10:71"},
		{"all executions", [][2]string{{"tool: read,", "tool: word,"}, through(`[$nodeExecutions("read")]`)}, "10:56"},
		{"a part of each", [][2]string{{"tool: read,", "tool: word,"}, through("$.read.name")}, ""},
		{"a number", [][2]string{{"tool: read,", "tool: word,"}, through("$count($.read)")}, ""},
		{"the entry", [][2]string{{"tool: read,", "tool: word,"}, through("$.entry")}, ""},
	} {
		src := collecting
		for _, change := range c.changes {
			if !strings.Contains(src, change[0]) {
				t.Fatal(change)
			}
			src = strings.Replace(src, change[0], change[1], 1)
		}
		var got []string
		for _, d := range checkFile(t, src, up) {
			if d.Code == "large-result" {
				got = append(got, d.Pos.String())
			}
		}
		if at := strings.TrimPrefix(strings.Join(got, " "), "graph.yaml:"); at != c.want {
			t.Errorf("%s: found at %q, want %q", c.name, at, c.want)
		}
	}
}

// typedUpstreams are the outputSchemas of tools.
type typedUpstreams map[string]string

func (u typedUpstreams) Tool(_, tool string) (flow.Tool, bool) {
	schema, known := u[tool]
	if schema == `{}` {
		schema = ""
	}
	return flow.Tool{OutputSchema: []byte(schema)}, known
}
