package cli

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/mcpclient"
)

func TestPrintable(t *testing.T) {
	hostile := "a\x1b]0;title\x07b\r\n\tc\u202ed"
	if got, want := wording.Printable(hostile), "a\\x1b]0;title\\ab\\r\n\tc\\u202ed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := wording.OneLine(hostile), `a\x1b]0;title\ab\r  c\u202ed`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The terminal does not act on names in a graph file or on the command line, which stay in one line.
func TestHostileNamesAreNotPrintedRaw(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	const graph = `version: "1.0"
server: {name: g, version: 1.0.0}
mcpServers: {"a\e[31m\a\u202e\nb": {registry: true}}
tools:
- {name: t, description: d, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}
`
	if err := os.WriteFile("g.yaml", []byte(graph), 0o600); err != nil {
		t.Fatal(err)
	}
	const entry = `{"mcpServers": {"e\u001b[31mx": {"command": "x"}}}`
	if err := errors.Join(os.Mkdir(".toolgraph", 0o700), os.WriteFile(".toolgraph/servers.json", []byte(entry), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "g.yaml", "t"}, "[unknown-registry-server]\n"},
		{[]string{"capabilities", "g.yaml"}, "[unknown-registry-server]\n"},
		{[]string{"graph", "g.yaml"}, "[unknown-registry-server]\n"},
		{[]string{"serve", "g.yaml"}, "[unknown-registry-server]\n"},
		{[]string{"mcp", "remove", "e\x1b[31mx", "--project"}, "removed "},
	} {
		var out, failed bytes.Buffer
		Run(t.Context(), c.args, program.Streams{In: strings.NewReader(""), Out: &out, Err: &failed})
		if got := out.String() + failed.String(); !strings.Contains(got, c.want) || strings.ContainsAny(got, "\x1b\a\u202e") || strings.Count(got, "\n") != 1 {
			t.Errorf("%v: %q", c.args, got)
		}
	}
}

// A server may give its tools any names: rows stay readable, and messages in one line.
func TestHostileNamesOfTools(t *testing.T) {
	l := &listed{Server: "up", Live: true}
	for _, name := range []string{strings.Repeat("L", 3000), "nl\nname", "ok", "ok"} {
		l.Tools = append(l.Tools, listedTool{Tool: mcpclient.Tool{Name: name}})
	}
	_, err := l.tool("bad-name-of-none")
	if got := err.Error(); strings.Contains(got, "\n") || len(got) > 600 || strings.Count(got, "ok") != 1 {
		t.Errorf("%q", got)
	}
	var out bytes.Buffer
	if err := (&toolsFlags{}).print(program.Streams{Out: &out, Err: &out}, []*listed{l}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > 400 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}
