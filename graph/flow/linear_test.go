package flow_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/graph/flow"
)

// repeated is n parts with a separator between them; # in a part is its number, #+ the next one.
func repeated(part, separator string, n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.NewReplacer("#+", fmt.Sprint(i+1), "#", fmt.Sprint(i)).Replace(part)
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

// largeFiles are files of n parts that make calls.
var largeFiles = map[string]func(n int) string{
	"arguments of each item": func(n int) string {
		return `- name: t
  inputSchema: {type: object, properties: {l: {type: array, items: {type: object, properties: {a: {type: number}}}}}, required: [l]}
  nodes:
  - {id: entry, type: entry, next: x}
  - {id: x, type: mcp, server: s, tool: give, forEach: {items: '$.entry.l[a > 1]'}, args: {n: 1, ` + repeated("k#: {expr: $item.a}", ", ", n) + `}, onError: {value: {` + repeated("k#: {expr: $item.b#}", ", ", n) + `}}, next: exit}
  - {id: exit, type: exit}
`
	},
	"tools that call the next twice": func(n int) string {
		return repeated(`- name: t#
  nodes:
  - {id: entry, type: entry, next: a}
  - {id: a, type: graph, tool: to#, next: b}
  - {id: b, type: graph, tool: to#, onError: {}, next: x}
  - {id: x, type: transform, transform: {expr: '{"x": $.a}'}, next: exit}
  - {id: exit, type: exit}
- name: to#
  nodes: [{id: entry, type: entry, next: x}, {id: x, type: graph, tool: t#+, next: exit}, {id: exit, type: exit}]
`, "", n) + fmt.Sprintf("- {name: t%d, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}\n", n)
	},
	"calls with onError.next": func(n int) string {
		return `- name: t
  nodes:
  - {id: entry, type: entry, next: n0}
` + repeated("  - {id: n#, type: mcp, server: s, tool: echo, onError: {next: h#}, next: n#+}\n  - {id: h#, type: transform, transform: {expr: $.n#.error.message}, next: n#+}\n", "", n) +
			fmt.Sprintf("  - {id: n%d, type: transform, transform: {expr: '[$.n0, $.n1]'}, next: exit}\n  - {id: exit, type: exit}\n", n)
	},
}

// What check takes grows with the number of calls and of tools that call each other, and not with
// the number of ways through them.
func TestV20LinearCalls(t *testing.T) {
	const n = 40
	for name, file := range largeFiles {
		t.Run(name, func(t *testing.T) {
			allocated := func(n int) uint64 {
				graphs := build(t, "g.yaml", []byte("server: {name: g, version: 1.0.0}\nmcpServers: {s: {command: s}}\ntools:\n"+file(n)))
				return allocatedBy(func() {
					if _, err := flow.CheckAll(t.Context(), graphs, giving); err != nil {
						t.Error(err)
					}
				})
			}
			if small, large := allocated(n), allocated(2*n); large > 3*small {
				t.Errorf("%d parts take %d bytes, %d parts take %d", n, small, 2*n, large)
			}
		})
	}
}
