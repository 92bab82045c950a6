package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const shown = `tools:
- name: t
  KEYS
  nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]
`

func parseShown(keys string) (*File, Diagnostics) {
	f, err := Parse("g.yaml", []byte(head+strings.Replace(shown, "KEYS", keys, 1)), Options{})
	var found Diagnostics
	_ = errors.As(err, &found)
	return f, found
}

// Numbers and the order of keys stay as they are in the file.
func TestToolDetails(t *testing.T) {
	f, found := parseShown(`_meta: {z: 9007199254740993, anthropic/maxResultSizeChars: 200000, com.example.mcp/a: {"b": [1, null]}}
  icons: [{src: "https://example.com/i.svg", mimeType: image/svg+xml, sizes: [any, 48x48], theme: dark}, {src: "data:image/png;base64,AA=="}]`)
	if len(found) > 0 {
		t.Fatal(found)
	}
	const meta = `{"z":9007199254740993,"anthropic/maxResultSizeChars":200000,"com.example.mcp/a":{"b":[1,null]}}`
	if got := string(f.Tools[0].Meta.JSON()); got != meta {
		t.Error(got)
	}
	const icons = `[{"src":"https://example.com/i.svg","mimeType":"image/svg+xml","sizes":["any","48x48"],"theme":"dark"},{"src":"data:image/png;base64,AA=="}]`
	if got := string(f.Tools[0].Icons.JSON()); got != icons {
		t.Error(got)
	}
	if f, found = parseShown("icons: []\n  _meta: null"); len(found) > 0 || f.Tools[0].Icons != nil || f.Tools[0].Meta != nil {
		t.Errorf("%v, %+v", found, f.Tools)
	}
}

func TestBadToolDetails(t *testing.T) {
	icon := func(more string) string { return `icons: [{src: "https://example.com/i", ` + more + `}]` }
	for keys, want := range map[string]string{
		`_meta: 1`:                                          `g.yaml:5:10: _meta of tool "t" is the number 1, expected a mapping [wrong-type]`,
		`_meta: {io.modelcontextprotocol/x: 1}`:             `g.yaml:5:11: key "io.modelcontextprotocol/x" in _meta of tool "t" has the prefix "io.modelcontextprotocol/", which is reserved for the Model Context Protocol; use a prefix of your own, such as com.example/ [bad-meta]`,
		`_meta: {MCP/x: 1}`:                                 `the prefix "MCP/", which is reserved`,
		`_meta: {dev.mcp.more/x: 1}`:                        `the prefix "dev.mcp.more/", which is reserved`,
		`_meta: {modelcontextprotocol.io/x: 1}`:             `the prefix "modelcontextprotocol.io/", which is reserved`,
		`_meta: {-a/b: 1}`:                                  `has a bad prefix`,
		`_meta: {a/b/c: 1}`:                                 `has a bad name`,
		`_meta: {"a b": 1}`:                                 `has a bad name`,
		`_meta: {"": 1}`:                                    `has a bad name`,
		"_meta: {a: " + strings.Repeat("x", maxMeta) + "}":  `_meta of tool "t" has 16392 bytes as JSON, expected at most 16384; every tools/list repeats it: leave out what clients do not need [bad-meta]`,
		`icons: {}`:                                         `icons of tool "t" is a mapping, expected a list [wrong-type]`,
		`icons: [{src: "http://example.com/i"}]`:            `g.yaml:5:17: src of icon 1 of tool "t" is "http://example.com/i", expected https://… or data:image/…; clients load icons from no other place [bad-icon]`,
		`icons: [{src: "https://user:pass@example.com/i"}]`: `expected https://… or data:image/…`,
		`icons: [{src: "https:///i"}]`:                      `expected https://… or data:image/…`,
		`icons: [{src: "file:///etc/passwd"}]`:              `expected https://… or data:image/…`,
		`icons: [{src: "data:text/html,hi"}]`:               `expected https://… or data:image/…`,
		`icons: [{src: "javascript:1"}]`:                    `expected https://… or data:image/…`,
		`icons: [{sizes: [any]}]`:                           `g.yaml:5:11: icon 1 of tool "t" has no src; add src: … [missing-field]`,
		`icons: [{src: "data:image/png,` + strings.Repeat("x", maxIcon) + `"}]`: `src of icon 1 of tool "t" has 32783 bytes, expected at most 32768`,
		`icons: [` + strings.Repeat(`{src: "https://e.com/i"},`, 9) + `]`:       `icons of tool "t" has 9 icons, expected at most 8`,
		icon("mimeType: text/html"):                         `mimeType of icon 1 of tool "t" is "text/html", expected the media type of an image; write it as in image/png [bad-icon]`,
		icon("sizes: [large]"):                              `a size of icon 1 of tool "t" is "large", expected WIDTHxHEIGHT or any; write it as in 48x48 [bad-icon]`,
		icon("sizes: [48]"):                                 `a size of icon 1 of tool "t" is the number 48`,
		icon("sizes: [" + strings.Repeat("any,", 17) + "]"): `sizes of icon 1 of tool "t" has 17 entries, expected at most 16`,
		icon("theme: drak"):                                 `theme of icon 1 of tool "t" is "drak", expected light or dark; did you mean "dark"? [unknown-value]`,
		icon("url: x"):                                      `unknown field "url" of icon 1 of tool "t"`,
	} {
		if _, found := parseShown(keys); len(found) != 1 || !strings.Contains(found[0].String(), want) {
			t.Errorf("%.80s:\ngot  %v\nwant %s", keys, found, want)
		}
	}
}

func TestServerIcons(t *testing.T) {
	const file = `server: {name: g, version: 1.0.0, icons: [{src: %q}]}
tools: []
`
	f, err := Parse("g.yaml", fmt.Appendf(nil, file, "https://example.com/i"), Options{})
	if err != nil || string(f.Server.Icons.JSON()) != `[{"src":"https://example.com/i"}]` {
		t.Errorf("%v", err)
	}
	_, err = Parse("g.yaml", fmt.Appendf(nil, file, "ftp://example.com/i"), Options{})
	if err == nil || !strings.Contains(err.Error(), "src of icon 1 of server") {
		t.Error(err)
	}
}

// An edited tool has these keys beside the other ones that clients read.
func TestDetailsOrder(t *testing.T) {
	tool, err := ParseData("t", []byte(`{nodes: [], _meta: {}, icons: [], name: t, annotations: {}}`))
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, key := range canonicalTool(tool).Keys {
		keys = append(keys, key.Value)
	}
	if want := []string{"name", "annotations", "icons", "_meta", "nodes"}; !slices.Equal(keys, want) {
		t.Error(keys)
	}
}
