package lsp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/editor/completion"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
)

// written is a graph file to write in; its server's tool is locked.
const written = `version: "1.0"
server: {name: s, version: 1.0.0}
mcpServers:
  files: {command: files}
tools:
  - name: sizes
    description: d
    inputSchema: {type: object, properties: {"größe 𝄞": {type: integer}, directory: {type: string}}, required: [directory]}
    nodes:
      - {id: entry, type: entry, next: list}
      - id: list
        type: mcp
        server: files
        tool: list
        args: {path: {expr: $.entry.directory}}
        next: sum
      - {id: sum, type: transform, transform: {expr: "$sum($.list.items.size)"}, next: exit}
      - {id: exit, type: exit}
`

// locked returns the lock of the tool list of server files of a graph file.
func locked(t testing.TB, text string) string {
	t.Helper()
	file, err := config.Parse("graph.yaml", []byte(text), config.Options{AssumeEnv: true})
	if err != nil {
		t.Fatal(err)
	}
	l := lock.Of("graph.lock.yaml", lock.Pin(file.Servers[0], mcpTool, file.Secrets))
	return string(l.Encode())
}

// modern is a client that can do everything with completions, hovers and signatures.
func modern(params map[string]any) {
	markdown := []any{"markdown", "plaintext"}
	params["capabilities"] = map[string]any{"textDocument": map[string]any{
		"completion": map[string]any{
			"completionItem": map[string]any{
				"snippetSupport": true, "insertReplaceSupport": true, "labelDetailsSupport": true, "documentationFormat": markdown,
				"resolveSupport": map[string]any{"properties": []any{"documentation", "detail"}}, "insertTextModeSupport": map[string]any{"valueSet": []any{1, 2}},
			},
			"completionList": map[string]any{"itemDefaults": []any{"editRange"}},
		},
		"hover":         map[string]any{"contentFormat": markdown},
		"signatureHelp": map[string]any{"signatureInformation": map[string]any{"documentationFormat": markdown, "parameterInformation": map[string]any{"labelOffsetSupport": true}}},
	}}
}

// listed is an answer to a completion.
type listed struct {
	IsIncomplete bool
	ItemDefaults struct{ EditRange json.RawMessage }
	Items        []struct {
		Label, Detail, SortText, TextEditText  string
		Kind, InsertTextFormat, InsertTextMode int
		LabelDetails                           struct{ Description string }
		Documentation                          *Markup
		TextEdit                               *TextEdit
		Data                                   json.RawMessage
	}
}

func (l *listed) labels() (labels []string) {
	for _, i := range l.Items {
		labels = append(labels, i.Label)
	}
	return labels
}

// item returns the index of an item.
func (l *listed) item(t *testing.T, label string) int {
	t.Helper()
	i := slices.Index(l.labels(), label)
	if i < 0 {
		t.Fatalf("no %q among %q", label, l.labels())
	}
	return i
}

// completed asks for what can be written where a piece of the document has the ‸.
func (c *client) completed(uri, marked string) *listed {
	c.t.Helper()
	var list *listed
	c.ask("textDocument/completion", c.place(uri, marked), &list)
	if list == nil {
		list = &listed{}
	}
	return list
}

// A client without any capability gets edits of plain text.
func TestCompletionForOldClients(t *testing.T) {
	c := start(t, nil)
	c.write("graph.lock.yaml", locked(t, written))
	uri := c.open("graph.yaml", written)
	list := c.completed(uri, "$.list.it‸ems.size")
	i := list.item(t, "items")
	if e := list.Items[i].TextEdit; e == nil || e.NewText != "items" || c.textAt(uri, e.Range) != "it" || list.Items[i].Detail == "" || list.Items[i].InsertTextFormat != 0 {
		t.Errorf("%+v", list.Items[i])
	}
	list = c.completed(uri, "expr: \"$su‸m(")
	if i := list.item(t, "$sum"); list.Items[i].Documentation == nil || list.Items[i].Documentation.Kind != "plaintext" || !strings.Contains(list.Items[i].Documentation.Value, "Adds the numbers") {
		t.Errorf("%+v", list.Items[i])
	}
	c.replace(uri, "      - {id: exit, type: exit}\n", "      - \n      - {id: exit, type: exit}\n")
	list = c.completed(uri, "next: exit}\n      - ‸\n")
	node := list.Items[list.item(t, "transform node")]
	if node.InsertTextFormat != 0 || !strings.HasPrefix(node.TextEdit.NewText, "id: transform\n        type: transform\n        ") || strings.Contains(node.TextEdit.NewText, "${") {
		t.Errorf("a node without snippets: %+v %q", node, node.TextEdit.NewText)
	}
}

// A client that can do everything gets snippets, one range for all items, and descriptions on request.
func TestCompletionForModernClients(t *testing.T) {
	c := start(t, modern)
	c.write("graph.lock.yaml", locked(t, written))
	uri := c.open("graph.yaml", written)
	list := c.completed(uri, "$.list.it‸ems.size")
	var both struct{ Insert, Replace Range }
	if err := json.Unmarshal(list.ItemDefaults.EditRange, &both); err != nil || c.textAt(uri, both.Insert) != "it" || c.textAt(uri, both.Replace) != "items" {
		t.Errorf("%s %v", list.ItemDefaults.EditRange, err)
	}
	if i := list.item(t, "items"); list.Items[i].TextEdit != nil || list.Items[i].LabelDetails.Description != "array of {size: integer}" {
		t.Errorf("%+v", list.Items[i])
	}
	list = c.completed(uri, "expr: \"$su‸m(")
	i := list.item(t, "$sum")
	if list.Items[i].Documentation != nil || list.Items[i].Data == nil {
		t.Errorf("%+v", list.Items[i])
	}
	var resolved struct {
		Label         string
		Documentation Markup
	}
	c.ask("completionItem/resolve", map[string]any{"label": "$sum", "data": list.Items[i].Data}, &resolved)
	if resolved.Label != "$sum" || resolved.Documentation.Kind != "markdown" || !strings.Contains(resolved.Documentation.Value, "Adds the numbers") {
		t.Errorf("%+v", resolved)
	}
	list = c.completed(uri, "        tool: ‸list")
	if doc := list.Items[list.item(t, "list")].Documentation; doc == nil || !strings.Contains(doc.Value, `\!\[a\]`) {
		t.Errorf("the description of a server is Markdown: %+v", doc)
	}
	c.replace(uri, "      - {id: exit, type: exit}\n", "      - \n      - {id: exit, type: exit}\n")
	list = c.completed(uri, "next: exit}\n      - ‸\n")
	node := list.Items[list.item(t, "mcp node")]
	if node.InsertTextFormat != snippetFormat || node.InsertTextMode != adjusted || !strings.HasPrefix(node.TextEditText, "id: ${1:mcp}\n  type: mcp\n  server: ${2|files|}\n") {
		t.Errorf("a node with stops: %+v", node)
	}
}

// Ranges are in the client's units, also behind characters that have two of UTF-16.
func TestCompletionRanges(t *testing.T) {
	c := start(t, nil)
	text := strings.Replace(written, "$sum($.list.items.size)", "/* größe 𝄞 */ $.entry.dir", 1)
	uri := c.open("graph.yaml", written)
	c.findings(uri)
	c.edit(uri, newText(written, utf16Units).Range(0, len(written)), text)
	list := c.completed(uri, "*/ $.entry.dir‸")
	if e := list.Items[list.item(t, "directory")].TextEdit; c.textAt(uri, e.Range) != "dir" {
		t.Errorf("%+v replaces %q", e, c.textAt(uri, e.Range))
	}
	if e := list.Items[list.item(t, "größe 𝄞")].TextEdit; e.NewText != "`größe 𝄞`" {
		t.Errorf("%+v", e)
	}
}

// A blank that is typed inside of a text or an expression asks for nothing.
func TestCompletionTriggers(t *testing.T) {
	c := start(t, nil)
	uri := c.open("graph.yaml", strings.Replace(written, "$sum($.list.items.size)", "1 + 2", 1))
	for marked, want := range map[string]bool{"next: ‸sum": true, "\"1 + ‸2": false, "description: ‸d": false} {
		var list *listed
		p := c.place(uri, marked)
		c.ask("textDocument/completion", map[string]any{
			"textDocument": p.TextDocument, "position": p.Position, "context": map[string]any{"triggerKind": 2, "triggerCharacter": " "},
		}, &list)
		if (list != nil) != want {
			t.Errorf("%s: %+v", marked, list)
		}
	}
}

// Test files and locks know the graph file, open or not; other files get nothing.
func TestCompletionOfOtherFiles(t *testing.T) {
	c := start(t, nil)
	c.write("graph.lock.yaml", locked(t, written))
	c.write("graph.yaml", written)
	const tests = "tests:\n  - name: a\n    tool: sizes\n    args: {directory: .}\n    mocks: {list: {result: {items: []}}}\n    expect: {path: [entry]}\n"
	uri := c.open("graph.test.yaml", tests)
	for marked, want := range map[string]string{
		"tool: ‸sizes": "sizes", "args: {‸directory": "größe 𝄞", "mocks: {‸list": "files.list", "path: [‸entry": "sum", "\n    ‸expect:": "vars", "result: {‸items": "",
	} {
		list := c.completed(uri, marked)
		if want != "" && !slices.Contains(list.labels(), want) {
			t.Errorf("%s: no %q among %q", marked, want, list.labels())
		}
	}
	// While the test file is no YAML, by its name and by its key.
	for name, key := range map[string]string{"graph.test.yaml": "", "others.test.yaml": "graph: graph.yaml\n"} {
		broken := c.open(name, key+strings.Replace(tests, "[entry]", "[entry, , sum]", 1))
		if list := c.completed(broken, "[entry, ‸, sum]"); !slices.Contains(list.labels(), "sum") {
			t.Errorf("%s while it is broken: %q", name, list.labels())
		}
	}
	uri = c.open("graph.test.yaml", tests)
	c.open("graph.yaml", strings.Replace(written, "name: sizes", "name: other", 1))
	c.findings(c.uri("graph.yaml"))
	if list := c.completed(uri, "tool: ‸sizes"); !slices.Equal(list.labels(), []string{"other"}) {
		t.Errorf("of the open file: %q", list.labels())
	}
	c.replace(c.uri("graph.yaml"), "tools:\n", "tools: [\n")
	if list := c.completed(uri, "tool: ‸sizes"); !slices.Equal(list.labels(), []string{"other"}) {
		t.Errorf("of the open file while it is broken: %q", list.labels())
	}
	lockURI := c.open("graph.lock.yaml", "version: 2\nservers:\n  files:\n    identity: files\n    \n")
	if list := c.completed(lockURI, "identity: files\n    ‸\n"); !slices.Contains(list.labels(), "tools") {
		t.Errorf("of a lock: %q", list.labels())
	}
	plain := c.open("other.yaml", "a: \nb: c\n")
	if list := c.completed(plain, "a: ‸"); len(list.Items) > 0 {
		t.Errorf("of another file: %q", list.labels())
	}
}

func TestSignature(t *testing.T) {
	for name, options := range map[string]func(map[string]any){"old": nil, "modern": modern} {
		c := start(t, options)
		uri := c.open("graph.yaml", strings.Replace(written, "$sum($.list.items.size)", "$substring($.entry.directory, 1)", 1))
		var help struct {
			Signatures []struct {
				Label         string
				Documentation Markup
				Parameters    []struct{ Label json.RawMessage }
			}
			ActiveParameter int
		}
		c.ask("textDocument/signatureHelp", c.place(uri, "directory, ‸1)"), &help)
		want := map[string]string{"old": `"start: number"`, "modern": `[26,39]`}[name]
		if len(help.Signatures) != 1 || help.ActiveParameter != 1 || string(help.Signatures[0].Parameters[1].Label) != want || help.Signatures[0].Label != "$substring(text: string?, start: number, length: number?) → string" {
			t.Errorf("%s: %+v", name, help)
		}
		var none json.RawMessage
		if c.ask("textDocument/signatureHelp", c.place(uri, "next: ‸sum"), &none); string(none) != "null" {
			t.Errorf("%s: %s", name, none)
		}
	}
}

// A graph file that is not open is checked once for all requests about its test file, until it changes.
func TestClosedFileIsCheckedOnce(t *testing.T) {
	c := start(t, nil)
	c.write("graph.yaml", written)
	uri := c.open("graph.test.yaml", "tests:\n  - name: a\n    tool: sizes\n    expect: {isError: true}\n")
	known := func() *completion.Known {
		c.completed(uri, "tool: ‸sizes")
		files := &c.server.closedFiles
		files.mu.Lock()
		defer files.mu.Unlock()
		return files.byPath[filepath.Join(c.dir, "graph.yaml")].known
	}
	first := known()
	if first == nil || known() != first {
		t.Error("the file was checked again")
	}
	c.write("graph.yaml", strings.Replace(written, "name: sizes", "name: other", 1))
	if known() == first {
		t.Error("the changed file was not checked")
	}
}

// A request that was cancelled leaves nothing to the next one, and no version of the file behind.
func TestCancelledLookAtClosedFile(t *testing.T) {
	c := start(t, nil)
	c.write("graph.yaml", written)
	look := func(ctx context.Context) *completion.Known {
		snap, err := c.server.file(filepath.Join(c.dir, "graph.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		known := c.server.closedFiles.known(ctx, snap)
		if snap.ctx.Err() == nil {
			t.Error("the version that was read is not ended")
		}
		return known
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	look(cancelled)
	if known := look(t.Context()); len(known.Graphs) == 0 {
		t.Error("nothing is known of the graph file")
	}
}

var mcpTool = mcpclient.Tool{
	Name: "list", Description: "Lists ![a](https://a.example) <b>files</b>.",
	InputSchema:  []byte(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
	OutputSchema: []byte(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"size":{"type":"integer"}},"required":["size"]}}},"required":["items"]}`),
}

// The places of parameters are in UTF-16, whatever the positions of the client are in.
func TestSignatureUnits(t *testing.T) {
	c := start(t, func(params map[string]any) {
		modern(params)
		params["capabilities"].(map[string]any)["general"] = map[string]any{"positionEncodings": []any{"utf-8"}}
	})
	uri := c.open("graph.yaml", strings.Replace(written, "$sum($.list.items.size)", "$zip([1])", 1))
	var help struct {
		Signatures []struct {
			Label      string
			Parameters []struct{ Label [2]int }
		}
	}
	c.ask("textDocument/signatureHelp", c.place(uri, "$zip([1]‸)"), &help)
	if got := help.Signatures[0]; got.Label != "$zip(arrays: array …)" || got.Parameters[0].Label != [2]int{5, 20} {
		t.Errorf("%+v", got)
	}
}
