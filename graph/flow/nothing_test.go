package flow_test

import (
	"strings"
	"testing"

	"toolgraph/graph/flow"
)

// What yields nothing is no null: reading it gives nothing, and the result of the tool
// is null.
func TestNothing(t *testing.T) {
	const src = `server: {name: g, version: 1.0.0}
tools:
- name: t
  inputSchema: {type: object, properties: {list: {type: array, items: {type: object, properties: {n: {type: number}}, required: [n]}}}, required: [list]}
  nodes:
  - {id: entry, type: entry, next: found}
  - {id: found, type: transform, transform: {expr: '$.entry.list[n = 7][0].n'}, next: never}
  - {id: never, type: transform, transform: {expr: '$filter([1, 2], function($x) { $x > 2 })[5]'}, next: look}
  - {id: look, type: transform, transform: {expr: '{"is": $exists($.found), "or": $.found ?? "x", "all": $nodeExecutions("found"), "last": $nodeExecution("found", -1) ?? "y"}'}, next: item}
  - {id: item, type: transform, transform: {expr: '$.entry.list[n = 7][0]'}, next: some}
  - {id: some, type: transform, transform: {expr: '$nodeExecutions("item") ? "some" : "none"'}, next: same}
  - {id: same, type: transform, transform: {expr: '$.found'}, next: exit}
  - {id: exit, type: exit}
`
	f, err := flow.Of(t.Context(), build(t, "g.yaml", []byte(src))[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"found": "number or missing",
		"look":  `{is: boolean, or: "x" or number, all: array of number, last: "y" or number}`,
		"some":  `"none" or "some"`,
		"same":  "number or missing",
		"exit":  "number or null",
	} {
		if got := f.Node(id).Output.String(); got != want {
			t.Errorf("%s gives %s, expected %s", id, got, want)
		}
	}
}

// A result that is surely nothing reaches the client as null, which an outputSchema of an
// object refuses.
func TestNothingAsResult(t *testing.T) {
	const src = `server: {name: g, version: 1.0.0}
tools:
- name: t
  outputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: none}
  - {id: none, type: transform, transform: {expr: '$assert($exists($.entry), "no arguments")'}, next: exit}
  - {id: exit, type: exit}
`
	found := check(t, "g.yaml", []byte(src), nil)
	if len(found) != 1 || found[0].Code != "output-mismatch" {
		t.Errorf("found %v", found)
	}
	nullable := strings.Replace(src, "{type: object}", `{type: [object, "null"]}`, 1)
	if found := check(t, "g.yaml", []byte(nullable), nil); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}
