package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// named is a graph file with names of several kinds.
const named = `version: "1.0"
server: {name: test, version: 1.0.0}
vars: {region: eu}
mcpServers:
  files: {command: echo}
tools:
  - name: greet
    description: Greets a person.
    inputSchema:
      type: object
      properties: {name: {type: string}}
      required: [name]
    nodes:
      - {id: entry, type: entry, next: make}
      - id: make
        type: transform
        transform:
          expr: |
            /* 😀 */ {"text": "Hello " & $.entry.name & $vars.region}
        next: read
      # what comes last
      # is here
      - {id: read, type: mcp, server: files, tool: read, args: {path: {expr: $.make.text}}, next: exit}
      - {id: exit, type: exit}
`

const namedTest = `tests:
  - name: all
    tool: greet
    args: {name: Ann}
    mocks:
      files.read: {result: 1}
    expect:
      nodes: {make: {}}
      path: [entry, make, read, exit]
`

// placed are locations as file:line:text, sorted.
func (c *client) placed(all []Location) string {
	c.t.Helper()
	var shown []string
	for _, l := range all {
		text, ok := c.texts[l.URI]
		if !ok {
			src, err := os.ReadFile(pathOf(l.URI))
			if err != nil {
				c.t.Fatal(err)
			}
			text = string(src)
		}
		of := newText(text, utf16Units)
		from, to := of.Span(l.Range)
		shown = append(shown, fmt.Sprintf("%s:%d:%s", filepath.Base(l.URI), l.Range.Start.Line+1, of.src[from:to]))
	}
	slices.Sort(shown)
	return strings.Join(shown, " ")
}

func TestDefinition(t *testing.T) {
	c := start(t, nil)
	c.write("graph.test.yaml", namedTest)
	uri := c.open("graph.yaml", named)
	for _, p := range []struct{ at, definition, references string }{
		{"& $.en‸try.name", "graph.yaml:14:entry", "graph.test.yaml:9:entry graph.yaml:19:entry"},
		{"id: ‸make", "graph.yaml:15:make", "graph.test.yaml:8:make graph.test.yaml:9:make graph.yaml:14:make graph.yaml:23:make"},
		{"$vars.region‸", "graph.yaml:3:region", "graph.yaml:19:region"},
		{"server: f‸iles", "graph.yaml:5:files", "graph.test.yaml:6:files graph.yaml:23:files"},
		{"name: g‸reet", "graph.yaml:7:greet", "graph.test.yaml:3:greet"},
		{"Greets a ‸person", "", ""},
	} {
		at := c.place(uri, p.at)
		var found []Location
		c.ask("textDocument/definition", at, &found)
		if got := c.placed(found); got != p.definition {
			t.Errorf("definition at %s: %s", p.at, got)
		}
		c.ask("textDocument/references", at, &found)
		if got := c.placed(found); got != p.references {
			t.Errorf("references at %s: %s", p.at, got)
		}
	}
	var marks []highlight
	c.ask("textDocument/documentHighlight", c.place(uri, "id: ‸make"), &marks)
	if len(marks) != 3 || marks[0].Kind != highlightRead || marks[1].Kind != highlightWrite {
		t.Errorf("highlights: %+v", marks)
	}
	// From the test file, which is not open, nothing is known; opened, it leads to the graph file.
	tests := c.open("graph.test.yaml", namedTest)
	var found []Location
	c.ask("textDocument/definition", c.place(tests, "[entry, ma‸ke"), &found)
	if got := c.placed(found); got != "graph.yaml:15:make" {
		t.Errorf("definition from a test: %s", got)
	}
	// The name of a file leads to it, if there is one.
	main := c.open("main.yaml", strings.Replace(importing, "./texts.yaml", "./graph.yaml, gone: ./gone.yaml", 1))
	other := c.open("other.test.yaml", "graph: graph.yaml\n"+namedTest)
	for _, p := range []struct {
		at   atPosition
		want string
	}{{c.place(main, "./gra‸ph.yaml"), uri}, {c.place(other, "graph: graph.yaml‸"), uri}, {c.place(main, "./go‸ne.yaml"), ""}, {c.place(main, "impo‸rts"), ""}} {
		got := ""
		if c.ask("textDocument/definition", p.at, &found); len(found) == 1 {
			got = found[0].URI
		}
		if got != p.want {
			t.Errorf("definition of a file at %+v: %s", p.at.Position, got)
		}
	}
	// A text that is not YAML has no names.
	c.replace(uri, "[name]", "[name")
	c.ask("textDocument/definition", c.place(uri, "id: ‸make"), &found)
	if len(found) > 0 {
		t.Errorf("in a broken file: %+v", found)
	}
}

func TestRename(t *testing.T) {
	c := start(t, func(p map[string]any) {
		p["capabilities"] = map[string]any{
			"workspace":    map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}},
			"textDocument": map[string]any{"rename": map[string]any{"prepareSupport": true}},
		}
	})
	c.write("graph.test.yaml", namedTest)
	uri := c.open("graph.yaml", named)
	var range_ struct {
		Range       Range
		Placeholder string
	}
	at := c.place(uri, "id: ma‸ke")
	c.ask("textDocument/prepareRename", at, &range_)
	if range_.Placeholder != "make" || c.textAt(uri, range_.Range) != "make" {
		t.Errorf("prepared: %+v", range_)
	}
	renameTo := func(at atPosition, name string) (edit WorkspaceEdit, err string) {
		m := c.answer(c.send("textDocument/rename", map[string]any{"textDocument": at.TextDocument, "position": at.Position, "newName": name}))
		if m.Error != nil {
			return edit, m.Error.Message
		}
		if err := json.Unmarshal(m.Result, &edit); err != nil {
			t.Fatal(err)
		}
		return edit, ""
	}
	edit, err := renameTo(at, "the-greeting")
	if err != "" || len(edit.DocumentChanges) != 2 || edit.DocumentChanges[0].TextDocument.Version != nil || *edit.DocumentChanges[1].TextDocument.Version != 1 {
		t.Fatalf("%s: %+v", err, edit)
	}
	after := map[string]string{uri: c.texts[uri], c.uri("graph.test.yaml"): namedTest}
	for _, d := range edit.DocumentChanges {
		after[d.TextDocument.URI] = edited(after[d.TextDocument.URI], d.Edits)
	}
	for from, to := range map[string]string{"id: make": "id: the-greeting", "next: make": "next: the-greeting", "$.make.text": "$.`the-greeting`.text"} {
		named := strings.Replace(c.texts[uri], from, to, 1)
		if !strings.Contains(after[uri], to) || named == c.texts[uri] {
			t.Errorf("no %s in\n%s", to, after[uri])
		}
	}
	if got := after[c.uri("graph.test.yaml")]; got != strings.NewReplacer("make:", "the-greeting:", "make,", "the-greeting,").Replace(namedTest) {
		t.Errorf("the test file:\n%s", got)
	}
	for _, bad := range []struct{ at, name, want string }{
		{"id: ma‸ke", "entry", `node "entry" already exists`},
		{"id: ma‸ke", "a.b", `"a.b" is no name for a node`},
		{"tool: re‸ad", "x", `names its tools itself`},
		{"Greets a ‸person", "x", "there is no name to rename here"},
	} {
		if _, err := renameTo(c.place(uri, bad.at), bad.name); !strings.Contains(err, bad.want) {
			t.Errorf("%s to %s: %q", bad.at, bad.name, err)
		}
	}
	// What the checks would find only after it refuses a rename.
	c.replace(uri, "  - name: greet", "  - name: old\n    hidden: true\n    nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]\n  - name: greet")
	c.replace(uri, "mcpServers:", "imports: {other: ./other.yaml}\nmcpServers:")
	c.write("other.yaml", strings.ReplaceAll(named, "greet", "hello"))
	if _, err := renameTo(c.place(uri, "  fil‸es: {"), "other"); !strings.Contains(err, "would have a new finding") || !strings.Contains(err, "name-taken") {
		t.Errorf("a server with the name of an import: %q", err)
	}
}

// edited applies edits as a client does, from the last to the first.
func edited(src string, edits []TextEdit) string {
	slices.SortFunc(edits, func(a, b TextEdit) int {
		if a.Range.Start.Line != b.Range.Start.Line {
			return b.Range.Start.Line - a.Range.Start.Line
		}
		return b.Range.Start.Character - a.Range.Start.Character
	})
	for _, e := range edits {
		src = newText(src, utf16Units).edited(e.Range, e.NewText).src
	}
	return src
}

func TestSymbols(t *testing.T) {
	c := start(t, func(p map[string]any) {
		p["capabilities"] = map[string]any{"textDocument": map[string]any{"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true}}}
	})
	uri := c.open("graph.yaml", named)
	var symbols []documentSymbol
	c.ask("textDocument/documentSymbol", aboutDocument{documentID{URI: uri}}, &symbols)
	var b strings.Builder
	var show func(margin string, all []documentSymbol)
	show = func(margin string, all []documentSymbol) {
		for _, s := range all {
			part := c.textAt(uri, s.Range)
			fmt.Fprintf(&b, "%s%s (%s) %d-%d …%s\n", margin, s.Name, s.Detail, s.Range.Start.Line+1, s.Range.End.Line+1, part[max(0, len(part)-12):])
			if !strings.Contains(part, c.textAt(uri, s.SelectionRange)) || c.textAt(uri, s.SelectionRange) != s.Name {
				t.Errorf("%s: %s", s.Name, c.textAt(uri, s.SelectionRange))
			}
			show(margin+"  ", s.Children)
		}
	}
	show("", symbols)
	//nolint:dupword // the end of one line and the beginning of the next
	want := `region () 3-3 …region: eu}
files () 5-5 …mmand: echo}
greet () 7-24 … type: exit}
  entry (entry) 14-14 … next: make}
  make (transform) 15-20 …  next: read
  read (mcp files.read) 23-23 … next: exit}
  exit (exit) 24-24 … type: exit}
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
	c.write("sub/graph.test.yaml", namedTest)
	c.write("sub/other.yaml", "services: {greeting: 1}\n")
	var found []symbolInformation
	c.ask("workspace/symbol", map[string]any{"query": "al"}, &found)
	if len(found) != 1 || found[0].Name != "all" {
		t.Errorf("in the workspace: %+v", found)
	}
	c.ask("workspace/symbol", map[string]any{"query": "grt"}, &found)
	if len(found) != 1 || found[0].Location.URI != uri {
		t.Errorf("in the workspace: %+v", found)
	}
	var folds []foldingRange
	c.ask("textDocument/foldingRange", aboutDocument{documentID{URI: uri}}, &folds)
	if !slices.Contains(folds, foldingRange{StartLine: 14, EndLine: 19}) || !slices.Contains(folds, foldingRange{20, 21, "comment"}) || !slices.Contains(folds, foldingRange{StartLine: 5, EndLine: 23}) {
		t.Errorf("folds: %+v", folds)
	}
	var selections []selectionRange
	c.ask("textDocument/selectionRange", map[string]any{"textDocument": documentID{URI: uri}, "positions": []Position{c.place(uri, "server: f‸iles").Position}}, &selections)
	var around []string
	for at := &selections[0]; at != nil; at = at.Parent {
		around = append(around, strings.SplitN(c.textAt(uri, at.Range), "\n", 2)[0])
	}
	if got := strings.Join(around[:4], " < "); !strings.HasPrefix(got, "files < server: files < {id: read") || len(around) < 6 {
		t.Errorf("around: %s", strings.Join(around, " < "))
	}
}
