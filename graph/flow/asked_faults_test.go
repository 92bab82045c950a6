package flow_test

import (
	"strings"
	"testing"
)

// answersGraph reads fields that the answer of a server may lack, as ARG of a call and as EXPR of the result, behind a switch with RULE.
const answersGraph = `server: {name: s, version: "1"}
mcpServers: {up: {command: up}}
tools:
- name: t
  inputSchema: {type: object}
  outputSchema: {type: object, properties: {v: {type: string}}, required: [v]}
  nodes:
  - {id: entry, type: entry, next: tags}
  - {id: tags, type: mcp, server: up, tool: tag, args: MODE, next: pick}
  - {id: pick, type: switch, conditions: [{rule: RULE, next: mark}], next: none}
  - {id: none, type: transform, transform: {expr: '{"v": ""}'}, next: exit}
  - {id: mark, type: mcp, server: up, tool: mark, args: {id: {expr: ARG}}, next: v}
  - {id: v, type: transform, transform: {expr: 'EXPR'}, next: exit}
  - {id: exit, type: exit}
`

// A field that the answer may lack is reported, unless the author knows that it is there.
func TestFieldsOfAnswers(t *testing.T) {
	up := upstreams{"up": {
		"tag": {
			InputSchema:  []byte(`{"type":"object","properties":{"mode":{"enum":["list","create"]},"limit":{"type":"integer"}}}`),
			OutputSchema: []byte(`{"type":"object","properties":{"status":{"type":"string"},"n":{"type":"number"},"task":{"type":"string"},"tags":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"by":{"type":"string"}},"required":["name"]}}},"required":["status","n"]}`),
		},
		"mark": {InputSchema: []byte(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`)},
	}}
	const any, one, status = `{}`, `{"v": "x"}`, `$.tags.status`
	for _, c := range []struct{ mode, rule, arg, expr, want string }{
		// A switch distinguishes the answers by a text before the field is read.
		{any, `{">": [{var: $.tags.n}, 1]}`, `$.tags.task`, one, `$.tags.task may be missing, and argument "id" of tool "mark" is required`},
		{any, `{"==": [{var: $.tags.status}, next]}`, `$.tags.task`, one, ""},
		{any, `{in: [{var: $.tags.status}, [next, more]]}`, `$.tags.task`, one, ""},
		// A switch counts the items of the list.
		{any, `{"==": [{var: $.tags.status}, next]}`, status, `{"v": $.tags.tags[0].name}`, `$.tags.tags may be missing, and outputSchema requires "v"`},
		{any, `{">=": [{var: $count($.tags.tags)}, 1]}`, status, `{"v": $.tags.tags[0].name}`, ""},
		{any, `{">=": [{var: $count($.tags.tags)}, 1]}`, status, `{"v": $.tags.tags[0].by}`, `"v" of the result is required, and $.tags.tags[0].by may lack it`},
		// The call chooses by a constant which fields the answer has.
		{`{mode: list}`, `{">": [{var: $.tags.n}, 1]}`, status, `{"v": $.tags.tags[0].name}`, ""},
		{`{limit: 2}`, `{">": [{var: $.tags.n}, 1]}`, status, `{"v": $.tags.tags[0].name}`, `$.tags.tags may be missing, and outputSchema`},
		{`{mode: list}`, `{">": [{var: $.tags.n}, 1]}`, status, `{"v": $.tags.tags[0].by}`, `may lack it`},
	} {
		got := checkFile(t, strings.NewReplacer("MODE", c.mode, "RULE", c.rule, "ARG", c.arg, "EXPR", c.expr).Replace(answersGraph), up).Error()
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s, %s, %s, %s: found\n%s\nexpected\n%s", c.mode, c.rule, c.arg, c.expr, got, c.want)
		}
	}
}
