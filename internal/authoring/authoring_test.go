package authoring

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/server"
	"toolgraph/internal/serving/toolset"
	"toolgraph/mcpclient"
	"toolgraph/tests/testbin"
)

// TestMain looks for leaked goroutines.
func TestMain(m *testing.M) {
	code := testbin.Run(m)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

const graphFile = `server: {name: g, version: 1.0.0}
mcpServers:
  fake: {command: FAKE, cwd: .}
tools:
  - name: a
    description: d
    nodes:
      - {id: entry, type: entry, next: t}
      - id: t
        type: transform
        transform:
          expr: |
            {
              "x": $.entry.x
            }
        next: exit
      - {id: exit, type: exit}
`

// kit is a toolkit of a graph file that may do everything.
func kit(t *testing.T, file string) *Toolkit {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.yaml")
	file = strings.ReplaceAll(file, "FAKE", testbin.Build(t, "toolgraph/tests/fakeserver"))
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	k := New(Options{Graph: path, AllowWrite: true, AllowRun: true})
	t.Cleanup(k.Close)
	return k
}

// answer does an operation and gives its value as JSON, or the error's text.
func (k *Toolkit) answerTo(t *testing.T, name, args string) string {
	t.Helper()
	given, err := value.Decode([]byte(args))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := k.tools()
	if err != nil {
		t.Fatal(err)
	}
	answer, err := tools.Tool(name).Run(context.Background(), given, server.Watch{})
	if err != nil {
		return err.Error()
	}
	raw, err := value.Encode(answer.Value)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// What a server reports of a call that is tried reaches the agent's client.
func TestProgressOfTriedCalls(t *testing.T) {
	k := kit(t, graphFile)
	given, err := value.Decode([]byte(`{"server":"fake","tool":"report","args":{"n":1,"message":"half"}}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	watch := server.Watch{Progress: func(done, total float64, message string) { got = append(got, fmt.Sprint(done, total, message)) }}
	tools, err := k.tools()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tools.Tool("testMcpTool").Run(context.Background(), given, watch); err != nil || len(got) != 1 || got[0] != "1 2half" {
		t.Errorf("got %q, %v", got, err)
	}
}

// Tests that are given read no file but those that belong to the graph file.
func TestGivenTestsStayInTheFolder(t *testing.T) {
	k := kit(t, graphFile)
	for _, path := range []string{"/etc/passwd", "../other.json", "a/../../b"} {
		got := k.answerTo(t, "testGraphTool", `{"tests":[{"tool":"a","args":{"x":1},"cassette":"`+path+`","expect":{"value":{"x":1}}}]}`)
		if !strings.Contains(got, "is not in the folder of the graph file") {
			t.Errorf("%s: got %s", path, got)
		}
	}
}

// Every tool has a definition and an operation.
func TestToolsAndOperations(t *testing.T) {
	tools, err := New(Options{Graph: "g.yaml"}).tools()
	if err != nil || len(tools.Tools) != len(operations) {
		t.Fatalf("%+v, %d operations, %v", tools, len(operations), err)
	}
	for _, tool := range tools.Tools {
		op := operations[tool.Def.Name.Value]
		for _, schema := range []*config.Data{tool.Def.InputSchema, tool.Def.OutputSchema} {
			if strings.Contains(string(schema.JSON()), ":null") { // an unquoted comma in a description
				t.Errorf("%s has a schema with a key without value: %s", tool.Def.Name.Value, schema.JSON())
			}
		}
		readOnly, _ := tool.Def.Annotations.Get("readOnlyHint").Value().(bool)
		if readOnly != (op.needs == toRead) {
			t.Errorf("%s has readOnlyHint %v and needs %v", tool.Def.Name.Value, readOnly, op.needs)
		}
	}
}

// Servers are kept from one operation to the next while the file defines the same ones,
// and ended after the last that uses them when it does not.
func TestPools(t *testing.T) {
	k := kit(t, graphFile)
	load := func(src string) *project.Project {
		f, err := config.Parse("g.yaml", []byte(src), config.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return &project.Project{File: f}
	}
	fake := strings.ReplaceAll(graphFile, "FAKE", testbin.Build(t, "toolgraph/tests/fakeserver"))
	one, doneOne := k.lease(load(fake).File)
	two, doneTwo := k.lease(load("# moved\n" + fake).File)
	if one != two || k.pools.Current() != one {
		t.Error("the same servers have two pools")
	}
	doneTwo()
	other, doneOther := k.lease(load(strings.Replace(fake, "cwd: .", "timeoutMs: 5", 1)).File)
	if other == one || k.pools.Current() != other {
		t.Error("other servers have the same pool")
	}
	doneOther()
	if _, err := one.ListTools(context.Background(), "fake"); err != nil {
		t.Errorf("a pool was closed under its user: %v", err)
	}
	doneOne()
	k.pools.Close()
	for _, p := range []*mcpclient.Pool{one, other} {
		if _, err := p.ListTools(context.Background(), "fake"); err == nil || !strings.Contains(err.Error(), "shutting down") {
			t.Errorf("a pool is still open: %v", err)
		}
	}
}

// A place in the file is reported as its path in the tool, down to the expression.
func TestFindingPaths(t *testing.T) {
	k := kit(t, graphFile)
	v, err := k.read()
	if err != nil {
		t.Fatal(err)
	}
	var found config.Diagnostics
	for _, at := range []config.Pos{{Line: 13, Column: 20}, {Line: 8, Column: 36}, {Line: 6, Column: 5}, {Line: 3, Column: 9}, {Line: 1, Column: 1}} {
		at.File = v.path
		found.Warn(at, "code", "message", "")
	}
	want := []finding{
		{Node: "t", Tool: "a", Path: "nodes[1].transform.expr", Source: "{"},
		{Node: "entry", Tool: "a", Path: "nodes[0].next", Source: "- {id: entry, type: entry, next: t}"},
		{Tool: "a", Path: "description", Source: "description: d"},
		{},
		{},
	}
	for i, f := range v.findings(found, "") {
		if f.Node != want[i].Node || f.Tool != want[i].Tool || f.Path != want[i].Path || f.Source != want[i].Source {
			t.Errorf("%d: got %+v", i, f)
		}
	}
	if n := len(v.findings(found, "a")); n != 3 {
		t.Errorf("%d findings concern the tool", n)
	}
}

func TestLogWithinBounds(t *testing.T) {
	log := &runLog{}
	for range 3 * mostLogged {
		log.rule("x")
	}
	if len(log.entries) != mostLogged+1 || log.entries[mostLogged].Level != "warn" {
		t.Errorf("%d entries", len(log.entries))
	}
}

// A call that the server rejects is reported with the server's message and the arguments.
func TestCallThatFails(t *testing.T) {
	k := kit(t, graphFile)
	for args, want := range map[string]string{
		`{"server": "fake", "tool": "echo", "args": {"a": [{"expr": "n + 1"}]}, "context": {"n": 1}}`:    `"evaluatedArgs":{"a":[2]}`,
		`{"server": "fake", "tool": "ecko", "args": {}}`:                                                 `"code":"unknown-tool"`,
		`{"server": "fak", "tool": "echo", "args": {}}`:                                                  `"code":"unknown-server"`,
		`{"server": "fake", "tool": "echo", "args": {"a": {"expr": "1", "b": 2}}}`:                       `args.a has other keys beside expr`,
		`{"server": "fake", "tool": "echo", "args": {"a": {"expr": 1}}}`:                                 `args.a.expr is not a string`,
		`{"server": "fake", "tool": "echo", "args": {"a": [{"expr": "a +"}]}}`:                           `args.a[0]: the JSONata does not compile`,
		`{"server": "fake", "tool": "echo", "args": {"a": {"expr": "b"}, "c": [{"expr": "b"}]}}`:         `"evaluatedArgs":{"c":[null]}`,
		`{"server": "fake", "tool": "echo", "args": {"a": {"expr": "n + \"\""}}, "context": {"n": "a"}}`: `args.a: the evaluation of the JSONata failed`,
	} {
		if got := k.answerTo(t, "testMcpTool", args); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

// A definition as getGraphTool gives it changes nothing when it is given back.
func TestDefinitionsComeBack(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../examples/*.yaml", "../../graph/testdata/ok/*.yaml", "../../graph/flow/testdata/good/*.yaml", "../../graph/flow/testdata/t*/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	tried := 0
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := config.Parse(path, src, config.Options{AssumeEnv: true})
		if err != nil || file.Older {
			continue
		}
		root, err := config.ParseData(path, src)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range file.Tools {
			if !tool.Description.IsSet() || tool.InputSchema.Pos == tool.Pos {
				continue // what was left out is written out
			}
			tried++
			raw, err := toolset.JSON(definitionOf(tool, root))
			if err != nil {
				t.Fatal(err)
			}
			given, err := value.Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			got, err := config.ReplaceTool(path, src, tool.Name.Value, DataOf(given))
			if err != nil || string(got) != string(src) {
				t.Errorf("%s, %s: %v\n%s", path, tool.Name.Value, err, got)
			}
		}
	}
	if tried < 20 {
		t.Errorf("only %d tools were tried", tried)
	}
}

// A file that another program saves during an operation is not overwritten.
func TestSaveAfterAChange(t *testing.T) {
	k := kit(t, graphFile)
	v, err := k.read()
	if err != nil {
		t.Fatal(err)
	}
	other := append([]byte("# theirs\n"), v.src...)
	if err := os.WriteFile(v.path, other, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (&request{Toolkit: k, snapshot: v}).save(t.Context(), append([]byte("# ours\n"), v.src...), nil, "a", ""); err == nil || !strings.Contains(err.Error(), "try again") {
		t.Errorf("got %v", err)
	}
	if now, err := os.ReadFile(v.path); err != nil || string(now) != string(other) {
		t.Errorf("the file is %s, %v", now, err)
	}
}
