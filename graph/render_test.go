package graph

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
)

// awkward has ids and texts that mean something in a drawing's language.
func awkward() *config.File {
	quote := `say "hi" | {x} <b> #quot; & \n`
	return newFile(
		entryNode("end", "subgraph"),
		mcpNode("subgraph", "files", "list`x`", quote, nil),
		switchNode(quote, "größe 🙂", when(over("==", "end.text", `a"b\|<c>`), "click"), when(data(object{"missing", []any{"end.a", "end.b", "end.c", "end.d"}}), "end;")),
		transformNode("größe 🙂", "{\n  \"a\": $.end,\n  \"b\": $$.end[$ > 1 and $ < 99]\n}", "click"),
		transformNode("click", "1", "end;"),
		exitNode("end;"),
	)
}

// awkwardCalls is called with such ids and texts.
func awkwardCalls() *config.File {
	f := called()
	n := f.Tools[0].Nodes
	quote := `say "hi" | {x} <b> #quot; & \n`
	n[2].Next, n[3].ID, n[1].Tool = word(quote), word(quote), word(quote)
	n[3].OnError, n[3].Branches[0].Tool, n[3].Branches[0].OnError = nil, word("list`x`"), &config.OnError{Value: data(quote)}
	return f
}

// awkwardAsks asks and confirms with such texts.
func awkwardAsks() *config.File {
	f := asking()
	n := f.Tools[0].Nodes
	yes := true
	n[1].Message = data("Remove {{\"all\"}}?\n<b> & `that` | #quot; \\n – a question that is longer than a label")
	n[2].Confirm, n[2].ForEach = &yes, &config.ForEach{Items: word("entry.list"), MaxParallel: 1}
	f.Allow = nil
	return f
}

func TestRender(t *testing.T) {
	for name, f := range map[string]*config.File{"every_kind": hashed(), "awkward": awkward(), "calls": called(), "awkward_calls": awkwardCalls(), "asks": asking(), "awkward_asks": awkwardAsks()} {
		g := mustBuild(t, f)[0]
		dir := filepath.Join("testdata", "render")
		checkGolden(t, filepath.Join(dir, name+".mmd"), Mermaid(g))
		checkGolden(t, filepath.Join(dir, name+".dot"), DOT(g))
		checkGolden(t, filepath.Join(dir, name+".json"), JSON(g))
		if !json.Valid([]byte(JSON(g))) {
			t.Errorf("%s: the JSON is not JSON", name)
		}
	}
}

// A step that changes something waits for all above, and those below for it; arrows that follow from others are left out.
func TestRenderOrdered(t *testing.T) {
	const src = `{version: "1.0", server: {name: s, version: 1.0.0}, mcpServers: {up: {command: up}}, tools: [{name: t, steps: [
  {id: a, call: up.a}, {id: b, call: up.b, args: {v: {expr: a}}}, {id: c, call: up.c}, {id: w, call: up.w, args: {v: {expr: c}}},
  {id: d, steps: [{id: e, call: up.e}, {id: f, call: up.f}]}, {id: g, call: up.g, args: {v: {expr: d}}}, {id: h, call: up.h, after: [g]}]}]}`
	file, err := config.Parse("g.yaml", []byte(src), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, err := Build(t.Context(), file)
	if err := errors.Join(err, found.Err()); err != nil {
		t.Fatal(err)
	}
	steps := graphs[0].Steps()
	g := graphs[0].Ordered(func(n *Steps) [][]int {
		if n != steps { // e and f change something, so d does
			return [][]int{nil, {0}}
		}
		return [][]int{nil, {0}, nil, {0, 1, 2}, {0, 1, 2, 3}, {4}, {4, 5}}
	})
	dir := filepath.Join("testdata", "render")
	checkGolden(t, filepath.Join(dir, "ordered.mmd"), Mermaid(g))
	checkGolden(t, filepath.Join(dir, "ordered.dot"), DOT(g))
	checkGolden(t, filepath.Join(dir, "ordered.json"), JSON(g))
	if Mermaid(graphs[0]) == Mermaid(g) || strings.Contains(Mermaid(graphs[0]), "-.->") {
		t.Error("the drawing without order has it")
	}
}

func TestRuleLabels(t *testing.T) {
	variable := func(path string) any { return object{"var", path} }
	cases := []struct {
		rule any
		want string
	}{
		{object{">", []any{variable("entry.value"), 10}}, "entry.value > 10"},
		{object{">", []any{variable("$.entry.value"), 10}}, "entry.value > 10"},
		{object{"<", []any{variable("n"), 1e6}}, "n < 1000000"},
		{object{"==", []any{object{"var", []any{"a.b"}}, "x"}}, `a.b == "x"`},
		{object{"!", []any{variable("a")}}, "!a"},
		{object{"!!", variable("a")}, "!!a"},
		{object{"and", []any{object{"<", []any{variable("a"), 1}}, variable("b"), true}}, "(a < 1) and b and true"},
		{object{">=", []any{object{"+", []any{variable("a"), 1.5}}, variable("b")}}, "(a + 1.5) >= b"},
		{object{"in", []any{"x y", variable("a")}}, `"x y" in a`},
		{object{"<", []any{1, variable("a"), 3}}, `{"<":[1,{"var":"a"},3]}`},
		{object{"var", []any{"a", 1}}, `{"var":["a",1]}`},
		{object{"some", []any{variable("list.items"), object{">", []any{variable("qty"), 1}}}}, `{"some":[{"var":"list.items"},{">":[{"v…`},
		{true, "true"},
		{nil, "null"},
	}
	for _, c := range cases {
		if got := ruleLabel(data(c.rule)); got != c.want {
			t.Errorf("label %s, want %s", got, c.want)
		}
	}
	long := ruleLabel(over("==", "entry.text", strings.Repeat("ü", 100)))
	if len([]rune(long)) != maxLabel || !strings.HasSuffix(long, "…") {
		t.Errorf("label %s is not cut", long)
	}
}
