package flow_test

import (
	"strings"
	"testing"
)

// defaultsGraph uses constants of vars wherever a value can stand; with the values that it declares it is right.
const defaultsGraph = `server: {name: s, version: "1"}
vars: {state: open, states: [open, done], top: 5, region: eu, mail: a@b, key: big, ids: [eu, de], mode: slow, later: null, share: 0.5}
tools:
- name: t
  inputSchema: {type: object, properties: {state: {enum: [open, done]}, n: {type: integer, minimum: 0, maximum: 20}}, required: [state, n]}
  outputSchema: {type: object, properties: {v: {type: string, enum: [eu]}, w: {}, x: {}, size: {}, rest: {}}, required: [v]}
  nodes:
  - {id: entry, type: entry, next: settings}
  - {id: settings, type: transform, transform: {expr: '{"mode": $vars.mode, "map": {"big": 3, "small": 1}}'}, next: call}
  - {id: call, type: graph, tool: u, args: {region: {expr: $vars.region}, mail: {expr: '$vars.mail & ".org"'}, n: {expr: $vars.top}}, next: each}
  - {id: each, type: graph, tool: u, forEach: {items: $vars.ids}, args: {region: {expr: $item}, n: 1}, next: pick}
  - id: pick
    type: switch
    conditions:
    - {rule: {"==": [{var: $.entry.state}, {var: $vars.state}]}, next: out}
    - {rule: {in: [{var: $.entry.state}, {var: $vars.states}]}, next: out}
    - {rule: {"<": [{var: $vars.top}, {var: $.entry.n}]}, next: out}
    - {rule: {"==": [{var: $vars.mode}, fast]}, next: out}
    - {rule: {"==": [{var: $.settings.mode}, fast]}, next: out}
    next: other
  - {id: other, type: transform, transform: {expr: '{"v": "eu", "w": $vars.mode = "fast" ? 1 : 2, "x": $.settings.mode = "fast" or "de" in $vars.ids ? 1 : 2}'}, next: exit}
  - {id: out, type: transform, transform: {expr: '{"v": $vars.region, "w": $.entry.state = $vars.state, "size": $lookup($.settings.map, $vars.key), "rest": [$.each, $vars.later, $.call, $vars.share]}'}, next: exit}
  - {id: exit, type: exit}
- name: u
  inputSchema: {type: object, properties: {region: {enum: [eu, de]}, mail: {type: string, pattern: "@"}, n: {type: integer, maximum: 10}}, required: [region, n]}
  nodes:
  - {id: entry, type: entry, next: v}
  - {id: v, type: transform, transform: {expr: '[$.entry.region, $.entry.mail, $.entry.n]'}, next: exit}
  - {id: exit, type: exit}
`

// Each default that does not fit where it is used is found there, as a warning that names the constant.
func TestDefaultsThatDoNotFit(t *testing.T) {
	if found := checkFile(t, defaultsGraph, nil); len(found) > 0 {
		t.Fatalf("the graph is right, and found\n%v", found)
	}
	for _, c := range []struct{ old, new, want string }{
		{"state: open,", "state: closed,", `15:44: warning: with the default of $vars.state: $.entry.state is never "closed"; it is "done" or "open" [constant-condition]`},
		{"state: open,", "state: closed,", `22:76: warning: with the default of $vars.state: $.entry.state is never $vars.state; it is "done" or "open", and $vars.state is "closed" [constant-condition]`},
		{"states: [open, done]", "states: [open, gone]", `16:42: warning: with the default of $vars.states: $.entry.state is never "gone"; it is "done" or "open"; did you mean "done"? [constant-condition]`},
		{"top: 5", "top: 50", `10:122: warning: with the default of $vars.top: argument "n" of tool "u": expected integer, at most 10, but the expression gives 50 [argument-refused]`},
		{"top: 5", "top: 50", `17:21: warning: with the default of $vars.top: $.entry.n is at most 20, so that it is never > 50; compare with a number inside the range, or remove the condition [constant-condition]`},
		{"region: eu", "region: us", `10:60: warning: with the default of $vars.region: argument "region" of tool "u": expected "de" or "eu", but the expression gives "us" [argument-refused]`},
		{"region: eu", "region: de", `22:57: warning: with the default of $vars.region: "v" of the result is "de", expected "eu" by outputSchema of tool "t"; change the expression or outputSchema; such a result fails the run [output-mismatch]`},
		{"mail: a@b", "mail: a.b", `10:81: warning: with the default of $vars.mail: argument "mail" of tool "u": expected a string that matches @, found the string "a.b.org" [argument-refused]`},
		{"key: big", "key: huge", `22:137: warning: with the default of $vars.key: $.settings.map has no field "huge"; it has big, small [impossible-path]`},
		{"ids: [eu, de]", "ids: [eu, us]", `11:82: warning: with the default of $vars.ids: argument "region" of tool "u": expected one of "eu", "de", found the string "us" [argument-refused]`},
		{"ids: [eu, de]", "ids: []", ""},
		{"mode: slow", "mode: fast", ""},
		{"{expr: $vars.top}", "{expr: $vars.share}", `10:122: warning: with the default of $vars.share: argument "n" of tool "u": expected integer, at most 10, but the expression gives 0.5 [argument-refused]`},
		{"{expr: $vars.top}", "{expr: $vars.region}", `10:122: argument "n" of tool "u": expected integer, but the expression gives string [argument-refused]`},
		{"{expr: $vars.top}", "{expr: $vars.later}", ""},
	} {
		if strings.Count(defaultsGraph, c.old) != 1 {
			t.Fatalf("%q occurs %d times", c.old, strings.Count(defaultsGraph, c.old))
		}
		got := checkFile(t, strings.Replace(defaultsGraph, c.old, c.new, 1), nil).Error()
		if c.want == "" && got != "" || c.want != "" && !strings.Contains("\n"+got+"\n", "\ngraph.yaml:"+c.want+"\n") {
			t.Errorf("%s: found\n%s\nexpected\n%s", c.new, got, c.want)
		}
	}
}

// A finding whose cause is the defaults of two constants together names neither alone.
func TestDefaultsTogether(t *testing.T) {
	src := strings.NewReplacer("top: 5", "top: 6", "share: 0.5", "share: 7", "{expr: $vars.top}", "{expr: $vars.top + $vars.share}").Replace(defaultsGraph)
	const want = `graph.yaml:10:122: warning: with the defaults of vars: argument "n" of tool "u": expected integer, at most 10, but the expression gives 13 [argument-refused]`
	if got := checkFile(t, src, nil).Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	src = strings.NewReplacer("share: 0.5", "share: 7", "{expr: $vars.top}", "{expr: '$vars.share - $vars.top'}").Replace(defaultsGraph)
	if found := checkFile(t, src, nil); len(found) > 0 {
		t.Errorf("the sum fits, and found %v", found)
	}
}

// What a constant leaves out elsewhere is the author's choice.
func TestDefaultsThatChoose(t *testing.T) {
	src := strings.NewReplacer(`"small": 1}}`, `"small": 1}, "more": $vars.mode = "fast" ? {"a": {"b": 1}} : {}}`, `"w": $vars.mode = "fast" ? 1 : 2`, `"w": $.settings.more.a.b`).Replace(defaultsGraph)
	if found := checkFile(t, src, nil); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}
