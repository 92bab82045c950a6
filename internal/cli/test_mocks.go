package cli

import (
	"context"
	"fmt"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/graph"
	"toolgraph/internal/graphtest"
	"toolgraph/internal/lock"
)

// mockFindings are the answers of mocks that their tools would not give, as far as the
// lock beside the graph file says what those give: a test on them shows little. A lock
// that cannot be read is for check to tell of; tests do without.
func mockFindings(ctx context.Context, report *graphtest.Report) config.Diagnostics {
	if len(report.Graphs) == 0 {
		return nil
	}
	l, err := lock.Load(lock.Path(report.Suite.Graph))
	if err != nil {
		return nil //nolint:nilerr // see above
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
		gives, name := declared(mock.Name.Value, graphs, l)
		if gives == nil {
			continue
		}
		for _, rule := range mock.Rules {
			for _, answer := range rule.Answers {
				if answer.Failed {
					continue
				}
				if answer.Value == nil {
					found.Warn(answer.Pos, "mock-refused", fmt.Sprintf("mock %q gives nothing, and %s has an outputSchema: it gives a value",
						mock.Name.Value, name), "write result: VALUE; if the tool has changed, run: toolgraph lock")
					continue
				}
				// What cannot be validated is the server's to answer for.
				if problems, _ := gives.Check(ctx, answer.Value); len(problems) > 0 {
					found.Warn(answer.Pos, "mock-refused", fmt.Sprintf("the outputSchema of %s refuses what mock %q gives: %s",
						name, mock.Name.Value, problems.Text("result")), "give what the tool gives; if that has changed, run: toolgraph lock")
				}
			}
		}
	}
}

// declared is what the tool that a mock stands for says it gives, and the tool's name;
// nil when it says nothing, or the mock stands for several.
func declared(mock string, graphs []*graph.Graph, l *lock.Lock) (*schema.Schema, string) {
	var entry lock.Entry
	for _, g := range graphs {
		for _, node := range g.Nodes {
			call, calls := node.(*graph.MCP)
			if !calls || call.ID() != mock && call.Server+"."+call.Tool != mock {
				continue
			}
			this, known := l.Entry(call.Server, call.Tool)
			if !known || entry.Tool != "" && (entry.Server != this.Server || entry.Tool != this.Tool) {
				return nil, ""
			}
			entry = this
		}
	}
	if len(entry.Output) == 0 || entry.Learned > 0 {
		return nil, ""
	}
	gives, err := schema.Compile(entry.Output)
	if err != nil {
		return nil, "" // nothing can be checked with it; check tells of it
	}
	return gives, entry.Server + "." + entry.Tool
}
