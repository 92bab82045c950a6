package tests

import (
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// A recording made with an absolute path below the graph's directory holds no path of the
// machine, and replays.
func TestRecordAndReplayAbsolutePaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeAll(t, dir, map[string]string{
		"g.yaml": `server: {name: g, version: 1.0.0}
mcpServers:
  fake: {command: ` + testbin.Build(t, "toolgraph/tests/fakeserver") + `}
tools:
  - name: say
    nodes:
      - {id: entry, type: entry, next: echo}
      - {id: echo, type: mcp, server: fake, tool: echo, args: {path: {expr: $.entry.path}}, next: exit}
      - {id: exit, type: exit}
`,
		"g.test.yaml": strings.ReplaceAll(`tests:
  - name: a file
    tool: say
    args: {path: DIR/notes/a.md}
    expect: {contains: DIR/notes/a.md, calls: [{args: {path: DIR/notes/a.md}}]}
`, "DIR", dir),
	})
	recordAndReplay(t, dir)
}
