package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// importing writes files into a new directory, which becomes the current one.
func importing(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const importHead = "server: {name: g, version: 1.0.0}\n"

// oneTool is a graph file whose only tool calls a tool; empty for none.
func oneTool(name, calls, more string) string {
	call := ""
	if calls != "" {
		call = "{id: call, type: graph, tool: " + calls + ", next: out}, "
	}
	return importHead + more + "tools: [{name: " + name + ", nodes: [{id: in, type: entry, next: out}, " + call + "{id: out, type: exit}]}]\n"
}

// Names of tools and servers, and the names in them, get the names of the imports that lead to them.
func TestImportsPrefixNames(t *testing.T) {
	importing(t, map[string]string{
		"graph.yaml": oneTool("report", "text.count", "imports: {text: lib/text.yaml}\nmcpServers: {web: {command: w}}\n"),
		"lib/text.yaml": importHead + `
imports: {list: list.yaml}
executionLimits: {maxCalls: 20}
allow: {calls: [web.fetch, "*"]}
mcpServers: {web: {command: w}, disk: {command: d, cwd: data}}
tools:
  - name: count
    executionLimits: {maxCalls: 30, maxDepth: 4}
    allow: {calls: ["web.*"]}
    nodes:
      - {id: in, type: entry, next: read}
      - {id: read, type: mcp, server: web, tool: fetch, next: both}
      - id: both
        type: parallel
        branches: {a: {type: mcp, server: disk, tool: read}, b: {type: graph, tool: list.size}}
        next: again
      - {id: again, type: graph, tool: count, next: out}
      - {id: out, type: exit}
`,
		"lib/list.yaml": oneTool("size", "", "executionLimits: {maxCalls: 25, maxDepth: 3}\n"),
	})
	f, err := Load("graph.yaml", Options{})
	if err != nil || len(f.Warnings) > 0 {
		t.Fatal(err, f.Warnings)
	}
	text := f.Imports[0].File
	list := text.Imports[0].File
	count, size := f.Tools[1], f.Tools[2]
	got := []any{
		f.Tools[0].Name, f.Tools[0].Nodes[1].Tool, f.Tools[0].Hidden, f.Prefix, f.Tools[0].File == f,
		count.Name, count.Nodes[1].Server, count.Nodes[1].Tool, count.Nodes[2].Branches[0].Server, count.Nodes[2].Branches[1].Tool, count.Nodes[3].Tool, count.Hidden, count.Allow.Calls, count.File == text,
		size.Name, size.Hidden && size.File == list, text.Prefix, list.Prefix, text.Allow.Calls,
	}
	const want = "[report text.count false  true " +
		"text.count text.web fetch text.disk text.list.size text.count true [text.web.*] true " +
		"text.list.size true text. text.list. [text.web.fetch text.*]]"
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
	if count.Limits != (Limits{MaxCalls: 30, MaxDepth: 4}) || size.Limits != (Limits{MaxCalls: 20, MaxDepth: 3}) {
		t.Errorf("limits: %+v, %+v", count.Limits, size.Limits)
	}
	var servers []string
	for _, u := range f.Servers {
		servers = append(servers, u.Name.Value+" "+u.Shares+" "+filepath.Base(u.Dir))
	}
	if got := strings.Join(servers, ", "); got != "web  ., text.web web ., text.disk  data" {
		t.Error(got)
	}
	if !strings.HasSuffix(f.Servers[2].Dir, "/lib/data") || count.Nodes[0].Pos.File != "lib/text.yaml" {
		t.Error(f.Servers[2].Dir, count.Nodes[0].Pos)
	}
	if got := strings.Join(f.Sources(), " "); got != "graph.yaml lib/text.yaml lib/list.yaml" {
		t.Error(got)
	}
}

// Row F23: what cannot be imported is an error at the line of imports, and nothing of it is shown.
func TestF23ImportsThatAreRefused(t *testing.T) {
	const secret = "hunter2hunter2"
	for _, c := range []struct {
		name, path string
		prepare    func(t *testing.T)
		want       string
	}{
		{"a link", "link.yaml", func(t *testing.T) { check(t, os.Symlink("text.yaml", "link.yaml")) }, "is a symbolic link, expected a regular file; name the graph file itself [not-a-regular-file]"},
		{"a directory", "dir", func(t *testing.T) { check(t, os.Mkdir("dir", 0o700)) }, "found a directory, not a regular file; name the graph file itself [not-a-regular-file]"},
		{"2 MiB", "large.yaml", func(t *testing.T) {
			check(t, os.WriteFile("large.yaml", []byte(oneTool(secret, "", "")+strings.Repeat("# long\n", 300_000)), 0o600))
		}, "the file is larger than 1 MiB, the maximum; split it into several files [file-too-large]"},
		{"missing", "none.yaml", nil, "import \"text\": cannot read none.yaml: no such file or directory; paths are relative to the file that imports [unreadable-import]"},
		{"itself", "./graph.yaml", nil, "leads back to a file that imports it: graph.yaml → graph.yaml; move the tools that both need into a file of their own [import-ring]"},
		{"itself, by another name", "other.yaml", func(t *testing.T) { check(t, os.Link("graph.yaml", "other.yaml")) }, "leads back to a file that imports it: graph.yaml → other.yaml; move the tools that both need into a file of their own [import-ring]"},
		{"another file", "passwd", func(t *testing.T) {
			check(t, os.WriteFile("passwd", []byte("root:x:0:0:"+secret+":/root:/bin/sh\n"), 0o600))
		}, "is not a graph file, which has server and tools [not-a-graph]"},
		{"another YAML file", "secrets.yaml", func(t *testing.T) {
			check(t, os.WriteFile("secrets.yaml", []byte("version: 3\nvars: {}\npassword: "+secret+"\n"+secret+": [\n"), 0o600))
		}, "is not a graph file, which has server and tools [not-a-graph]"},
		{"an empty file", "empty.yaml", func(t *testing.T) { check(t, os.WriteFile("empty.yaml", nil, 0o600)) }, "is not a graph file, which has server and tools [not-a-graph]"},
	} {
		importing(t, map[string]string{
			"graph.yaml": oneTool("report", "text.count", "\nimports:\n  text: "+c.path+"\n"),
			"text.yaml":  oneTool("count", "", ""),
		})
		if c.prepare != nil {
			c.prepare(t)
		}
		_, err := Load("graph.yaml", Options{})
		var found Diagnostics
		if !errors.As(err, &found) || len(found) != 1 || found[0].Pos.String() != "graph.yaml:4:3" || !strings.HasSuffix(found[0].String(), c.want) {
			t.Errorf("%s: %v\nwant graph.yaml:4:3 … %s", c.name, err, c.want)
		}
		if strings.Contains(fmt.Sprint(err), secret) {
			t.Errorf("%s: the content is shown: %v", c.name, err)
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Row F23: a ring of three is an error where it closes.
func TestF23ImportRing(t *testing.T) {
	importing(t, map[string]string{
		"a.yaml":   oneTool("a", "b.b", "imports: {b: b.yaml}\n"),
		"b.yaml":   oneTool("b", "c.c", "imports: {c: d/c.yaml}\n"),
		"d/c.yaml": oneTool("c", "a.a", "imports: {a: ../a.yaml}\n"),
	})
	_, err := Load("a.yaml", Options{})
	const want = `d/c.yaml:2:11: import "a" leads back to a file that imports it: a.yaml → b.yaml → c.yaml → a.yaml; move the tools that both need into a file of their own [import-ring]`
	if fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// Row F23: imports are at most 8 deep, and at most 64 files, each counted as often as it is imported.
func TestF23ManyImports(t *testing.T) {
	chain := map[string]string{}
	for i := range 10 {
		chain[fmt.Sprintf("f%d.yaml", i)] = oneTool("t", "n.t", fmt.Sprintf("imports: {n: f%d.yaml}\n", i+1))
	}
	chain["f10.yaml"] = oneTool("t", "", "")
	importing(t, chain)
	if f, err := Load("f2.yaml", Options{}); err != nil || len(f.Tools) != 9 || len(f.Sources()) != 9 {
		t.Errorf("8 deep: %v", err)
	}
	for _, from := range []string{"f0.yaml", "f1.yaml"} {
		_, err := Load(from, Options{})
		if text := fmt.Sprint(err); !strings.Contains(text, `import "n" is more than 8 files deep, which is the limit`) || strings.Count(text, "[too-many-imports]") != 1 {
			t.Errorf("%s: %v", from, err)
		}
	}
	many := func(n int) string {
		imports := "imports:\n"
		for i := range n {
			imports += fmt.Sprintf("  i%d: double.yaml\n", i)
		}
		return oneTool("t", "", imports)
	}
	importing(t, map[string]string{
		"graph.yaml": many(32), "more.yaml": many(33),
		"double.yaml": oneTool("t", "n.t", "imports: {n: single.yaml}\n"), "single.yaml": oneTool("t", "", ""),
	})
	if f, err := Load("graph.yaml", Options{}); err != nil || len(f.Tools) != 65 {
		t.Errorf("64 files: %v", err)
	}
	_, err := Load("more.yaml", Options{})
	var found Diagnostics
	if errors.As(err, &found); found.Err() == nil {
		t.Fatal(err)
	}
	if errs, _ := found.Split(); len(errs) != 1 || !strings.HasPrefix(errs[0].String(), `more.yaml:35:3: import "i32" is one of more than 64`) {
		t.Errorf("66 files: %v", errs)
	}
}

// What is wrong in an imported file is reported there; names that an import owns and imports
// without use are reported, too.
func TestImportFindings(t *testing.T) {
	importing(t, map[string]string{
		"graph.yaml": `server: {name: g, version: 1.0.0}
imports: {text: text.yaml, "1st": text.yaml, list: [], idle: idle.yaml}
mcpServers: {text: {command: x}, text.web: {command: x}, texts: {command: x}}
tools:
  - {name: text.count, nodes: []}
  - {name: texts, nodes: [{id: a, type: graph, tool: text.count}]}
`,
		"text.yaml": "server: {name: g, version: 1.0.0}\nmcpServers: {web: {command: x, env: {KEY: \"${NO_SUCH}\"}}}\ntools: [{name: count, nods: []}]\n",
		"idle.yaml": oneTool("idle", "", "colour: red\n"),
	})
	_, err := Load("graph.yaml", Options{LookupEnv: func(string) (string, bool) { return "", false }})
	const want = `graph.yaml:2:28: import "1st" has no plain name, expected 1 to 64 letters, digits, _ or -, the first of them no digit; write a name such as text_tools [bad-import-name]
graph.yaml:2:52: import "list" is a list, expected the path of a graph file; write list: ./FILE.yaml [wrong-type]
graph.yaml:2:56: warning: no tool of this file calls a tool of import "idle"; call one with a node of type graph and tool: idle.TOOL, or remove the import [unused-import]
graph.yaml:3:14: server "text" has a name that belongs to import "text" (graph.yaml:2); rename one of them [name-taken]
graph.yaml:3:34: server "text.web" has a name that belongs to import "text" (graph.yaml:2); rename one of them [name-taken]
graph.yaml:5:12: tool "text.count" has a name that belongs to import "text" (graph.yaml:2); rename one of them [name-taken]
idle.yaml:2:1: unknown field "colour" of the graph file`
	lines := strings.Split(fmt.Sprint(err), "\n")
	for i, line := range strings.Split(want, "\n") {
		if i >= len(lines) || !strings.HasPrefix(lines[i], line) {
			t.Fatalf("line %d of\n%v\nwant %s", i+1, err, line)
		}
	}
	rest := strings.Join(lines[7:], "\n")
	for _, part := range []string{"text.yaml:2:", "NO_SUCH is not set", "text.yaml:3:", `unknown field "nods" of tool "count"; did you mean "nodes"?`} {
		if !strings.Contains(rest, part) {
			t.Errorf("%s is not in\n%s", part, rest)
		}
	}
}

// Secrets of an import are secrets of the graph file, and of a servers file an import takes the
// servers that its nodes call.
func TestImportsServersAndSecrets(t *testing.T) {
	importing(t, map[string]string{
		"graph.yaml": oneTool("report", "text.count", "imports: {text: text.yaml}\n"),
		"text.yaml":  importHead + "mcpServers: {own: {command: x, env: {API_KEY: topsecretvalue}}}\ntools: [{name: count, nodes: [{id: a, type: mcp, server: web, tool: fetch, next: b}, {id: b, type: exit}]}]\n",
		"hosts.json": `{"mcpServers": {"web": {"command": "w"}, "other": {"command": "o"}, "text": {"command": "t"}}}`,
	})
	f, err := Load("graph.yaml", Options{ServersFile: "hosts.json"})
	if err != nil {
		t.Fatal(err)
	}
	var servers []string
	for _, u := range f.Servers {
		servers = append(servers, u.Name.Value+":"+u.Shares)
	}
	if got := strings.Join(servers, " "); got != "web: other: text.own: text.web:web" {
		t.Error(got)
	}
	if got := f.Secrets.Redact("topsecretvalue"); got != redacted || f.Imports[0].File.Secrets != f.Secrets {
		t.Error(got)
	}
}
