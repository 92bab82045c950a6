package flow_test

import (
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
)

// codesAt returns the findings of a file as line:column code.
func codesAt(found config.Diagnostics) (all []string) {
	for _, d := range found {
		all = append(all, d.Pos.String()[len("graph.yaml:"):]+" "+d.Code)
	}
	return all
}

// W01. A step that reads one below, itself, a misspelt one, a later one of the block around it; and a step as a field, which is
// a warning.
func TestW01ReadsOfSteps(t *testing.T) {
	const source = `server: {name: s, version: "1"}
mcpServers: {up: {command: up}}
tools:
- name: t
  inputSchema: {type: object}
  steps:
  - {id: a, expr: b}
  - {id: b, expr: b + 1}
  - {id: names, call: up.list, effect: read}
  - {id: c, expr: nmaes.text}
  - {id: d, steps: [{id: e, expr: f}]}
  - {id: f, expr: '1'}
  return: '[a, b, c, d, f]'
`
	want := []string{"7:19 reads-later", "8:19 reads-later", "10:19 unknown-step", "11:35 reads-later"}
	if got := codesAt(checkFile(t, source, stepTools)); !slices.Equal(got, want) {
		t.Errorf("found %q\nwant %q", got, want)
	}
	const field = `server: {name: s, version: "1"}
mcpServers: {up: {command: up}}
tools:
- name: t
  inputSchema: {type: object}
  steps:
  - {id: names, call: up.list, effect: read}
  - {id: f, expr: '[names.names.{"n": names}]'}
`
	if got := checkFile(t, field, stepTools); got.Err() != nil || !slices.ContainsFunc(codesAt(got), func(c string) bool { return strings.HasSuffix(c, " step-as-field") }) {
		t.Errorf("a step as a field: %v", got)
	}
}
