package checks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/editor/checks"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
)

const besideHead = `version: "1.0"
server: {name: beside, version: 1.0.0}
mcpServers:
  files: {command: files}
tools:
`

// besideLock declares what files.count returns.
func besideLock(t *testing.T) string {
	t.Helper()
	return besideLockOf(t, "files")
}

// besideLockOf declares that files.count returns a number in a field.
func besideLockOf(t *testing.T, field string) string {
	t.Helper()
	file, err := config.Parse("graph.yaml", []byte(besideFile(fine)), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	count := mcpclient.Tool{
		Name:         "count",
		InputSchema:  json.RawMessage(`{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": false}`),
		OutputSchema: json.RawMessage(`{"type": "object", "properties": {"` + field + `": {"type": "number"}}, "required": ["` + field + `"], "additionalProperties": false}`),
	}
	return string(lock.Of("graph.lock.yaml", lock.Pin(file.Servers[0], count, file.Secrets)).Encode())
}

// besideTool is a tool of the file.
func besideTool(n int, body string) string {
	return fmt.Sprintf(`  - name: t%d
    description: d
    inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
    nodes:
      - {id: entry, type: entry, next: count}
%s
      - {id: exit, type: exit}
`, n, body)
}

const (
	fine = "      - {id: count, type: mcp, server: files, tool: count, args: {path: {expr: $.entry.path}}, next: last}\n" +
		"      - {id: last, type: transform, transform: {expr: $.count.files}, next: exit}"
	wrongPath = "      - {id: count, type: mcp, server: files, tool: count, args: {path: {expr: $.entry.path}}, next: last}\n" +
		"      - {id: last, type: transform, transform: {expr: $.count.filse}, next: exit}"
	wrongArgument = "      - {id: count, type: mcp, server: files, tool: count, args: {pth: {expr: $.entry.path}}, next: exit}"
	callsThird    = "      - {id: count, type: graph, tool: t3, args: {path: {expr: $.entry.path}}, next: last}\n" +
		"      - {id: last, type: transform, transform: {expr: $.count.filse}, next: exit}"
)

// besideFile has twenty tools: the third is given, two others have mistakes, and one calls the third.
func besideFile(third string) string {
	src := besideHead
	for n := 1; n <= 20; n++ {
		switch n {
		case 3:
			src += besideTool(n, third)
		case 7:
			src += besideTool(n, wrongPath)
		case 12:
			src += besideTool(n, callsThird)
		case 18:
			src += besideTool(n, wrongArgument)
		default:
			src += besideTool(n, fine)
		}
	}
	return src
}

// foundIn checks the file, and returns the findings as "line code".
func foundIn(t *testing.T, src string) (found []string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "graph.yaml")
	for name, text := range map[string]string{"graph.yaml": src, "graph.lock.yaml": besideLock(t)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := checks.Text(t.Context(), path, []byte(src), config.Options{}, checks.Beside{})
	if err != nil {
		t.Fatal(err)
	}
	all := c.Found
	if c.Valid != (all.Err() == nil) {
		t.Errorf("valid: %v, with %v", c.Valid, all)
	}
	lines := strings.Split(src, "\n")
	for _, d := range all {
		if d.Code == "exceeds-lock" {
			continue
		}
		name := ""
		for _, line := range lines[:d.Pos.Line] {
			if strings.HasPrefix(line, "  - name: ") {
				name = strings.TrimPrefix(line, "  - name: ")
			}
		}
		found = append(found, name+" "+d.Code)
	}
	return found
}

// What is wrong in a tool hides nothing of the others, and a tool that calls it gets no findings that
// come of it.
func TestX14FindingsBesideAnError(t *testing.T) {
	t.Parallel()
	others := []string{"t18 argument-refused", "t7 impossible-path"}
	ways := map[string]struct {
		third string
		want  []string
	}{
		"an expression that does not compile": {strings.Replace(fine, "$.count.files", "$.count.", 1), []string{"t3 expression-syntax"}},
		"an unknown node":                     {strings.Replace(fine, "next: exit", "next: exi", 1), []string{"t3 unknown-node"}},
		"an unknown key":                      {strings.Replace(fine, "args:", "arguments:", 1), []string{"t3 unknown-key"}},
		"a tab":                               {strings.Replace(fine, "      - {id: last", "\x00     - {id: last", 1), []string{"t3 yaml-syntax"}},
		"bad indentation":                     {strings.Replace(fine, "      - {id: last", "     - {id: last", 1), []string{"t3 yaml-syntax"}},
		"no colon":                            {"      some words\n" + fine, []string{"t3 yaml-syntax"}},
		"an open quote":                       {strings.Replace(fine, "path: {expr: $.entry.path}", `path: "x`, 1), []string{"t3 yaml-syntax"}},
		"an open bracket":                     {strings.Replace(fine, "next: exit}", "next: exit", 1), []string{"t3 yaml-syntax"}},
		"two colons":                          {strings.Replace(fine, "      - {id: last, type: transform, transform: {expr: $.count.files}, next: exit}", "      - id: last: one", 1), []string{"t3 yaml-syntax"}},
		"a key twice":                         {strings.Replace(fine, "type: mcp,", "type: mcp, type: mcp,", 1), []string{"t3 duplicate-key"}},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := foundIn(t, strings.ReplaceAll(besideFile(way.third), "\x00", "\t"))
			slices.Sort(got)
			want := slices.Concat(way.want, others)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("found %q, want %q", got, want)
			}
		})
	}
}
