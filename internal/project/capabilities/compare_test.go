package capabilities_test

import (
	"strings"
	"testing"
)

// What an edit of a file adds to what its tools can do is found, and what it takes away is not.
func TestBeyond(t *testing.T) {
	for name, c := range map[string]struct{ was, is, more string }{
		"the same":            {tool("t", "", read), tool("t", "", read), ""},
		"a call":              {tool("t", "", read), tool("t", "", read, destroy), `tool "t": files.destroy_file: destroy`},
		"a call of a branch":  {tool("t", "", read), tool("t", "", "type: parallel, branches: {x: {"+read+"}, y: {"+write+"}}"), `tool "t": files.write_file: write`},
		"fewer":               {tool("t", "", read, destroy), tool("t", "", read), ""},
		"a tool":              {tool("t", "", read), tool("t", "", read) + tool("u", "", read), `tool "u": files.read_file: read`},
		"a tool without any":  {tool("t", "", read), tool("t", "", read) + tool("u", "", "type: transform, transform: {expr: '1'}"), ""},
		"another name":        {tool("t", "", read), tool("u", "", read), `tool "u": files.read_file: read`},
		"a worse effect":      {tool("t", "", unknown+", effect: read"), tool("t", "", unknown+", effect: write"), `tool "t": web.post: write was read`},
		"an unknown effect":   {tool("t", "", unknown+", effect: write"), tool("t", "", unknown), `tool "t": web.post: unknown was write`},
		"unknown is destroy":  {tool("t", "", unknown), tool("t", "", unknown+", effect: destroy"), ""},
		"a smaller effect":    {tool("t", "", unknown), tool("t", "", unknown+", effect: read"), ""},
		"unconfirmed":         {tool("t", "", destroy+", confirm: true"), tool("t", "", destroy), `tool "t": files.destroy_file: destroy was destroy if confirmed`},
		"smaller, without it": {tool("t", "", unknown+", confirm: true"), tool("t", "", unknown+", effect: read"), `tool "t": web.post: read was unknown if confirmed`},
		"confirmed":           {tool("t", "", destroy), tool("t", "", destroy+", confirm: true"), ""},
		"one more effect":     {tool("t", "", destroy+", confirm: true", destroy+", effect: read"), tool("t", "", destroy+", effect: write", destroy+", effect: read"), `tool "t": files.destroy_file: write was destroy if confirmed, read`},
		"allow is taken away": {"allow: {effects: [read]}\n" + tool("t", "", read, unknown), tool("t", "", read, unknown), `tool "t": web.post: unknown`},
		"allow is added":      {tool("t", "", read, unknown), "allow: {effects: [read]}\n" + tool("t", "", read, unknown), ""},
		"a question":          {tool("t", "", read), tool("t", "", read, ask), `tool "t": asks the user`},
		"no question":         {tool("t", "", read, ask), tool("t", "", read), ""},
		"a server that asks":  {tool("t", "", "type: mcp, server: files, tool: read_all"), tool("t", "", "type: mcp, server: asking, tool: read_all"), "tool \"t\": asking.read_all: read\ntool \"t\": asks the user"},
		"a variable":          {"less" + tool("t", "", read), tool("t", "", read), `server "files": reads the environment variable TOKEN`},
		"fewer variables":     {tool("t", "", read), "less" + tool("t", "", read), ""},
	} {
		var lines []string
		for _, more := range of(t, whole(c.is)).Beyond(of(t, whole(c.was))) {
			line := more.Text
			if more.Else != "" {
				line += " was " + more.Else
			}
			if !more.Pos.IsValid() {
				t.Errorf("%s: %s has no place", name, line)
			}
			lines = append(lines, line)
		}
		if got := strings.Join(lines, "\n"); got != c.more {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.more)
		}
	}
}

// whole is a file with these tools. Before them it may have an allow, and less: a server reads
// fewer variables.
func whole(tools string) string {
	beginning := head
	if rest, fewer := strings.CutPrefix(tools, "less"); fewer {
		beginning, tools = strings.Replace(head, `env: {TOKEN: "${TOKEN}"}`, "env: {TOKEN: none}", 1), rest
	}
	i := strings.Index(tools, "- name:")
	return beginning + tools[:i] + "tools:\n" + tools[i:]
}
