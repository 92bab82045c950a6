package cli

import (
	"context"
	"fmt"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/graph"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/project/lock"
)

// mockFindings returns the answers of mocks that their tools cannot return, according to the lock
// beside the graph file: a test with such an answer proves little. A lock that cannot be read is
// ignored here; check reports it.
func mockFindings(ctx context.Context, report *graphtest.Report) config.Diagnostics {
	if len(report.Graphs) == 0 {
		return nil
	}
	l, err := lock.Load(lock.Path(report.Suite.Graph))
	if err != nil {
		return nil //nolint:nilerr // see the comment
	}
	var found config.Diagnostics
	checkMocks(ctx, report.Suite.Mocks, report.Graphs, l, &found)
	for _, test := range report.Suite.Cases {
		for i, g := range report.Graphs {
			if g.Tool.Name.Value == test.Tool.Value {
				checkMocks(ctx, test.Mocks, report.Graphs[i:i+1], l, &found)
			}
		}
	}
	found.Sort()
	return found
}

func checkMocks(ctx context.Context, mocks []*graphtest.Mock, graphs []*graph.Graph, l *lock.Lock, found *config.Diagnostics) {
	for _, mock := range mocks {
		output, name := declaredOutput(mock, graphs, l)
		if output == nil {
			continue
		}
		for _, rule := range mock.Rules {
			for _, answer := range rule.Answers {
				if answer.Failed {
					continue
				}
				if answer.Value == nil {
					found.Warn(answer.Pos, "mock-refused", fmt.Sprintf("mock %q returns no value, but %s has an outputSchema and returns one",
						mock.Name.Value, name), "write result: VALUE; if the tool has changed, run: toolgraph lock")
					continue
				}
				// A value that cannot be validated is not reported.
				if problems, _ := output.Check(ctx, answer.Value); len(problems) > 0 {
					found.Warn(answer.Pos, "mock-refused", fmt.Sprintf("the outputSchema of %s does not allow the result of mock %q: %s",
						name, mock.Name.Value, problems.Text("result")), "return a value that the tool can return; if the tool has changed, run: toolgraph lock")
				}
			}
		}
	}
}

// declaredOutput returns the outputSchema of what a mock stands for, a tool of a server or of the
// file, and its name; nil when it declares none, or the mock stands for several.
func declaredOutput(mock *graphtest.Mock, graphs []*graph.Graph, l *lock.Lock) (*schema.Schema, string) {
	var entry lock.Entry
	var called *graph.Graph
	for _, g := range graphs {
		for _, node := range mock.StandsFor(g) {
			switch node := node.(type) {
			case *graph.MCP:
				this, known := l.Entry(node.Server, node.Tool)
				if !known || entry.Tool != "" && (entry.Server != this.Server || entry.Tool != this.Tool) {
					return nil, ""
				}
				entry = this
			case *graph.SubGraph:
				if called != nil && called != node.Graph {
					return nil, ""
				}
				called = node.Graph
			case *graph.Entry, *graph.Parallel, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
			}
		}
	}
	switch {
	case called != nil && entry.Tool != "", entry.Learned > 0:
		return nil, ""
	case called != nil:
		return called.Output, called.Tool.Name.Value
	case len(entry.Output) == 0:
		return nil, ""
	}
	output, err := schema.Compile(entry.Output)
	if err != nil {
		return nil, "" // check reports it
	}
	return output, entry.Server + "." + entry.Tool
}
