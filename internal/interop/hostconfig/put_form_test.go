package hostconfig

import (
	"slices"
	"strings"
	"testing"
)

// An entry that changes between its two forms is like a new one: no key of the other form stays, and no
// input that nothing refers to.
func TestPutLeavesNothingOfTheOtherForm(t *testing.T) {
	for i := range hosts {
		h := &hosts[i]
		if h.NoHTTP() != "" {
			continue
		}
		local, remote := launch(), launch()
		remote.URL, remote.Timeout, local.Timeout = "http://127.0.0.1:8080/mcp", 0, 0
		start, err := h.Snippet(local)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := put(t, h.Name, start, remote)
		root, err := h.syntax.read("f", []byte(got))
		if err != nil {
			t.Fatal(err)
		}
		if want := h.entryOf(remote); !same(root.Get(h.key).Get(local.Name), want) {
			t.Errorf("%s:\n%s\nwant %s", h.Name, got, want.JSON())
		}
		if strings.Contains(got, "API_TOKEN") {
			t.Errorf("%s keeps a variable:\n%s", h.Name, got)
		}
	}
	broken := `{"mcpServers": {"count-files": {"type": "stdio", "url": "http://127.0.0.1:8080/mcp"}}}`
	l := launch()
	l.URL = "http://127.0.0.1:8080/mcp"
	if got, _ := put(t, "cursor", broken, l); strings.Contains(got, "stdio") {
		t.Error(got)
	}
}

// Inputs that other servers use, or that the user has written, stay byte for byte.
func TestPutInputsOfOthers(t *testing.T) {
	const input = `    {"type": "promptString", "id": "NAME", "description": "NAME of count-files", "password": true}`
	of := func(name string) string { return strings.ReplaceAll(input, "NAME", name) }
	file := func(inputs string) string {
		return "{\n  \"inputs\": [\n" + inputs + "  ],\n  \"servers\": {\n    \"x\": {\"command\": \"${input:B}\"},\n    \"count-files\": {\"type\": \"stdio\", \"command\": \"toolgraph\", \"env\": {\"A\": \"${input:A}\", \"B\": \"${input:B}\", \"C\": \"${input:C}\"}}\n  }\n}\n"
	}
	l := launch()
	l.URL = "http://127.0.0.1:8080/mcp"
	for inputs, want := range map[string]string{
		of("A") + ", // of a\n" + of("B") + "\n":                        "    // of a\n" + of("B") + "\n",
		of("A") + ",\n    // of b\n" + of("B") + ",\n" + of("C") + "\n": "    // of b\n" + of("B") + "\n",
		of("B") + ",\n" + of("A") + ",\n" + of("C") + ",\n":             of("B") + ",\n",
		of("A") + "\n" + "    , {\"id\": \"mine\"} // ,\n":              "     {\"id\": \"mine\"} // ,\n",
		of("A") + ",\n" + of("C") + "\n":                                "",
		of("A") + ",\n" + of("C") + " ,\n":                              "",
	} {
		got, _ := put(t, "vscode", file(inputs), l)
		if !strings.HasPrefix(strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields("{ \"inputs\": [\n"+want+"  ],"), " ")) {
			t.Errorf("%s\nbecomes\n%s", inputs, got)
		}
	}
}

// A file of comments alone is an empty one, and keeps them.
func TestPutOnlyComments(t *testing.T) {
	for _, src := range []string{"// settings", "// settings\n", "/* a\n b */\r\n", "\n  \n// x\n\n"} {
		got, action := put(t, "zed", src, short())
		if action != Added || !strings.HasPrefix(got, strings.TrimRight(src, "\r\n")) || !strings.Contains(got, `"new"`) {
			t.Errorf("%q becomes %q", src, got)
		}
	}
	if got, _ := put(t, "zed", " \n\t", short()); !strings.HasPrefix(got, "{") {
		t.Error(got)
	}
}

// A timeout that the user has set stays, also a short one.
func TestPutKeepsTimeout(t *testing.T) {
	got, _ := put(t, "goose", "extensions:\n  count-files:\n    type: stdio\n    cmd: toolgraph\n    timeout: 5\n", launch())
	if !strings.Contains(got, "timeout: 5\n") {
		t.Error(got)
	}
}

// A relative XDG_CONFIG_HOME is ignored, and the advice for an entry over HTTP is not about a program.
func TestHostPlaces(t *testing.T) {
	getenv := func(name string) string { return map[string]string{"XDG_CONFIG_HOME": "rel"}[name] }
	if got := Find("goose").userFiles("linux", "/home/u", getenv); !slices.Equal(got, []string{"/home/u/.config/goose/config.yaml"}) {
		t.Error(got)
	}
	if next := Find("cursor").Next(UserScope, Launch{URL: "http://127.0.0.1:8080/mcp"}); slices.Contains(next, shortPath) || len(next) == 0 {
		t.Error(next)
	}
	if next := Find("cursor").Next(UserScope, Launch{}); !slices.Contains(next, shortPath) {
		t.Error(next)
	}
}

// A variable with a default gets no reference that would take the place of the default.
func TestPutOptional(t *testing.T) {
	for host, want := range map[string]string{
		"claude-code": `"REGION": "${REGION:-eu-west-1}"`, "opencode": `"REGION": "{env:REGION}"`, "codex": `env_vars = ["API_TOKEN", "TEAM", "REGION"]`,
		"cursor": "", "vscode": "", "gemini": "", "zed": "", "windsurf": "", "claude-desktop": "", "goose": "",
	} {
		older := launch()
		older.Variables = append(older.Variables, "REGION")
		start, err := Find(host).Snippet(older)
		if err != nil {
			t.Fatal(err)
		}
		l := launch()
		l.Optional = []Optional{{Name: "REGION", Default: "eu-west-1"}}
		if host == "goose" { // whose list of names may be the user's
			start = ""
		}
		for _, src := range []string{"", start} {
			got, _ := put(t, host, src, l)
			if !strings.Contains(got, want) || want == "" && strings.Contains(got, "REGION") {
				t.Errorf("%s:\n%s", host, got)
			}
		}
	}
	for _, text := range []string{"", "${X", "a}"} {
		if got := Find("claude-code").entry.optionalTo(Optional{"A", text}); got != "" {
			t.Error(got)
		}
	}
}

// What an entry loses is listed by name, and an entry for a server on this machine is one of this program.
func TestPutDropped(t *testing.T) {
	l := launch()
	var lost []string
	l.Dropped = func(names []string) { lost = names }
	l.URL = "http://127.0.0.1:8080/mcp"
	src := `{"mcpServers": {"count-files": {"command": "toolgraph", "args": ["-g", "x"], "cwd": "/x", "env": {"TEAM": "canary", "API_TOKEN": "${API_TOKEN}"}}}}`
	start, _ := put(t, "claude-code", src, l)
	if !slices.Equal(lost, []string{"cwd", "env.TEAM"}) {
		t.Error(lost)
	}
	for _, url := range []string{"http://localhost:9090/mcp", ""} {
		l.URL = url
		if got, action := put(t, "claude-code", start, l); action != Updated || strings.Contains(got, "8080") {
			t.Errorf("%s: %s\n%s", url, action, got)
		}
	}
	l.URL = "http://127.0.0.1:8080/other"
	if _, _, err := Find("claude-code").Put("f", []byte(start), l); err == nil || !strings.Contains(err.Error(), "it may be an earlier URL of this graph") {
		t.Error(err)
	}
}
