package flow_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/graph"
)

// repeated is n parts with a separator between them; # in a part is its number.
func repeated(part, separator string, n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(part, "#", fmt.Sprint(i))
	}
	return strings.Join(parts, separator)
}

// largeExpressions are expressions of n parts.
var largeExpressions = map[string]func(n int) string{
	"fields":            func(n int) string { return "entry" + strings.Repeat(".a", n) },
	"wildcards":         func(n int) string { return "entry" + strings.Repeat(".*", n) },
	"filters":           func(n int) string { return "entry.l" + strings.Repeat("[a=1]", n) },
	"items":             func(n int) string { return "[" + repeated("entry.a", ",", n) + "]" },
	"keys":              func(n int) string { return "{" + repeated(`"k#": entry.a`, ",", n) + "}" },
	"variables":         func(n int) string { return "($o := {};" + repeated("$v# := entry.a", ";", n) + ")" },
	"merged objects":    func(n int) string { return "$merge([" + repeated(`{"k#": 1}`, ",", n) + "])" },
	"different objects": func(n int) string { return "[" + repeated(`{"k#": entry.a}`, ",", n) + "]" },
	// with a finding each
	"unknown fields":  func(n int) string { return "[" + repeated("entry.b#", ",", n) + "]" },
	"asked fields":    func(n int) string { return "[" + repeated("entry.b# ?? 1", ",", n) + "]" },
	"wrong operands":  func(n int) string { return "[" + repeated(`"a" + #`, ",", n) + "]" },
	"missing nodes":   func(n int) string { return "{" + repeated(`"k#": m.x.y`, ",", n) + "}" },
	"missing in list": func(n int) string { return "[" + repeated(`{"k#": m.x.y}`, ",", n) + "]" },
}

// What check takes grows with the size of an expression, and not with its square.
func TestV20LinearCheck(t *testing.T) {
	const n = 400
	for name, expression := range largeExpressions {
		t.Run(name, func(t *testing.T) {
			allocated := func(n int) uint64 {
				g := build(t, "g.yaml", []byte(fmt.Sprintf(`server: {name: g, version: 1.0.0}
tools:
- name: t
  inputSchema:
    {type: object, properties: {a: {type: number}, l: {type: array, items: {type: object, properties: {a: {type: number}}}}}, required: [l], additionalProperties: false}
  nodes:
  - {id: entry, type: entry, next: s}
  - {id: s, type: switch, conditions: [{rule: {'>': [{var: entry.a}, 3]}, next: m}], next: x}
  - {id: m, type: transform, transform: {expr: '{"x": {"y": 1}}'}, next: x}
  - {id: x, type: transform, transform: {expr: '%s'}, next: exit}
  - {id: exit, type: exit}
`, expression(n))))[0]
				return allocatedBy(func() { checkGraph(t, g, nil) })
			}
			if small, large := allocated(n), allocated(2*n); large > 3*small {
				t.Errorf("%d parts take %d bytes, %d parts take %d", n, small, 2*n, large)
			}
		})
	}
}

// allocatedBy is how many bytes f allocates.
func allocatedBy(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// So does what a file of mistakes takes to be refused.
func TestV20LinearMistakes(t *testing.T) {
	const n = 400
	allocated := func(n int) uint64 {
		file, err := config.Parse("g.yaml", []byte(`server: {name: g, version: 1.0.0}
tools:
- name: t
  nodes:
  - {id: entry, type: entry, next: x}
  - {id: x, type: transform, transform: {expr: '[`+repeated("b#.a", ",", n)+`]'}, next: exit}
  - {id: exit, type: exit}
`), config.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return allocatedBy(func() {
			if _, found, err := graph.Build(t.Context(), file); err != nil || len(found) != n {
				t.Errorf("found %d mistakes, %v", len(found), err)
			}
		})
	}
	if small, large := allocated(n), allocated(2*n); large > 3*small {
		t.Errorf("%d mistakes take %d bytes, %d take %d", n, small, 2*n, large)
	}
}
