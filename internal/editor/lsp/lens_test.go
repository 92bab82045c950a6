package lsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// coloured are tokens as type:text, after the client has decoded them.
func (c *client) coloured(uri string, data []int) string {
	c.t.Helper()
	var shown []string
	at := Position{}
	for i := 0; i+4 < len(data); i += 5 {
		if data[i] > 0 {
			at.Character = 0
		}
		at.Line, at.Character = at.Line+data[i], at.Character+data[i+1]
		text := c.textAt(uri, Range{at, Position{at.Line, at.Character + data[i+2]}})
		mark := ""
		if data[i+4] == 1 {
			mark = "="
		}
		shown = append(shown, fmt.Sprintf("%s%s:%s", tokenTypes[data[i+3]], mark, text))
	}
	return strings.Join(shown, " ")
}

func TestTokens(t *testing.T) {
	c := start(t, func(p map[string]any) {
		p["capabilities"] = map[string]any{"textDocument": map[string]any{"semanticTokens": map[string]any{"formats": []any{"relative"}}}}
	})
	uri := c.open("graph.yaml", named)
	var tokens semanticTokens
	at := c.place(uri, "‸          expr: |")
	c.ask("textDocument/semanticTokens/range", map[string]any{
		"textDocument": at.TextDocument, "range": Range{at.Position, Position{at.Position.Line + 2, 0}},
	}, &tokens)
	want := `comment:/* 😀 */ operator:{ string:"text" operator:: string:"Hello " operator:& variable:$ operator:. class:entry operator:. property:name operator:& variable:$vars operator:. variable:region operator:}`
	if got := c.coloured(uri, tokens.Data); got != want {
		t.Errorf("in the expression:\n%s\nwant\n%s", got, want)
	}
	c.ask("textDocument/semanticTokens/full", aboutDocument{documentID{URI: uri}}, &tokens)
	want = `variable=:region namespace=:files function=:greet class=:entry class:make class=:make comment:/* 😀 */`
	if got := c.coloured(uri, tokens.Data); !strings.HasPrefix(got, want) {
		t.Errorf("in the file:\n%s\nwant\n%s", got, want)
	}
	// Several lines, and an expression that is not finished.
	c.replace(uri, `/* 😀 */ {"text": "Hello " & $.entry.name & $vars.region}`, "/* one\n               two */ $sum(`a b`[x = 1 and true]) ~> $f /a/ 'three")
	c.ask("textDocument/semanticTokens/range", map[string]any{
		"textDocument": at.TextDocument, "range": Range{at.Position, Position{at.Position.Line + 3, 0}},
	}, &tokens)
	want = "comment:/* one comment:two */ function:$sum operator:( property:`a b` operator:[ property:x operator:= number:1 keyword:and keyword:true operator:] operator:) operator:~> variable:$f operator:/ property:a operator:/"
	if got := c.coloured(uri, tokens.Data); got != want {
		t.Errorf("an unfinished expression:\n%s\nwant\n%s", got, want)
	}
	c.replace(uri, "tools:", "tools: [")
	c.ask("textDocument/semanticTokens/full", aboutDocument{documentID{URI: uri}}, &tokens)
	if len(tokens.Data) > 0 {
		t.Errorf("a file that cannot be read: %s", c.coloured(uri, tokens.Data))
	}
	if start(t, nil).capabilities["semanticTokensProvider"] != nil {
		t.Error("tokens are offered to a client that cannot read them")
	}
}

func TestLenses(t *testing.T) {
	c := start(t, nil)
	uri := c.open("graph.yaml", named)
	shown := func(uri string) string {
		var found []struct {
			Range   Range
			Command struct {
				Title, Command string
				Arguments      json.RawMessage
			}
		}
		c.ask("textDocument/codeLens", aboutDocument{documentID{URI: uri}}, &found)
		var b strings.Builder
		for _, l := range found {
			fmt.Fprintf(&b, "%s: %s %s %s\n", c.textAt(uri, l.Range), l.Command.Title, l.Command.Command, strings.ReplaceAll(string(l.Command.Arguments), fileURI(c.dir), "DIR"))
		}
		return b.String()
	}
	want := `greet: Run toolgraph.run [{"uri":"DIR/graph.yaml","tool":"greet","args":{"name":""}}]
greet: Debug toolgraph.debug [{"uri":"DIR/graph.yaml","tool":"greet","args":{"name":""}}]
`
	if got := shown(uri); got != want {
		t.Errorf("got\n%s", got)
	}
	tests := c.open("graph.test.yaml", namedTest+"  - {name: two, tool: greet, cases: [{name: a}]}\n")
	want += "greet: Test toolgraph.test [{\"uri\":\"DIR/graph.test.yaml\"}]\n"
	if got := shown(uri); got != want {
		t.Errorf("with tests:\n%s", got)
	}
	want = `all: Run all tests toolgraph.test [{"uri":"DIR/graph.test.yaml"}]
all: Run test toolgraph.test [{"uri":"DIR/graph.test.yaml","test":"all"}]
two: Run test toolgraph.test [{"uri":"DIR/graph.test.yaml","test":"two"}]
a: Run case toolgraph.test [{"uri":"DIR/graph.test.yaml","test":"two/a"}]
`
	if got := shown(tests); got != want {
		t.Errorf("in a test file:\n%s", got)
	}
	if got := shown(c.openURI("untitled:Untitled-1", "yaml", named)); got != "" {
		t.Errorf("in a document that is no file:\n%s", got)
	}
	// The arguments that a tool requires, as its schema has them.
	c.replace(uri, "{name: {type: string}}", "{name: {enum: [Ann, Bo]}, n: {type: integer, default: 3}, list: {type: array}}")
	c.replace(uri, "required: [name]", "required: [name, n, list, other]")
	if got := shown(uri); !strings.Contains(got, `"args":{"list":[],"n":3,"name":"Ann","other":null}`) {
		t.Errorf("arguments: %s", got)
	}
}

func TestInlayHints(t *testing.T) {
	c := start(t, nil)
	uri := c.open("graph.yaml", named)
	whole := map[string]any{"textDocument": documentID{URI: uri}, "range": Range{End: Position{Line: 100}}}
	shown := func() string {
		var found []inlayHint
		c.ask("textDocument/inlayHint", whole, &found)
		var all []string
		for _, h := range found {
			all = append(all, strings.Split(c.texts[uri], "\n")[h.Position.Line][:h.Position.Character][strings.LastIndex(strings.Split(c.texts[uri], "\n")[h.Position.Line][:h.Position.Character], " ")+1:]+h.Label)
		}
		return strings.Join(all, "; ")
	}
	const want = "entry: {name: string}; make: {text: string}"
	if got := shown(); got != want {
		t.Errorf("got %q", got)
	}
	// A version with a mistake has the hints of the last valid one, at its places.
	c.findings(uri)
	c.replace(uri, "    nodes:", "    # one line more\n    nodes:")
	c.replace(uri, "next: exit}\n      - {id: exit", "next: exti}\n      - {id: exit")
	if got := shown(); got != want {
		t.Errorf("with a mistake: %q", got)
	}
	c.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"inlayHints": false}})
	if got := shown(); got != "" {
		t.Errorf("turned off: %q", got)
	}
}
