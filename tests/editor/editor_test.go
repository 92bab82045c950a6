package editor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/tests/npm"
)

const serverPackage = "yaml-language-server@2.0.0"

// editor is a directory with the schema and a language server that uses it.
type editor struct {
	*client
	dir   string
	files int
}

func open(t *testing.T) *editor {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a language server")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	home, err := npm.Install(ctx, serverPackage)
	if err != nil {
		if os.Getenv("TOOLGRAPH_CLIENTS") == "1" && npm.Available() == nil {
			t.Fatal(err)
		}
		t.Skipf("no %s: %v", serverPackage, err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "toolgraph.schema.json"), config.Schema(), 0o600); err != nil {
		t.Fatal(err)
	}
	e := &editor{client: start(t, filepath.Join(home, "node_modules/.bin/yaml-language-server"), "--stdio"), dir: dir}
	var ignored json.RawMessage
	e.call("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": address(dir),
		"capabilities": map[string]any{
			"workspace": map[string]any{"configuration": true},
			"textDocument": map[string]any{
				"hover":      map[string]any{"contentFormat": []string{"plaintext"}},
				"completion": map[string]any{"completionItem": map[string]any{"snippetSupport": true}},
			},
		},
	}, &ignored)
	e.notify("initialized", map[string]any{})
	return e
}

func address(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// document is an open file with the cursor where its text has a |>.
type document struct {
	uri    string
	cursor place
}

// place counts from 0.
type place struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// show opens a text in the editor.
func (e *editor) show(text string) document {
	e.t.Helper()
	before, after, _ := strings.Cut(text, "|>")
	e.files++
	d := document{
		uri:    address(filepath.Join(e.dir, fmt.Sprintf("graph%d.yaml", e.files))),
		cursor: place{strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n') - 1},
	}
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": d.uri, "languageId": "yaml", "version": 1, "text": before + after,
	}})
	return d
}

// at is the cursor as the protocol names a place.
func (d document) at() map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": d.uri}, "position": d.cursor}
}

// complete is the labels that are offered at the cursor.
func (e *editor) complete(text string) []string {
	e.t.Helper()
	d := e.show(text)
	var list struct {
		Items []struct{ Label string }
	}
	e.call("textDocument/completion", d.at(), &list)
	var labels []string
	for _, item := range list.Items {
		labels = append(labels, item.Label)
	}
	return labels
}

// frame is a graph file up to the nodes of its one tool.
const frame = `# yaml-language-server: $schema=./toolgraph.schema.json
version: "1.0"
server: {name: s, version: 1.0.0}
mcpServers:
  files: {command: toolgraph, args: [demo-server, .]}
tools:
  - name: t
    description: d
    nodes:
`

func TestCompletionPerNodeKind(t *testing.T) {
	t.Parallel()
	e := open(t)
	for kind, want := range map[string][]string{
		"entry":     {"next"},
		"mcp":       {"server", "tool", "args", "forEach", "timeoutMs", "retry", "onError", "help", "effect", "confirm", "next"},
		"graph":     {"tool", "args", "forEach", "timeoutMs", "onError", "help", "next"},
		"parallel":  {"branches", "next"},
		"ask":       {"message", "schema", "timeoutMs", "onError", "help", "next"},
		"transform": {"transform", "onError", "next"},
		"switch":    {"conditions", "next"},
	} {
		got := e.complete(frame + "      - id: a\n        type: " + kind + "\n        |>\n")
		for _, key := range want {
			if !slices.Contains(got, key) {
				t.Errorf("a node of type %s is not offered %s, but %q", kind, key, got)
			}
		}
		if kind != "mcp" && slices.Contains(got, "server") {
			t.Errorf("a node of type %s is offered server", kind)
		}
	}
	if got := e.complete(frame + "      - id: a\n        type: |>\n"); !slices.Contains(got, "transform") || !slices.Contains(got, "exit") {
		t.Errorf("the types offered are %q", got)
	}
	if got := e.complete("# yaml-language-server: $schema=./toolgraph.schema.json\n|>"); !slices.Contains(got, "tools") {
		t.Errorf("an empty file is offered %q", got)
	}
}

func TestCompletionInCalls(t *testing.T) {
	t.Parallel()
	e := open(t)
	const call = frame + "      - id: a\n        type: mcp\n        server: files\n        tool: read\n        next: b\n"
	for text, want := range map[string][]string{
		call + "        retry:\n          |>\n":                                                                                     {"attempts", "delayMs", "backoff", "maxDelayMs", "codes", "when", "until"},
		call + "        retry:\n          codes: [|>]\n":                                                                            {"timeout", "server-start"},
		call + "        onError:\n          |>\n":                                                                                   {"codes", "value", "next"},
		call + "        forEach:\n          |>\n":                                                                                   {"items", "maxParallel"},
		call + "        effect: |>\n":                                                                                               {"read", "write", "destroy"},
		strings.Replace(frame, "    nodes:\n", "    |>\n", 1):                                                                       {"hidden", "executionLimits"},
		strings.Replace(frame, "    nodes:\n", "    executionLimits:\n      |>\n", 1):                                               {"maxDepth", "maxCalls"},
		frame + "      - id: a\n        type: parallel\n        branches:\n          b:\n            type: |>\n":                    {"mcp", "graph"},
		frame + "      - id: a\n        type: parallel\n        branches:\n          b:\n            type: graph\n            |>\n": {"tool", "args", "onError"},
	} {
		got := e.complete(text)
		for _, key := range want {
			if !slices.Contains(got, key) {
				t.Errorf("at\n%s\n%s is not offered, but %q", text[len(text)-80:], key, got)
			}
		}
		if strings.Contains(text, "branches") && (slices.Contains(got, "next") || slices.Contains(got, "switch")) {
			t.Errorf("a branch is offered %q", got)
		}
	}
}

func TestHover(t *testing.T) {
	t.Parallel()
	e := open(t)
	for text, want := range map[string]string{
		frame + "      - {id: a, type: mcp, server: files, to|>ol: read_file, next: b}\n":                       "tool",
		strings.Replace(frame, "mcpServers", "mcpSer|>vers", 1):                                                 "server",
		frame + "      - {id: a, type: graph, tool: t, for|>Each: {items: $.entry.x}, next: b}\n":               "each item",
		frame + "      - {id: a, type: mcp, server: files, tool: t, retry: {un|>til: $result.done}, next: b}\n": "$result",
		frame + "      - {id: a, type: parallel, bran|>ches: {}, next: b}\n":                                    "by name",
		frame + "      - {id: a, type: switch, condi|>tions: [], next: b}\n":                                    "condition",
		frame + "      - {id: a, type: transform, trans|>form: {expr: $.entry.a}, next: b}\n":                   "JSONata",
	} {
		d := e.show(text)
		var hover struct {
			Contents json.RawMessage
		}
		e.call("textDocument/hover", d.at(), &hover)
		if !strings.Contains(string(hover.Contents), want) {
			t.Errorf("no %q in the hover at\n%s\nbut %s", want, text[len(text)-80:], hover.Contents)
		}
	}
}

func TestErrorAtItsPlace(t *testing.T) {
	t.Parallel()
	e := open(t)
	for text, want := range map[string]string{
		frame + "      - id: a\n        type: mcp\n        server: files\n        |>tol: read_file\n        next: b\n":                                                                 "tol",
		frame + "      - id: a\n        type: |>mpc\n":                                                                                                                                 "",
		frame + "      - id: a\n        type: transform\n        transform: {expr: \"1\"}\n        |>nxt: b\n":                                                                         "nxt",
		frame + "      - id: a\n        type: mcp\n        server: files\n        tool: read\n        next: b\n        retry:\n          attempts: |>11\n":                             "10",
		frame + "      - id: a\n        type: mcp\n        server: files\n        tool: read\n        next: b\n        retry:\n          until: $result\n          attempts: |>1001\n": "1000",
		frame + "      - id: a\n        type: graph\n        tool: t\n        next: b\n        |>retry: {}\n":                                                                          "retry",
		strings.Replace(frame, "tools:\n", "executionLimits:\n  maxNodeExecutions: |>many\ntools:\n", 1):                                                                               "",
		frame + "      - id: a\n        type: entry\n        next: b\n      - id: b\n        type: exit\n        |>next: a\n":                                                          "next",
	} {
		d := e.show(text)
		found := e.findings(d)
		at := slices.IndexFunc(found, func(f finding) bool { return f.Range.Start == d.cursor })
		if at < 0 || !strings.Contains(found[at].Message, want) {
			t.Errorf("no finding with %q at line %d in %+v", want, d.cursor.Line+1, found)
		}
	}
	if found := e.findings(e.show(frame + "      - {id: a, type: entry, next: b}\n      - {id: b, type: exit}\n")); len(found) != 0 {
		t.Errorf("a good file has findings: %+v", found)
	}
}

// The line of docs/editors.md that turns the server off for a file does so.
func TestTurnedOff(t *testing.T) {
	t.Parallel()
	e := open(t)
	wrong := frame + "      - id: a\n        type: mpc\n"
	if found := e.findings(e.show(wrong)); len(found) == 0 {
		t.Error("a wrong file has no findings")
	}
	off := "# yaml-language-server: $schema=none\n"
	if src, err := os.ReadFile("../../docs/editors.md"); err != nil || !strings.Contains(string(src), off) {
		t.Errorf("docs/editors.md does not have the line, %v", err)
	}
	if found := e.findings(e.show(strings.Replace(wrong, "# yaml-language-server: $schema=./toolgraph.schema.json\n", off, 1))); len(found) != 0 {
		t.Errorf("the findings are %+v", found)
	}
}

type finding struct {
	Message string
	Range   struct{ Start, End place }
}

// findings are what the server says of a document.
func (e *editor) findings(d document) []finding {
	e.t.Helper()
	var published struct {
		URI         string
		Diagnostics []finding
	}
	e.wait("textDocument/publishDiagnostics", func(m message) bool {
		return m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &published) == nil && published.URI == d.uri
	})
	return published.Diagnostics
}

func TestEveryExampleIsClean(t *testing.T) {
	t.Parallel()
	e := open(t)
	paths, err := filepath.Glob("../../examples/*[0-9a-z].yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, "../../graph/testdata/ok/calls.yaml", "../../graph/testdata/ok/recursion.yaml") {
		if strings.HasSuffix(path, ".test.yaml") {
			continue
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(src), "../docs/toolgraph.schema.json", "./toolgraph.schema.json", 1)
		if strings.Contains(path, "testdata") {
			text = "# yaml-language-server: $schema=./toolgraph.schema.json\n" + text
		}
		if text == string(src) {
			t.Errorf("%s does not name the schema in its first line", path)
		}
		d := e.show(text)
		if found := e.findings(d); len(found) != 0 {
			t.Errorf("%s: %+v", filepath.Base(path), found)
		}
	}
}
