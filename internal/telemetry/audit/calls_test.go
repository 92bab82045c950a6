package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

func build(t *testing.T, body string) *graph.Graph {
	t.Helper()
	src := "version: \"1.0\"\nserver: {name: test, version: 1.0.0}\nmcpServers: {up: {command: up, env: {KEY: identifier_that_is_secret}}}\n" + body
	file, err := config.Parse("graph.yaml", []byte(src), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	return graphs[0]
}

const items = `
tools:
- name: all
  description: calls a tool for each item
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: do}
  - {id: do, type: mcp, server: up, tool: change, effect: write, forEach: {items: '$map([1..256], function($n) {{"name": "password-" & $n}})', maxParallel: 64}, args: {name: {expr: $item.name}}, onError: {value: null}, next: exit}
  - {id: exit, type: exit}
`

// run runs a graph with its calls through the log.
func (l *testLog) run(g *graph.Graph, up execution.CallerFunc, more ...execution.Option) (*execution.Result, error) {
	ctx, observer := l.Run(l.t.Context(), g)
	return execution.New(l.Caller(up)).Run(ctx, g, value.NewObject(nil, nil), append(more, execution.WithObserver(observer))...)
}

// 64 parts at once, in four runs at once, over several files: the chain holds, each call has its
// line and its outcome, and no value is in the log.
func TestManyPartsAtOnce(t *testing.T) {
	l := newLog(t, 60_000)
	g := build(t, items)
	var calls atomic.Int64
	up := func(_ context.Context, c execution.Call) (value.Value, error) {
		if n := calls.Add(1); n%8 == 0 {
			return nil, errors.New("password")
		}
		return "password", nil
	}
	ended := make(chan error)
	for range 4 {
		go func() {
			_, err := l.run(g, up)
			ended <- err
		}()
	}
	for range 4 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	l.close()
	r := l.whole()
	if r.Calls["unknown"]+r.Calls["write"] != 1024 || r.Failed["tool-error"] != 128 || r.Open != 0 || r.Runs.Ended["ok"] != 4 || r.Files < 3 {
		t.Errorf("%+v", r)
	}
	rotated, err := rotatedFiles(l.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(rotated, "audit.jsonl") {
		src, err := os.ReadFile(strings.TrimSuffix(l.path, "audit.jsonl") + name)
		if err != nil || strings.Contains(string(src), "password") {
			t.Errorf("%s has a value, %v", name, err)
		}
	}
}

// The lines of a run: what they have, and nothing else.
func TestLinesOfARun(t *testing.T) {
	l := newLog(t, 0)
	g := build(t, `
tools:
- name: save
  description: saves
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: write}
  - {id: write, type: mcp, server: up, tool: put, args: {path: /secret, edits: [{old: a, new: 1}], who: {"Ada L": 1}}, retry: {attempts: 2, delayMs: 0, codes: [tool-error]}, next: exit}
  - {id: exit, type: exit}
`)
	attempts := 0
	up := func(_ context.Context, c execution.Call) (value.Value, error) {
		if attempts++; attempts == 1 {
			return nil, errors.New("the password is wrong")
		}
		return true, nil
	}
	if _, err := l.run(g, up, execution.WithRunID("RUN")); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, src := range l.lines()[2:] {
		line, err := parse([]byte(strings.TrimSuffix(src, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%s %s %s %s %s", line.Kind, line.Run, line.Tool, line.At, line.Node)
		if c := line.Call; c != nil {
			text += fmt.Sprintf(" %s.%s %s %d", c.Server, c.Tool, c.Effect, c.Attempt)
			if c.Args != nil {
				text += fmt.Sprintf(" %.8s %s", c.Args.Digest, c.Args.Shape)
			}
		}
		if line.Outcome != nil {
			text += " → " + line.Outcome.Code
		}
		got = append(got, text)
	}
	const args = ` 3ba1f5ba {path: string, edits: [1 × {old: string, new: number}], who: {1 key}}`
	expected := []string{
		"run-begun RUN save  ",
		"call RUN save 1 write up.put unknown 0" + args,
		"outcome RUN save 1 write up.put unknown 0 → tool-error",
		"call RUN save 1 write up.put unknown 2" + args,
		"outcome RUN save 1 write up.put unknown 2 → ok",
		"run-ended RUN save   → ok",
	}
	if strings.Join(got, "\n") != strings.Join(expected, "\n") {
		t.Errorf("the lines are\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(expected, "\n"))
	}
	l.close()
}

// Questions, answers and refusals: what they have, and none of their text.
func TestQuestionsAndRefusals(t *testing.T) {
	l := newLog(t, 0)
	g := build(t, items)
	_, observer := l.Run(t.Context(), g)
	step := &execution.Visit{Index: 1, NodeID: "do", NodeType: config.MCPNode, Server: "up", Tool: "change"}
	refused := func(part string, code execution.Code, detail, of string) *execution.Record {
		return &execution.Record{Index: 1, Part: part, NodeID: "do", NodeType: config.MCPNode, Handled: &execution.Failure{Code: code, Detail: detail, Message: "password", Part: of}}
	}
	for _, e := range []execution.Event{
		{Kind: execution.QuestionAsked, Step: step, Question: &execution.Question{Message: "password", Digest: "d1", Calls: 2, Server: "up", Tool: "change", Effect: config.DestroyEffect}},
		{Kind: execution.Answered, Step: step, Answer: &execution.Answer{Action: execution.Decline, Digest: "d1", Content: "password"}},
		{Kind: execution.StepFinished, Record: refused("0", execution.CodeUser, "declined", "0")},
		{Kind: execution.StepFinished, Record: refused("1", execution.CodeUser, "declined", "1")},
		{Kind: execution.StepFinished, Record: refused("", execution.CodeUser, "declined", "1")}, // of the whole forEach
		{Kind: execution.StepFinished, Record: &execution.Record{Index: 2, NodeID: "sub", NodeType: config.GraphNode, Error: &execution.Failure{ // of the frame below
			Code: execution.CodeGraph, Detail: "not-allowed", Callers: []execution.Caller{{Tool: "other", Node: "do"}},
		}}},
		{Kind: execution.QuestionAsked, Step: step, Question: &execution.Question{Message: "password", Digest: "d2"}},
		{Kind: execution.Answered, Step: step, Answer: &execution.Answer{Action: execution.NoUser, Digest: "d2"}},
		{Kind: execution.StepFinished, Record: refused("", execution.CodeUser, "no-user", "")},
		{Kind: execution.StepFinished, Record: refused("", execution.CodeTool, "not-allowed", "")},
		{Kind: execution.StepFinished, Record: refused("", execution.CodeTool, "timeout", "")},
		{Kind: execution.AttemptFailed, Step: step, Retry: &execution.Retry{Attempt: execution.Attempt{Error: &execution.Failure{Code: execution.CodeUser, Detail: "timeout"}}}},
		{Kind: execution.RunFinished, End: &execution.End{Failure: &execution.Failure{Code: execution.CodeLimit}}},
	} {
		e.Run, e.Time = "RUN", l.now
		observer.Observe(e)
	}
	l.close()
	r := l.whole()
	counts := fmt.Sprint(r.Questions, r.Answers, r.Refusals, r.Runs)
	if counts != "map[ask:1 confirmation:1] map[decline:1 no-user:1] map[declined:2 no-user:1 not-allowed:1 timeout:1] {0 1 map[limit:1]}" {
		t.Error(counts)
	}
	if strings.Contains(l.content(), "password") || !strings.Contains(l.content(), `"question":{"kind":"confirmation","digest":"d1","calls":2}`) ||
		!strings.Contains(l.content(), `"call":{"server":"up","tool":"change","effect":"destroy"}`) {
		t.Error(l.content())
	}
}

func TestShape(t *testing.T) {
	secrets := config.NewSecrets("identifier_that_is_secret")
	many := map[string]any{}
	for i := range 33 {
		many[fmt.Sprint("k", i)] = 1.0
	}
	deep := value.Value("x")
	for range 9 {
		deep = map[string]any{"a": []any{deep}}
	}
	wide := map[string]any{}
	for i := range 32 {
		wide[strings.Repeat("w", 37)+fmt.Sprint(i)] = map[string]any{strings.Repeat("v", 40): 1.0}
	}
	for expected, v := range map[string]value.Value{
		"{}":                                value.NewObject(nil, nil),
		"{n: number}":                       map[string]any{"n": 1.0},
		"{33 keys}":                         many,
		"{2 keys}":                          map[string]any{"ok": 1.0, "ada@example.com": 1.0},
		"{1 key}":                           map[string]any{"identifier_that_is_secret": 1.0},
		"{a: [2 × string | number], b: []}": map[string]any{"a": []any{"x", 1.0}, "b": []any{}},
		"{a: [5 × string | number | boolean | …]}": map[string]any{"a": []any{"x", 1.0, true, nil, "y"}},
		"{a: [1 × {a: [1 × {1 key}]}]}":            deep,
	} {
		if got := shape(v, secrets); got != expected {
			t.Errorf("%s, expected %s", got, expected)
		}
	}
	if got := shape(wide, secrets); len(got) > maxShape+10 {
		t.Errorf("%d bytes", len(got))
	}
}
