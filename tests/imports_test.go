package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

const importedTool = `server: {name: text, version: 1.0.0}
tools:
  - name: say
    nodes:
      - {id: in, type: entry, next: say}
      - {id: say, type: transform, transform: {expr: '"WORD"'}, next: out}
      - {id: out, type: exit}
`

// A changed import is served, a broken one is reported at its place, and one that is gone is
// served again when it is back.
func TestReloadOfAnImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lib := filepath.Join(dir, "lib", "text.yaml")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, content string) {
		t.Helper()
		check(os.WriteFile(path+".new", []byte(content), 0o600))
		check(os.Rename(path+".new", path))
	}
	check(os.Mkdir(filepath.Dir(lib), 0o700))
	write(lib, strings.Replace(importedTool, "WORD", "one", 1))
	graph := filepath.Join(dir, "graph.yaml")
	write(graph, `server: {name: g, version: 1.0.0}
imports: {text: lib/text.yaml}
tools: [{name: go, nodes: [{id: in, type: entry, next: call}, {id: call, type: graph, tool: text.say, next: out}, {id: out, type: exit}]}]
`)
	s := startCommand(t, nil, "serve", "-g", graph, "--watch")
	s.handshake()
	says := func(word string) {
		t.Helper()
		eventually(t, "the import says "+word, func() bool { return strings.Contains(s.call("go", `{}`).text(t), word) })
	}
	reports := func(text string) {
		t.Helper()
		eventually(t, "it is reported: "+text, func() bool { return strings.Contains(s.stderr.String(), text) })
	}
	says("one")
	write(lib, strings.Replace(importedTool, "WORD", "two", 1))
	says("two")
	write(lib, strings.Replace(importedTool, "next: out", "next: nowhere", 1))
	reports("text.yaml:6:")
	check(os.Remove(lib))
	reports("unreadable-import")
	says("two")
	write(lib, strings.Replace(importedTool, "WORD", "three", 1))
	says("three")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// The limits and the allow of an import hold at run time: for each call of its tools, and before
// anything is sent.
func TestImportsNarrowRuns(t *testing.T) {
	t.Parallel()
	fake, dir := testbin.Build(t, "toolgraph/tests/fakeserver"), t.TempDir()
	started := filepath.Join(dir, "started")
	write := func(name, content string) {
		t.Helper()
		content = strings.NewReplacer("$FAKE", fake, "$STARTED", started).Replace(content)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const call = "{id: in, type: entry, next: a}, {id: a, type: graph, tool: text.%, next: b}, {id: b, type: graph, tool: text.%, next: out}, {id: out, type: exit}"
	write("graph.yaml", "server: {name: g, version: 1.0.0}\nimports: {text: text.yaml}\nmcpServers: {up: {command: $FAKE}}\ntools:\n"+
		"  - {name: one, nodes: ["+strings.ReplaceAll(call, "%", "one")+"]}\n  - {name: two, nodes: ["+strings.ReplaceAll(call, "%", "two")+"]}\n")
	text := "server: {name: text, version: 1.0.0}\nexecutionLimits: {maxCalls: 1}\nmcpServers: {up: {command: $FAKE, args: ['countfile=$STARTED']}}\ntools:\n" +
		"  - {name: one, nodes: [{id: in, type: entry, next: a}, {id: a, type: mcp, server: up, tool: count, next: out}, {id: out, type: exit}]}\n" +
		"  - {name: two, nodes: [{id: in, type: entry, next: a}, {id: a, type: mcp, server: up, tool: count, next: b}, {id: b, type: mcp, server: up, tool: count, next: out}, {id: out, type: exit}]}\n"
	run := func(tool string) string {
		t.Helper()
		cmd := programCommand(t, testbin.Build(t, "toolgraph"), "run", filepath.Join(dir, "graph.yaml"), tool, "--no-history")
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	write("text.yaml", text)
	if got := run("one"); got != "2\n" { // one for each call of the import's tool
		t.Errorf("one call each: %s", got)
	}
	if got := run("two"); !strings.Contains(got, "text.yaml:6:") || !strings.Contains(got, "executionLimits.maxCalls is 1") {
		t.Errorf("two calls in one: %s", got)
	}
	if err := os.Remove(started); err != nil {
		t.Fatal(err)
	}
	write("text.yaml", "allow: {effects: [read]}\n"+text) // the effect of the call is unknown
	if got := run("one"); !strings.Contains(got, `tool "text.one" may not call text.up.count, whose effect is unknown and counts as destroy: allow (`) {
		t.Errorf("an effect that is not allowed: %s", got)
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("the server was started")
	}
}
