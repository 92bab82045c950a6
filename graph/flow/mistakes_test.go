package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/graph/flow"
)

// shop is a graph without findings; the tests below put one mistake each into it.
const shop = `server: {name: g, version: 1.0.0}
executionLimits: {maxNodeExecutions: 100, maxCalls: 50}
vars: {top: 20, names: {a: 1}}
mcpServers: {up: {command: up}}
tools:
- name: t
  inputSchema:
    type: object
    properties: {state: {enum: [open, done]}, n: {type: integer, minimum: 1, maximum: 20}, ids: {type: array, items: {type: string}}, title: {type: string}}
    required: [state, n, ids, title]
  nodes:
  - {id: entry, type: entry, next: read}
  - id: read
    type: mcp
    server: up
    tool: get
    effect: read
    forEach: {items: $.entry.ids}
    args: {path: {expr: $item}, head: 3}
    retry: {attempts: 4, delayMs: 100, maxDelayMs: 1000, codes: [timeout, tool-error]}
    onError: {codes: [tool-error], value: {content: {expr: $failure.message}}}
    next: pick
  - id: pick
    type: switch
    conditions:
    - {rule: {"==": [{var: $.entry.state}, done]}, next: wait}
    - {rule: {">": [{var: $.entry.n}, 5]}, next: poll}
    - {rule: {"<": [{var: '$count($.read)'}, {var: $vars.top}]}, next: save}
    next: sum
  - {id: wait, type: graph, tool: raise, args: {n: {expr: $.entry.n}}, onError: {codes: [raised], value: {}}, next: sum}
  - {id: poll, type: mcp, server: up, tool: state, effect: read, args: {}, retry: {until: $result.done, delayMs: 10}, onError: {codes: [not-yet, timeout], value: {}}, next: sum}
  - {id: save, type: mcp, server: up, tool: put, effect: write, args: {things: [{name: a, kind: {expr: $.entry.title}}], more: {expr: '[$.read.{"name": content, "kind": "x"}]'}}, next: sum}
  - {id: sum, type: transform, transform: {expr: '{"texts": [$.read.content], "n": $count($.read.content), "title": $.entry.title, "keys": $keys($vars.names)}'}, next: exit}
  - {id: exit, type: exit}
- name: raise
  hidden: true
  inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}
  nodes:
  - {id: entry, type: entry, next: check}
  - {id: check, type: transform, transform: {expr: '$.entry.n > 3 ? $error("too many") : 1'}, next: exit}
  - {id: exit, type: exit}
`

// shopTools are the tools that it calls.
var shopTools = upstreams{"up": {
	"get": {
		InputSchema:  []byte(`{"type":"object","properties":{"path":{"type":"string"},"head":{"type":"number"}},"required":["path"]}`),
		OutputSchema: []byte(`{"type":"object","properties":{"content":{"type":"string"}},"required":["content"]}`),
	},
	"put": {InputSchema: []byte(`{"type":"object","properties":{
		"things":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"kind":{"type":"string"}},"required":["name","kind"]}},
		"more":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"kind":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}}},"required":["name","kind"]}}}}`)},
	"state": {InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object","properties":{"done":{"type":"boolean"}},"required":["done"]}`)},
}}

// mistake is an edit of shop, and the only finding that it has: LINE: message; hint [code].
type mistake struct{ old, new, want string }

func (m mistake) test(t *testing.T, up flow.Upstreams) {
	t.Helper()
	if strings.Count(shop, m.old) != 1 {
		t.Fatalf("%q occurs %d times", m.old, strings.Count(shop, m.old))
	}
	var all []string
	for _, d := range checkFile(t, strings.Replace(shop, m.old, m.new, 1), up) {
		text := d.Message
		if d.Hint != "" {
			text += "; " + d.Hint
		}
		all = append(all, fmt.Sprintf("%d: %s [%s]", d.Pos.Line, text, d.Code))
	}
	if got := strings.Join(all, "\n"); got != m.want {
		t.Errorf("%s\ngot  %s\nwant %s", m.new, got, m.want)
	}
}

func TestShopIsGood(t *testing.T) {
	mistake{"name: g", "name: g", ""}.test(t, shopTools)
}

// X16: what runs, but does not do what it says.
func TestX16Mistakes(t *testing.T) {
	for _, m := range []mistake{
		{"{path: {expr: $item}, head: 3}", "{path: $item, head: 3}", `19: "$item" looks like an expression but is sent as literal text; write {expr: $item} [literal-expression]`},
		{"{path: {expr: $item}, head: 3}", `{path: "$index", head: 3}`, `19: "$index" looks like an expression but is sent as literal text; write {expr: $index} [literal-expression]`},
		{"{content: {expr: $failure.message}}", "{content: $failure}", `21: "$failure" looks like an expression but is sent as literal text; write {expr: $failure} [literal-expression]`},
		{"{path: {expr: $item}, head: 3}", `{path: "$items"}`, ""},
		{"delayMs: 100, maxDelayMs: 1000", "delayMs: 9000, maxDelayMs: 1000", "20: delayMs is 9000 and maxDelayMs is 1000, so that each wait is at most 1000 ms; lower delayMs, or raise maxDelayMs [delay-over-max]"},
		{"delayMs: 100, maxDelayMs: 1000", "delayMs: 40000", "20: delayMs is 40000 and maxDelayMs is 30000, so that each wait is at most 30000 ms; lower delayMs, or raise maxDelayMs [delay-over-max]"},
		{"delayMs: 100, maxDelayMs: 1000", "maxDelayMs: 200", ""},
		{`{"==": [{var: $.entry.state}, done]}`, `{in: [{var: $.entry.state}, [finished]]}`, `26: $.entry.state is never "finished"; it is "done" or "open" [constant-condition]`},
		{`{"==": [{var: $.entry.state}, done]}`, `{in: [{var: $.entry.state}, [finished, done]]}`, `26: $.entry.state is never "finished"; it is "done" or "open" [constant-condition]`},
		{`{"==": [{var: $.entry.state}, done]}`, `{">": [{var: $executionCount}, 3]}`, `26: $executionCount is a function, and it is not called here; write $executionCount("NODE") [no-function]`},
		{"maxNodeExecutions: 100", "maxNodeExecutions: 3", `2: maxNodeExecutions is 3, but every run of tool "t" that reaches its exit executes at least 5 nodes; raise maxNodeExecutions to 5 or more [limit-too-low]`},
		{"maxNodeExecutions: 100", "maxNodeExecutions: 5", `2: maxNodeExecutions is 5, but a run of tool "t" that reaches its exit by node "wait" executes at least 6 nodes; raise maxNodeExecutions to 6 or more [limit-too-low]`},
		{"maxNodeExecutions: 100", "maxNodeExecutions: 6", ""},
		{"{codes: [raised], value: {}}", "{codes: [expression], value: {}}", `30: codes of onError of node "wait" leaves out raised, which $error(…) in node "check" of tool "raise" gives; add raised to codes, which is now expression [code-left-out]`},
		{"{codes: [not-yet, timeout], value: {}}", "{codes: [timeout], value: {}}", `31: codes of onError of node "poll" leaves out not-yet, which a retry with until gives when all attempts are used up; add not-yet to codes, which is now timeout [code-left-out]`},
		{"codes: [tool-error], value: {content: {expr: $failure.message}}", `codes: [tool-error], value: {content: {expr: '$failure.code = "timeout" ? "late" : "bad"'}}`, `21: codes of onError of node "read" leaves out timeout, which its expression compares with $failure.code; add timeout to codes, which is now tool-error [code-left-out]`},
		{"codes: [tool-error], value: {content: {expr: $failure.message}}", `codes: [tool-error, rpc-error], value: {content: {expr: '$failure.code = "timeout" ? "late" : "bad"'}}`, `21: $failure.code is never "timeout"; it is "rpc-error" or "tool-error" [constant-condition]`},
	} {
		m.test(t, shopTools)
	}
}

// Comparisons that never hold, or always.
func TestComparedKinds(t *testing.T) {
	for _, m := range []mistake{
		{"{var: '$count($.read)'}, {var: $vars.top}", "{var: $.read}, {var: $vars.top}", `28: $.read is array of {content: string}, and < compares it with a number; count its items: $count($.read) [constant-condition]`},
		{"{var: '$count($.read)'}, {var: $vars.top}", "{var: $.entry.title}, {var: $vars.top}", `28: $.entry.title is string, and < compares it with a number: a text that is no number never holds; compare a number; a number in a text is $number($.entry.title) [constant-condition]`},
		{"{var: '$count($.read)'}, {var: $vars.top}", "{var: $vars.names}, {var: $vars.top}", `28: $vars.names is {a: number}, and < compares it with a number: that never holds; compare one of its fields [constant-condition]`},
		{`{"<": [{var: '$count($.read)'}, {var: $vars.top}]}`, `{"===": [{var: $.entry.title}, {var: $vars.top}]}`, `28: $.entry.title is string and never == the number on the other side; compare values of one kind [constant-condition]`},
		{"{var: $.entry.n}, 5", "{var: $.entry.n}, 20", `27: $.entry.n is at most 20, so that it is never > 20; compare with a number inside the range, or remove the condition [constant-condition]`},
		{"{var: $.entry.n}, 5", "{var: $.entry.n}, 0", `27: $.entry.n is at least 1, so that it is always > 0; compare with a number inside the range, or remove the condition [constant-condition]`},
		{`{">": [{var: $.entry.n}, 5]}`, `{"<": [{var: '$count($.read)'}, 0]}`, `27: $count($.read) is at least 0, so that it is never < 0; compare with a number inside the range, or remove the condition [constant-condition]`},
		{"{var: $.entry.n}, 5", "{var: $.entry.n}, 19", ""},
		{`{">": [{var: $.entry.n}, 5]}`, `{">=": [{var: '$number($.entry.title)'}, 5]}`, ""},
	} {
		m.test(t, shopTools)
	}
}

// X17: one mistake gives one finding, which leads to what is meant.
func TestX17OneFinding(t *testing.T) {
	for _, m := range []mistake{
		{"{path: {expr: $item}, head: 3}", "{path: {expr: $idx}, head: 3}", `19: the variable $idx is not defined here; did you mean "$index"? [unbound-variable]`},
		{"{path: {expr: $item}, head: 3}", "{path: {expr: $file}, head: 3}", `19: the variable $file is not defined here; the variables here are $index, $item, $vars [unbound-variable]`},
		{"{path: {expr: $item}, head: 3}", "{file: {expr: $item}, head: 3}", `19: argument "file" of tool "get": unknown argument, and the required "path" is missing; did you mean "path"? [argument-refused]`},
		{"{path: {expr: $item}, head: 3}", "{head: 3}", `19: argument "path" of tool "get": required, but missing; add path: … to args [argument-refused]`},
		{"{path: {expr: $item}, head: 3}", `{path: {expr: $item}, head: "3"}`, `19: argument "head" of tool "get": expected a number, found the string "3" [argument-refused]`},
		{"{content: {expr: $failure.message}}", "{content: {expr: $error.message}}", `21: $error is function, which has no field "message"; did you mean "$failure"? [impossible-path]`},
		{"{content: {expr: $failure.message}}", "{content: {expr: $err.message}}", `21: the variable $err is not defined here; did you mean "$failure"? [unbound-variable]`},
		{"{var: $vars.top}", "{var: vars.top}", `28: "vars" is not a node of tool "t", so this path never has a value; did you mean "$vars.top"? [unknown-node-reference]`},
		{"[$.read.content]", "[($ids := $.entry.ids; $map($.read, function($r, $i) { $ids[i] }))]", `33: the filtered value is string, which has no field "i"; did you mean the variable "$i"? [impossible-path]`},
		{"$count($.read.content)", "$length($.read.content)", `33: argument 1 of $length may be a list, string or array of string, expected a string; the number of items is $count(…) [wrong-argument]`},
		{`"title": $.entry.title`, `"title": $join(", ", $.read.content)`, `33: argument 2 of $join is string or array of string, expected a string; the arguments seem to be swapped: write $join($.read.content, ", ") [wrong-argument]`},
		{`"title": $.entry.title`, `"title": $contains($.entry.title, "a", 1)`, `33: $contains takes at most 2 arguments, found 3 [wrong-argument]`},
		{`"title": $.entry.title`, `"title": $.entry.title.toUpperCase()`, `33: toUpperCase is a field here, not a function; did you mean "$uppercase"? [no-function]`},
		{`"title": $.entry.title`, `"title": $unique($.entry.ids)`, `33: the expression does not compile: unknown function $unique; did you mean "$distinct"? [expression-syntax]`},
		{"{name: a, kind: {expr: $.entry.title}}", "{name: a, type: {expr: $.entry.title}}", `32: argument "things.0.type" of tool "put": unknown argument, and the required "kind" is missing; did you mean "kind"? [argument-refused]`},
		{`"kind": "x"}]`, `"type": "x"}]`, `32: argument "more[].kind" of tool "put": required, but missing in the value of the expression [argument-refused]`},
		{`"kind": "x"}]`, `"kind": "x", "tags": "y"}]`, `32: argument "more[].tags" of tool "put": expected array of string, but the expression gives "y" [argument-refused]`},
	} {
		m.test(t, shopTools)
	}
}

// What follows from an onError whose value is of another kind, and a filter that is meant as a computed key.
func TestStandIns(t *testing.T) {
	for _, m := range []mistake{
		{"value: {content: {expr: $failure.message}}", "value: {content: 5}", ""},
		{`"title": $.entry.title`, `"title": $string($vars.names[$$.entry.title])`, `33: the filter $$.entry.title of an object is a text, so that it holds unless the text is empty; to read the field with that name, write $lookup(…, $$.entry.title) [constant-condition]`},
		{`"title": $.entry.title`, `"title": [$map($.read, function($r) { $split($r.content, ",") })]`, ""},
	} {
		m.test(t, shopTools)
	}
	const standIn = `{"texts": [$map($.read, function($r) { $split($r.content, ",") })]`
	src := strings.NewReplacer(`{"texts": [$.read.content]`, standIn, "value: {content: {expr: $failure.message}}", "value: {content: null}", `"name": content,`, `"name": "y",`,
		`{"<": [{var: '$count($.read)'}, {var: $vars.top}]}`, `{"<": [{var: $.entry.n}, {var: $vars.top}]}`).Replace(shop)
	const want = `graph.yaml:21:43: warning: when an item of "read" fails, its onError gives {content: null}: argument 1 of $split is null, expected a string (graph.yaml:33:97); give onError a value that fits, or check the items first [wrong-argument]`
	if got := checkFile(t, src, shopTools).Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	guarded := strings.Replace(src, "$split($r.content", `$r.content = null ? [] : $split($r.content`, 1)
	if got := checkFile(t, guarded, shopTools); len(got) > 0 {
		t.Errorf("guarded, and found %v", got)
	}
}

// A tool that calls itself with the arguments that it has, where its switches read nothing else.
func TestCallsItselfAgain(t *testing.T) {
	const src = `server: {name: g, version: 1.0.0}
tools:
- name: t
  inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}
  nodes:
  - {id: entry, type: entry, next: less}
  - {id: less, type: transform, transform: {expr: '$.entry.n - 1'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {">": [{var: $.less}, 0]}, next: again}], next: out}
  - {id: again, type: graph, tool: t, args: {n: {expr: ARG}}, next: out}
  - {id: out, type: transform, transform: {expr: '{"n": $.entry.n}'}, next: exit}
  - {id: exit, type: exit}
`
	for arg, want := range map[string]string{
		"$.entry.n": `graph.yaml:9:45: warning: tool "t" calls itself with the arguments that it has, and its switches read nothing else: each call decides as the one before; give it other arguments, such as one that counts down [endless-recursion]`,
		"entry.n":   `graph.yaml:9:45: warning: tool "t" calls itself with the arguments that it has, and its switches read nothing else: each call decides as the one before; give it other arguments, such as one that counts down [endless-recursion]`,
		"$.less":    "",
	} {
		if got := checkFile(t, strings.Replace(src, "ARG", arg, 1), nil).Error(); got != want {
			t.Errorf("%s: %s\nwant %s", arg, got, want)
		}
	}
	timed := strings.NewReplacer("ARG", "$.entry.n", "$.entry.n - 1", "$.entry.n - $millis() % 2").Replace(src)
	if got := checkFile(t, timed, nil); len(got) > 0 {
		t.Errorf("what it decides by changes, and found %v", got)
	}
}

// Lists of a known number, alternatives of which one has run, optional fields and properties of elements are no mistakes.
func TestNoFalseAlarms(t *testing.T) {
	const src = `server: {name: g, version: 1.0.0}
mcpServers: {up: {command: up}}
tools:
- name: t
  inputSchema: {type: object, properties: {a: {type: integer}, tasks: {type: array, items: {type: object, properties: {size: {type: integer}}}}}, required: [a, tasks]}
  outputSchema: {type: object, properties: {days: {type: array, items: {type: integer}}, any: {}, size: {type: integer}}, required: [days, any]}
  nodes:
  - {id: entry, type: entry, next: sized}
  - {id: sized, type: switch, conditions: [{rule: {all: [{var: $.entry.tasks}, {"!!": [{var: size}]}]}, next: dates}], next: size}
  - {id: size, type: transform, transform: {expr: '5'}, next: dates}
  - {id: dates, type: transform, transform: {expr: '[1..12].("m" & $)'}, next: ask}
  - {id: ask, type: mcp, server: up, tool: days, effect: write, forEach: {items: $.dates}, args: {d: {expr: $item}}, next: pick}
  - {id: pick, type: switch, conditions: [{rule: {">": [{var: $.entry.a}, 5]}, next: x}, {rule: {">": [{var: $.entry.a}, 3]}, next: y}], next: z}
  - {id: x, type: mcp, server: up, tool: any, args: {}, next: out}
  - {id: y, type: mcp, server: up, tool: any, args: {}, next: out}
  - {id: z, type: mcp, server: up, tool: any, args: {}, next: out}
  - {id: out, type: transform, transform: {expr: '($days := $map($.ask, function($d) { {"n": $number($d)} }); {"days": $days.n, "any": $.x ?? $.y ?? $.z, "size": $.size})'}, next: exit}
  - {id: exit, type: exit}
`
	if got := checkFile(t, src, nil); len(got) > 0 {
		t.Errorf("found\n%v", got)
	}
	bare := strings.Replace(src, `[1..12].("m" & $)`, `$.entry.tasks.size`, 1)
	if got := checkFile(t, bare, nil).Error(); !strings.Contains(got, "maybe-no-list") {
		t.Errorf("a list of any number, and found %s", got)
	}
}

// A field that a branch of a parallel node may lack is followed to the result that requires it.
func TestOptionalOfBranch(t *testing.T) {
	const src = `server: {name: g, version: 1.0.0}
mcpServers: {up: {command: up}}
tools:
- name: t
  inputSchema: {type: object}
  outputSchema: {type: object, properties: {lines: {type: number}}, required: [lines]}
  nodes:
  - {id: entry, type: entry, next: both}
  - {id: both, type: parallel, branches: {a: {type: mcp, server: up, tool: diff, args: {}}, b: {type: mcp, server: up, tool: diff, args: {}}}, next: sum}
  - {id: sum, type: transform, transform: {expr: '($n := $.both.a.added + 1; {"lines": $n})'}, next: exit}
  - {id: exit, type: exit}
`
	up := upstreams{"up": {"diff": {OutputSchema: []byte(`{"type":"object","properties":{"added":{"type":"number"}}}`)}}}
	const want = `graph.yaml:10:67: warning: $.both.a.added may be missing, and outputSchema requires "lines" in the result; provide a default: $.both.a.added ?? value; or make the field required in its schema [maybe-missing]`
	if got := checkFile(t, src, up).Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := checkFile(t, strings.Replace(src, "added + 1", "added ?? 0", 1), up); len(got) > 0 {
		t.Errorf("with a default, and found %v", got)
	}
}
