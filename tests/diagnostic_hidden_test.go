package tests

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

const serverLine = "server: {name: g, version: 1.0.0}\n"

// hiddenFile is a file at the limit that the page describes.
type hiddenFile struct {
	graph    string
	severity string // "" where the file is just not bad enough
}

// hiddenFiles are the files of the codes for which the page has no example. They are made where they are used: the
// test binary is also the program of the stories, which starts a thousand times.
func hiddenFiles() map[string][]hiddenFile {
	return map[string][]hiddenFile{
		"file-too-large": {
			{serverLine + "#" + strings.Repeat("x", 1<<20-len(serverLine)-2) + "\n", ""},
			{serverLine + "#" + strings.Repeat("x", 1<<20-len(serverLine)-1) + "\n", "error"},
			{serverLine + strings.Repeat("\n", 200_000), "error"},
		},
		"not-utf-8":         {{serverLine + "# caf\xe9\n", "error"}, {"\xff\xfes\x00", "error"}},
		"control-character": {{serverLine + "# \a\n", "error"}, {serverLine + "#\r#\n", "error"}, {serverLine + "# \u2028\n", "error"}},
		"hidden-character":  {{serverLine + "# \u202e\n", "error"}, {serverLine + "# \ufeff\n", "error"}, {"\ufeff" + serverLine, ""}},
		"too-many-keys": {
			{serverLine + "x-keys:" + repeatedText(1000, "\n  k%d: 1"), ""},
			{serverLine + "x-keys:" + repeatedText(1001, "\n  k%d: 1"), "error"},
		},
		"too-many-values": {{serverLine + "x-list: [" + strings.Repeat("1,", 50_000) + "]\n", "error"}},
		"too-many-tools": {
			{toolsFile(160), ""}, {toolsFile(161), "warning"}, {toolsFile(200), "warning"}, {toolsFile(201), "error"},
		},
		"too-many-nodes": {
			{chainFile(400), ""}, {chainFile(401), "warning"}, {chainFile(500), "warning"}, {chainFile(501), "error"},
		},
		"too-many-conditions": {
			{conditionsFile(80), ""}, {conditionsFile(81), "warning"}, {conditionsFile(100), "warning"}, {conditionsFile(101), "error"},
		},
		"long-message": {{askFile(2000), ""}, {askFile(2001), "error"}},
		"schema-size":  {{schemaFile(9_999), ""}, {schemaFile(10_000), "error"}},
	}
}

// schemaFile is a tool whose inputSchema has n objects inside.
func schemaFile(n int) string {
	return serverLine + "tools:\n- name: t\n  inputSchema: {type: object, examples: [" + strings.Repeat("{},", n) +
		"]}\n  nodes: [{id: a, type: entry, next: b}, {id: b, type: exit}]\n"
}

// elsewhereTold are the codes that check gives in no way that a file alone can bring about.
var elsewhereTold = map[string]string{
	"not-a-regular-file": "a path",
	"import-not-read":    "toolgraph ui",
	"too-many-imports":   "several files", "unused-import": "several files",
	"unknown-registry-server": "a registry", "unsafe-registry": "a registry", "unreadable-registry": "a registry",
	"bad-directory":  "a working directory that is gone",
	"schema-depth":   "a File that was not parsed",
	"cannot-upgrade": "toolgraph upgrade",
	"cannot-edit":    "toolgraph toolkit",
	"cannot-convert": "toolgraph convert",
	"not-portable":   "toolgraph bundle",
	"bad-test":       "toolgraph test", "unknown-test-name": "toolgraph test", "mock-refused": "toolgraph test",
	"bad-lock": "a lock", "lock-edited": "a lock", "not-locked": "a lock", "exceeds-lock": "a lock", "server-changed": "a lock", "annotation-contradicts": "a lock",
	"argument-refused":      "a lock",
	"unknown-upstream-tool": "toolgraph check --live", "tool-listed-twice": "toolgraph check --live",
}

func repeatedText(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func toolsFile(n int) string {
	return serverLine + "tools:" + repeatedText(n, "\n  - {name: t%d, nodes: [{id: a, type: entry, next: b}, {id: b, type: exit}]}")
}

// chainFile is a tool of n nodes.
func chainFile(n int) string {
	text := serverLine + "tools:\n- name: t\n  nodes:\n  - {id: entry, type: entry, next: n0}"
	for i := range n - 2 {
		text += fmt.Sprintf("\n  - {id: n%d, type: transform, transform: {expr: entry}, next: n%d}", i, i+1)
	}
	return text + fmt.Sprintf("\n  - {id: n%d, type: exit}", n-2)
}

// conditionsFile is a tool with a switch of n conditions.
func conditionsFile(n int) string {
	return serverLine + "tools:\n- name: t\n  nodes:\n  - {id: entry, type: entry, next: s}\n  - id: s\n    type: switch\n    next: b\n    conditions:" +
		repeatedText(n, "\n    - {rule: {var: entry.k%d}, next: a}") +
		"\n  - {id: a, type: transform, transform: {expr: entry}, next: exit}\n  - {id: b, type: transform, transform: {expr: entry}, next: exit}\n  - {id: exit, type: exit}"
}

// askFile is a tool that asks with a message of n characters.
func askFile(n int) string {
	return serverLine + "tools:\n- name: t\n  nodes: [{id: a, type: entry, next: b}, {id: b, type: ask, message: " + strings.Repeat("é", n) +
		", next: c}, {id: c, type: exit}]\n"
}

// Statements of the page that have no example are true as well.
func TestDiagnosticsWithoutExample(t *testing.T) {
	t.Parallel()
	hidden := hiddenFiles()
	_, entries := readPage(t)
	for _, e := range entries {
		files := hidden[e.code]
		if e.hidden == "" || elsewhereTold[e.code] != "" {
			continue
		}
		if len(files) == 0 {
			t.Errorf("%s:%d: %s has no example there and none in this test", diagnosticsPage, e.line, e.code)
		}
		checked := make([]*checkedFile, len(files))
		for i, f := range files {
			checked[i] = &checkedFile{graph: f.graph}
		}
		checkFiles(t, checked)
		for i, f := range files {
			got := checked[i].found
			if f.severity != "" {
				e.checkExample(t, strings.Split(strings.TrimSuffix(got, "\n"), "\n"))
			}
			if warns := strings.Contains(got, ": warning: "); warns != (f.severity == "warning") || f.severity == "" && got != "" {
				t.Errorf("%s: found %.300q in file %d, expected the severity %q", e.code, got, i+1, f.severity)
			}
		}
	}
}

// A directory is no graph file but for check, upgrade reports what it cannot rewrite, and test of its
// own files.
func TestDiagnosticsElsewhere(t *testing.T) {
	t.Parallel()
	toolgraph := testbin.Build(t, "toolgraph")
	dir := t.TempDir()
	file := filepath.Join(dir, "graph.yaml")
	if err := os.WriteFile(file, []byte(serverLine+"servers: {a: {command: a}}\nmcpServers: {b: {command: b}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := func(name, text string) string {
		good := serverLine + "tools: [{name: t, nodes: [{id: a, type: entry, next: b}, {id: b, type: exit}]}]\n"
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "g.yaml"), []byte(good), 0o600), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	for _, c := range []struct{ command, path, code string }{
		{"graph", dir, "not-a-regular-file"},
		{"upgrade", file, "cannot-upgrade"},
		{"test", tests("graph.test.yaml", "tests: [{name: a, tool: b}]"), "bad-test"},
		{"test", tests("other.test.yaml", "graph: g.yaml\ntests: [{name: a, tool: b, expect: {value: 1}}]"), "unknown-test-name"},
	} {
		out, err := programCommand(t, toolgraph, c.command, c.path).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "["+c.code+"]") {
			t.Errorf("%s gives %v and %s, expected %s", c.command, err, out, c.code)
		}
	}
}
