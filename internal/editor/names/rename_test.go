package names

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/graph"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
)

// TestRenamed renames every name of every example and of testdata, one after the other: the project then
// has the same findings and the same graphs, its tests pass as before, and renaming back gives the same
// bytes.
func TestRenamed(t *testing.T) {
	graphs, _ := filepath.Glob("../../../examples/*.yaml")
	graphs = slices.DeleteFunc(graphs, func(path string) bool { return strings.HasSuffix(path, config.TestEnding) })
	more, _ := filepath.Glob("../../../graph/testdata/ok/*.yaml")
	graphs = append(append(graphs, more...), "testdata/all/graph.yaml", "testdata/older/graph.yaml")
	counts := map[Kind]int{}
	for _, path := range graphs {
		sources := Gather(path, onDisk())
		dir := t.TempDir()
		var here []Source
		for _, s := range sources { // all of them are in one directory
			here = append(here, Source{filepath.Join(dir, filepath.Base(s.Path)), s.Text})
		}
		write(t, here)
		at := filepath.Join(dir, filepath.Base(path))
		before := meaningOf(t, at, nil)
		x := Read(here)
		var all []Name
		for _, o := range x.all {
			if o.Definition && !slices.Contains(all, o.Name) {
				all = append(all, o.Name)
			}
		}
		for _, n := range all {
			switch all := os.Getenv("TOOLGRAPH_SOAK") != ""; {
			case x.MayRename(n) != nil, isReserved(n.Name), expressions.IsVariable(n.Name), strings.Contains(n.Name, "."):
				continue
			case !all && counts[n.Kind] > 6 && len(n.Name)%5 != 0: // a part of them is quicker
				continue
			}
			counts[n.Kind]++
			renamedAndBack(t, x, n, n.Name+"_renamed", at, before)
		}
		write(t, here)
	}
	t.Log(counts)
	for _, kind := range []Kind{Node, Branch, Tool, Server, ServerTool, Var, Import, Local} {
		if counts[kind] == 0 {
			t.Errorf("no %s was renamed", kind)
		}
	}
}

func renamedAndBack(t *testing.T, x *Index, n Name, to, path string, before meaning) {
	t.Helper()
	edits, err := x.Rename(n, to)
	if err != nil {
		t.Errorf("%s: %v: %v", path, n, err)
		return
	}
	var changed []Source
	for _, path := range sortedKeys(x.texts) {
		changed = append(changed, Source{path, config.Apply(x.texts[path], edits[path])})
	}
	write(t, changed)
	if after := meaningOf(t, path, func(text string) string { return strings.ReplaceAll(text, to, n.Name) }); !maps.Equal(after, before) {
		for key := range before {
			if after[key] != before[key] {
				t.Errorf("%s: %v: %s is\n%s\nand was\n%s", path, n, key, after[key], before[key])
			}
		}
	}
	y := Read(changed)
	m := n
	m.Name = to
	back, err := y.Rename(m, n.Name)
	if err != nil {
		t.Errorf("%s: back to %v: %v", path, n, err)
		return
	}
	for path, text := range x.texts {
		if got := config.Apply(y.texts[path], back[path]); !bytes.Equal(got, text) {
			t.Errorf("%s: %v and back:\n%s", path, n, got)
		}
	}
}

func write(t *testing.T, sources []Source) {
	t.Helper()
	for _, s := range sources {
		if err := os.WriteFile(s.Path, s.Text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

var label = regexp.MustCompile(`"[^"]*"`) // in a drawing, shortened

// meaning is what a project means, in words.
type meaning map[string]string

func meaningOf(t *testing.T, path string, names func(string) string) meaning {
	t.Helper()
	if names == nil {
		names = func(text string) string { return text }
	}
	p, err := project.Load(t.Context(), path, config.Options{AssumeEnv: true, Registries: []string{}})
	m := meaning{}
	if p == nil {
		t.Fatal(err)
	}
	found := p.Warnings
	if err == nil {
		found, err = p.Check(t.Context(), nil)
	}
	codes := fmt.Sprint(err)
	for _, d := range found {
		if d.Code == "literal-expression" || d.Code == "element-relative-var" { // of what only looks like a node
			continue
		}
		codes += fmt.Sprintf("%d %s\n", d.Pos.Line, d.Code)
	}
	m["findings"] = names(codes)
	for _, g := range p.Graphs {
		name := names(g.Tool.Name.Value)
		m["drawing of "+name] = label.ReplaceAllString(graph.Mermaid(g), "")
		m["size of "+name] = fmt.Sprint(len(g.Nodes))
	}
	if l, err := lock.Load(lock.Path(path)); err == nil && !strings.Contains(path, "all") {
		text := ""
		for _, d := range l.Check(p.File, p.Graphs) {
			text += d.Code + "\n"
		}
		m["lock"] = text
	}
	suites, err := graphtest.Find(path)
	if err != nil { // it has no tests
		return m
	}
	for _, file := range suites {
		s, err := graphtest.Load(file)
		if err != nil {
			m["tests"] = names(err.Error())
			continue
		}
		report, err := s.Run(t.Context(), graphtest.Options{})
		m["tests"] = fmt.Sprint(err)
		for _, r := range report.Results {
			m["tests"] += names(fmt.Sprintf("%s %v %v %v\n", r.Case.Name, r.Status, r.Failure, r.Problems))
		}
		m["names in tests"] = names(s.Check(p).Error())
	}
	return m
}

// A name that needs backticks or quotes gets them, and what other names or expressions would mean something
// else by refuses the rename.
func TestRenameWords(t *testing.T) {
	const head = "version: \"1.0\"\nserver: {name: s, version: 1.0.0}\nmcpServers: {f: {command: x}, r: {registry: true}}\nvars: {most: 1}\ntools:\n  - name: t\n    nodes:\n"
	const text = head + `      - {id: a, type: entry, next: b}
      - {id: b, type: transform, transform: {expr: a.x}, next: c}
      - {id: c, type: transform, transform: {expr: '$.a.x & $.` + "`a`" + `.y & $executionCount("a") & "a"'}, next: d}
      - {id: d, type: transform, transform: {expr: "$.\u0061.z + (b.b.a; $b := $vars.most; $b)"}, next: e}
      - {id: e, type: exit}
  - {name: u, nodes: [{id: a, type: entry, next: e}, {id: e, type: exit}]}
`
	for _, c := range []struct {
		n        Name
		to, want string // lines that change, or the error
	}{
		{Name{Kind: Node, Tool: "t", Name: "a"}, "my-a", `
      - {id: my-a, type: entry, next: b}
      - {id: b, type: transform, transform: {expr: "` + "`my-a`" + `.x"}, next: c}
      - {id: c, type: transform, transform: {expr: '$.` + "`my-a`.x & $.`my-a`" + `.y & $executionCount("my-a") & "a"'}, next: d}
      - {id: d, type: transform, transform: {expr: "$.` + "`my-a`" + `.z + (b.b.a; $b := $vars.most; $b)"}, next: e}`},
		{Name{Kind: Node, Tool: "t", Name: "a"}, "other", `
      - {id: other, type: entry, next: b}
      - {id: b, type: transform, transform: {expr: other.x}, next: c}
      - {id: c, type: transform, transform: {expr: '$.other.x & $.` + "`other`" + `.y & $executionCount("other") & "a"'}, next: d}
      - {id: d, type: transform, transform: {expr: "$.other.z + (b.b.a; $b := $vars.most; $b)"}, next: e}`},
		{Name{Kind: Node, Tool: "t", Name: "b"}, "true", `"true" is a word of the expression language; choose another name`},
		{Name{Kind: Node, Tool: "t", Name: "b"}, "True", `
      - {id: a, type: entry, next: "True"}
      - {id: "True", type: transform, transform: {expr: a.x}, next: c}
      - {id: d, type: transform, transform: {expr: "$.\u0061.z + (True.b.a; $b := $vars.most; $b)"}, next: e}`},
		{Name{Kind: Node, Tool: "t", Name: "b"}, "e", `node "e" already exists or is used (g.yaml:11); choose another name`},
		{Name{Kind: Node, Tool: "t", Name: "b"}, "x y", `
      - {id: a, type: entry, next: x y}
      - {id: x y, type: transform, transform: {expr: a.x}, next: c}
      - {id: d, type: transform, transform: {expr: "$.\u0061.z + (` + "`x y`" + `.b.a; $b := $vars.most; $b)"}, next: e}`},
		{Name{Kind: Node, Tool: "t", Name: "b"}, "x.y", "\"x.y\" is no name for a node, expected at most 64 letters, digits, spaces, _ and -, with a letter or _ first"},
		{Name{Kind: Node, Tool: "t", Name: "b"}, " ", "\" \" is no name for a node, expected at most 64 letters, digits, spaces, _ and -, with a letter or _ first"},
		{Name{Kind: Node, Tool: "t", Name: "nosuch"}, "x", `nothing defines the node "nosuch"; correct the name first`},
		{Name{Kind: Server, Name: "r"}, "x", `server "r" is taken from a registry by this name; rename it there`},
		{Name{Kind: Server, Name: "f"}, "r", `server "r" already exists or is used (g.yaml:3); choose another name`},
		{Name{Kind: Tool, Name: "t"}, "read_result", `"read_result" is the name of another tool that this file lists; choose another name`},
		{Name{Kind: Local, In: "4", Name: "b"}, "item", `"item" has a meaning`},
		{Name{Kind: Var, Name: "most"}, "least", `
vars: {least: 1}
      - {id: d, type: transform, transform: {expr: "$.\u0061.z + (b.b.a; $b := $vars.least; $b)"}, next: e}`},
	} {
		c.n.File = "g.yaml"
		x := Read([]Source{{"g.yaml", []byte(text)}})
		if c.n.Kind == Local {
			for _, o := range x.all {
				if o.Kind == Local {
					c.n = o.Name
				}
			}
		}
		edits, err := x.Rename(c.n, c.to)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			was := strings.Split(text, "\n")
			for i, line := range strings.Split(string(config.Apply([]byte(text), edits["g.yaml"])), "\n") {
				if line != was[i] {
					got += "\n" + line
				}
			}
		}
		if got != c.want && (err == nil || !strings.Contains(got, "has a meaning of its own")) {
			t.Errorf("%v to %q:\n%s\nwant\n%s", c.n, c.to, got, c.want)
		}
	}
}

// A rename is refused where it could miss a name, or take another one for it.
func TestRenameRefused(t *testing.T) {
	const head = "version: \"1.0\"\nserver: {name: s, version: 1.0.0}\ntools:\n  - name: t\n    nodes:\n      - {id: a, type: entry, next: b}\n"
	for _, c := range []struct{ nodes, test, want string }{
		{`      - {id: b, type: transform, transform: {expr: '$nodeExecution($.a.id, 0)'}, next: e}`, "", "g.yaml:7:53: $nodeExecution computes the id of a node, so that a use of \"a\" could be missed; change the expression first"},
		{`      - {id: b, type: transform, transform: {expr: '$.a.('}, next: e}`, "", "g.yaml:7:52: the expression does not compile, so that a use of \"a\" could be missed; change the expression first"},
		{`      - {id: b, type: switch, conditions: [{rule: {no: 1}, next: e}], next: e}`, "", "g.yaml:7:51: the rule does not compile, so that a use of \"a\" could be missed; change the expression first"},
		{`      - {id: b, type: transform, transform: {expr: "1"}, next: e}`, "tests: [", "the names in g.test.yaml are unknown, and one could be \"a\"; correct that file, or rename by hand"},
		{
			"      - {id: b, type: transform, transform: {expr: \"1\"}, next: e}\n  - {name: u, nodes: [{id: a, type: entry, next: e}]}", "mocks: {a: {result: 1}}\ntests: []",
			"\"a\" cannot be renamed to \"z\": the name at g.test.yaml:1 would mean something else; rename it by hand",
		},
		{
			"      - &x {id: b, type: transform, transform: {expr: $.a}, next: e}\n  - {name: u, nodes: [{id: a, type: entry, next: e}, *x]}", "",
			"\"a\" cannot be renamed to \"z\": the name at g.yaml:7 would mean something else; rename it by hand",
		},
	} {
		x := Read([]Source{{"g.yaml", []byte(head + c.nodes + "\n")}, {"g.test.yaml", []byte(c.test)}})
		if c.test == "" {
			x = Read([]Source{{"g.yaml", []byte(head + c.nodes + "\n")}})
		}
		_, err := x.Rename(Name{Kind: Node, File: "g.yaml", Tool: "t", Name: "a"}, "z")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.nodes, err, c.want)
		}
	}
}
