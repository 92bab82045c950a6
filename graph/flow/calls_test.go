package flow_test

import (
	"slices"
	"testing"

	"toolgraph/graph"
	"toolgraph/graph/flow"
)

const calls = `server: {name: g, version: 1.0.0}
mcpServers: {s: {command: s}}
tools:
- name: t
  inputSchema: {type: object, properties: {n: {type: number}, list: {type: array, items: {type: string}}, maybe: {type: number}}, required: [n, list]}
  nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: graph, tool: some, forEach: {items: $.entry.list}, args: {s: {expr: $item}}, onError: {value: {bad: {expr: $item}}}, next: one}
  - {id: one, type: mcp, server: s, tool: list, forEach: {items: $.entry.n}, args: {n: {expr: $item}}, onError: {value: {i: {expr: $item}}}, next: later}
  - {id: early, type: graph, tool: some, forEach: {items: $.later}, args: {s: {expr: $item}}, onError: {value: {expr: $item}}, next: both}
  - {id: later, type: transform, transform: {expr: '[$.entry.n > 1, $.entry.n > 2]'}, next: early}
  - id: both
    type: parallel
    branches:
      a: {type: graph, tool: some, args: {s: x}}
      b: {type: mcp, server: s, tool: give, args: {n: 1}, onError: {}}
    next: way
  - {id: way, type: mcp, server: s, tool: give, args: {n: 1}, onError: {codes: [timeout], value: {why: {expr: $failure.code}}, next: lost}, next: found}
  - {id: found, type: transform, transform: {expr: '$.way'}, next: first}
  - {id: lost, type: transform, transform: {expr: '$.way'}, next: before}
  - {id: before, type: transform, transform: {expr: '$nodeExecution("way", 0)'}, next: again}
  - {id: again, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("way")'}, 3]}, next: way}], next: first}
  - {id: first, type: transform, transform: {expr: '$.way'}, next: turn}
  - {id: turn, type: graph, tool: turns, args: {}, next: safe}
  - {id: safe, type: transform, transform: {expr: '$number($.entry.list[0])'}, onError: {value: none}, next: after}
  - {id: after, type: transform, transform: {expr: '$previousNode()'}, next: exit}
  - {id: exit, type: exit}
- name: some
  hidden: true
  inputSchema: {type: object, properties: {s: {type: string}}, required: [s]}
  nodes:
  - {id: entry, type: entry, next: x}
  - {id: x, type: transform, transform: {expr: '$.entry.s = "x" ? $.entry.s'}, next: exit}
  - {id: exit, type: exit}
- name: turns
  hidden: true
  nodes:
  - {id: entry, type: entry, next: if}
  - {id: if, type: switch, conditions: [{rule: {">": [{var: '$count($keys(entry))'}, 1]}, next: turn}], next: end}
  - {id: turn, type: graph, tool: turns, args: {}, next: sum}
  - {id: sum, type: transform, transform: {expr: '{"of": $.turn}'}, next: exit}
  - {id: end, type: transform, transform: {expr: '1'}, next: exit}
  - {id: exit, type: exit}
`

// Outputs of calls, parts and handled failures have their shapes, by the way on which the run
// goes on.
func TestOutputsOfCalls(t *testing.T) {
	graphs := build(t, "g.yaml", []byte(calls))
	f, err := flow.Of(t.Context(), graphs[0], giving)
	if err != nil {
		t.Fatal(err)
	}
	const given, failed = `{x: number, s?: "a" or "b"}`, `{why: "timeout"}`
	for id, want := range map[string]string{
		"each":   `array of (string or {bad: string} or null)`,
		"one":    `array of ({i: number} or array of (string or number or null))`,
		"early":  `array of (string or boolean or null)`,
		"way":    `{x?: number, s?: "a" or "b", why?: "timeout"}`,
		"found":  given,
		"lost":   failed,
		"before": `{x?: number, s?: "a" or "b", why?: "timeout"}`,
		"first":  `{x?: number, s?: "a" or "b", why?: "timeout"}`,
		"turn":   `1 or {of?: any value}`,
		"safe":   `"none" or number or missing`,
		"after":  `"none" or number or missing`,
	} {
		if got := f.Node(id).Output.String(); got != want {
			t.Errorf("%s gives %s, expected %s", id, got, want)
		}
	}
	for id, want := range map[string]string{"found": given, "lost": failed} {
		if got := f.Node(id).Previous.String(); got != want {
			t.Errorf("before %s comes %s, expected %s", id, got, want)
		}
		if got := f.Node(id).Before["way"].Shape.String(); got != want {
			t.Errorf("before %s, way is %s, expected %s", id, got, want)
		}
	}
	for _, field := range f.Node("both").Output.Field("b").Field("error").Fields() {
		if required := slices.Contains([]string{"code", "message", "node"}, field.Name); field.Optional == required {
			t.Errorf("$failure.%s of a call is there: %t", field.Name, !field.Optional)
		}
	}
	both := map[string]string{"a": "string", "b": ""}
	for _, field := range f.Node("both").Output.Fields() {
		if want := both[field.Name]; want != "" && (field.Shape.String() != want || !field.Optional) {
			t.Errorf("branch %s gives %s, expected %s or nothing", field.Name, field.Shape, want)
		}
		delete(both, field.Name)
	}
	if len(both) > 0 {
		t.Errorf("both lacks %v", both)
	}
}

// What is said of one tool does not depend on which other tools are looked at before.
func TestEachToolOnce(t *testing.T) {
	graphs := build(t, "g.yaml", []byte(calls))
	all, err := flow.CheckAll(t.Context(), graphs, giving)
	if err != nil {
		t.Fatal(err)
	}
	var single []*graph.Graph
	for i := range graphs {
		single = append(single, graphs[len(graphs)-1-i])
	}
	reversed, err := flow.CheckAll(t.Context(), single, giving)
	if err != nil || len(all) != len(reversed) {
		t.Errorf("%v, found\n%v\nin reverse order\n%v", err, all, reversed)
	}
}
