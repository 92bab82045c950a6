package flow_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/graph/flow"
)

const loop = `server: {name: g, version: 1.0.0}
tools:
- name: t
  inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}
  nodes:
  - {id: entry, type: entry, next: step}
  - {id: step, type: transform, transform: {expr: '{"i": ($.step.i ?? 0) + 1}'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: step.i}, {var: entry.n}]}, next: step}], next: last}
  - {id: last, type: transform, transform: {expr: '$.step.i = 1 ? "once" : $.step'}, next: exit}
  - {id: lost, type: transform, transform: {expr: '1'}, next: exit}
  - {id: exit, type: exit}
`

// followed is what is known of a graph of which no tool is known.
func followed(t *testing.T, g *graph.Graph) *flow.Flow {
	t.Helper()
	f, err := flow.Of(t.Context(), g, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestOf(t *testing.T) {
	f := followed(t, build(t, "g.yaml", []byte(loop))[0])
	for id, want := range map[string]string{
		"entry": "{n: integer}", "step": "{i: integer}", "more": `"last" or "step"`, "last": `"once" or {i: integer}`, "exit": `"once" or {i: integer}`,
	} {
		if got := f.Node(id).Output.String(); got != want {
			t.Errorf("%s gives %s, expected %s", id, got, want)
		}
	}
	if f.Node("lost").Reached || !f.Node("exit").Reached || f.Node("nobody") != nil {
		t.Error("lost is reached, or exit is not")
	}
	step := f.Node("step")
	for id, want := range map[string]shape.Presence{"entry": shape.Always, "step": shape.Maybe, "more": shape.Maybe, "last": shape.Never} {
		if got := step.Before[id].Presence; got != want {
			t.Errorf("before step, %s has presence %d, expected %d", id, got, want)
		}
	}
	if got := step.Previous.String(); got != `"last" or "step" or {n: integer}` {
		t.Errorf("before step comes %s", got)
	}
}

// diamonds is a graph in which each of so many nodes runs or not, as a rule of its own
// decides.
func diamonds(n int, last string) string {
	var b strings.Builder
	b.WriteString("server: {name: g, version: 1.0.0}\ntools:\n- name: t\n  inputSchema: {type: object, additionalProperties: true}\n  nodes:\n  - {id: entry, type: entry, next: s0}\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {id: s%d, type: switch, conditions: [{rule: {var: entry.k%d}, next: t%d}], next: s%d}\n", i, i, i, i+1)
		fmt.Fprintf(&b, "  - {id: t%d, type: transform, transform: {expr: '{\"x\": %d}'}, next: s%d}\n", i, i, i+1)
	}
	fmt.Fprintf(&b, "  - {id: s%d, type: transform, transform: {expr: '%s'}, next: exit}\n  - {id: exit, type: exit}\n", n, last)
	return b.String()
}

// A graph with too many states for one node is followed, too.
func TestManyWays(t *testing.T) {
	var reads []string
	for i := range 20 {
		reads = append(reads, fmt.Sprintf(`$exists($.t%d) ? $.t%d.x : 0`, i, i))
	}
	guarded := diamonds(20, "["+strings.Join(reads, ", ")+"]")
	if found := check(t, "g.yaml", []byte(guarded), nil); len(found) > 0 {
		t.Errorf("found\n%v", found)
	}
	found := check(t, "g.yaml", []byte(diamonds(20, `{"x": $.t7.x & $.t19.x}`)), nil)
	if len(found) != 2 || found[0].Code != "maybe-missing" || found[1].Code != "maybe-missing" {
		t.Errorf("found\n%v", found)
	}
}

func TestArguments(t *testing.T) {
	const head = "server: {name: g, version: 1.0.0}\nmcpServers: {up: {command: up}}\ntools:\n- name: t\n  inputSchema: {type: object, properties: {s: {type: string}}}\n  nodes:\n  - {id: entry, type: entry, next: a}\n  - {id: exit, type: exit}\n"
	const schema = `{"type":"object","$defs":{"point":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"],"additionalProperties":false}},
		"properties":{"at":{"$ref":"#/$defs/point"},"list":{"type":"array","items":{"$ref":"#/$defs/point"},"minItems":1},"name":{"type":"string"},"limit":{"type":"integer"}},"minProperties":1}`
	up := upstreams{"up": {"t": {InputSchema: []byte(schema)}}}
	for args, want := range map[string]string{
		`{at: {x: 1}, list: [{x: 2}], other: 1}`:   "",
		`{at: {x: {expr: '1 + 1'}}, name: "n"}`:    "",
		`{at: {x: "1"}}`:                           `9:60: argument "at.x" of tool "t": expected a number, found the string "1"`,
		`{at: {y: 1, x: 1}}`:                       `9:57: argument "at.y" of tool "t": unknown argument, expected one of x`,
		`{at: {}}`:                                 `9:56: argument "at.x" of tool "t": required, but missing; add x: … to args`,
		`{list: [{x: 1}, {z: {expr: '1'}, x: 1}]}`: `9:68: argument "list.1.z" of tool "t": unknown argument, expected one of x`,
		`{list: []}`:                               `9:58: argument "list" of tool "t": expected at least 1 item, found an array of 0 items`,
		`{list: {expr: 'entry.s = "a"'}}`:          `9:66: argument "list" of tool "t": expected array of {x: number}, but the expression gives boolean`,
		`{at: [{expr: '1'}]}`:                      `9:56: argument "at" of tool "t": expected {x: number}, found an array`,
		`{limt: 1}`:                                `9:52: warning: tool "t" does not declare the argument "limt", only at, limit, list, name; did you mean "limit"?`,
		`{}`:                                       `9:51: the arguments of tool "t": expected at least 1 key, found an object with 0 keys`,
	} {
		src := head + "  - {id: a, type: mcp, server: up, tool: t, next: exit, args: " + args + "}\n"
		src = strings.Replace(src, "next: exit, args: "+args, "args: "+args+", next: exit", 1)
		got := strings.ReplaceAll(check(t, "g", []byte(src), up).Error(), " [argument-refused]", "")
		if want != "" {
			want = "g:" + want
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", args, got, want)
		}
	}
}

// learned is an upstream tool whose outputSchema is only known from answers.
type learned struct{}

func (learned) Tool(_, _ string) (flow.Tool, bool) {
	return flow.Tool{OutputSchema: []byte(`{"type":"object","properties":{"n":{"type":"string"}},"required":["n"]}`), Learned: true}, true
}

// What was learned of some answers is no proof that a run fails.
func TestLearned(t *testing.T) {
	const src = `server: {name: g, version: 1.0.0}
mcpServers: {up: {command: up}}
tools:
- name: t
  outputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: t, next: sum}
  - {id: sum, type: transform, transform: {expr: '{"n": $.call.n + 1}'}, next: again}
  - {id: again, type: mcp, server: up, tool: t, next: exit}
  - {id: exit, type: exit}
`
	found := check(t, "g.yaml", []byte(src), learned{})
	if len(found) != 2 || found.Err() != nil || found[0].Code != "wrong-operand" || found[1].Code != "output-mismatch" {
		t.Errorf("found\n%v", found)
	}
}

// demoTools are the tools of the server that the examples call.
func demoTools(t *testing.T) upstreams {
	t.Helper()
	file, err := config.Load("../../internal/serving/demo/tools.yaml", config.Options{})
	if file == nil {
		t.Fatal(err)
	}
	tools := upstreams{"files": {}}
	for _, tool := range file.Tools {
		entry := tools["files"][tool.Name.Value]
		entry.InputSchema, entry.OutputSchema = tool.InputSchema.JSON(), tool.OutputSchema.JSON()
		tools["files"][tool.Name.Value] = entry
	}
	return tools
}

// The examples are right, and so are those of mcpGraph, where they are at hand.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	if dir := os.Getenv("MCPGRAPH_EXAMPLES"); dir != "" {
		more, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil || len(more) == 0 {
			t.Fatal(more, err)
		}
		paths = append(paths, more...)
	}
	up := demoTools(t)
	for _, path := range paths {
		if strings.HasSuffix(path, ".test.yaml") {
			continue
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if found := check(t, path, src, up); len(found) > 0 {
			t.Errorf("found\n%v", found)
		}
	}
}
