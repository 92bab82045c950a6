package capabilities_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/project/capabilities"
)

// head is the beginning of a file; ends are the entry and the exit of a tool whose other nodes are
// named a, b, …
const head = `version: "1.0"
server: {name: g, version: 1.0.0}
mcpServers:
  files: {command: run, args: ["--key=${KEY}", "${DIR:-.}"], env: {TOKEN: "${TOKEN}"}}
  web: {url: "https://me:hunter22@example.com/${TENANT}", trusted: true}
  asking: {command: ask, allow: [elicitation]}
  idle: {command: idle, env: {X: "${IDLE}"}}
`

// tool is a tool with these nodes, one after the other.
func tool(name, more string, nodes ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- name: %s\n  description: d\n%s  nodes:\n  - {id: entry, type: entry, next: a}\n", name, more)
	for i, n := range nodes {
		next := "exit"
		if i+1 < len(nodes) {
			next = string(rune('a' + i + 1))
		}
		fmt.Fprintf(&b, "  - {id: %c, %s, next: %s}\n", 'a'+i, n, next)
	}
	return b.String() + "  - {id: exit, type: exit}\n"
}

// of are the capabilities of the listed tools of a file.
func of(t testing.TB, src string) *capabilities.Capabilities {
	t.Helper()
	file, err := config.Parse("g.yaml", []byte(src), config.Options{AssumeEnv: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	graphs, found, err := graph.Build(t.Context(), file)
	if err != nil || found.Err() != nil {
		t.Fatalf("%v %v\n%s", found, err, src)
	}
	return capabilities.Of(file, slices.DeleteFunc(graphs, func(g *graph.Graph) bool { return g.Tool.Hidden }), known)
}

// known knows the tools of any server whose names begin with an effect.
func known(_, tool string) (config.Effect, capabilities.Source) {
	for _, e := range []config.Effect{config.ReadEffect, config.WriteEffect, config.DestroyEffect} {
		if strings.HasPrefix(tool, string(e)) {
			return e, capabilities.ByLock
		}
	}
	return "", capabilities.ByLock
}

// shown are the calls of a tool, one a line.
func shown(t capabilities.Tool) string {
	var lines []string
	for _, c := range t.Calls {
		line := c.Line()
		if c.By != "" {
			line += " by " + string(c.By)
		}
		if c.Refused {
			line += " refused"
		}
		lines = append(lines, line+" at "+c.Node)
	}
	if t.Asks {
		lines = append(lines, "asks "+strings.Join(t.AskNodes, " "))
	}
	return strings.Join(lines, "\n")
}

const (
	read    = "type: mcp, server: files, tool: read_file"
	write   = "type: mcp, server: files, tool: write_file"
	destroy = "type: mcp, server: files, tool: destroy_file"
	unknown = "type: mcp, server: web, tool: post"
	ask     = "type: ask, message: Sure"
	deeper  = "type: graph, tool: deeper"
)

// The calls of a tool are those of its nodes, branches and called graphs, the worst first. The
// author's word goes before what is known.
func TestCalls(t *testing.T) {
	hidden := func(more string, nodes ...string) string { return tool("deeper", "  hidden: true\n"+more, nodes...) }
	for name, c := range map[string]struct{ file, tools, want string }{
		"order": {"", tool("t", "", read, unknown, write, destroy), `
destroy_file: destroy by lock at d
post: unknown at b
write_file: write by lock at c
read_file: read by lock at a`},
		"the author": {"", tool("t", "", destroy+", effect: read", unknown+", effect: write"), `
post: write by file at b
destroy_file: read by file at a`},
		"several effects": {"", tool("t", "", unknown+", effect: read", unknown, unknown), `
post: unknown at b
post: read by file at a`},
		"a branch": {"", tool("t", "", "type: parallel, branches: {x: {"+read+"}, y: {"+write+"}}"), `
write_file: write by lock at a.y
read_file: read by lock at a.x`},
		"a called graph": {"", tool("t", "", deeper) + hidden("", destroy, ask, "type: graph, tool: t, forEach: {items: '[]'}"), `
destroy_file: destroy by lock at deeper:a
asks deeper:b`},
		"confirm": {"allow: {confirm: [destroy]}\n", tool("t", "", read, unknown, destroy), `
destroy_file: destroy if confirmed by lock at c
post: unknown if confirmed at b
read_file: read by lock at a`},
		"confirm of the node": {"allow: {confirm: [destroy]}\n", tool("t", "", read+", confirm: true", destroy+", confirm: false"), `
destroy_file: destroy by lock at b
read_file: read if confirmed by lock at a`},
		"confirmed by one node of two": {"", tool("t", "", destroy+", confirm: true", destroy), `
destroy_file: destroy by lock at b`},
		"confirm around a called graph": {"", tool("t", "  allow: {confirm: [destroy]}\n", deeper) + hidden("", destroy), `
destroy_file: destroy if confirmed by lock at deeper:a`},
		"confirm around one of two ways": {"", tool("t", "", deeper, "type: graph, tool: careful") + tool("careful", "  hidden: true\n  allow: {confirm: [destroy]}\n", deeper) + hidden("", destroy), `
destroy_file: destroy by lock at deeper:a`},
		"refused": {"allow: {effects: [read, write]}\n", tool("t", "", read, unknown, destroy), `
destroy_file: destroy by lock refused at c
post: unknown refused at b
read_file: read by lock at a`},
		"refused around a called graph": {"", tool("t", "  allow: {effects: [read], confirm: [read]}\n", deeper, read) + hidden("", write), `
write_file: write by lock refused at deeper:a
read_file: read if confirmed by lock at b`},
		"refused on one of two ways": {"", tool("t", "", deeper, "type: graph, tool: careful") + tool("careful", "  hidden: true\n  allow: {effects: [read]}\n", deeper) + hidden("", write), `
write_file: write by lock at deeper:a`},
		"refused in one of two graphs": {"", tool("t", "", "type: graph, tool: careful", deeper) + tool("careful", "  hidden: true\n  allow: {effects: [read]}\n", write) + hidden("", write), `
write_file: write by lock at deeper:a`},
		"a server that asks": {"", tool("t", "", "type: mcp, server: asking, tool: read_all"), `
read_all: read by lock at a
asks `},
		"none": {"", tool("t", "", "type: transform, transform: {expr: '1'}"), ``},
	} {
		c.want = strings.NewReplacer("post:", "web.post:", "read_all:", "asking.read_all:", "_file:", "_file:").Replace(strings.TrimPrefix(c.want, "\n"))
		got := shown(of(t, head+c.file+"tools:\n"+c.tools).Tools[0])
		got = strings.ReplaceAll(got, "files.", "")
		if got != c.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// Servers are those that are called, without secrets; the whole names the tools of each call.
func TestServersAndTheWhole(t *testing.T) {
	c := of(t, head+"tools:\n"+tool("one", "", read, unknown)+tool("two", "", read, destroy)+tool("three", "  hidden: true\n", "type: mcp, server: idle, tool: x"))
	var got []string
	for _, s := range c.Servers {
		got = append(got, fmt.Sprint(s.Name, " ", s.Transport, " ", s.Identity, " ", s.Variables, " ", s.Trusted))
	}
	want := []string{
		"files stdio run --key=${KEY} ${DIR:-.} [DIR KEY TOKEN] false",
		"web streamableHttp https://[redacted]@example.com/${TENANT} [TENANT] true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	got = nil
	for _, call := range c.Whole().Calls {
		got = append(got, fmt.Sprint(call.Line(), " ", call.Tools))
	}
	if want := []string{"files.destroy_file: destroy [two]", "web.post: unknown [one]", "files.read_file: read [one two]"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A ring of graphs ends, and the time for many graphs grows with their edges.
func TestManyGraphs(t *testing.T) {
	const count = 60
	var b strings.Builder
	for i := range count {
		nodes := []string{destroy}
		for j := range 5 {
			nodes = append(nodes, fmt.Sprintf("type: graph, tool: t%d, forEach: {items: '[]'}", (i+j+1)%count))
		}
		b.WriteString(tool(fmt.Sprintf("t%d", i), "", nodes...))
	}
	for _, made := range of(t, head+"tools:\n"+b.String()).Tools {
		if len(made.Calls) != 1 {
			t.Fatalf("%s has %d calls", made.Name, len(made.Calls))
		}
	}
}
