package convert

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
)

// converted returns the file with the tool report written as steps, and what changes.
func converted(t *testing.T, src string) (text, changes string) {
	t.Helper()
	out, all, err := ToSteps(t.Context(), "g.yaml", []byte(src), "report", config.Options{AssumeEnv: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range all {
		changes += c.String() + "\n"
	}
	return string(out), changes
}

// Each kind of node, names that steps cannot have, and styles of YAML. UPDATE_GOLDEN=1 writes the results anew.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text, changes := converted(t, string(src))
		got := changes + "---\n" + text
		golden := strings.TrimSuffix(path, ".yaml") + ".golden"
		if os.Getenv("UPDATE_GOLDEN") == "1" {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs (UPDATE_GOLDEN=1 writes it anew):\n%s", golden, got)
		}
		keepsComments(t, string(src), text)
		keepsRest(t, string(src), text)
		if crlf, _ := converted(t, strings.ReplaceAll(string(src), "\n", "\r\n")); crlf != strings.ReplaceAll(text, "\n", "\r\n") {
			t.Errorf("%s is another file with the line ends of Windows:\n%q", path, crlf)
		}
	}
}

var comment = regexp.MustCompile(`(?m)(?:^|[ \t])#.*$`)

// keepsComments reports comments that are lost, or there twice.
func keepsComments(t *testing.T, src, text string) {
	t.Helper()
	sorted := func(s string) []string {
		var all []string
		for _, c := range comment.FindAllString(s, -1) {
			all = append(all, strings.TrimSpace(c))
		}
		slices.Sort(all)
		return all
	}
	if had, has := sorted(src), sorted(text); !slices.Equal(had, has) {
		t.Errorf("comments:\nwas %q\nis  %q\n%s", had, has, text)
	}
}

// keepsRest reports lines above and below the tool's nodes that are not the same to the byte.
func keepsRest(t *testing.T, src, text string) {
	t.Helper()
	above, _, marked := strings.Cut(src, "nodes:   #")
	_, below, _ := strings.Cut(src, "# Behind the nodes.")
	if marked && (!strings.HasPrefix(text, above) || !strings.HasSuffix(text, below)) {
		t.Errorf("the rest of the file has changed:\n%s", text)
	}
}

// A comment at the end of every line and above it is kept, once.
func TestCommentsEverywhere(t *testing.T) {
	for _, name := range []string{"kinds", "folded"} {
		src, err := os.ReadFile("testdata/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(src), "\n"), "\n")
		for i, line := range lines {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			beside, above := slices.Clone(lines), slices.Clone(lines)
			if strings.TrimSpace(line) == "" || insideBlock(lines[:i], indent) {
				continue
			}
			if !strings.Contains(line, " #") {
				beside[i] += " # beside"
			}
			above[i] = indent + "# above\n" + line
			for _, changed := range [][]string{beside, above} {
				src := strings.Join(changed, "\n") + "\n"
				text, _ := converted(t, src)
				keepsComments(t, src, text)
				if t.Failed() {
					t.Fatalf("line %d: %s", i+1, line)
				}
			}
		}
	}
}

// insideBlock reports whether a line with an indentation is inside a block scalar.
func insideBlock(before []string, indent string) bool {
	for _, line := range slices.Backward(before) {
		if text := strings.TrimLeft(line, " "); len(line)-len(text) < len(indent) {
			return strings.HasSuffix(line, "|") || strings.HasSuffix(line, ">-") || insideBlock(before[:len(before)-1], line[:len(line)-len(text)])
		}
	}
	return false
}

// What cannot be steps stays, with all reasons.
func TestRefused(t *testing.T) {
	file := func(nodes ...string) string {
		return "server: {name: s, version: 1.0.0}\nmcpServers: {up: {command: up}}\ntools:\n- name: report\n  nodes:\n  - {id: entry, type: entry, next: a}\n  - " +
			strings.Join(nodes, "\n  - ") + "\n  - {id: exit, type: exit}\n"
	}
	expr := func(source string) string {
		return file("{id: a, type: mcp, server: up, tool: x, next: b}", "{id: b, type: transform, transform: {expr: '"+source+"'}, next: exit}")
	}
	for _, c := range []struct{ src, want string }{ // « is the place
		{file("«{id: a, type: switch, conditions: [{rule: {var: entry.x}, next: exit}], next: b}", "{id: b, type: mcp, server: up, tool: x, next: exit}"), `switch "a" makes branches`},
		{file("{id: a, type: mcp, server: up, tool: x, next: b}", "«{id: b, type: switch, conditions: [{rule: {var: a.x}, next: a}], next: exit}"), `switch "b" makes a loop`},
		{file("{id: a, type: mcp, server: up, tool: x, onError: {next: «exit}, next: b}", "{id: b, type: mcp, server: up, tool: x, next: exit}"), `onError of node "a" goes on at "exit"`},
		{file("{id: a, type: mcp, server: up, tool: x, retry: {until: «$result.ok, backoff: 2}, next: exit}"), `retry of node "a" polls with backoff`},
		{expr(`«$executionCount("a")`), "$executionCount reads the history"},
		{expr(`1 & «$previousNode()`), "$previousNode reads the history"},
		{strings.Replace(expr(`$keys($)`), "'", "«'", 1), "the expression reads the context as a whole"},
		{strings.Replace(expr(`$.*`), "'", "«'", 1), "the expression reads the context as a whole"},
		{expr(`$.a.rows.{"n": «%.%.entry.n}`), "% can read the context"},
		{expr(`$exists($.«b)`), `node "b" does not run before this one`},
		{file("{id: a, type: transform, transform: {expr: $count($.c)}, next: b}", "{id: b, type: switch, conditions: [{rule: {var: entry.x}, next: a}], next: c}",
			`{id: c, type: transform, transform: {expr: $count(«$nodeExecutions("a"))}, next: exit}`), "$nodeExecutions reads the history"},
		{"server: {name: s, version: 1.0.0}\ntools:\n- «{name: report, nodes: [{id: a, type: entry, next: b}, {id: b, type: exit}]}\n", "the tool has no node between"},
		{"server: {name: s, version: 1.0.0}\ntools:\n- {name: report, «steps: [{id: a, expr: args}]}\n", "tool \"report\" is written as steps already"},
		{file("{id: a, type: mcp, server: up, tool: x, next: exit}", "«{id: b, type: mcp, server: up, tool: x, next: exit}"), `node "b" is never reached`},
		{strings.Replace(strings.Replace(file("{id: a, type: mcp_tool, server: up, tool: x, next: exit}"), "mcpServers", "servers", 1), "- name", "- «name", 1), "the file uses older syntax"},
		{
			"server: {name: s, version: 1.0.0}\nmcpServers: {up: {command: up}}\nx-args: &args {v: {expr: $.entry.v}}\ntools:\n- «name: report\n  nodes:\n  - {id: entry, type: entry, next: a}\n  - {id: a, type: mcp, server: up, tool: x, args: *args, next: exit}\n  - {id: exit, type: exit}\n",
			"the nodes share parts with the rest of the file",
		},
		{strings.Replace(file("{id: a, type: mcp, server: up, tool: x, next: exit}"), "- name: report", "- «name: report\n  executionLimits: {maxNodeExecutions: 3}", 1), "as steps, maxNodeExecutions is 3"},
		{file("{id: a, type: mcp, server: «nope, tool: x, next: exit}"), "nope"},
	} {
		before, after, _ := strings.Cut(c.src, "«")
		at := fmt.Sprintf("g.yaml:%d:%d: ", 1+strings.Count(before, "\n"), len(before)-strings.LastIndex(before, "\n"))
		text, _, err := ToSteps(t.Context(), "g.yaml", []byte(before+after), "report", config.Options{})
		var found config.Diagnostics
		if !errors.As(err, &found) || text != nil || !slices.ContainsFunc(strings.Split(err.Error(), "\n"), func(line string) bool { return strings.HasPrefix(line, at) && strings.Contains(line, c.want) }) {
			t.Errorf("found %v\nexpected %s%s\nin %s", err, at, c.want, c.src)
		}
	}
}
