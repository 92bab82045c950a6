package completion

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"toolgraph/internal/authoring/graphtest"
)

// described returns the description of the word at the ‸ of a piece, which replaces another piece of a text:
// its detail, its text and its facts, a line each.
func described(t *testing.T, known *Known, text, piece string) (d Description, lines string) {
	t.Helper()
	plain := strings.Replace(piece, "‸", "", 1)
	at := strings.Index(text, plain)
	if at < 0 {
		t.Fatalf("the text has no %q", plain)
	}
	at += strings.Index(piece, "‸")
	d, ok := Describe(t.Context(), text, at, known)
	if !ok {
		return d, "nothing"
	}
	lines = fmt.Sprintf("%s|%s\n%s\n", text[d.From:d.To], d.Detail, d.Doc)
	for _, f := range d.Facts {
		lines += f.Name + ": " + f.Text + "\n"
	}
	if d.Value != nil {
		lines += "value: " + d.Value.Tool + " " + d.Value.Expr + "\n"
	}
	return d, lines
}

// Words of the file are described: each line has what is known of it.
func TestDescribe(t *testing.T) {
	known := knownOf(t, file)
	for piece, want := range map[string][]string{
		"    input‸Schema:":        {"inputSchema|", "JSON Schema of the arguments"},
		"$.list.ent‸ries[":         {"entries|array of object", "name: string", "owner-id?: string", "type from: outputSchema of files.find_files", "value: digest $.list.entries"},
		"items: $.l‸ist.entries":   {"list|{total: integer, ", "entries: array of object", "node: mcp files.find_files", "tool: Finds files.", "reads: $.entry.directory", "read by: each, pick, make", "goes to: each", "value: digest $.list\n"},
		"$.entry.dir‸ectory":       {"directory|string", "type from: inputSchema of tool digest", "value: digest $.entry.directory"},
		"entries[si‸ze > 10]":      {"size|integer"},
		"tool: find_fi‸les":        {"find_files|files", "Finds files.", `arguments: hidden?: boolean, order?: "name" or "size", path: string, where?: object`, "returns: {total: integer, entries: array of object}", "type from: outputSchema of files.find_files"},
		"tool: read_‸file":         {"arguments: path?: string", "type from: nowhere: files.read_file declares no outputSchema"},
		"next: ea‸ch":              {"each|output: array", "node: mcp files.read_file", "reads: $.list.entries", "goes to: pick", "value: digest $.each"},
		"id: li‸st":                {"list|output: {total: integer, entries: array of object}", "read by: each, pick, make"},
		"name: dig‸est":            {"digest|", "arguments: deep?: boolean, directory: string", "returns: "},
		"tool: dige‸st, args":      {"digest|", "arguments: deep?: boolean, directory: string"},
		"args: {direc‸tory: /tmp}": {"directory|string, required"},
		"order‸: size":             {"order|enum", "how to sort", `value: "name" or "size"`},
		"{var: $.list.to‸tal}":     {"total|integer", "value: digest $.list.total"},
		"expr: $it‸em.name":        {"$item|{name: string, ", "The item of forEach"},
		`rule: {"‸>": [`:           {">|operator of rules", "greater", "Example: "},
		"server: fi‸les":           {"files|stdio", "tools: find_files, read_file"},
		"    condi‸tions:":         {"conditions|array"},
		"version: 1‸.0.0":          {"nothing"},
		"description: ‸d":          {"nothing"},
	} {
		_, got := described(t, known, file, piece)
		for _, line := range want {
			if !strings.Contains(got, line) {
				t.Errorf("%s: no %q in\n%s", piece, line, got)
			}
		}
	}
	src := strings.Replace(file, "$.list.entries[size > 10].name", "$count($.list.entries[name in $nodeExecutions('list')]) ", 1)
	for piece, want := range map[string]string{
		"$cou‸nt(":                  "(array: array) → number\nCounts the items",
		"$nodeExec‸utions(":         "All outputs",
		"nodeExecutions('li‸st')":   "value: digest $.list",
		"$.list.entries[na‸me in $": "name|string",
	} {
		if _, got := described(t, known, src, piece); !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
			t.Errorf("%s: no %q in\n%s", piece, want, got)
		}
	}
	if _, got := described(t, known, src, "$.list.entries[na‸me in $"); strings.Contains(got, "value:") {
		t.Errorf("a field of an item has no value of its own: %s", got)
	}
}

// A field of an item that has the name of a node is not taken for the node's output.
func TestDescribeNotTheNode(t *testing.T) {
	src := strings.NewReplacer("id: make", "id: size", "next: make", "next: size").Replace(file)
	d, got := described(t, knownOf(t, src), src, "entries[si‸ze > 10]")
	if d.Value != nil || !strings.Contains(got, "size|integer") {
		t.Error(got)
	}
	if d, got = described(t, knownOf(t, src), src, "next: si‸ze"); d.Value == nil {
		t.Error(got)
	}
}

// A long row of words is not looked at once for each of them.
func TestDescribeIsBounded(t *testing.T) {
	src := "description: " + strings.Repeat("a-", 200_000) + "\n"
	done := make(chan bool)
	go func() { _, ok := Describe(t.Context(), src, 20, &Known{}); done <- ok }()
	select {
	case ok := <-done:
		if ok {
			t.Error("a text is described")
		}
	case <-time.After(time.Minute):
		t.Fatal("the description takes too long")
	}
}

func TestDescribeTests(t *testing.T) {
	known := knownOf(t, file).As(TestFile, graphtest.Schema())
	for piece, want := range map[string]string{
		"tool: dig‸est":             "arguments: deep?: boolean, directory: string",
		"args: {dir‸ectory: /tmp}":  "string, required",
		"      li‸st:\n":            "mcp files.find_files",
		"ex‸pect:":                  "each line must hold",
		"result: {ent‸ries":         "array",
		"path: [entry, li‸st]":      "mcp files.find_files",
		"files.read‸_file: {result": "all calls of the tool",
	} {
		if _, got := described(t, known, testFile, piece); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in\n%s", piece, want, got)
		}
	}
	if _, got := described(t, known.As(LockFile, nil), lockText, "ha‸sh:"); !strings.Contains(got, "Hash over everything") {
		t.Error(got)
	}
}

// The call around a place of an expression, and its parameter.
func TestCallAt(t *testing.T) {
	known := knownOf(t, file)
	for piece, want := range map[string]string{
		"$substring(‸":                            "text: string?",
		"$substring($.list.x, ‸":                  "start: number",
		"$substring($.list.x, 1, ‸":               "length: number?",
		`$substring("a, b", ‸`:                    "start: number",
		"$substring([1, 2], ‸":                    "start: number",
		"$map([1, ‸":                              "array: array",
		"$map(x, function($a) { $substring($a, ‸": "start: number",
		"$map(x, function($a) { $a ‸":             "function: function",
		"$.list.x ~> $substring(‸":                "start: number",
		"$count(‸)":                               "array: array",
		"$zip([1], [2], [3], ‸":                   "arrays: array …",
		"$executionCount('‸":                      "id: string",
		"($f := function($a, $b) { $a }; $f(1, ‸": "$b",
		"$count(1) + ‸":                           "",
		"(1 + ‸":                                  "",
		"$unknown(‸":                              "",
		`"$count(‸`:                               "",
	} {
		src := strings.Replace(file, "$.list.entries[size > 10].name", piece, 1)
		at := strings.Index(src, "‸")
		call, ok := CallAt(t.Context(), strings.Replace(src, "‸", "", 1), at, known)
		got := ""
		if ok && call.Active < len(call.Parameters) {
			p := call.Parameters[call.Active]
			got = call.Label[p[0]:p[1]]
		}
		if got != want {
			t.Errorf("%s: parameter %q of %+v, expected %q", piece, got, call, want)
		}
	}
	if _, ok := CallAt(t.Context(), file, strings.Index(file, "(")+1, known); ok {
		t.Error("a call outside of expressions")
	}
}
