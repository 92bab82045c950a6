package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// upgraded upgrades and holds what is always so: the result is current, means the
// same, keeps every comment, and stays as it is when upgraded again.
func upgraded(t testing.TB, src string) string {
	t.Helper()
	out, changes, err := Upgrade("g.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	older, err := parseForUpgrade("g.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	current, err := parseForUpgrade("g.yaml", out)
	if err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if current.Older || !sameMeaning(older, current) {
		t.Errorf("older or of another meaning:\n%s", out)
	}
	for _, line := range strings.Split(src, "\n") {
		i := strings.Index(line, "# ")
		if i >= 0 && !strings.Contains(line, "exitNode") && !strings.Contains(string(out), strings.TrimSpace(line[i:])) {
			t.Errorf("the comment %q is lost", line[i:])
		}
	}
	again, none, err := Upgrade("g.yaml", out)
	if err != nil || !bytes.Equal(again, out) || none != nil {
		t.Errorf("not the same again: %v %v", none, err)
	}
	if older.Older != (len(changes) > 0) {
		t.Errorf("changes %v", changes)
	}
	return string(out)
}

// golden compares with a file of testdata, which UPDATE_GOLDEN=1 writes anew.
func golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expected, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(expected) != got {
		t.Errorf("%s differs (UPDATE_GOLDEN=1 writes it anew):\n%s", path, got)
	}
}

func TestUpgrade(t *testing.T) {
	golden(t, "upgrade/shared.yaml", upgraded(t, shared))
	_, changes, err := Upgrade("g.yaml", []byte(shared))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range changes {
		lines = append(lines, c.String())
	}
	golden(t, "upgrade/shared.changes", strings.Join(lines, "\n")+"\n")
	crlf := upgraded(t, strings.ReplaceAll(shared, "\n", "\r\n"))
	if strings.Count(crlf, "\r\n") != strings.Count(crlf, "\n") {
		t.Error("line ends are mixed")
	}
	if marked := upgraded(t, "\ufeff"+shared); !strings.HasPrefix(marked, "\ufeff#") || strings.Count(marked, "\ufeff") != 1 {
		t.Error("the byte order mark is lost")
	}
}

func TestUpgradeForms(t *testing.T) {
	const tool = head + "mcpServers: {s: {command: x}}\ntools:\n  - name: t\n    nodes:\n      - {id: a, type: entry, next: b}\n      - {id: e, type: exit}\n"
	for name, test := range map[string]struct{ src, has string }{
		"flow switch":    {tool + "      - {id: b, type: switch, conditions: [{rule: 1, target: e}, {target: a}]}\n", "conditions: [{rule: 1, next: e}], next: a}"},
		"flow list":      {tool + "      - id: b\n        type: switch\n        conditions: [{rule: 1, target: e}, {target: a}] # why\n", "conditions: [{rule: 1, next: e}] # why\n        next: a\n"},
		"default alone":  {tool + "      - id: b\n        type: switch\n        conditions:\n          - target: e\n", "          - rule: true\n            next: e\n"},
		"default inside": {tool + "      - id: b\n        type: switch\n        conditions:\n          - target: e\n          - {rule: 1, next: a}\n        next: a\n", "          - rule: true\n            next: e\n"},
		"flow inside":    {tool + "      - {id: b, type: switch, conditions: [{next: e}, {rule: 1, next: a}]}\n", "[{rule: true, next: e}, {rule: 1, next: a}]"},
		"tool on nodes":  {tool + "      - {tool: t, id: c, type: exit}\n      - {id: d, type: exit, tool: t}\n      - id: f\n        tool: t\n        type: exit\n", "      - {id: c, type: exit}\n      - {id: d, type: exit}\n      - id: f\n        type: exit\n"},
		"quoted servers": {strings.Replace(tool, "mcpServers", `"servers"`, 1), "mcpServers: {s:"},
		"args": {
			strings.Replace(tool, "mcpServers", "servers", 1) + "      - {id: b, type: mcp_tool, server: s, tool: u, next: e, args: {x: $.a, y: '$.b[0]', z: $count($.c)}}\n",
			"type: mcp, server: s, tool: u, next: e, args: {x: {expr: $.a}, y: {expr: '$.b[0]'}, z: {expr: '$count($.c)'}}}",
		},
		"literal args":        {strings.Replace(tool, "mcpServers", "servers", 1) + "      - id: b\n        type: mcp\n        args:\n          x: |\n            $.a\n            + 1\n          y: 1\n", "          x: {expr: \"$.a\\n+ 1\\n\"}\n          y: 1\n"},
		"no last line end":    {strings.TrimSuffix(strings.Replace(tool, "mcpServers", "servers", 1), "\n"), "type: exit}"},
		"nodes at the margin": {head + "nodes:\n- id: a\n  type: entry\n  tool: t\n  next: b\n- {id: b, type: exit, tool: t}\ntools:\n- name: t # the tool\n", "- name: t # the tool\n  nodes:\n    - id: a\n      type: entry\n      next: b\n    - {id: b, type: exit}\n"},
		"nodes in brackets":   {head + "nodes: [\n  {id: a, type: entry, tool: t, next: b}, # one\n  {id: b, type: exit, tool: t}]\ntools:\n  - name: t\n", "    nodes:\n      - {id: a, type: entry, next: b}\n      # one\n      - {id: b, type: exit}\n"},
		"shared by two":       {head + "tools:\n  - name: t\n  - name: u\nnodes:\n  - {id: a, type: entry, tool: t, next: c}\n  - {id: b, type: entry, tool: u, next: c}\n  - {id: c, type: exit}\n", "  - name: u\n    nodes:\n      - {id: b, type: entry, next: c}\n      - {id: c, type: exit}\n"},
		"anchored condition":  {tool + "      - {id: b, type: switch, next: e, conditions: [&c {rule: 1, target: e}, *c]}\n", "[&c {rule: 1, next: e}, *c]"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := upgraded(t, test.src); !strings.Contains(got, test.has) {
				t.Errorf("got\n%s\nwithout\n%s", got, test.has)
			}
		})
	}
}

func TestUpgradeRefuses(t *testing.T) {
	for src, expected := range map[string]string{
		head + "servers: {}\nmcpServers: {}\n":                                       "3:1: the file has both servers and mcpServers",
		"{version: 1, server: {name: a, version: b}, tools: [{name: t}], nodes: []}": "the nodes cannot be moved into tools that are written in { } or [ ]",
		head + "tools:\n  - name: t\nnodes:\n  - &a {id: a, type: entry, tool: t}\n": "the nodes or tools have anchors or aliases",
		head + "tools:\n  - {name: t}\nnodes:\n  - {id: a, type: entry, tool: t}\n":  "a tool that is written in { }",
		"a: [":              "yaml-syntax",
		head + "tols: []\n": `did you mean "tools"?`,
		head + "servers: {}\ntools: [{name: t, nodes: [{id: a, type: mcp, args: {x: &x $.a, y: *x}}]}]\n": "an expression of args has an anchor",
	} {
		if out, _, err := Upgrade("g.yaml", []byte(src)); err == nil || !strings.Contains(err.Error(), expected) || out != nil {
			t.Errorf("%s\n%v, expected %s", src, err, expected)
		}
	}
}

func TestUpgradeLeavesCurrentFiles(t *testing.T) {
	src := withArgs("{x: $.a}") // a literal, with a warning
	if upgraded(t, src) != src {
		t.Error("a current file is changed")
	}
}

func FuzzUpgrade(f *testing.F) {
	f.Add([]byte(shared))
	f.Add([]byte(head + "tools: [{name: t, nodes: [{id: b, type: switch, conditions: [{rule: 1, target: e}, {target: a}]}]}]\n"))
	f.Add([]byte(head + "nodes:\n- {id: a, type: exit, tool: t}\ntools:\n- name: t # x\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		out, _, err := Upgrade("g.yaml", src)
		if err != nil {
			return
		}
		if again, changes, err := Upgrade("g.yaml", out); err != nil || changes != nil || !bytes.Equal(again, out) {
			t.Fatalf("not the same again: %v %v\n%s", changes, err, out)
		}
	})
}

// Steps beside older forms stay as they are, but for args that are expressions in such a file.
func TestUpgradeSteps(t *testing.T) {
	const steps = `
  - name: report   # of steps
    description: Steps.
    steps:
      # The first.
      - id: rows   # for each
        each: args.files
        as: file
        steps:
          - {id: text, call: up.read, args: {path: $file, mode: plain}, effect: read}   # one file
          # Not always.
          - id: more
            if: $exists(text.next)
            call: up.read
            args:
              path: $text.next   # the next page
            repeat: {until: $not($exists($result.next)), collect: true}
        return: '{"file": $file, "more": more}'   # of the block
        onError: skip
      - {id: sure, ask: {message: Go on?}, after: [rows]}
    # The value.
    return: rows
`
	src := strings.Replace(shared, "tools:\n", "tools:"+steps, 1)
	out := upgraded(t, src)
	want := strings.NewReplacer("path: $file,", "path: {expr: $file},", "path: $text.next ", "path: {expr: $text.next} ").Replace(steps)
	if !strings.Contains(out, want) {
		t.Errorf("expected the steps\n%s\nin\n%s", want, out)
	}
	current := strings.Replace(out, "server:", "server: ", 1)
	if again := upgraded(t, current); again != current {
		t.Errorf("a current file with steps has changed:\n%s", again)
	}
}
