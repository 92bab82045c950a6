package config

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

const editable = `# Ours.
version: "1.0"   # of the language
server: {name: g, version: 1.0.0}

tools:
  # Says hello.
  - name: hello   # short
    description: Says hello.
    nodes:
      # Where it begins.
      - {id: entry, type: entry, next: greet}
      - id: greet   # the one that works
        type: transform
        transform:
          expr: |   # JSONata
            "Hello"
        next: exit   # and out

      # Where it ends.
      - {id: exit, type: exit}

  # Waits.
  - name: wait
    description: 'Waits: long'
    nodes:
      - {id: entry, type: entry, next: exit}
      - {id: exit, type: exit}
# The end.
`

// changed returns a text after replacements, each of which must match once.
func changed(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(text, pairs[i]) != 1 {
			t.Fatalf("%q stands %d times in the text", pairs[i], strings.Count(text, pairs[i]))
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

func parsed(t *testing.T, src string) *Data {
	t.Helper()
	d, err := ParseData("t.json", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func same(t *testing.T, got []byte, want string) {
	t.Helper()
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

const (
	helloJSON = `{"name": "hello", "description": "Says hello.", "nodes": [{"id": "entry", "type": "entry", "next": "greet"},
		{"id": "greet", "type": "transform", "transform": {"expr": "\"Hello\"\n"}, "next": "exit"}, {"id": "exit", "type": "exit"}]}`
	otherJSON = `{"nodes": [{"next": "call", "type": "entry", "id": "entry"},
		{"type": "mcp", "id": "call", "next": "way", "args": {"path": {"expr": "$.entry.path"}, "limit": 10, "no": "yes"}, "tool": "t", "server": "s"},
		{"id": "way", "type": "switch", "conditions": [{"next": "shape", "rule": {">": [{"var": "call.n"}, 1]}}], "next": "exit"},
		{"id": "shape", "type": "transform", "transform": {"expr": "{\n  \"n\": $.call.n\n}"}, "next": "exit"}, {"id": "exit", "type": "exit"}],
		"inputSchema": {"required": ["path"], "properties": {"path": {"description": "Where: the path", "type": "string"}}, "type": "object"},
		"description": "Line one.\nLine two.\n", "name": "other"}`
	otherYAML = `
  - name: other
    description: |
      Line one.
      Line two.
    inputSchema:
      type: object
      properties:
        path: {type: string, description: "Where: the path"}
      required: [path]
    nodes:
      - id: entry
        type: entry
        next: call
      - id: call
        type: mcp
        server: s
        tool: t
        args:
          path: {expr: $.entry.path}
          limit: 10
          "no": "yes"
        next: way
      - id: way
        type: switch
        conditions:
          - rule: {">": [{var: call.n}, 1]}
            next: shape
        next: exit
      - id: shape
        type: transform
        transform:
          expr: |-
            {
              "n": $.call.n
            }
        next: exit
      - id: exit
        type: exit
`
)

func TestAddTool(t *testing.T) {
	for name, file := range map[string]string{
		"as it is": editable, "Windows": strings.ReplaceAll(editable, "\n", "\r\n"), "byte order mark": "\ufeff" + editable,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := AddTool("g.yaml", []byte(file), parsed(t, otherJSON))
			if err != nil {
				t.Fatal(err)
			}
			want := changed(t, editable, "# The end.", strings.TrimPrefix(otherYAML, "\n")+"# The end.")
			want = strings.Replace(want, "  - name: other", "\n  - name: other", 1)
			if name == "Windows" {
				want = strings.ReplaceAll(want, "\n", "\r\n")
			}
			same(t, bytes.TrimPrefix(got, byteOrderMark), want)
			if bytes.HasPrefix(got, byteOrderMark) != (name == "byte order mark") {
				t.Error("the byte order mark is not as it was")
			}
			back, err := DeleteTool("g.yaml", got, "other")
			if err != nil {
				t.Fatal(err)
			}
			same(t, back, file)
		})
	}
}

func TestAddFirstTool(t *testing.T) {
	head := "server: {name: g, version: 1.0.0}   # ours\n"
	for _, file := range []string{head, head + "tools: []\n", head + "tools:\n", strings.TrimSuffix(head, "\n")} {
		got, err := AddTool("g.yaml", []byte(file), parsed(t, otherJSON))
		if err != nil {
			t.Fatal(err)
		}
		same(t, []byte(strings.TrimSuffix(string(got), "\n")), head+"tools:"+strings.TrimSuffix(otherYAML, "\n"))
	}
}

// A comment at the end of the last tool remains there, and one below all tools remains
// below all of them.
func TestAddToolBelowComments(t *testing.T) {
	file := "tools:\n  - name: a\n    nodes:\n      - {id: x, type: exit}\n      # more nodes\n\n    # more of a\n  # more tools\n# the end\nserver: {name: g, version: 1.0.0}\n"
	got, err := AddTool("g.yaml", []byte(file), parsed(t, `{"name": "b"}`))
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, changed(t, file, "  # more tools\n", "  - name: b\n  # more tools\n"))
	if got, err = DeleteTool("g.yaml", got, "a"); err != nil {
		t.Fatal(err)
	}
	same(t, got, "tools:\n  - name: b\n  # more tools\n# the end\nserver: {name: g, version: 1.0.0}\n")
}

// A file of JSON stays one.
func TestAddToolToJSON(t *testing.T) {
	got, err := AddTool("g.json", []byte("\n{\"server\": {\"name\": \"g\", \"version\": \"1\"}, \"tools\": []}\n"), parsed(t, `{"name": "t"}`))
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, "\n{\n  \"server\": {\n    \"name\": \"g\",\n    \"version\": \"1\"\n  },\n  \"tools\": [\n    {\n      \"name\": \"t\"\n    }\n  ]\n}\n")
}

func TestReplaceTool(t *testing.T) {
	for _, c := range []struct {
		name string
		json []string // replacements in the tool's JSON
		yaml []string // and what becomes of the file
	}{
		{"nothing", nil, nil},
		{"a text", []string{"Says hello.", "Greets: politely"}, []string{"description: Says hello.", `description: "Greets: politely"`}},
		{"an expression", []string{`\"Hello\"\n`, `(\n  \"Hi\"\n)\n`}, []string{"            \"Hello\"\n", "            (\n              \"Hi\"\n            )\n"}},
		{"to one line", []string{`"\"Hello\"\n"`, `"$.entry.a"`}, []string{"|   # JSONata\n            \"Hello\"\n", "$.entry.a   # JSONata\n"}},
		{"an edge", []string{`"expr": "\"Hello\"\n"}, "next": "exit"`, `"expr": "\"Hello\"\n"}, "next": "end"`}, []string{"next: exit   # and out", "next: end   # and out"}},
		{
			"a new node",
			[]string{`{"id": "exit", "type": "exit"}]`, `{"id": "more", "type": "transform", "transform": {"expr": "1"}, "next": "exit"}, {"id": "exit", "type": "exit"}]`},
			[]string{"\n      # Where it ends.", "      - id: more\n        type: transform\n        transform:\n          expr: \"1\"\n        next: exit\n\n      # Where it ends."},
		},
		{
			"a node less",
			[]string{`{"id": "greet", "type": "transform", "transform": {"expr": "\"Hello\"\n"}, "next": "exit"},`, ""},
			[]string{editable[strings.Index(editable, "      - id: greet"):strings.Index(editable, "\n      # Where it ends")], ""},
		},
		{
			"another order",
			[]string{`{"id": "entry", "type": "entry", "next": "greet"},`, "", `{"id": "exit", "type": "exit"}]`, `{"id": "exit", "type": "exit"}, {"id": "entry", "type": "entry", "next": "greet"}]`},
			[]string{
				"      # Where it begins.\n      - {id: entry, type: entry, next: greet}\n", "",
				"      - {id: exit, type: exit}\n\n", "      - {id: exit, type: exit}\n      # Where it begins.\n      - {id: entry, type: entry, next: greet}\n\n",
			},
		},
		{"a node in braces", []string{`"entry", "next": "greet"`, `"entry", "next": "exit"`}, []string{"- {id: entry, type: entry, next: greet}", "- {id: entry, type: entry, next: exit}"}},
		{"a new key", []string{`"Says hello.",`, `"Says hello.", "inputSchema": {"type": "object"}, "title": "Hello",`}, []string{"hello   # short\n", "hello   # short\n    title: Hello\n", "description: Says hello.\n", "description: Says hello.\n    inputSchema: {type: object}\n"}},
		{"a key less", []string{`"description": "Says hello.",`, ""}, []string{"    description: Says hello.\n", ""}},
		{"another name", []string{`"hello"`, `"hi"`}, []string{"name: hello   # short", "name: hi   # short"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := changed(t, editable, c.yaml...)
			got, err := ReplaceTool("g.yaml", []byte(editable), "hello", parsed(t, changed(t, helloJSON, c.json...)))
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, want)
		})
	}
}

func TestDeleteTool(t *testing.T) {
	hello := editable[strings.Index(editable, "  # Says hello."):strings.Index(editable, "\n  # Waits.")]
	got, err := DeleteTool("g.yaml", []byte(editable), "hello")
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, changed(t, editable, hello, ""))
	wait := editable[strings.Index(editable, "\n  # Waits."):strings.Index(editable, "# The end.")]
	if got, err = DeleteTool("g.yaml", []byte(editable), "wait"); err != nil {
		t.Fatal(err)
	}
	same(t, got, changed(t, editable, wait, ""))
}

func TestCannotEdit(t *testing.T) {
	shared := "server: {name: g, version: 1.0.0}\ntools:\n  - name: a\n    inputSchema: &s {type: object}\n  - {name: b, inputSchema: *s}\n"
	for _, c := range []struct {
		name string
		edit func() ([]byte, error)
		want string
	}{
		{"twice", func() ([]byte, error) { return AddTool("g.yaml", []byte(editable), parsed(t, helloJSON)) }, `g.yaml:7:5: tool "hello" already exists`},
		{"not there", func() ([]byte, error) { return ReplaceTool("g.yaml", []byte(editable), "helo", parsed(t, helloJSON)) }, `unknown tool "helo"; did you mean "hello"?`},
		{"deleted before", func() ([]byte, error) { return DeleteTool("g.yaml", []byte(editable), "x") }, "the tools are hello, wait"},
		{"an anchor", func() ([]byte, error) { return DeleteTool("g.yaml", []byte(shared), "a") }, "share"},
		{"braces", func() ([]byte, error) { return AddTool("g.yaml", []byte("{tools: []} # x\n"), parsed(t, helloJSON)) }, "remove the { }"},
		{"a list", func() ([]byte, error) { return AddTool("g.yaml", []byte("- a\n"), parsed(t, helloJSON)) }, "not a graph file"},
		{"no YAML", func() ([]byte, error) { return AddTool("g.yaml", []byte("a: [\n"), parsed(t, helloJSON)) }, "yaml-syntax"},
	} {
		out, err := c.edit()
		var found Diagnostics
		if out != nil || !errors.As(err, &found) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %s, %v", c.name, out, err)
		}
	}
}

// A tool whose nodes are in the list of all tools gets its own before it is changed.
func TestReplaceOlderTool(t *testing.T) {
	older := "server: {name: g, version: 1.0.0}\ntools:\n  - {name: a, description: A}\nnodes:\n  # in\n  - {id: i, type: entry, tool: a, next: o}\n  - {id: o, type: exit, tool: a}\n"
	older = strings.Replace(older, "  - {name: a, description: A}", "  - name: a\n    description: A", 1)
	got, err := ReplaceTool("g.yaml", []byte(older), "a", parsed(t, `{"name": "a", "description": "B", "nodes": [{"id": "i", "type": "entry", "next": "o"}, {"id": "o", "type": "exit"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, "server: {name: g, version: 1.0.0}\ntools:\n  - name: a\n    description: B\n    nodes:\n      # in\n      - {id: i, type: entry, next: o}\n      - {id: o, type: exit}\n")
}
