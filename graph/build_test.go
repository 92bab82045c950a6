package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
)

func TestBuildsEveryKind(t *testing.T) {
	f := newFile(
		entryNode("entry", "list"),
		mcpNode("list", "files", "list_directory", "pick", data(object{"path", expression("$.entry.directory")})),
		switchNode("pick", "count", when(over(">", "entry.limit", 10), "exit")),
		transformNode("count", "$count($.list)", "exit"),
		exitNode("exit"),
	)
	g := mustBuild(t, f)[0]
	if g.Entry != g.Node("entry") || len(g.Nodes) != 5 || g.Tool != f.Tools[0] || g.Limits != f.Limits || len(g.Hash) != 64 {
		t.Fatalf("graph %+v", g)
	}
	pick, ok := g.Node("pick").(*Switch)
	if !ok || len(pick.Conditions) != 1 || pick.Conditions[0].Next != g.Node("exit") || pick.Default != g.Node("count") {
		t.Fatalf("switch %+v", pick)
	}
	list, ok := g.Node("list").(*MCP)
	if !ok || list.Server != "files" || list.Tool != "list_directory" || list.Next != g.Node("pick") || len(list.Args.Expressions()) != 1 {
		t.Fatalf("mcp %+v", list)
	}
	for id, want := range map[string]string{"entry": "[list]", "pick": "[exit count]", "exit": "[]"} {
		if got := fmt.Sprint(g.Node(id).Successors()); got != want {
			t.Errorf("successors of %s: %s, want %s", id, got, want)
		}
	}
	if g.Node("nobody") != nil {
		t.Error("a node that is not there")
	}
	if calls := g.Calls(); len(calls) != 1 || calls[0].Server != "files" || calls[0].Tool != "list_directory" || calls[0].Pos != at(23) {
		t.Errorf("calls %+v", calls)
	}
}

func TestG01UnknownTargets(t *testing.T) {
	found := wantFindings(t, newFile(
		entryNode("entry", "chose"),
		switchNode("choose", "end", when(over(">", "entry.value", 1), "hihg")),
		transformNode("high", "1", "exit"),
		exitNode("exit"),
	),
		"error unknown-node g.yaml:11:1",
		"error unknown-node g.yaml:21:1",
		"error unknown-node g.yaml:25:1",
	)
	for i, want := range []string{`did you mean "choose"?`, "the nodes are choose, high, exit", `did you mean "high"?`} {
		if found[i].Hint != want {
			t.Errorf("hint %q, want %q", found[i].Hint, want)
		}
	}
}

func TestG02EntryExitAndReach(t *testing.T) {
	t.Run("no entry, no exit", func(t *testing.T) {
		wantFindings(t, newFile(transformNode("a", "1", "a")), "error no-entry g.yaml:5:1", "error no-exit g.yaml:5:1")
	})
	t.Run("two of each", func(t *testing.T) {
		wantFindings(t, newFile(entryNode("e", "x"), exitNode("x"), entryNode("e2", "x2"), exitNode("x2")),
			"error second-entry g.yaml:30:1", "error second-exit g.yaml:40:1")
	})
	t.Run("exit unreachable", func(t *testing.T) {
		found := wantFindings(t, newFile(entryNode("e", "a"), transformNode("a", "1", "b"), transformNode("b", "1", "a"), exitNode("x")),
			"error no-way-to-exit g.yaml:20:1")
		if !strings.Contains(found[0].Message, `"a", "b"`) {
			t.Error(found[0].Message)
		}
	})
	t.Run("node unreachable", func(t *testing.T) {
		wantFindings(t, newFile(entryNode("e", "x"), transformNode("a", "1", "x"), exitNode("x")), "warning unreachable-node g.yaml:20:1")
	})
	t.Run("loop to itself", func(t *testing.T) {
		wantFindings(t, newFile(entryNode("e", "s"), switchNode("s", "a", when(over(">", "e.n", 1), "x")), transformNode("a", "1", "a"), exitNode("x")),
			"error no-way-to-exit g.yaml:30:1")
	})
	t.Run("loop with a way out", func(t *testing.T) {
		wantFindings(t, newFile(entryNode("e", "a"), transformNode("a", "1", "s"), switchNode("s", "a", when(over(">", "a", 1), "x")), exitNode("x")))
	})
	t.Run("entry as target", func(t *testing.T) {
		wantFindings(t, newFile(entryNode("e", "s"), switchNode("s", "e", when(over(">", "e.n", 1), "x")), exitNode("x")),
			"error entry-as-target g.yaml:21:1")
	})
	t.Run("an empty tool", func(t *testing.T) {
		wantFindings(t, newFile(), "error no-entry g.yaml:5:1", "error no-exit g.yaml:5:1")
	})
}

func TestG03OddIDs(t *testing.T) {
	with := func(id, expr string) *config.File {
		return newFile(entryNode("entry", id), transformNode(id, "1", "my"), transformNode("my", "1", "node"), transformNode("node", expr, "exit"), exitNode("exit"))
	}
	for _, id := range []string{"__proto__", strings.Repeat("n", 65), "a`b"} {
		wantFindings(t, with(id, "1"), "warning odd-node-id g.yaml:20:1")
	}
	// Silent where no expression has it, or all have it in backticks.
	for _, id := range []string{"my-node", "a.b", "$x", "and", "true", "function", "🙂", "größe", "1st"} {
		quoted := "`" + id + "`"
		for _, expr := range []string{
			"1", "$." + quoted + ".n", quoted, "$$." + quoted + " & " + quoted + ".n", `$nodeExecution("` + id + `", 0)`, `"` + id + `.n"`,
			"1 /* " + id + ".n */", "$.entry." + quoted, "entry.n in [true] and false", `"it\" is" & '` + id + `'`,
		} {
			wantFindings(t, with(id, expr))
		}
		wantFindings(t, newFile(entryNode("entry", id), transformNode(id, "1", "s"),
			switchNode("s", "a", when(over(">", quoted+".n", 1), "b")), transformNode("a", "1", "exit"), transformNode("b", "1", "exit"), exitNode("exit")))
	}
	for id, expr := range map[string]string{"größe": "größe.n + $.größe.n", "in": "in.n", "and": "$.and.n"} { // JSONata reads them as they stand
		wantFindings(t, with(id, expr))
	}
	for _, c := range []struct{ id, expr string }{
		{"my-node", "my-node"},
		{"my-node", "1 + $.my-node"},
		{"my-node", "($$.my-node)"},
		{"my-node", "[my-node]"},
		{"my-node", "`my-node` + my-node"},
	} {
		found := wantFindings(t, with(c.id, c.expr), "warning odd-node-id g.yaml:20:1")
		if c.id == "my-node" && !strings.Contains(found[0].Hint, "$.`my-node`") {
			t.Error(found[0].Hint)
		}
	}
	f := newFile(entryNode("entry", "my-node"), transformNode("my-node", "1", "my"), transformNode("my", "1", "node"), transformNode("node", "1", "s"),
		switchNode("s", "a", when(over(">", "my-node", 1), "b")), transformNode("a", "1", "exit"), transformNode("b", "1", "exit"), exitNode("exit"))
	wantFindings(t, f, "warning odd-node-id g.yaml:20:1")
	// Not the first name of a path, or a part of another.
	for _, expr := range []string{"entry.my-node", "entry.my-node.n", "amy-node", "my-nodes", "$my-node"} {
		_, found, _ := Build(t.Context(), with("my-node", expr))
		if slices.ContainsFunc(found, func(d config.Diagnostic) bool { return d.Code == "odd-node-id" }) {
			t.Errorf("%s: %v", expr, found)
		}
	}
	for _, id := range []string{"a\x00b", "a\nb", "\x7f"} {
		wantFindings(t, newFile(entryNode("entry", id), transformNode(id, "1", "exit"), exitNode("exit")), "error bad-node-id g.yaml:20:1")
	}
	wantFindings(t, newFile(entryNode("entry", "exit"), transformNode("", "1", "exit"), exitNode("exit")),
		"error bad-node-id g.yaml:20:1", "warning unreachable-node g.yaml:20:1")
	wantFindings(t, newFile(entryNode("entry", "_Plain9"), transformNode("_Plain9", "1", "exit"), exitNode("exit")))
}

func TestG06SwitchDefaults(t *testing.T) {
	build := func(s *config.Node) *config.File {
		return newFile(entryNode("entry", "s"), s, transformNode("a", "1", "exit"), exitNode("exit"))
	}
	rule := over(">", "entry.n", 1)
	wantFindings(t, build(switchNode("s", "a", when(rule, "exit"))))
	wantFindings(t, build(switchNode("s", "a")), "warning switch-without-conditions g.yaml:20:1")
	wantFindings(t, build(switchNode("s", "", when(rule, "a"))), "error switch-without-default g.yaml:20:1")
	wantFindings(t, build(switchNode("s", "")), "error switch-without-default g.yaml:20:1")
	wantFindings(t, build(switchNode("s", "", when(rule, "a"), when(nil, "exit"))))
	wantFindings(t, build(switchNode("s", "a", when(rule, "a"), when(nil, "exit"))), "warning unused-default g.yaml:21:1")
	f := build(switchNode("s", "", when(nil, "a"), when(rule, "exit")))
	wantFindings(t, f, "warning unreachable-condition g.yaml:26:1")
	s, _ := mustBuild(t, f)[0].Node("s").(*Switch)
	if len(s.Conditions) != 0 || s.Default.ID() != "a" {
		t.Errorf("switch %+v", s)
	}
	wantFindings(t, build(switchNode("s", "a", when(rule, ""))), "error missing-next g.yaml:25:1")
}

func TestL14ConstantConditions(t *testing.T) {
	build := func(rule any) *config.File {
		return newFile(entryNode("entry", "s"), switchNode("s", "a", when(data(rule), "exit")), transformNode("a", "1", "exit"), exitNode("exit"))
	}
	wantFindings(t, build(false), "warning constant-condition g.yaml:90:1")
	wantFindings(t, build("false"), "warning unused-default g.yaml:21:1", "warning unreachable-node g.yaml:30:1", "warning constant-condition g.yaml:90:1")
	wantFindings(t, build(1), "warning unused-default g.yaml:21:1", "warning unreachable-node g.yaml:30:1", "warning constant-condition g.yaml:90:1")
	wantFindings(t, build(object{}), "error rule-syntax g.yaml:90:1")
}

func TestM16ToolNames(t *testing.T) {
	for name, want := range map[string]string{
		"":                       "error bad-tool-name g.yaml:5:1",
		strings.Repeat("t", 129): "error bad-tool-name g.yaml:5:1",
		"count files":            "error bad-tool-name g.yaml:5:1",
		"tab\there":              "error bad-tool-name g.yaml:5:1",
		"files/count":            "warning odd-tool-name g.yaml:5:1",
		"größe":                  "warning odd-tool-name g.yaml:5:1",
		strings.Repeat("t", 128): "",
		"Count_files-2.of.v1":    "",
	} {
		f := newFile()
		f.Tools[0] = newTool(name, entryNode("entry", "exit"), exitNode("exit"))
		var findings []string
		if want != "" {
			findings = []string{want}
		}
		wantFindings(t, f, findings...)
	}
}

func TestT11TargetsAreLiteral(t *testing.T) {
	wantFindings(t, newFile(entryNode("entry", "call"), mcpNode("call", "$.entry.server", "$.entry.tool", "exit", nil), exitNode("exit")),
		"error expression-not-allowed g.yaml:22:1", "error expression-not-allowed g.yaml:23:1")
}

func TestUnknownServer(t *testing.T) {
	f := newFile(entryNode("entry", "call"), mcpNode("call", "fils", "read", "exit", nil), exitNode("exit"))
	if found := wantFindings(t, f, "error unknown-server g.yaml:22:1"); found[0].Hint != `did you mean "files"?` {
		t.Error(found)
	}
	f.Servers = nil
	wantFindings(t, f, "error unknown-server g.yaml:22:1")
}

func TestInputSchemaRoot(t *testing.T) {
	f := newFile(entryNode("entry", "exit"), exitNode("exit"))
	f.Tools[0].InputSchema = data(object{"properties", object{}})
	wantFindings(t, f, "error input-schema-type g.yaml:90:1")
	f.Tools[0].InputSchema = data(object{"type", "object"})
	wantFindings(t, f)
}

// A File that was made by hand may lack what config.Load would have asked for.
func TestIncompleteFiles(t *testing.T) {
	wantFindings(t, newFile(entryNode("entry", ""), &config.Node{ID: word("x"), Type: "loop"}, mcpNode("call", "files", "", "", data([]any{})), exitNode("exit")),
		"error missing-next g.yaml:10:1", "error unknown-node-type g.yaml:20:1",
		"error missing-next g.yaml:30:1", "error missing-tool g.yaml:33:1", "error args-not-object g.yaml:90:1")
	wantFindings(t, newFile(entryNode("entry", "call"), mcpNode("call", "", "read", "blank", nil), transformNode("blank", "", "exit"), exitNode("exit")),
		"error missing-server g.yaml:22:1", "error missing-expr g.yaml:34:1")
	if graphs, found, _ := Build(t.Context(), &config.File{}); len(graphs) != 0 || found != nil {
		t.Error(graphs, found)
	}
}

func TestEveryToolIsReported(t *testing.T) {
	f := newFile(entryNode("entry", "exti"), exitNode("exit"))
	f.Tools = append(f.Tools, newTool("second", entryNode("entry", "a"), transformNode("a", "1", "exti"), exitNode("exit")))
	wantFindings(t, f, "error unknown-node g.yaml:11:1", "error unknown-node g.yaml:21:1")
}
