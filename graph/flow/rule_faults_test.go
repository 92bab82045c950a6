package flow_test

import (
	"fmt"
	"strings"
	"testing"
)

// A value that may be missing makes a comparison by size false; == null and a default are for that.
func TestX11OrderOfWhatMayBeMissing(t *testing.T) {
	const graph = `server: {name: s, version: "1"}
tools:
- name: t
  inputSchema: {type: object, properties: {n: {type: number}, top: {type: number, default: 5}, list: {type: array, items: {type: object, properties: {size: {type: number}}}}}}
  nodes:
  - {id: entry, type: entry, next: found}
  - {id: found, type: transform, transform: {expr: '$.entry.list[size > 1]'}, next: way}
  - {id: way, type: switch, conditions: [{rule: {"==": [{"var": "entry.list"}, []]}, next: some}], next: pick}
  - {id: some, type: transform, transform: {expr: '{"n": 1}'}, next: pick}
  - id: pick
    type: switch
    conditions:
    - rule: %s
      next: exit
    next: other
  - {id: other, type: transform, transform: {expr: '1'}, next: exit}
  - {id: exit, type: exit}
`
	for _, c := range []struct{ rule, code, at, hint string }{
		{`{"<": [{"var": "entry.n"}, 3]}`, "maybe-missing", "13:35", `{"var": ["entry.n", value]}`},
		{`{">=": [3, {"var": ["$.entry.n"]}]}`, "maybe-missing", "13:42", `{"var": ["$.entry.n", value]}`},
		{`{"<": [{"var": ["entry.n", 0]}, 3]}`, "", "", ""},
		{`{"<": [{"var": "entry.top"}, 3]}`, "", "", ""},
		{`{"==": [{"var": "entry.n"}, 3]}`, "", "", ""},
		{`{"and": [{"!!": {"var": "entry.n"}}, {"<": [{"var": "entry.n"}, 3]}]}`, "", "", ""},
		{`{"<": [{"var": "found.size"}, 3]}`, "maybe-missing", "13:29", `{"var": ["found.size", value]}`},
		{`{"<": [{"var": "some.n"}, 3]}`, "maybe-missing", "13:29", `{"var": ["some.n", value]}`},
		{`{"some": [{"var": "entry.list"}, {"<": [{"var": "size"}, 3]}]}`, "", "", ""},
		{`{"===": [{"var": "$nodeExecution('some', 1)"}, null]}`, "history-null", "13:31", "write =="},
		{`{"!==": [null, {"var": "$nodeExecution('some', 1)"}]}`, "history-null", "13:37", "write !="},
		{`{"==": [{"var": "$nodeExecution('some', 1)"}, null]}`, "", "", ""},
		{`{">": [{"var": "$previousNode(9)"}, 1]}`, "history-null", "13:29", `["$previousNode(9)", value]`},
	} {
		found := check(t, "g.yaml", fmt.Appendf(nil, graph, c.rule), nil)
		text := found.Error()
		switch {
		case c.code == "" && len(found) > 0:
			t.Errorf("%s: %s", c.rule, text)
		case c.code != "" && (len(found) != 1 || found[0].Code != c.code || !strings.HasPrefix(text, "g.yaml:"+c.at+":") || !strings.Contains(text, c.hint)):
			t.Errorf("%s: %s, want %s at %s with %s", c.rule, text, c.code, c.at, c.hint)
		}
	}
}

// What a rule takes for true, compares with null or "", looks for with in, and counts.
func TestX16RulesThatAreDecided(t *testing.T) {
	const graph = `server: {name: s, version: "1"}
tools:
- name: t
  inputSchema: {type: object, properties: {name: {type: string}, tries: {type: integer, minimum: 1}, tags: {type: array, items: {type: string}}}, required: [tries]}
  nodes:
  - {id: entry, type: entry, next: once}
  - {id: once, type: transform, transform: {expr: '{"list": [$.entry.tags], "text": $.entry.name ?? ""}'}, next: some}
  - {id: some, type: transform, transform: {expr: '$.entry.tags[$length($) > 3]'}, next: again}
  - id: again
    type: switch
    conditions:
    - rule: %s
      next: exit
    next: more
  - {id: more, type: switch, conditions: [{rule: {">": [{"var": "$executionCount('some')"}, 5]}, next: exit}], next: some}
  - {id: exit, type: exit}
`
	for _, c := range []struct{ rule, code, at, hint string }{
		{`{"!": {"var": "once"}}`, "constant-condition", "12:19", "test one of its fields"},
		{`{"!!": [{"var": "once.list"}]}`, "", "", ""},
		{`{"!!": {"var": "$exists(once.list)"}}`, "constant-condition", "12:20", "$count"},
		{`{"!!": {"var": "$exists(some)"}}`, "", "", ""},
		{`{"==": [{"var": "once.list"}, null]}`, "constant-condition", "12:43", "compare $count(once.list) with 0"},
		{`{"!=": [null, {"var": "once.text"}]}`, "constant-condition", "12:21", "remove the condition"},
		{`{"==": [{"var": "some"}, null]}`, "", "", ""},
		{`{"===": [{"var": "some"}, null]}`, "constant-condition", "12:39", "write =="},
		{`{"!=": [{"var": "entry.name"}, ""]}`, "maybe-missing", "12:21", `{"!!": {"var": "entry.name"}}`},
		{`{"!=": [{"var": "once.text"}, ""]}`, "", "", ""},
		{`{"==": [{"var": "once.text"}, {"var": "$.once.text"}]}`, "constant-condition", "12:43", "another value"},
		{`{"==": [{"var": "once.text"}, {"var": "$.entry.name"}]}`, "", "", ""},
		{`{"==": [{"var": "entry.name"}, ""]}`, "", "", ""},
		{`{"in": [["a", "b"], {"var": "entry.name"}]}`, "constant-condition", "12:21", "swap the two"},
		{`{"in": [{"var": "entry.tags"}, {"var": "entry.name"}]}`, "constant-condition", "12:21", "swap the two"},
		{`{"in": [{"var": "entry.name"}, {"var": "entry.tags"}]}`, "", "", ""},
		{`{"in": [{"var": "entry.name"}, {"var": "once"}]}`, "constant-condition", "12:44", "give one of its fields"},
		{`{"or": [{"!": {"var": "some"}}, {"<": [{"var": "$executionCount('once')"}, {"var": "entry.tries"}]}]}`, "constant-condition", "12:52", "count a node of the loop"},
		{`{"<": [{"var": "$executionCount('some')"}, {"var": "entry.tries"}]}`, "", "", ""},
		{`{">=": [{"var": "$executionCount('once')"}, 1]}`, "", "", ""},
	} {
		found := check(t, "g.yaml", fmt.Appendf(nil, graph, c.rule), nil)
		text := found.Error()
		switch {
		case c.code == "" && len(found) > 0:
			t.Errorf("%s: %s", c.rule, text)
		case c.code != "" && (len(found) != 1 || found[0].Code != c.code || !strings.HasPrefix(text, "g.yaml:"+c.at+":") || !strings.Contains(text, c.hint)):
			t.Errorf("%s: %s, want %s at %s with %s", c.rule, text, c.code, c.at, c.hint)
		}
	}
}
