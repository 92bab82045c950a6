package view

import (
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"

	"toolgraph/execution"
)

// What a node reads of the constants is listed with their values, for a transform and for a rule.
func TestReadsOfConstants(t *testing.T) {
	file, err := config.Parse("g.yaml", []byte(`server: {name: s, version: "1"}
vars: {top: 20, limits: {most: 5}}
tools:
- name: t
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: a}
  - {id: a, type: transform, transform: {expr: '$.entry.n + $vars.limits.most & $string($vars)'}, next: b}
  - {id: b, type: switch, conditions: [{rule: {">": [{var: a}, {var: $vars.top}]}, next: exit}], next: c}
  - {id: c, type: transform, transform: {expr: '($vars := {"top": 1}; $vars.top)'}, next: exit}
  - {id: exit, type: exit}
`), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	g := graphs[0]
	for id, want := range map[string]string{"a": `$.entry.n=none $vars.limits.most=5 $vars={"top":20,"limits":{"most":5}} `, "b": `$.a=none $vars.top=20 `, "c": ""} {
		got := ""
		for _, e := range Expressions(g.Node(id)) {
			for _, read := range Reads(t.Context(), e.Reads, execution.ScopeIn(g, nil, nil), 10) {
				text := "none"
				if read.Value != nil {
					raw, _ := value.Encode(read.Value)
					text = string(raw)
				}
				got += read.Path + "=" + text + " "
			}
		}
		if got != want {
			t.Errorf("%s reads %s", id, got)
		}
	}
}
