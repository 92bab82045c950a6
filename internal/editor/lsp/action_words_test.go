package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/editor/checks"
)

// Fixes and ranges do not depend on the words of a finding: with other words they are the same.
func TestWordsDoNotMatter(t *testing.T) {
	fixes, ends := 0, 0
	for i, e := range examples(t) {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.yaml", i))
		checked, err := checks.Text(t.Context(), path, []byte(e.graph), config.Options{AssumeEnv: true, ReadFile: func(string) ([]byte, error) { return nil, os.ErrNotExist }}, checks.Beside{})
		if err != nil {
			t.Fatal(err)
		}
		text := newText(e.graph, utf16Units)
		m := mender{request: &request{snapshot: &snapshot{path: path, text: text}}, patch: config.NewPatcher(path, []byte(e.graph))}
		for _, f := range checked.Found {
			if f.Pos.File != path || slices.Contains(badNames, f.Code) { // which are renamed by code and place
				continue
			}
			other := f
			other.Message, other.Hint = "something else is wrong", "do something else"
			if got, want := text.rangeOf(other), text.rangeOf(f); got != want {
				t.Errorf("%v: the range is %v with other words, else %v", f, got, want)
			}
			got, want := m.proposed(other), m.proposed(f)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v: with other words the fixes are %+v, else %+v", f, got, want)
			}
			if fixes += len(want); f.End.IsValid() {
				ends++
			}
		}
	}
	if fixes < 100 || ends < 50 {
		t.Errorf("%d fixes, %d ends", fixes, ends)
	}
}

const callingGreet = `version: "1.0"
server: {name: g, version: 1.0.0}
tools:
  - name: greet
    inputSchema:
      type: object
      properties:
        name: {type: string}
        tone: {type: string, enum: [warm, dry]}
        times: {type: integer}
        to: {type: object, properties: {first: {type: string}, last: {type: string}}, required: [first, last], additionalProperties: false}
      required: [name, tone]
      additionalProperties: false
    nodes:
      - {id: entry, type: entry, next: words}
      - {id: words, type: transform, transform: {expr: '$.entry.name & " " & $.entry.tone & $string($.entry.times) & $string($.entry.to)'}, next: exit}
      - {id: exit, type: exit}
  - name: t
    nodes:
      - {id: entry, type: entry, next: call}
      - id: call
        type: graph
        tool: greet
%s        next: exit
      - {id: exit, type: exit}
`

// A required argument that is missing is added with a value of its type; an unknown one that is like no other is removed.
func TestArgumentActions(t *testing.T) {
	for _, c := range []struct{ args, title, want string }{
		{"        args: {tone: warm}\n", `Add name: ""`, "        args: {tone: warm, name: \"\"}\n"},
		{"        args:\n          name: Ann\n", "Add tone: warm", "        args:\n          name: Ann\n          tone: warm\n"},
		{"        args: {name: Ann, tone: dry, volume: 11}\n", "Remove it", "        args: {name: Ann, tone: dry}\n"},
		{"        args: {name: Ann, tone: dry, time: 2}\n", "Replace it with times", "        args: {name: Ann, tone: dry, times: 2}\n"},
		{"        args: {name: Ann, tone: dry, to: {first: x}}\n", `Add last: ""`, "        args: {name: Ann, tone: dry, to: {first: x, last: \"\"}}\n"},
		{"        args: {}\n", `Add name: ""`, "        args: {name: \"\"}\n"},
		{"", "Add tone: warm", ""},
	} {
		client := withActions(t)
		uri := client.openAs("g.yaml", graphLanguage, fmt.Sprintf(callingGreet, c.args))
		found := false
		for _, d := range client.findings(uri) {
			for _, a := range client.actions(uri, d.Range) {
				if a.Title != c.title {
					continue
				}
				found = true
				want := fmt.Sprintf(callingGreet, c.want)
				if c.want == "" {
					want = fmt.Sprintf(callingGreet, "")
					want = want[:len(want)-len("        next: exit\n      - {id: exit, type: exit}\n")] + "        next: exit\n        args: {tone: warm}\n      - {id: exit, type: exit}\n"
				}
				if got := edited(client.texts[uri], a.Edit.Changes[uri]); got != want {
					t.Errorf("%q: after %q:\n%s", c.args, a.Title, got)
				}
				break
			}
		}
		if !found {
			t.Errorf("%q: no action %q; findings: %+v", c.args, c.title, client.findings(uri))
		}
	}
}
