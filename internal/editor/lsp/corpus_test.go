package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/editor/checks"
)

// example is an example of docs/diagnostics.md: a graph file with a mistake.
type example struct {
	code, graph, servers string
	line                 int // in the page
}

// examples are those of the page.
func examples(t testing.TB) []example {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "diagnostics.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all []example
	code := ""
	lines := strings.Split(string(raw), "\n")
	for i := 0; i < len(lines); i++ {
		if name, ok := strings.CutPrefix(lines[i], "## "); ok {
			code = name
		}
		kind, ok := strings.CutPrefix(lines[i], "```")
		if !ok {
			continue
		}
		first := i + 1
		for i++; lines[i] != "```"; i++ {
		}
		text := strings.Join(lines[first:i], "\n") + "\n"
		switch {
		case kind == "yaml" && code != "":
			all = append(all, example{code: code, graph: text, line: first})
		case kind == "json" && code != "":
			all[len(all)-1].servers = text
		}
	}
	return all
}

// The findings of an editor are those of check, each with a range that is what it is about.
func TestFindingsAreThoseOfCheck(t *testing.T) {
	c := start(t, nil)
	servers := filepath.Join(c.dir, "servers.json")
	var golden strings.Builder
	all := examples(t)
	if len(all) < 100 {
		t.Fatalf("the page has %d examples", len(all))
	}
	for i, e := range all {
		options := config.Options{AssumeEnv: true}
		mcp := ""
		if e.servers != "" {
			c.write("servers.json", e.servers)
			options.ServersFile, mcp = servers, servers
		}
		c.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"mcp": mcp}})
		name := fmt.Sprintf("%d.yaml", i)
		c.write(name, e.graph)
		checked, err := checks.Text(t.Context(), filepath.Join(c.dir, name), []byte(e.graph), options, checks.Beside{})
		if err != nil {
			t.Fatal(err)
		}
		uri := c.openAs(name, graphLanguage, e.graph)
		found := c.findings(uri)
		if elsewhere := checked.Found; len(elsewhere) > 0 && elsewhere[0].Pos.File == servers { // shown in that file
			c.await("findings in the file of servers", func() bool { return len(c.shown[c.uri("servers.json")].Diagnostics) == len(elsewhere) })
			c.notify("textDocument/didClose", aboutDocument{documentID{URI: uri}})
			continue
		}
		if len(found) != len(checked.Found) {
			t.Errorf("line %d, %s: got %d findings, check has %d:\n%+v\n%s", e.line, e.code, len(found), len(checked.Found), found, checked.Found)
			continue
		}
		text := newText(e.graph, utf16Units)
		for k, want := range checked.Found {
			got := found[k]
			severity := map[config.Severity]int{config.Error: severityError, config.Warning: severityWarning}[want.Severity]
			if got.Code != want.Code || got.Severity != severity || got.Message != messageOf(want) || text.Offset(got.Range.Start) != text.At(want.Pos) {
				t.Errorf("line %d: got %+v, check has %s", e.line, got, want)
			}
			fmt.Fprintf(&golden, "%-28s %s\n    %s\n", want.Code, strings.ReplaceAll(c.textAt(uri, got.Range), "\n", "⏎"), got.Message)
		}
		c.notify("textDocument/didClose", aboutDocument{documentID{URI: uri}})
	}
	file := filepath.Join("testdata", "ranges.txt")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(golden.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != golden.String() {
		t.Errorf("the ranges differ from %s (%v); UPDATE_GOLDEN=1 writes them", file, err)
	}
}
