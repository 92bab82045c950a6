package execution_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// callerFunc is a ToolCaller made of a function.
type callerFunc func(ctx context.Context, server, tool string, args value.Value) (value.Value, error)

func (f callerFunc) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	return f(ctx, c.Server, c.Tool, c.Args)
}

// echo answers a call with its arguments.
var echo = callerFunc(func(_ context.Context, _, _ string, args value.Value) (value.Value, error) {
	return args, nil
})

const head = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: up}}
`

// build makes the graphs of a file; nodes is the YAML of one tool's nodes when it
// begins with a dash, else of everything after the head.
func build(t testing.TB, body string) *graph.Graph {
	t.Helper()
	if strings.HasPrefix(strings.TrimSpace(body), "-") {
		body = "tools:\n- name: tool\n  description: a tool\n  inputSchema: {type: object}\n  nodes:\n" + indent(body)
	}
	file, err := config.Parse("graph.yaml", []byte(head+body), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	return graphs[0]
}

func indent(body string) string {
	return "  " + strings.ReplaceAll(strings.Trim(body, "\n"), "\n", "\n  ") + "\n"
}

func decode(t testing.TB, src string) value.Value {
	t.Helper()
	v, err := value.Decode([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func encode(t testing.TB, v value.Value) string {
	t.Helper()
	out, err := value.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// mustRun runs a graph and gives its value as JSON.
func mustRun(t testing.TB, caller execution.ToolCaller, g *graph.Graph, args string) string {
	t.Helper()
	result, err := execution.New(caller).Run(t.Context(), g, decode(t, args))
	if err != nil {
		t.Fatal(err)
	}
	return encode(t, result.Value)
}

// fails runs a graph that must fail, and gives the failure.
func fails(ctx context.Context, t testing.TB, caller execution.ToolCaller, g *graph.Graph, args string) (*execution.StepError, *execution.Failure) {
	t.Helper()
	_, err := execution.New(caller).Run(ctx, g, decode(t, args))
	var step *execution.StepError
	var failure *execution.Failure
	if !errors.As(err, &step) || !errors.As(err, &failure) {
		t.Fatalf("the run did not fail with a StepError: %v", err)
	}
	return step, failure
}

const sumLoop = `
- {id: entry, type: entry, next: add}
- id: add
  type: transform
  next: more
  transform:
    expr: |
      $executionCount("add") = 0
        ? {"counter": 1, "sum": 1}
        : {"counter": $nodeExecution("add", -1).counter + 1,
           "sum": $nodeExecution("add", -1).sum + $nodeExecution("add", -1).counter + 1}
- id: more
  type: switch
  conditions: [{rule: {"<": [{var: $.add.counter}, {var: $.entry.n}]}, next: add}]
  next: pick
- {id: pick, type: transform, transform: {expr: '{"sum": $.add.sum, "by": $previousNode()}'}, next: exit}
- {id: exit, type: exit}
`

func TestLoopWithHistory(t *testing.T) {
	if got := mustRun(t, echo, build(t, sumLoop), `{"n": 100}`); got != `{"sum":5050,"by":"pick"}` {
		t.Errorf("got %s", got)
	}
}

// An exit hands on whatever the node before it gave, falsy values included.
func TestG13FalsyOutputs(t *testing.T) {
	for _, expr := range []string{"0", "false", `""`, "null", "[]", "{}"} {
		g := build(t, `
- {id: entry, type: entry, next: t}
- {id: t, type: transform, transform: {expr: '`+expr+`'}, next: exit}
- {id: exit, type: exit}
`)
		if got := mustRun(t, echo, g, `{}`); got != expr {
			t.Errorf("%s came back as %s", expr, got)
		}
	}
}

// The result of a run is JSON, so nothing is null there; the record of the exit says what
// it was.
func TestNothingAsResult(t *testing.T) {
	g := build(t, `
- {id: entry, type: entry, next: t}
- {id: t, type: transform, transform: {expr: $.entry.missing}, next: exit}
- {id: exit, type: exit}
`)
	result, err := execution.New(echo).Run(t.Context(), g, decode(t, `{}`))
	if err != nil || result.Value != value.Null || !result.History()[2].Nothing() {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestCallArguments(t *testing.T) {
	var server, tool string
	caller := callerFunc(func(_ context.Context, s, tl string, args value.Value) (value.Value, error) {
		server, tool = s, tl
		return args, nil
	})
	g := build(t, `
- {id: entry, type: entry, next: call}
- id: call
  type: mcp
  server: up
  tool: do it
  args:
    z: {expr: $.entry.x}
    a: [1, {expr: $.entry.x}, {deep: {expr: $.entry.missing}}]
    literal: $.entry.x
  next: exit
- {id: exit, type: exit}
`)
	got := mustRun(t, caller, g, `{"x": {"k": [1, null]}}`)
	if want := `{"z":{"k":[1,null]},"a":[1,{"k":[1,null]},{}],"literal":"$.entry.x"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if server != "up" || tool != "do it" {
		t.Errorf("called %q %q", server, tool)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	caller := callerFunc(func(ctx context.Context, _, _ string, _ value.Value) (value.Value, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	g := build(t, `
- {id: entry, type: entry, next: call}
- {id: call, type: mcp, server: up, tool: hang, next: exit}
- {id: exit, type: exit}
`)
	_, failure := fails(ctx, t, caller, g, `{}`)
	if failure.Code != execution.CodeCancelled || !errors.Is(failure, context.Canceled) {
		t.Errorf("got %q: %v", failure.Code, failure)
	}
}

type codedError struct{}

func (codedError) Error() string     { return `server "up": no such table` }
func (codedError) ErrorCode() string { return "tool-error" }

func (codedError) StructuredContent() json.RawMessage { return json.RawMessage(`{"b":1,"a":2}`) }

func TestFailedCall(t *testing.T) {
	caller := callerFunc(func(context.Context, string, string, value.Value) (value.Value, error) {
		return nil, codedError{}
	})
	g := build(t, `
- {id: entry, type: entry, next: call}
- {id: call, type: mcp, server: up, tool: query, next: exit}
- {id: exit, type: exit}
`)
	step, failure := fails(t.Context(), t, caller, g, `{}`)
	if failure.Code != execution.CodeTool || failure.Detail != "tool-error" || string(failure.Structured) != `{"b":1,"a":2}` {
		t.Errorf("got %+v", failure)
	}
	if !errors.As(step, &codedError{}) {
		t.Error("the cause is lost")
	}
	want := "graph.yaml:10:3: node \"call\" of tool \"tool\": server \"up\": no such table\npath: entry → call"
	if !strings.HasSuffix(step.Error(), strings.TrimPrefix(want, "graph.yaml:10:3")) || !strings.HasPrefix(step.Error(), "graph.yaml:") {
		t.Errorf("got  %s\nwant %s", step, want)
	}
}

// A failed expression is reported at its place inside the block scalar.
func TestFailedExpression(t *testing.T) {
	g := build(t, `
- {id: entry, type: entry, next: t}
- id: t
  type: transform
  transform:
    expr: |
      {"a": 1,
       "b": $number("x")}
  next: exit
- {id: exit, type: exit}
`)
	step, failure := fails(t.Context(), t, echo, g, `{}`)
	if failure.Code != execution.CodeExpression || !step.Pos.IsValid() || step.Node != "t" {
		t.Errorf("got %+v", step)
	}
}
