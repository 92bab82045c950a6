package flow_test

import (
	"strings"
	"testing"
)

// turnsGraph has a loop, and a list in it, whose numbers of turns and items the file shows.
const turnsGraph = `server: {name: s, version: "1"}
executionLimits: {maxNodeExecutions: 80, maxCalls: 20}
vars: {ids: [a, b, c], n: 10, size: 2}
mcpServers: {up: {command: up}}
tools:
- name: t
  inputSchema: {type: object, properties: {n: {type: integer, minimum: 0}}, required: [n]}
  nodes:
  - {id: entry, type: entry, next: step}
  - {id: step, type: transform, transform: {expr: '[$.step ? $.step[0] + 1 : $.entry.n, $vars.ids, $vars.n, $vars.size]'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("work")'}, 10]}, next: work}], next: end}
  - {id: work, type: mcp, server: up, tool: get, effect: read, args: {}, next: step}
  - {id: end, type: mcp, server: up, tool: get, effect: read, forEach: {items: $vars.ids}, args: {}, next: out}
  - {id: out, type: transform, transform: {expr: '$count($.end)'}, next: exit}
  - {id: exit, type: exit}
`

// A number of turns or items that the file shows, with which the run exceeds its limits.
func TestTurnsOverLimits(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"n: 10,", "n: 11,", ""},
		{`"work")'}, 10]`, `"work")'}, 25]`, `2:52: warning: maxCalls is 20, but node "work" may run 25 times, which takes at least 25 calls; raise maxCalls, or lower the number [limit-too-low]`},
		{`maxCalls: 20`, `maxCalls: 9`, `2:52: warning: maxCalls is 9, but node "work" may run 10 times`},
		{`maxNodeExecutions: 80`, `maxNodeExecutions: 25`, `2:38: warning: maxNodeExecutions is 25, but node "work" may run 10 times, which takes at least 30 executions`},
		{`"work")'}, 10]`, `"work")'}, {var: $vars.n}]`, ""},
		{`{"<": [{var: '$executionCount("work")'}, 10]}, next: work}], next: end`, `{">=": [{var: '$executionCount("work")'}, 25]}, next: end}], next: work`, `maxCalls is 20, but node "work" may run 25 times`},
		{`ids: [a, b, c]`, `ids: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]`, `2:52: warning: with the default of $vars.ids: maxCalls is 20, but node "end" has 21 items, which takes at least 21 calls`},
		{`items: $vars.ids`, `items: '[1..21]'`, `maxCalls is 20, but node "end" has 21 items`},
		{`items: $vars.ids`, `items: '[1..20]'`, ""},
		{`items: $vars.ids`, `items: '$chunk([1..63], 3)'`, `maxCalls is 20, but node "end" has 21 items`},
		{`items: $vars.ids`, `items: '$chunk([1..60], 3)'`, ""},
		{`items: $vars.ids`, `items: '$chunk([1..$vars.n], $vars.size)'`, ""},
	} {
		if strings.Count(turnsGraph, c.old) != 1 {
			t.Fatalf("%q occurs %d times", c.old, strings.Count(turnsGraph, c.old))
		}
		got := checkFile(t, strings.Replace(turnsGraph, c.old, c.new, 1), nil).Error()
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: found\n%s\nexpected\n%s", c.new, got, c.want)
		}
	}
	byDefault := strings.NewReplacer("n: 10,", "n: 25,", `"work")'}, 10]`, `"work")'}, {var: $vars.n}]`).Replace(turnsGraph)
	if got := checkFile(t, byDefault, nil).Error(); !strings.Contains(got, `with the default of $vars.n: maxCalls is 20, but node "work" may run 25 times`) {
		t.Errorf("found %s", got)
	}
}
