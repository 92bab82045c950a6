package hostconfig

import (
	"errors"
	"strings"
	"testing"

	"toolgraph/config"
)

// Whatever an entry is called and wherever the program is: the host's own file says it again.
func TestPutNames(t *testing.T) {
	for _, name := range []string{"a", "a.b", `quote " and '`, "]", "[x]", "a = b", "#", "ключ", "名前", "emoji 🎈", `C:\x`, "a: b", "- x", "{}", "*x", "&x", "null", "true", "1", "~", "<<", " edge "} {
		for i := range hosts {
			h := &hosts[i]
			l := launch()
			l.Name, l.Command, l.Args = name, `C:\Program Files\toolgraph's "bin"\toolgraph`, []string{"-g", `C:\work\new\u0041\tools.yaml`, "-m", "/a b/#c: 'd'.json"}
			for _, src := range []string{"", existing[h.syntax]} {
				src = strings.ReplaceAll(src, "KEY", h.key)
				got, _ := put(t, h.Name, src, l)
				root, err := h.syntax.read("f", []byte(got), h.key)
				if err != nil {
					t.Fatal(err)
				}
				entry := root.Get(h.key).Get(name)
				words := []string{h.programOf(entry)}
				args := entry.Get(h.entry.name("args")).Items
				if h.entry.isList() {
					args = args[1:]
				}
				for _, arg := range args {
					text, _ := textOf(arg)
					words = append(words, text)
				}
				if want := strings.Join(append([]string{l.Command}, l.Args...), "\n"); strings.Join(words, "\n") != want {
					t.Errorf("%s, %q:\n%s\nwant %s", h.Name, name, got, want)
				}
			}
		}
	}
}

// existing are files with another server.
var existing = map[*syntax]string{
	jsonSyntax: `{"KEY": {"other": {"command": "other"}}}`,
	tomlSyntax: "[KEY.other]\ncommand = 'other'\n",
	yamlSyntax: "KEY:\n  other: {cmd: other}\n",
}

// An entry of another server is shown, without secrets, and replaced only with Force.
func TestPutForeign(t *testing.T) {
	for host, c := range map[string]struct{ src, what string }{
		"cursor":   {"{\n  \"mcpServers\": {\n    \"count-files\": {\"command\": \"/usr/bin/npx\", \"args\": [\"--token\", \"canary\"]}}}", `f:3:5: "count-files" is the entry of another server (its command is "npx")`},
		"vscode":   {`{"servers": {"count-files": {"url": "https://user:canary@docs.example/mcp?key=canary"}}}`, `its URL is on "docs.example"`},
		"codex":    {"[mcp_servers.count-files]\ncommand = 'npx'\n[mcp_servers.count-files.env]\nKEY = 'canary'\n[z]\n", `f:1:14: "count-files" is the entry of another server`},
		"goose":    {"extensions:\n  count-files: {type: builtin, key: canary}\n", "it has no command"},
		"opencode": {`{"mcp": {"count-files": {"type": "local", "command": ["npx", "canary"]}}}`, `its command is "npx"`},
		"zed":      {`{"context_servers": {"count-files": null}}`, "it has no command"},
	} {
		h, l := Find(host), launch()
		_, _, err := h.Put("f", []byte(c.src), l)
		var foreign *ForeignError
		if !errors.As(err, &foreign) || !strings.Contains(err.Error(), c.what) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", host, err)
		}
		l.Force = true
		out, action, err := h.Put("f", []byte(c.src), l)
		if err != nil || action != Replaced || strings.Contains(string(out), "canary") {
			t.Errorf("%s with Force: %s, %v\n%s", host, action, err, out)
		}
	}
}

// A file that is not as it should be is refused, with the place.
func TestPutRefuses(t *testing.T) {
	for name, c := range map[string]struct{ host, src, want string }{
		"half":               {"cursor", `{"mcpServers": {`, "f:1:17: the file ends inside a JSON value"},
		"twice":              {"cursor", "{\"mcpServers\": {}, \"x\": 1,\n\"mcpServers\": {}}", `f:2:1: duplicate key "mcpServers"`},
		"twice inside":       {"cursor", "{\"mcpServers\": {\"a\": {},\n\"a\": {}}}", `f:2:1: duplicate key "a"`},
		"a list":             {"cursor", `{"mcpServers": []}`, "f:1:16: mcpServers is a list"},
		"inputs":             {"vscode", `{"inputs": {}}`, "f:1:12: inputs is an object"},
		"comment":            {"claude-desktop", "{\n  // mine\n}", "f:2:3: found a comment or a trailing comma, with which Claude Desktop reads nothing"},
		"trailing comma":     {"claude-code", "{\"a\": 1,\n}", "f:1:8: found a comment or a trailing comma"},
		"toml twice":         {"codex", "a = 1\na = 2\n", "f:2:1: not valid TOML"},
		"toml, one line":     {"codex", "x = 1\nmcp_servers = {a = {command = 'a'}}\n", "f: this file is written in a way in which one entry cannot be changed alone"},
		"toml, dotted entry": {"codex", "mcp_servers.count-files = {command = 'toolgraph', args = ['-g', '/x']}\n", "cannot be changed alone"},
		"yaml tab":           {"goose", "extensions:\n\tx: 1\n", "f:2:1: "},
		"yaml twice":         {"goose", "extensions: {}\nextensions: {}\n", "f:2:1: duplicate key"},
		"deep":               {"cursor", `{"mcpServers": {"a": ` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}}", "nested more than 64 deep"},
	} {
		out, _, err := Find(c.host).Put("f", []byte(c.src), launch())
		if err == nil || out != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// A path in which the host would replace a part is refused.
func TestPutReplacedPath(t *testing.T) {
	for host, path := range map[string]string{"claude-code": "/a/${x}/g.yaml", "gemini": "/a/$x/g.yaml", "opencode": "/a/{env:x}/g.yaml", "cursor": "/${b}"} {
		l := launch()
		l.Args = []string{"-g", path}
		if _, err := Find(host).Snippet(l); err == nil || !strings.Contains(err.Error(), "use a path without $ and braces") {
			t.Errorf("%s: %v", host, err)
		}
		if _, err := Find("claude-desktop").Snippet(l); err != nil {
			t.Error(err)
		}
	}
}

// Large files of a host: what is not the servers may be deep and large.
func TestPutLarge(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 50_000) + strings.Repeat(`]}`, 50_000)
	src := `{"history": [` + strings.Repeat(`{"text": "`+strings.Repeat(`a \" quoted // text `, 50)+`"}, `, 5_000) + deep + "],\n \"mcpServers\": {\"a\": {\"command\": \"a\"}}\n}"
	out, _, err := Find("claude-code").Put("f", []byte(src), launch())
	if err != nil {
		t.Fatal(err)
	}
	got := string(out)
	if len(src) < 5<<20 || !strings.HasPrefix(got, src[:len(src)-4]) {
		t.Errorf("%d bytes became %d", len(src), len(got))
	}
}

// Nothing that is printed of a file has a literal secret.
func TestShown(t *testing.T) {
	for _, file := range []string{"claude-code.json", "claude-desktop.json", "codex.toml", "cursor.json", "gemini.json", "goose.yaml", "opencode.json", "vscode.json", "windsurf.json", "zed.json"} {
		src, err := Load("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(printable(string(src))) {
			if strings.Contains(line, "canary") {
				t.Errorf("%s: %s", file, line)
			}
		}
	}
	if got := printable("{\"args\": [\"--api-key\",\n \"canary\"], \"env\": {\"KEY\": \"${KEY}\", \"TOKEN\": \"<TOKEN>\"}}\n"); got != "{\"args\": [\"--api-key\",\n \"<redacted>\"], \"env\": {\"KEY\": \"${KEY}\", \"TOKEN\": \"<TOKEN>\"}}\n" {
		t.Error(got)
	}
	older, newer := Shown([]byte(strings.Repeat("TOKEN = 'canary'\n", 50)), []byte(strings.Repeat("TOKEN = 'canary'\n", 50)+"x\n"))
	want := strings.Repeat("…\n", 50-around) + strings.Repeat("TOKEN = '<redacted>'\n", around)
	if older != want || newer != want+"x\n" {
		t.Errorf("%q\n%q", older, newer)
	}
}

// Whatever a file is, it is refused, or everything but the entry stays.
func FuzzPut(f *testing.F) {
	for i := range hosts {
		src, err := Load("testdata/" + hosts[i].Name + extension(&hosts[i]))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), src)
		f.Add(uint8(i), []byte(strings.ReplaceAll(existing[hosts[i].syntax], "KEY", hosts[i].key)))
	}
	f.Add(uint8(3), []byte("{\"servers\":1,\"inputs\":[/*,*/],}"))
	f.Fuzz(func(t *testing.T, n uint8, src []byte) {
		h := &hosts[int(n)%len(hosts)]
		out, action, err := h.Put("f", src, launch())
		if err != nil || action != Added {
			return
		}
		again, repeated, err := h.Put("f", out, launch())
		if err != nil || repeated != Unchanged || string(again) != string(out) {
			t.Fatalf("the second time: %s, %v\n%q\n%q", repeated, err, src, out)
		}
		if h.syntax != yamlSyntax && !isSubsequence(src, out) && !strings.Contains(string(src), "null") {
			t.Errorf("bytes are lost:\n%q\n%q", src, out)
		}
		before, err := h.syntax.read("f", src)
		if err != nil {
			return
		}
		after, err := h.syntax.read("f", out)
		if err != nil {
			t.Fatal(err)
		}
		for i, key := range before.Keys {
			if key.Value != h.key && key.Value != "inputs" && !same(before.Items[i], after.Get(key.Value)) {
				t.Errorf("%s has changed:\n%q\n%q", key.Value, src, out)
			}
		}
		if servers := before.Get(h.key); servers != nil && servers.Kind == config.KindObject {
			for i, key := range servers.Keys {
				if !same(servers.Items[i], after.Get(h.key).Get(key.Value)) {
					t.Errorf("server %s has changed:\n%q\n%q", key.Value, src, out)
				}
			}
		}
	})
}

// isSubsequence reports whether a text is another one with things added.
func isSubsequence(text, of []byte) bool {
	for _, b := range of {
		if len(text) > 0 && text[0] == b {
			text = text[1:]
		}
	}
	return len(text) == 0
}
