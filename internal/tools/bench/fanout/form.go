package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/graph"
)

// form is one way to make many calls.
type form struct {
	name  string
	calls int
	width int    // calls at once
	yaml  string // the tools of the file; the first is run
	goal  bool   // it may take at most goal times its waits
}

// steps is how many calls the fixed graph runs at once: what the DAG of a composite tool has by
// default.
const steps = 10

func forms(items int) []form {
	few := max(steps, items/50/steps*steps)
	each := func(maxParallel int) string {
		return tool("main", fmt.Sprintf(`
  - {id: entry, type: entry, next: all}
  - {id: all, type: mcp, server: up, tool: wait, forEach: {items: $.entry.items, maxParallel: %d}, args: {n: {expr: $item}}, next: exit}
  - {id: exit, type: exit}`, maxParallel))
	}
	return []form{
		{"forEach of calls", items, 64, each(64), true},
		{"a step with each, of calls", items, 64, written("main", `
  - {id: all, each: args.items, maxParallel: 64, call: up.wait, args: {n: {expr: $item}}}`), true},
		{"a step with each, of blocks", items, 64, written("main", `
  - {id: all, each: args.items, maxParallel: 64, steps: [{id: call, call: up.wait, args: {n: {expr: $item}}}]}`), true},
		{"forEach of graphs (entry → call → exit)", items, 64, tool("main", `
  - {id: entry, type: entry, next: all}
  - {id: all, type: graph, tool: one, forEach: {items: $.entry.items, maxParallel: 64}, args: {n: {expr: $item}}, next: exit}
  - {id: exit, type: exit}`) + tool("one", `
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: wait, args: {n: {expr: $.entry.n}}, next: exit}
  - {id: exit, type: exit}`), false},
		{"a fixed graph of steps, ten at a time", few, steps, fixed(few), false},
		{"one after the other (maxParallel: 1)", few, 1, each(1), false},
	}
}

// fixed declares every call by itself: levels of ten that run at once.
func fixed(calls int) string {
	var b strings.Builder
	b.WriteString("\n  - {id: entry, type: entry, next: level0}")
	for level := range calls / steps {
		var branches []string
		for i := range steps {
			branches = append(branches, fmt.Sprintf("s%d: {type: mcp, server: up, tool: wait, args: {n: %d}}", i, level*steps+i))
		}
		next := fmt.Sprintf("level%d", level+1)
		if level == calls/steps-1 {
			next = "exit"
		}
		fmt.Fprintf(&b, "\n  - {id: level%d, type: parallel, branches: {%s}, next: %s}", level, strings.Join(branches, ", "), next)
	}
	b.WriteString("\n  - {id: exit, type: exit}")
	return tool("main", b.String())
}

func tool(name, nodes string) string {
	return "- name: " + name + "\n  description: fan-out\n  nodes:" + nodes + "\n"
}

func written(name, steps string) string {
	return "- name: " + name + "\n  description: fan-out\n  steps:" + steps + "\n"
}

// build compiles the form.
func (f *form) build(ctx context.Context) (*graph.Graph, error) {
	text := "version: \"1.0\"\nserver: {name: fanout, version: 1.0.0}\n" +
		"executionLimits: {maxNodeExecutions: 1000000}\nmcpServers: {up: {command: up}}\ntools:\n" + f.yaml
	file, err := config.Parse("fanout.yaml", []byte(text), config.Options{})
	if err != nil {
		return nil, err
	}
	graphs, found, err := graph.Build(ctx, file)
	if err := errors.Join(err, found.Err()); err != nil {
		return nil, err
	}
	return graphs[0], nil
}
