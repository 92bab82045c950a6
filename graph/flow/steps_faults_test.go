package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/graph/flow"
)

// ownUpstreams are the tools of one server, whose annotations are not believed.
type ownUpstreams map[string]flow.Tool

func (u ownUpstreams) Tool(_, tool string) (flow.Tool, bool) {
	t, known := u[tool]
	return t, known
}

var stepTools = ownUpstreams{
	"list": {
		InputSchema:  []byte(`{"type":"object","properties":{"page":{"type":"integer"},"per":{"type":"integer","minimum":1,"maximum":100}}}`),
		OutputSchema: []byte(`{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"}},"text":{"type":"string"}},"required":["names","text"],"additionalProperties":false}`),
		ReadOnly:     new(true),
	},
	"read": {
		InputSchema:  []byte(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`),
		OutputSchema: []byte(`{"type":"object","properties":{"content":{"type":"string"},"size":{"type":"integer"}},"required":["content","size"],"additionalProperties":false}`),
		ReadOnly:     new(true),
	},
	"save":   {InputSchema: []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`), ReadOnly: new(false)},
	"erase":  {InputSchema: []byte(`{"type":"object"}`), Destructive: new(true)},
	"toggle": {InputSchema: []byte(`{"type":"object"}`), ReadOnly: new(false)},
}

const stepFile = `server: {name: g, version: 1.0.0}
executionLimits: {maxExecutionTimeMs: 60000}
mcpServers: {up: {command: up}}
tools:
- name: t
  inputSchema: {type: object, properties: {name: {type: string}, deep: {type: boolean}, maybe: {type: string}, mode: {enum: [a, b], default: a}, few: {type: integer, minimum: 0}, most: {type: integer, minimum: 1, maximum: 5}}, required: [name, few, most], additionalProperties: false}
  outputSchema: {type: object, properties: {v: {type: string}}, required: [v]}
  steps:
  - {id: list, call: up.list, effect: read}
  - STEP
  return: RETURN
`

// Each fault in a step is one finding with its code; what looks alike and is right, without one, has none.
func TestStepFaults(t *testing.T) {
	for _, c := range []struct{ step, result, want string }{
		// What key and each give.
		{`{id: x, each: list.names, key: $item, expr: $length($item)}`, `{"v": $string(x.a)}`, ""},
		{`{id: x, each: list.names, key: list, expr: $length($item)}`, `{"v": $string(x.a)}`, `not-a-key: key is {names: array of string, text: string}, expected a string, a number or a boolean`},
		{`{id: x, each: list.names, key: $index, expr: $length($item)}`, `{"v": $string(x.a)}`, ""},
		{`{id: x, each: list.text, expr: $item}`, `{"v": x[0]}`, `not-a-list: each is string, so that it is one item; expected a list`},
		{`{id: x, each: args.name, expr: $item}`, `{"v": x[0]}`, ""},
		{`{id: x, each: 'list.names[$ = "a"]', expr: $item}`, `{"v": x[0]}`, ""},
		{`{id: x, each: list.names, as: n, key: $n, call: up.read, args: {name: {expr: $n}}, effect: read}`, `{"v": $lookup(x, args.name).content}`, ""},
		{`{id: x, each: list.names, as: n, key: $n, call: up.read, args: {name: {expr: $n}}, effect: read}`, `{"v": $lookup(x, args.name).contents}`, `impossible-path: $lookup(x, args.name) has no field "contents"`},
		{`{id: x, each: list.names, as: n, key: $n, call: up.read, args: {name: {expr: $n}}, effect: read, onError: {value: {why: {expr: $failure.message}}}}`, `{"v": $lookup(x, args.name).why ?? "read"}`, ""},
		// What is sent as it is written.
		{`{id: x, call: up.read, args: {name: args.name}, effect: read}`, `{"v": x.content}`, `literal-expression: "args.name" looks like an expression but is sent as literal text`},
		{`{id: x, call: up.read, args: {name: args.txt}, effect: read}`, `{"v": x.content}`, ""},
		{`{id: x, call: up.read, args: {name: 'args.name & "/" & args.name'}, effect: read}`, `{"v": x.content}`, `literal-expression: "args.name & \"/\" & args.name" looks like an expression`},
		{`{id: x, call: up.read, args: {name: '"of " & list.text'}, effect: read}`, `{"v": x.content}`, `literal-expression: "\"of \" & list.text" looks like an expression`},
		{`{id: x, call: up.read, args: {name: $uppercase(list.text)}, effect: read}`, `{"v": x.content}`, `literal-expression: "$uppercase(list.text)" looks like an expression`},
		{`{id: x, call: up.read, args: {name: list.content}, effect: read}`, `{"v": x.content}`, `literal-expression: "list.content" looks like an expression`},
		{`{id: x, call: up.read, args: {name: list.md}, effect: read}`, `{"v": x.content}`, ""},
		{`{id: x, call: up.read, args: {name: other.text & list.text}, effect: read}`, `{"v": x.content}`, ""},
		{`{id: x, call: up.read, args: {name: read list.text}, effect: read}`, `{"v": x.content}`, ""},
		// What can be computed.
		{`{id: x, each: '[1..args.most]', call: up.list, args: {per: {expr: '$item - 1 * 100'}}, effect: read}`, `{"v": x[0].text}`, `argument-refused: argument "per" of tool "list": expected integer, 1 to 100, but the expression gives integer, -99 to -95`},
		{`{id: x, each: '[1..args.most]', call: up.list, args: {per: {expr: '($item - 1) * 100'}}, effect: read}`, `{"v": x[0].text}`, ""},
		{`{id: x, call: up.list, args: {per: {expr: '-args.most'}}, effect: read}`, `{"v": x.text}`, `expected integer, 1 to 100, but the expression gives integer, -5 to -1`},
		{`{id: x, call: up.list, args: {per: {expr: args.most + 96}}, effect: read}`, `{"v": x.text}`, ""},
		{`{id: x, expr: 100 / args.few}`, `{"v": $string(x)}`, `wrong-operand: args.few may be 0, and a number that is not finite is an error`},
		{`{id: x, expr: 'args.few = 0 ? 0 : 100 / args.few'}`, `{"v": $string(x)}`, ""},
		{`{id: x, expr: 100 / args.most}`, `{"v": $string(x)}`, ""},
		{`{id: x, expr: '$replace(list.text, "a")'}`, `{"v": x}`, `wrong-argument: $replace takes at least 3 arguments, found 2`},
		{`{id: x, expr: '[list.names.$replace("a", "b")]'}`, `{"v": $join(x)}`, ""},
		{`{id: x, expr: '[list.names[$lowercase($) = "README"]]'}`, `{"v": $join(x)}`, `constant-condition: $lowercase($) has small letters only, and "README" is never equal to it`},
		{`{id: x, expr: '[list.names[$contains($lowercase($), "README")]]'}`, `{"v": $join(x)}`, `constant-condition: $lowercase($) has small letters only, and "README" is never in it`},
		{`{id: x, expr: '($up := $uppercase(list.text); $split($up, "a"))'}`, `{"v": $join(x)}`, `constant-condition: $uppercase(list.text) has capital letters only, and "a" is never in it`},
		{`{id: x, expr: '[list.names[$contains($lowercase($), "readme")]]'}`, `{"v": $join(x)}`, ""},
		{`{id: x, expr: '$match(list.text, /a(b)/)[0].group[0] ?? ""'}`, `{"v": x}`, `impossible-path: $match(list.text, /a(b)/)[0] has no field "group"`},
		// One way of several.
		{`{id: x, expr: list.text}`, `$exists(args.deep) ? {"v": x} : {"w": x}`, `output-mismatch: "v" of the result: expected string by outputSchema of tool "t", but this alternative does not have it`},
		{`{id: x, expr: list.text}`, `$exists(args.deep) ? {"v": x} : {"v": x, "w": 1}`, ""},
		{`{id: x, expr: list.text}`, `$exists(args.deep) ? {"v": x} : {"v": x = "" ? null : x}`, `output-mismatch: "v" of the result: expected string by outputSchema of tool "t", but this alternative gives null`},
		{`{id: x, expr: '{"w": $exists(args.deep) ? list.names : "none"}'}`, `{"v": x.w}`, `output-mismatch: "v" of the result: expected string by outputSchema of tool "t", but this alternative gives array of string`},
		{`{id: x, expr: '{"w": $exists(args.deep) ? list.text : "none"}'}`, `{"v": x.w}`, ""},
		{`{id: x, call: up.list, args: {page: {expr: '$exists(args.deep) ? $match(list.text, /a(b)/)[0].groups[0] : 1'}}, effect: read}`, `{"v": x.text}`, `argument-refused: argument "page" of tool "list": expected integer, but this alternative gives string`},
		// What has been asked before.
		{`{id: x, if: $exists(args.maybe), steps: [{id: y, call: up.read, args: {name: {expr: args.maybe}}, effect: read}]}`, `{"v": x.content ?? ""}`, ""},
		{`{id: x, if: $exists(args.deep), steps: [{id: y, call: up.read, args: {name: {expr: args.maybe}}, effect: read}]}`, `{"v": x.content ?? ""}`, `maybe-missing: args.maybe may be missing, and argument "name" of tool "read" is required`},
		{`{id: x, if: args.deep, call: up.read, args: {name: a}, effect: read}`, `{"v": x.content ?? "none", "w": x.size}`, ""},
		{`{id: x, if: args.deep, call: up.read, args: {name: a}, effect: read}`, `{"v": "none", "w": x.size}`, `maybe-missing: step "x" may not have run`},
		{`{id: x, expr: '($f := function($n) { args.mode = "z" ? $n : 2 }; [list.names.{"n": $f($)}])'}`, `{"v": $string(x)}`, `constant-condition: args.mode is never "z"; it is "a" or "b"`},
		// What is hidden, or cannot happen.
		{`{id: x, call: up.save, args: {text: a}, effect: write, onError: skip}`, `{"v": $string(x)}`, `skip-hides-write: step "x" has effect: write and onError: skip, which would hide that a change has failed`},
		{`{id: x, onError: skip, steps: [{id: y, call: up.save, args: {text: a}, effect: write}]}`, `{"v": $string(x)}`, `skip-hides-write: step "x" has onError: skip, and its step "y" effect: write; skip would hide`},
		{`{id: x, onError: skip, steps: [{id: y, call: up.read, args: {name: a}, effect: read}]}`, `{"v": x.content ?? ""}`, ""},
		{`{id: x, call: up.list, effect: read, onError: {codes: [not-yet], value: {text: ""}}}`, `{"v": x.text}`, `useless-codes: codes of onError of step "x" names not-yet, which only a step with repeat gives`},
		{`{id: x, call: up.list, effect: read, repeat: {until: $count($result.names) > 0}, onError: {codes: [not-yet], value: {text: ""}}}`, `{"v": x.text}`, ""},
		{`{id: x, call: up.list, effect: read, repeat: {until: $count($result.names) > 0}, onError: {codes: [not-yet], value: {text: null}}}`, `{"v": x.text}`, `output-mismatch: when "x" fails, its onError gives {text: null}`},
		{`{id: x, steps: [{id: y, call: up.list, effect: read, repeat: {until: $count($result.names) > 0}}], onError: {codes: [not-yet], value: {text: ""}}}`, `{"v": x.text}`, ""},
		{`{id: x, call: up.read, args: {name: a}, effect: read, onError: skip}`, `{"v": x.content ?? "none"}`, ""},
		{`{id: x, if: '"$not(args.deep)"', call: up.list, effect: read}`, `{"v": x.text ?? ""}`, `constant-condition: the condition is the string "$not(args.deep)", which is always true`},
		{`{id: x, if: 'false', call: up.list, effect: read}`, `{"v": x.text ?? ""}`, ""},
		{`{id: x, each: list.names, until: 'false', call: up.read, effect: read, args: {name: {expr: $item}}}`, `{"v": x[0].content}`, ""},
		{`{id: x, call: up.read, effect: read, args: {name: a, onError: {value: {content: ""}}}}`, `{"v": x.content}`, `argument-refused: "onError" stands among the arguments, and tool "read" does not declare it`},
		{`{id: x, ask: {message: Sure?}, timeoutMs: 300, onError: skip}`, `{"v": $string($exists(x))}`, `limit-too-low: timeoutMs of step "x" is 300, so that the user has 0.3 seconds to answer`},
		{`{id: x, ask: {message: Sure?}, timeoutMs: 30000, onError: skip}`, `{"v": $string($exists(x))}`, ""},
		// Turns.
		{`{id: x, call: up.list, effect: read, repeat: {until: '$count($result.names) = 0', collect: true}}`, `{"v": x[0].text}`, `same-each-turn: step "x" collects its turns, and does the same in each`},
		{`{id: x, call: up.list, args: {page: {expr: $n}}, effect: read, repeat: {until: '$count($result.names) = 0', collect: true}}`, `{"v": x[0].text}`, ""},
		{`{id: x, steps: [{id: y, call: up.list, args: {page: {expr: $n}}, effect: read}], repeat: {until: '$count($result.names) = 0', collect: true}}`, `{"v": x[0].text}`, ""},
		{`{id: x, call: up.list, effect: read, repeat: {until: '$count($result.names) = 0', delayMs: 100, collect: true}}`, `{"v": x[0].text}`, ""},
		{`{id: x, call: up.list, effect: read, repeat: {until: '$count($result.names) = 0', times: 100, delayMs: 1000}}`, `{"v": x.text}`, `waits-over-limit: the waits between 100 turns can take 99000 ms, and executionLimits.maxExecutionTimeMs is 60000`},
		// What a tool says of itself.
		{`{id: x, call: up.save, args: {text: a}, effect: read}`, `{"v": $string(x)}`, `effect-contradicts: step "x" has effect: read, but tool "save" of server "up" says readOnlyHint: false`},
		{`{id: x, call: up.erase, effect: read}`, `{"v": $string(x)}`, `effect-contradicts: step "x" has effect: read, but tool "erase" of server "up" says destructiveHint: true`},
		{`{id: x, call: up.toggle, effect: read}`, `{"v": $string(x)}`, ""},
		{`{id: x, call: up.erase, effect: write}`, `{"v": $string(x)}`, ""},
		// One step in the place of another.
		{`{id: x, if: args.deep, call: up.list, effect: read}`, `{"v": x.text}`, `maybe-missing: step "x" may not have run`},
		{`{id: x, if: args.deep, call: up.list, effect: read}`, `{"v": x.text ?? list.text}`, ""},
		{`{id: x, onError: skip, steps: [{id: a, if: args.deep, expr: list.text}, {id: b, if: $not(args.deep), expr: list.text}, {id: c, expr: a ?? b}]}`, `{"v": x ?? ""}`, ""},
	} {
		src := strings.NewReplacer("STEP", c.step, "RETURN", strings.Replace("'"+c.result+"'", `{"v"`, `{"l": list, "v"`, 1)).Replace(stepFile)
		var got []string
		for _, d := range checkWhole(t, "g.yaml", []byte(src), stepTools) {
			got = append(got, fmt.Sprintf("%s: %s", d.Code, d.Message))
		}
		all := strings.Join(got, "\n")
		if c.want == "" && all != "" || !strings.Contains(all, c.want) || len(got) > 1 {
			t.Errorf("%s\n%s\ngot\n%s\nwant\n%s", c.step, c.result, all, c.want)
		}
	}
}

// checkWhole returns what is found in a file, by building its graphs and by following them.
func checkWhole(t *testing.T, path string, src []byte, up flow.Upstreams) config.Diagnostics {
	t.Helper()
	file, err := config.Parse(path, src, config.Options{AssumeEnv: true})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	for _, g := range graphs {
		if g != nil {
			found = append(found, checkGraph(t, g, up)...)
		}
	}
	return found
}
