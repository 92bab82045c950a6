package bundle_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/interop/bundle"
)

// graph is a file with one tool and these servers.
func graph(servers string) string {
	return "version: \"1.0\"\nserver: {name: g, version: 1.0.0}\n" + servers +
		"tools: [{name: t, description: d, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}]\n"
}

// write writes files below a fresh directory and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// An import beside the directory of the graph file keeps its place relative to it.
func TestImportsKeepTheirPlaces(t *testing.T) {
	dir := write(t, map[string]string{
		"tools/graph.yaml":   graph("imports: {text: ../lib/text.yaml}\n"),
		"lib/text.yaml":      graph("mcpServers: {s: {command: sh, args: [run.sh], cwd: scripts}}\n"),
		"lib/scripts/run.sh": "exit\n", "secret.txt": "x",
	})
	b, err := bundle.New(t.Context(), filepath.Join(dir, "tools", "graph.yaml"), bundle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range b.Files {
		names = append(names, f.Name)
	}
	if got, want := strings.Join(names, " "), "graph/lib/scripts/run.sh graph/lib/text.yaml graph/tools/graph.yaml manifest.json"; got != want {
		t.Errorf("the bundle has %s, expected %s", got, want)
	}
	if got := b.Manifest.Server.Config.Args[1]; got != "${__dirname}/graph/tools/graph.yaml" {
		t.Errorf("the graph file is %s in the bundle", got)
	}
	archive, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive))); err != nil {
		t.Error(err)
	}
}

// A symbolic link never brings a file from outside into a bundle.
func TestLinksAreNotFollowed(t *testing.T) {
	outside := write(t, map[string]string{"id_rsa": "private"})
	dir := write(t, map[string]string{
		"graph.yaml":   graph(""),
		"command.yaml": graph("mcpServers: {s: {command: sh, args: [linked], cwd: .}}\n"),
		"data/a.txt":   "a",
	})
	for link, to := range map[string]string{"linked": "id_rsa", "data/key": "id_rsa", "more": ""} {
		if err := os.Symlink(filepath.Join(outside, to), filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	for name, c := range map[string]struct {
		file string
		opts bundle.Options
	}{
		"an argument":           {"command.yaml", bundle.Options{}},
		"an included link":      {"graph.yaml", bundle.Options{Include: []string{"linked"}}},
		"an included directory": {"graph.yaml", bundle.Options{Include: []string{"data"}}},
		"a linked directory":    {"graph.yaml", bundle.Options{Include: []string{"more"}}},
		"below a link":          {"graph.yaml", bundle.Options{Include: []string{"more/id_rsa"}}},
		"a parent":              {"graph.yaml", bundle.Options{Include: []string{filepath.Join("..", filepath.Base(outside))}}},
		"an absolute path":      {"graph.yaml", bundle.Options{Include: []string{outside}}},
	} {
		if b, err := bundle.New(t.Context(), filepath.Join(dir, c.file), c.opts); err == nil {
			t.Errorf("%s: the bundle has %d files, expected an error", name, len(b.Files))
		}
	}
}

// A variable is a secret by its name, by the header, or by the name of the setting or flag.
func TestSensitiveVariables(t *testing.T) {
	dir := write(t, map[string]string{"graph.yaml": graph(`mcpServers:
  a: {command: npx, args: [--api-key, "${FLAG}", "--token=${EQUALS}", "${PLAIN}"], env: {PASSWORD: "${SETTING}", DIR: "${DIR:-x}", T: "${OWN_TOKEN:?needed}"}}
  b: {type: streamableHttp, url: "https://${HOST}/mcp", headers: {Authorization: "Bearer ${HEADER}"}}
`)})
	b, err := bundle.New(t.Context(), filepath.Join(dir, "graph.yaml"), bundle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	described, err := b.ServerJSON(bundle.Publication{Name: "io.github.OWNER/g", URL: "https://example.com/g.mcpb"}, strings.Repeat("0", 64))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(described), `"isSecret": true`); n != 5 {
		t.Errorf("server.json has %d secrets, expected 5:\n%s", n, described)
	}
	for name, want := range map[string]struct{ sensitive, required bool }{
		"FLAG": {true, true}, "EQUALS": {true, true}, "SETTING": {true, true}, "HEADER": {true, true}, "OWN_TOKEN": {true, true},
		"PLAIN": {false, true}, "DIR": {false, false}, "HOST": {false, true},
	} {
		got, has := b.Manifest.UserConfig[name]
		if !has || got.Sensitive != want.sensitive || got.Required != want.required || (got.Default == nil) != want.required {
			t.Errorf("%s is %+v, expected %+v", name, got, want)
		}
	}
}

// A file with errors gives no bundle, and neither does one for other programs.
func TestNoBundle(t *testing.T) {
	dir := write(t, map[string]string{"graph.yaml": graph(""), "wrong.yaml": graph("surplus: 1\n")})
	_, err := bundle.New(t.Context(), filepath.Join(dir, "wrong.yaml"), bundle.Options{})
	if found := config.Diagnostics(nil); !errors.As(err, &found) {
		t.Errorf("a wrong file gives %v, expected findings", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, err = bundle.New(t.Context(), filepath.Join(dir, "graph.yaml"), bundle.Options{Binaries: []string{self, self}})
	if err == nil || !strings.Contains(err.Error(), "are both for") {
		t.Errorf("two executables for one system give %v, expected an error", err)
	}
}

// The manifest of a file that exposes tools or prompts of servers says that there are more than it lists.
func TestExposedToolsAreGenerated(t *testing.T) {
	for more, want := range map[string][2]bool{
		"":                                       {},
		`expose: ["a.*"]`:                        {true, false},
		"expose: [{server: a, prompts: true}]":   {false, true},
		"expose: [{server: a, resources: true}]": {false, false},
	} {
		dir := write(t, map[string]string{"graph.yaml": graph("mcpServers: {a: {type: streamableHttp, url: \"https://example.com/mcp\"}}\n" + more + "\n")})
		b, err := bundle.New(t.Context(), filepath.Join(dir, "graph.yaml"), bundle.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]bool{b.Manifest.ToolsGenerated, b.Manifest.PromptsGenerated}; got != want {
			t.Errorf("%s: %v, want %v", more, got, want)
		}
	}
}
