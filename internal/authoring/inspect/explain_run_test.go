package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/authoring/view"
)

const explainedGraph = `server: {name: g, version: 1.0.0}
mcpServers: {up: {command: up, env: {TOKEN: "${TOKEN}"}}}
executionLimits: {maxNodeExecutions: 50}
tools:
  - name: total
    description: Adds up.
    inputSchema: {type: object, properties: {items: {type: array}, note: {type: string}}}
    nodes:
      - {id: entry, type: entry, next: soft}
      - {id: soft, type: transform, transform: {expr: '$number("x")'}, onError: {value: 1}, next: each}
      - id: each
        type: graph
        tool: one
        forEach: {items: $.entry.items}
        args: {n: {expr: $item}, by: {expr: $.soft}}
        next: exit
      - {id: exit, type: exit}
  - name: one
    description: One item.
    hidden: true
    nodes:
      - {id: start, type: entry, next: call}
      - {id: call, type: mcp, server: up, tool: inc, args: {n: {expr: $.start.n}, deep: {by: {expr: $.start.by}}}, next: done}
      - {id: done, type: exit}
  - name: endless
    description: Never ends.
    nodes:
      - {id: entry, type: entry, next: a}
      - {id: a, type: transform, transform: {expr: '1'}, next: b}
      - {id: b, type: switch, conditions: [{rule: {"==": [{var: $.a}, 2]}, next: exit}], next: a}
      - {id: exit, type: exit}
`

// explained is an inspector of a graph file, and run makes a run of one of its tools: a call with n:
// 13 fails.
func explained(t *testing.T) (i *Inspector, run func(tool, args string) string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "graph.yaml")
	if err := os.WriteFile(path, []byte(explainedGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	options := config.Options{LookupEnv: func(string) (string, bool) { return "s3cret-t0ken-value", true }}
	file, err := config.Parse(path, []byte(explainedGraph), options)
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	store, err := sqlite.Open(filepath.Join(dir, "state"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	caller := execution.CallerFunc(func(_ context.Context, c execution.Call) (value.Value, error) {
		if n, _ := c.Args.(value.Object).Get("n"); n == 13.0 {
			return nil, errors.New("no 13 here")
		}
		return 1.0, nil
	})
	engine := execution.New(caller, execution.WithJournal(store.Journal(file.Secrets, journal.About{File: path, Server: "g"})))
	return &Inspector{File: path, Options: options, Store: store}, func(tool, args string) string {
		t.Helper()
		v, err := value.Decode([]byte(args))
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range graphs {
			if g.Tool.Name.Value != tool {
				continue
			}
			result, err := engine.Run(t.Context(), g, v)
			if result == nil {
				t.Fatal(err)
			}
			return result.RunID
		}
		t.Fatal("no such tool")
		return ""
	}
}

// One answer has the innermost step that failed, what it was given and read, and what differs from
// the run before.
func TestExplainFailedRun(t *testing.T) {
	i, run := explained(t)
	if _, err := i.ExplainRun(t.Context(), ""); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("without a failed run: %v", err)
	}
	good := run("total", `{"items": [1, 2], "note": "s3cret-t0ken-value"}`)
	bad := run("total", `{"items": [1, 13], "note": "s3cret-t0ken-value"}`)
	run("total", `{"items": []}`)

	e, err := i.ExplainRun(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if e.ID != bad || len(e.Failed) != 1 || e.More != 0 || e.Handled != 1 || e.Unread != "" {
		t.Fatalf("%+v", e)
	}
	step := e.Failed[0]
	if step.Address != "2.1/1" || step.Node != "one:call" || step.Line != 23 || !strings.Contains(step.Source, "type: mcp") || step.Error.Message != "no 13 here" {
		t.Errorf("the failed step is %+v", step)
	}
	if step.Input == nil || string(step.Input.Value) != `{"n":13,"deep":{"by":1}}` {
		t.Errorf("its input is %+v", step.Input)
	}
	var reads []string
	for _, r := range step.Reads {
		reads = append(reads, r.Path+"="+string(r.Value.Value))
	}
	if got := strings.Join(reads, " "); got != "$.start.n=13 $.start.by=1" {
		t.Errorf("it read %s", got)
	}
	if s := e.Since; s == nil || s.Run != good || !s.SameGraph || s.Arguments == nil || s.Arguments.Changes[0].Path != ".items[1]" {
		t.Errorf("since the last run that finished: %+v", e.Since)
	}
	if got := e.Summary(); got != `the run failed in node "each" after 10 steps` {
		t.Error(got)
	}
	if text, err := json.Marshal(e); err != nil || strings.Contains(string(text), "s3cret") {
		t.Errorf("%v, with a secret: %s", err, text)
	}
}

// A run that reaches a limit has no failed step; the counts show the loop.
func TestExplainLimit(t *testing.T) {
	i, run := explained(t)
	run("endless", `{}`)
	e, err := i.ExplainRun(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Failed) != 0 || e.Failure == nil || e.Failure.Code != execution.CodeLimit || e.Executions[0] != (NodeCount{"a", 25}) && e.Executions[0] != (NodeCount{"b", 25}) {
		t.Errorf("%+v: %+v", e.Failure, e.Executions)
	}
}

// Of a graph that has changed, nothing is said that may not hold for the run.
func TestExplainChangedGraph(t *testing.T) {
	i, run := explained(t)
	run("total", `{"items": [13]}`)
	for name, c := range map[string]struct{ src, want string }{
		"changed": {strings.Replace(explainedGraph, "by: {expr: $.start.by}", "by: {expr: $.start.n}", 1), "the graph has changed"},
		"broken":  {"tools: [", "the graph file has errors"},
	} {
		if err := os.WriteFile(i.File, []byte(c.src), 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := i.ExplainRun(t.Context(), "last")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(e.Unread, c.want) || len(e.Failed) != 1 || e.Failed[0].Source != "" || e.Failed[0].Input != nil || e.Failed[0].Address != "2.0/1" {
			t.Errorf("%s: %q, %+v", name, e.Unread, e.Failed)
		}
	}
}

// A file that is gone has no errors that a check could show.
func TestExplainWithoutFile(t *testing.T) {
	i, run := explained(t)
	run("total", `{"items": [13]}`)
	if err := os.Remove(i.File); err != nil {
		t.Fatal(err)
	}
	e, err := i.ExplainRun(t.Context(), "last")
	if err != nil || !strings.Contains(e.Unread, "cannot be read") || strings.Contains(e.Unread, "errors") {
		t.Errorf("%v, %+v", err, e)
	}
}

// A call of the run's own graph whose outcome is unknown is named, with the ways to resolve it.
func TestExplainCallInDoubt(t *testing.T) {
	dead := &RunExplanation{Run: journal.Run{ID: "R", Status: journal.Interrupted}, InDoubt: []view.Call{{Address: "1", Server: "up", Tool: "inc"}}}
	text := fmt.Sprint(commandsFor(dead))
	for _, want := range []string{"up.inc", "resume R --repeat", "resume R --answer"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}
