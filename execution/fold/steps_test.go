package fold_test

import (
	"context"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/fold"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// The expressions of a step, an item or a turn see args, the steps above, and their variables; steps are in the
// order of the file.
func TestScopeOfSteps(t *testing.T) {
	const source = `server: {name: t, version: 1.0.0}
mcpServers: {up: {command: up}}
tools:
  - name: tool
    description: a tool
    inputSchema: {type: object}
    steps:
      - {id: z, call: up.get, args: {x: 1}}
      - id: b
        each: '["p", "q"]'
        as: o
        steps:
          - {id: y, expr: $o & "!"}
          - {id: a, call: up.get, args: {x: {expr: y & $n}}, repeat: {until: $n = 2, delayMs: 0}}
`
	file, err := config.Parse("graph.yaml", []byte(source), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	g, h := graphs[0], fold.NewHistory()
	echo := execution.CallerFunc(func(_ context.Context, c execution.Call) (value.Value, error) { return c.Args, nil })
	observe := execution.WithObserver(execution.ObserverFunc(func(e execution.Event) { h.Add(e) }))
	if _, err := execution.New(echo).Run(t.Context(), g, value.NewObject([]string{"k"}, []value.Value{"v"}), observe, execution.WithSequentialParts()); err != nil {
		t.Fatal(err)
	}
	var order string
	for _, r := range h.Sorted() {
		order += string(r.At()) + " "
	}
	if want := "0 1.z 1.b.0.y 1.b.0.a@1 1.b.0.a@2 1.b.0.a 1.b.0 1.b.1.y 1.b.1.a@1 1.b.1.a@2 1.b.1.a 1.b.1 1.b 1 2 "; order != want {
		t.Errorf("%s\nwant %s", order, want)
	}
	if p := h.Parts("1.b"); p.Count != 2 || p.Ended != 2 {
		t.Errorf("%+v", p)
	}
	if p := h.Parts("1.b.1"); p.Count != 2 || len(p.Branches) != 2 || p.Branches[0] != "y" {
		t.Errorf("%+v", p)
	}
	scope, err := h.Scope(t.Context(), g, "1.b.1.a@2")
	if err != nil {
		t.Fatal(err)
	}
	if scope.Context["y"] != "q!" || scope.Context["a"] != nil || scope.Context["z"] == nil || scope.Context["args"] == nil {
		t.Errorf("%v", scope.Context)
	}
	if v := scope.Variables; v["o"] != "q" || v["index"] != 1.0 || v["n"] != 2.0 || v["previous"] == nil {
		t.Errorf("%v", v)
	}
	for _, at := range []execution.Address{"1.none", "1.z.0", "1.b.9", "1.b.0.none", "1.z.a"} {
		if _, err := h.Scope(t.Context(), g, at); err == nil {
			t.Errorf("%s has a scope", at)
		}
	}
}
