package flow_test

import (
	"fmt"
	"strings"
	"testing"
)

// turns is a graph with two loops and without findings: one reads page after page, one marks task after task.
const turns = `server: {name: g, version: 1.0.0}
vars: {size: 5}
mcpServers: {up: {command: up}}
tools:
- name: pages
  inputSchema: {type: object, properties: {word: {type: string}, most: {type: integer, minimum: 1, maximum: 20}, free: {type: integer}}, required: [word, most, free]}
  nodes:
  - {id: entry, type: entry, next: page}
  - {id: page, type: mcp, server: up, tool: log, effect: read, args: {word: {expr: $.entry.word}, skip: {expr: '$executionCount("page") * $vars.size'}}, next: sum}
  - {id: sum, type: transform, transform: {expr: '{"all": $append($nodeExecution("sum", -1).all ?? [], $.page.items), "size": $count($.page.items)}'}, next: more}
  - id: more
    type: switch
    conditions:
    - {rule: {"<": [{var: $.sum.size}, {var: $vars.size}]}, next: out}
    - {rule: {">=": [{var: '$executionCount("page")'}, {var: $.entry.most}]}, next: out}
    next: page
  - {id: out, type: transform, transform: {expr: $.sum}, next: exit}
  - {id: exit, type: exit}
- name: tasks
  inputSchema: {type: object, properties: {request: {type: string}, most: {type: integer, minimum: 1, maximum: 20}}, required: [request, most]}
  nodes:
  - {id: entry, type: entry, next: task}
  - {id: task, type: mcp, server: up, tool: next, effect: read, args: {request: {expr: $.entry.request}}, next: open}
  - id: open
    type: switch
    conditions:
    - rule: {and: [{"===": [{var: $.task.status}, next]}, {"<": [{var: '$executionCount("mark")'}, {var: $.entry.most}]}]}
      next: mark
    next: out
  - {id: out, type: transform, transform: {expr: '$executionCount("mark")'}, next: exit}
  - {id: mark, type: mcp, server: up, tool: mark, effect: write, args: {task: {expr: $.task.id}, note: {expr: '"number " & $executionCount("mark")'}}, next: task}
  - {id: exit, type: exit}
- name: people
  inputSchema: {type: object, properties: {name: {type: string}, replace: {type: boolean, default: false}}, required: [name]}
  nodes:
  - {id: entry, type: entry, next: find}
  - {id: find, type: mcp, server: up, tool: find, effect: read, args: {name: {expr: $.entry.name}}, next: known}
  - id: known
    type: switch
    conditions:
    - {rule: {"==": [{var: $count($.find.items)}, 0]}, next: none}
    - {rule: {var: $.entry.replace}, next: forget}
    next: add
  - {id: none, type: transform, transform: {expr: '"none"'}, next: exit}
  - {id: forget, type: mcp, server: up, tool: mark, effect: write, args: {task: {expr: '$.find.items[0].id'}}, next: add}
  - {id: add, type: transform, transform: {expr: '"added"'}, next: exit}
  - {id: exit, type: exit}
`

var turnTools = upstreams{"up": {
	"log":  {InputSchema: []byte(`{"type":"object","properties":{"word":{"type":"string"},"skip":{"type":"integer"},"after":{"type":"string"}}}`), OutputSchema: []byte(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"string"}},"next":{"type":"string"}},"required":["items"]}`)},
	"next": {InputSchema: []byte(`{"type":"object","properties":{"request":{"type":"string"}},"required":["request"]}`)},
	"mark": {InputSchema: []byte(`{"type":"object","properties":{"task":{"type":"string"},"note":{"type":"string"}},"required":["task"]}`)},
	"find": {OutputSchema: []byte(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}},"required":["items"]}`)},
	"all":  {InputSchema: []byte(`{"type":"object","properties":{}}`)},
	"any":  {InputSchema: []byte(`{"type":"object"}`)},
	"more": {InputSchema: []byte(`{"type":"object","properties":{},"additionalProperties":true}`)},
}}

// What repeats without getting on, and what is asked too late; beside each of them what looks alike and is right.
func TestTurns(t *testing.T) {
	const skip, most, cached = `{expr: '$executionCount("page") * $vars.size'}`, `{">=": [{var: '$executionCount("page")'}, {var: $.entry.most}]}, next: out}`, `effect: read, args: {request`
	const first, second = `    - {rule: {"==": [{var: $count($.find.items)}, 0]}, next: none}` + "\n", `    - {rule: {var: $.entry.replace}, next: forget}` + "\n"
	for _, m := range []struct{ old, new, want string }{
		{skip, skip, ""},

		// An argument that chooses a page.
		{skip, `{expr: $vars.size}`, `9: "skip" and all other arguments of node "page" are the same in each turn of the loop (page, sum, more), so that each turn reads the same page; compute it from $executionCount("page") [same-each-turn]`},
		{skip, `5`, `9: "skip" and all other arguments of node "page" are the same in each turn of the loop (page, sum, more), so that each turn reads the same page; compute it from $executionCount("page") [same-each-turn]`},
		{"skip: " + skip, `after: {expr: $.entry.word}`, `9: "after" and all other arguments of node "page" are the same in each turn of the loop (page, sum, more), so that each turn reads the same page; read it from the last answer, which is $.page [same-each-turn]`},
		{skip, `0`, ""},
		{skip + `⋯$append($nodeExecution("sum", -1).all ?? [], $.page.items)`, `5⋯$.page.items`, ""}, // it asks again until there is enough
		{"skip: " + skip, `after: {expr: $.page.next}`, ""},
		{`{word: {expr: $.entry.word}, skip: ` + skip + "}", `{word: {expr: '$string($executionCount("page"))'}, skip: 5}`, ""},

		// A cache of the answer by which a switch decides.
		{cached, "cache: {ttlMs: 60000}, " + cached, `23: switch "open" decides by the answer of node "task", but its arguments are the same in each turn of the loop (task, open, mark), so that each turn gets the answer of the first from the cache; remove cache [same-each-turn]`},
		{skip + "}", skip + "}, cache: {ttlMs: 60000}", ""},
		{cached + `⋯{"===": [{var: $.task.status}, next]}`, "cache: {ttlMs: 60000}, " + cached + `⋯{"!==": [{var: $.entry.request}, next]}`, ""},

		// A loop that leads back behind the call by which it decides.
		{"$executionCount(\"mark\")'}}, next: task", "$executionCount(\"mark\")'}}, next: open", `27: $.task.status is the same in each turn of the loop (open, mark), and so is what node "mark" gets of node "task": only the count of the turns ends the loop; let the loop lead back to node "task" [same-each-turn]`},
		{"{expr: $.task.id}, note: {expr: '\"number \" & $executionCount(\"mark\")'}}, next: task", "{expr: '$.task.ids[$executionCount(\"mark\")]'}}, next: open", ""},
		{"task: {expr: $.task.id}, note: {expr: '\"number \" & $executionCount(\"mark\")'}}, next: task", "task: {expr: $.entry.request}}, next: open", ""},

		// A count that decides at once.
		{most, `{"<=": [{var: '$executionCount("page")'}, {var: $.entry.most}]}, next: out}`, `15: at its first evaluation, where $executionCount("page") is 1, this condition holds for every $.entry.most, so that the loop is never repeated; turn the comparison round: $executionCount("page") >= $.entry.most [constant-condition]`},
		{most, `{">=": [{var: $.entry.most}, {var: '$executionCount("page")'}]}, next: out}`, `15: at its first evaluation, where $executionCount("page") is 1, this condition holds for every $.entry.most, so that the loop is never repeated; turn the comparison round: $.entry.most < $executionCount("page") [constant-condition]`},
		{most + "\n    next: page", `{">": [{var: '$executionCount("page")'}, {var: $.entry.most}]}, next: page}` + "\n    next: out", `15: at its first evaluation, where $executionCount("page") is 1, this condition does not hold for any $.entry.most, so that the loop is never repeated; turn the comparison round: $executionCount("page") < $.entry.most [constant-condition]`},
		{most + "\n    next: page", `{">": [{var: '$executionCount("page")'}, 3]}, next: page}` + "\n    next: out", `15: at its first evaluation, where $executionCount("page") is 1, this condition does not hold, so that the loop is never repeated; turn the comparison round: $executionCount("page") < 3 [constant-condition]`},
		{most, `{"<=": [{var: '$executionCount("page")'}, {var: $.entry.free}]}, next: out}`, ""},
		{most, `{">": [{var: '$executionCount("page")'}, 3]}, next: out}`, ""},
		{most + `⋯required: [word, most, free]`, `{"==": [{var: '$executionCount("page")'}, {var: $.entry.most}]}, next: out}⋯required: [word, free]`, ""},
		{most + `⋯minimum: 1, maximum: 20}, free⋯required: [word, most, free]`, `{"==": [{var: '$executionCount("page")'}, {var: $.entry.most}]}, next: out}⋯minimum: 1, maximum: 1}, free⋯required: [word, free]`, ""},
		{most + "\n    next: page", `{"<": [{var: '$executionCount("page")'}, {var: $.entry.most}]}, next: page}` + "\n    next: out", ""},

		// A list that is asked too late.
		{first + second, second + first, `41: condition 1 of switch "known" leads to node "forget", which requires $.find.items[0].id, before condition 2 asks whether there is one; put condition 2 first [maybe-missing]`},
		{first + second, strings.Replace(second, "{var: $.entry.replace}", "{and: [{var: $.entry.replace}, {var: '$exists($.find.items[0])'}]}", 1) + first, ""},

		// Arguments of a tool that declares none.
		{"tool: find, effect: read, args: {name", "tool: all, effect: read, args: {name", `37: tool "all" declares no arguments, so that "name" has no effect; remove it [argument-refused]`},
		{"tool: find, effect: read, args: {name", "tool: any, effect: read, args: {name", ""},
		{"tool: find, effect: read, args: {name", "tool: more, effect: read, args: {name", ""},
	} {
		src, replacements := turns, strings.Split(m.new, "⋯")
		for i, old := range strings.Split(m.old, "⋯") {
			if strings.Count(src, old) != 1 {
				t.Fatalf("%q occurs %d times", old, strings.Count(src, old))
			}
			src = strings.Replace(src, old, replacements[i], 1)
		}
		var all []string
		for _, d := range checkFile(t, src, turnTools) {
			all = append(all, fmt.Sprintf("%d: %s; %s [%s]", d.Pos.Line, d.Message, d.Hint, d.Code))
		}
		if got := strings.Join(all, "\n"); got != m.want {
			t.Errorf("%s\ngot  %s\nwant %s", m.new, got, m.want)
		}
	}
}
