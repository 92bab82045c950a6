package hostconfig

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
)

// options are those of a user ada, whose files are read for a directory or, with "", for herself.
func options(dir string) Options {
	environment := map[string]string{"HOME": "/home/ada", "MY_TOKEN": "canary-token"}
	return Options{
		Dir: dir, Home: "/home/ada",
		Lookup: func(name string) (string, bool) { value, set := environment[name]; return value, set },
		IsSelf: func(command string) bool { return filepath.Base(command) == "toolgraph" },
	}
}

// The files of all hosts become entries without secrets; each secret of them contains "canary".
func TestReadHosts(t *testing.T) {
	for _, c := range []struct{ name, host, file, dir string }{
		{"claude-desktop", "claude-desktop", "claude-desktop.json", ""},
		{"claude-code", "claude-code", "claude-code.json", ""},
		{"claude-code-project", "claude-code", "claude-code.json", "/home/ada/work"},
		{"cursor", "cursor", "cursor.json", ""},
		{"cursor-project", "cursor", "cursor.json", "/home/ada/work"},
		{"vscode", "vscode", "vscode.json", ""},
		{"codex", "codex", "codex.toml", ""},
		{"gemini", "gemini", "gemini.json", ""},
		{"gemini-project", "gemini", "gemini.json", "/home/ada/work"},
		{"opencode", "opencode", "opencode.json", ""},
		{"zed", "zed", "zed.json", ""},
		{"windsurf", "windsurf", "windsurf.json", ""},
		{"goose", "goose", "goose.yaml", ""},
		{"cline", "cline", "cline.json", ""},
		{"roo", "roo", "roo.json", ""},
		{"amp", "amp", "amp.json", ""},
		{"lm-studio", "lm-studio", "lm-studio.json", ""},
		{"copilot-cli", "copilot-cli", "copilot-cli.json", ""},
		{"kiro", "kiro", "kiro.json", ""},
		{"continue", "continue", "continue.json", ""},
		{"qwen", "qwen", "qwen.json", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, err := Load(filepath.Join("testdata", c.file))
			if err != nil {
				t.Fatal(err)
			}
			file, err := NewReader(Find(c.host), options(c.dir)).Read(c.file, src)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			enc := json.NewEncoder(&got)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(file); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(got.String(), "canary") {
				t.Errorf("a secret is in the result:\n%s", got.String())
			}
			golden(t, filepath.Join("testdata", c.name+".golden"), got.Bytes())
		})
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; UPDATE_GOLDEN=1 writes it:\n%s", path, got)
	}
}

// What cannot be read is an error with a place and without values of the file.
func TestReadBadFiles(t *testing.T) {
	const deep = 100
	for name, c := range map[string]struct{ host, src, want string }{
		"empty":           {"cursor", "", "f:1:1: the file ends inside a JSON value"},
		"half":            {"cursor", `{"mcpServers": {"a": {"command": "x"`, "f:1:37: the file ends inside a JSON value"},
		"list":            {"cursor", `[]`, "f:1:1: found a value that is not an object"},
		"not json":        {"cursor", "{\n  \"mcpServers\": {secret}}", "f:2:18: not valid JSON: invalid character 's'"},
		"rest":            {"cursor", `{} {}`, "f:1:4: found text after the end"},
		"comment":         {"vscode", "{\n/* open", "f:2:1: found a comment without its end"},
		"twice":           {"cursor", "{\"mcpServers\": {\"a\": {},\n \"a\": {}}}", `f:2:2: duplicate key "a" (first defined on line 1)`},
		"servers is text": {"cursor", `{"mcpServers": "secret"}`, "f:1:16: mcpServers is text, expected names and servers"},
		"deep":            {"cursor", `{"mcpServers": ` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + `}`, "nested more than 64 deep"},
		"many":            {"cursor", `{"mcpServers": [` + strings.Repeat("0,", maxValues) + `0]}`, "found more than 200000 values"},
		"toml":            {"codex", "[mcp_servers.a]\ncommand = secret", "f:2:11: not valid TOML"},
		"toml twice":      {"codex", "[mcp_servers.a]\ncommand = 'x'\n[mcp_servers.a]\n", "f:3:2: not valid TOML"},
		"toml deep":       {"codex", strings.Repeat("a.", deep) + "a = 1", "nested more than 64 deep"},
		"toml deep value": {"codex", "a = " + strings.Repeat("[", deep) + strings.Repeat("]", deep), "nested more than 64 deep"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewReader(Find(c.host), options("")).Read("f", []byte(c.src))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("a value is in the error: %v", err)
			}
		})
	}
}

// A part of a file that is for other things may have what the servers may not.
func TestReadSkipsTheRest(t *testing.T) {
	src := `{"other": {"a": 1, "a": 2, "deep": ` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}, "mcpServers": {"x": {"command": "y"}}}`
	file, err := NewReader(Find("cursor"), options("")).Read("f", []byte(src))
	if err != nil || len(file.Servers) != 1 || file.Servers[0].Entry.Command != "y" {
		t.Errorf("%+v, %v", file, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	large := filepath.Join(dir, "large")
	f, err := os.Create(large)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(maxBytes + 1); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := Load(large); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Errorf("a large file: %v", err)
	}
	if _, err := Load(filepath.Join(dir, "missing")); !os.IsNotExist(err) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestUserFiles(t *testing.T) {
	environment := map[string]string{"APPDATA": `C:\Users\ada\AppData\Roaming`}
	getenv := func(name string) string { return environment[name] }
	for _, c := range []struct{ host, system, home, want string }{
		{"claude-desktop", "linux", "/home/ada", "/home/ada/.config/Claude/claude_desktop_config.json"},
		{"claude-desktop", "darwin", "/Users/ada", "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", "windows", `C:\Users\ada`, `C:\Users\ada\AppData\Roaming\Claude\claude_desktop_config.json`},
		{"claude-code", "linux", "/home/ada", "/home/ada/.claude.json"},
		{"cursor", "windows", `C:\Users\ada`, `C:\Users\ada\.cursor\mcp.json`},
		{"vscode", "linux", "/home/ada", "/home/ada/.config/Code/User/mcp.json"},
		{"vscode", "darwin", "/Users/ada", "/Users/ada/Library/Application Support/Code/User/mcp.json"},
		{"codex", "freebsd", "/home/ada", "/home/ada/.codex/config.toml"},
		{"gemini", "linux", "/home/ada", "/home/ada/.gemini/settings.json"},
		{"opencode", "darwin", "/Users/ada", "/Users/ada/.config/opencode/opencode.json"},
		{"zed", "darwin", "/Users/ada", "/Users/ada/.config/zed/settings.json"},
		{"zed", "windows", `C:\Users\ada`, `C:\Users\ada\AppData\Roaming\Zed\settings.json`},
		{"windsurf", "windows", `C:\Users\ada`, `C:\Users\ada\.codeium\windsurf\mcp_config.json`},
		{"goose", "linux", "/home/ada", "/home/ada/.config/goose/config.yaml"},
		{"goose", "windows", `C:\Users\ada`, `C:\Users\ada\AppData\Roaming\Block\goose\config\config.yaml`},
	} {
		if got := Find(c.host).userFiles(c.system, c.home, getenv); len(got) == 0 || got[0] != c.want {
			t.Errorf("%s on %s: got %q, want %s", c.host, c.system, got, c.want)
		}
	}
	environment["XDG_CONFIG_HOME"], environment["CODEX_HOME"] = "/etc/ada", "/codex"
	if got := Find("vscode").userFiles("linux", "/home/ada", getenv); !slices.Contains(got, "/etc/ada/VSCodium/User/mcp.json") {
		t.Errorf("with XDG_CONFIG_HOME: %q", got)
	}
	if got := Find("codex").userFiles("linux", "", getenv); !slices.Equal(got, []string{"/codex/config.toml"}) {
		t.Errorf("with CODEX_HOME and without a home: %q", got)
	}
	if got := Find("cursor").userFiles("linux", "", getenv); got != nil {
		t.Errorf("without a home: %q", got)
	}
}

// Equal secrets of one name share a variable, others get their own.
func TestVariablesOfSecrets(t *testing.T) {
	src := `{"mcpServers": {
		"a": {"command": "x", "env": {"KEY": "canary-1"}}, "b": {"command": "x", "env": {"KEY": "canary-1"}},
		"c": {"command": "x", "env": {"KEY": "canary-2"}, "args": ["--key", "canary-3", "--key", "canary-4", "ghp_canary0123456789"]}}}`
	file, err := NewReader(Find("cursor"), options("")).Read("f", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range file.Servers {
		for _, v := range s.Set {
			names = append(names, s.Name+" "+v.Name)
		}
	}
	want := []string{"a KEY", "b KEY", "c C_KEY", "c C_KEY_2", "c C_KEY_3", "c C_TOKEN"}
	slices.Sort(want)
	slices.Sort(names)
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

// A command has the present values of variables, but never that of a secret.
func TestVariablesInCommands(t *testing.T) {
	for command, want := range map[string]string{
		"${HOME}/bin/x": "/home/ada/bin/x", "${MISSING:-/opt}/x": "/opt/x", "${MY_TOKEN}/x": "", "${MISSING}/x": "", "./x": "", "x": "x",
	} {
		src, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{"a": map[string]any{"command": command}}})
		file, err := NewReader(Find("claude-code"), options("")).Read("f", src)
		if err != nil {
			t.Fatal(err)
		}
		s := file.Servers[0]
		if want == "" && (s.Left == "" || strings.Contains(s.Left, "canary")) || want != "" && (s.Entry == nil || s.Entry.Command != want) {
			t.Errorf("%s: %+v", command, s)
		}
	}
}

// What is no secret stays, whatever it looks like at first sight.
func TestNoSecrets(t *testing.T) {
	for _, arg := range []string{
		"@modelcontextprotocol/server-sequential-thinking", "https://example.com/a?page=2&author=someone", "--keyboard=english-us",
		"ghcr.io/acme/mcp@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "--max-tokens=4096",
		"/home/ada/Projects/a-long-directory-name-with-2-numbers/server.js", "https://user@host/x", "Authorization", "--api-key",
	} {
		e := entryReader{Reader: NewReader(Find("cursor"), options("")), name: "a"}
		got, err := written(e.argument([]piece{{text: arg}}, "", config.Pos{}))
		if err != nil || got != arg || len(e.set) > 0 {
			t.Errorf("%s became %s (%v), %v", arg, got, e.set, err)
		}
	}
}

// extension returns that of the files of a host, as of those in testdata.
func extension(h *Host) string {
	return map[*syntax]string{jsonSyntax: ".json", tomlSyntax: ".toml", yamlSyntax: ".yaml"}[h.syntax]
}

func FuzzRead(f *testing.F) {
	for _, h := range hosts {
		src, err := os.ReadFile(filepath.Join("testdata", h.Name+extension(&h)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(h.Name, src)
	}
	f.Add("codex", []byte("a.\"\\u0000\".b = [{c = 1979-05-27}]\n[[mcp_servers]]\n"))
	f.Add("vscode", []byte("\uFEFF{\"servers\": {\"a\": {\"command\": \"${\"}}}//"))
	f.Fuzz(func(t *testing.T, name string, src []byte) {
		host := Find(name)
		if host == nil {
			return
		}
		for _, dir := range []string{"", "/home/ada/work"} {
			file, err := NewReader(host, options(dir)).Read("f", src)
			if (err == nil) != (file != nil) {
				t.Errorf("%v, %v", file, err)
			}
		}
	})
}
