package graph

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
)

// buildImports builds the file graph.yaml of some files.
func buildImports(t *testing.T, files map[string]string) ([]*Graph, config.Diagnostics) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range files {
		if err := os.WriteFile(filepath.Clean(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := config.Load("graph.yaml", config.Options{})
	if f == nil || err != nil {
		t.Fatal(err)
	}
	graphs, found, err := Build(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	return graphs, append(found, f.Warnings...)
}

const (
	rootFile = `server: {name: g, version: 1.0.0}
executionLimits: {maxCalls: 10}
imports: {text: text.yaml}
%s
mcpServers: {web: {command: w}}
tools:
  - name: report
    nodes:
      - {id: in, type: entry, next: count}
      - {id: count, type: graph, tool: text.count, next: out}
      - {id: out, type: exit}
`
	textFile = `server: {name: text, version: 1.0.0}
executionLimits: {maxCalls: 50, maxDepth: 3}
%s
mcpServers: {web: {command: other}}
tools:
  - name: count
    executionLimits: {maxDepth: 2}
    nodes:
      - {id: in, type: entry, next: read}
      - {id: read, type: mcp, server: web, tool: fetch, effect: read, next: out}
      - {id: out, type: exit}
  - name: unused
    nodes:
      - {id: in, type: entry, next: remove}
      - {id: remove, type: mcp, server: web, tool: remove, effect: destroy, next: out}
      - {id: out, type: exit}
`
)

// The limits and the allow of the importing file hold for an import, whose own narrow them.
func TestImportsNarrow(t *testing.T) {
	graphs, found := buildImports(t, map[string]string{
		"graph.yaml": fmt.Sprintf(rootFile, `allow: {calls: ["text.web.f*"], effects: [read]}`),
		"text.yaml":  fmt.Sprintf(textFile, `allow: {calls: ["web.*"]}`),
	})
	if len(found) > 0 { // a tool that nothing calls is not held to the allow of the importing file
		t.Fatal(found)
	}
	report, count := graphs[0], graphs[1]
	if count.Limits.MaxCalls != 10 || count.Limits.MaxDepth != 2 || report.Limits.MaxDepth != config.DefaultMaxDepth {
		t.Errorf("limits: %+v, %+v", count.Limits, report.Limits)
	}
	var allows []string
	for _, g := range graphs[:2] {
		for _, a := range g.Allow {
			allows = append(allows, g.Tool.Name.Value+" "+a.Pos.String()+" "+strings.Join(a.Calls, ","))
		}
	}
	if got := strings.Join(allows, "; "); got != "report graph.yaml:4:1 text.web.f*; text.count graph.yaml:4:1 text.web.f*; text.count text.yaml:3:1 text.web.*" {
		t.Error(got)
	}
	if report.Allow[0] != count.Allow[0] {
		t.Error("two allows of one file")
	}
	for _, c := range []struct{ root, text, want string }{
		{`allow: {calls: ["web.*"]}`, "", `text.yaml:10:50: tool "text.count" may not call text.web.fetch: allow (graph.yaml:4:1) has web.*; add it to calls, or remove the call [not-allowed]`},
		{"", `allow: {calls: ["text.*"]}`, `text.yaml:10:50: tool "text.count" may not call text.web.fetch: allow (text.yaml:3:1) has text.text.*; add it to calls, or remove the call [not-allowed]`},
		{"", `allow: {effects: [read]}`, `text.yaml:15:52: tool "text.unused" may not call text.web.remove, whose effect is destroy: allow (text.yaml:3:1) has effects read; add it to effects, or remove the call [not-allowed]`},
	} {
		_, found := buildImports(t, map[string]string{"graph.yaml": fmt.Sprintf(rootFile, c.root), "text.yaml": fmt.Sprintf(textFile, c.text)})
		if errs, _ := found.Split(); len(errs) == 0 || errs[0].String() != c.want {
			t.Errorf("%s %s:\ngot  %v\nwant %s", c.root, c.text, errs, c.want)
		}
	}
}

// A graph calls what an import has, by its names, and never its servers.
func TestImportsUnknownNames(t *testing.T) {
	root := func(node string) string {
		return "server: {name: g, version: 1.0.0}\nimports: {text: text.yaml}\nmcpServers: {webs: {command: w}}\n" +
			"tools: [{name: t, nodes: [{id: in, type: entry, next: x}, {id: x, next: y, " + node + "}, {id: y, type: graph, tool: text.count, next: out}, {id: out, type: exit}]}]\n"
	}
	text := fmt.Sprintf(textFile, "")
	for _, c := range []struct{ root, text, want string }{
		{root("type: graph, tool: text.cuont"), text, `graph.yaml:4:95: node "x" calls tool "cuont", which import "text" (text.yaml) does not have; did you mean "count"? [unknown-graph]`},
		{root("type: graph, tool: text.x"), text, `graph.yaml:4:95: node "x" calls tool "x", which import "text" (text.yaml) does not have; its tools are count, unused [unknown-graph]`},
		{root("type: mcp, tool: fetch, server: text.web"), text, `graph.yaml:4:108: node "x" calls server "text.web", but the servers of import "text" are its own; call a tool of the import with a node of type graph, or declare the server under mcpServers [unknown-server]`},
		{root("type: mcp, tool: fetch, server: web"), text, `graph.yaml:4:108: node "x" calls server "web", which is not declared under mcpServers; did you mean "webs"? [unknown-server]`},
		{root("type: graph, tool: text.count"), strings.Replace(text, "server: web", "server: webs", 1), `text.yaml:10:39: node "read" calls server "webs", which is not declared under mcpServers; did you mean "web"? [unknown-server]`},
		{root("type: graph, tool: text.count"), strings.Replace(text, "name: unused", "name: un used", 1), `text.yaml:12:11: tool name "un used" has spaces or control characters, expected 1 to 128 letters, digits, _, - or .; write _ instead [bad-tool-name]`},
		{root("type: graph, tool: text.count"), text + "  - {name: more, nodes: [{id: in, type: entry, next: t}, {id: t, type: graph, tool: t, next: out}, {id: out, type: exit}]}\n", `text.yaml:17:85: node "t" calls tool "t", which is not in this file; the tools are count, unused, more [unknown-graph]`},
	} {
		_, found := buildImports(t, map[string]string{"graph.yaml": c.root, "text.yaml": c.text})
		if errs, _ := found.Split(); len(errs) != 1 || errs[0].String() != c.want {
			t.Errorf("got  %v\nwant %s", errs, c.want)
		}
	}
}

// The hash of a graph covers the tools of imports that it calls, and no others.
func TestImportsHash(t *testing.T) {
	hash := func(text string) string {
		graphs, found := buildImports(t, map[string]string{"graph.yaml": fmt.Sprintf(rootFile, ""), "text.yaml": text})
		if found.Err() != nil {
			t.Fatal(found)
		}
		return graphs[0].Hash
	}
	text := fmt.Sprintf(textFile, "")
	if hash(text) == hash(strings.Replace(text, "tool: fetch", "tool: get", 1)) {
		t.Error("the hash does not cover the called tool")
	}
	if hash(text) != hash(strings.Replace(text, "tool: remove", "tool: drop", 1)) {
		t.Error("the hash covers a tool that is not called")
	}
}
