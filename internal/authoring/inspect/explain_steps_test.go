package inspect_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"toolgraph/internal/authoring/inspect"
)

const written = `version: "1.0"
server: {name: s, version: 1.0.0}
mcpServers: {up: {command: up}}
tools:
- name: report
  description: d
  inputSchema: {type: object, properties: {names: {type: array, items: {type: string}}}, required: [names]}
  steps:
  - id: sizes
    each: args.names
    as: name
    key: $name
    maxParallel: 4
    steps:
    - {id: n, call: up.size, args: {name: {expr: $name}}, retry: {attempts: 3}}
    - {id: big, if: n > 3, expr: '"big"'}
    return: '{"n": n, "big": big}'
    onError: skip
  - {id: job, call: up.job, repeat: {until: $result.done, times: 5, collect: true}, after: [sizes], onError: {value: null}}
  - {id: first, each: args.names, expr: $item, until: $result = "x"}
  - {id: sure, if: $exists(sizes), ask: {message: Sure?}, onError: skip}
  return: '[sizes, job]'
`

// A tool of steps is explained step by step, those of blocks by their path, without the nodes that it is compiled to.
func TestStepsAreExplained(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.yaml")
	if err := os.WriteFile(path, []byte(written), 0o600); err != nil {
		t.Fatal(err)
	}
	i := &inspect.Inspector{File: path, Version: "test"}
	tool, err := i.ExplainTool(t.Context(), "report")
	if err != nil {
		t.Fatal(err)
	}
	type line struct{ id, does, reads, next string }
	var got []line
	for _, n := range tool.Nodes {
		l := line{id: n.ID, does: n.Does}
		for _, r := range n.Reads {
			l.reads += r.Path + " "
		}
		for _, e := range n.Next {
			l.next += e.To + " " + e.When + " "
		}
		got = append(got, l)
	}
	want := []line{
		{"args", "has the tool's arguments", "", ""},
		{"sizes", "for each $name of args.names: runs 2 steps in the order of what they read; returns an object by $name; at most 4 at the same time; leaves out an item that fails", "args.names $name ", "job after it sure reads it "},
		{"sizes.n", "calls size of server up; repeats a failed call when that is safe, at most 3 attempts", "$name ", "sizes.big reads it "},
		{"sizes.big", "if n > 3: evaluates an expression", "n ", ""},
		{"sizes.return", "is the value", "n big ", ""},
		{"job", "calls job of server up; again until $result.done, at most 5 times; returns the list of all results; after a failure returns the value of onError", "$result.done ", ""},
		{"first", `for each $item of args.names: evaluates an expression; returns the list of the values; ends after the item for which $result = "x" holds`, "args.names $item $result ", ""},
		{"sure", "if $exists(sizes): asks the user for consent; returns an empty object; has no value after a failure", "sizes ", ""},
		{"return", "is the value", "sizes job ", ""},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}
