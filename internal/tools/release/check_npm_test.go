package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolgraph/docs"
	"toolgraph/tests/npm"
)

// clients skips a test that needs the net and Node, as tests of clients are.
func clients(t *testing.T) {
	t.Helper()
	if os.Getenv("TOOLGRAPH_CLIENTS") == "" {
		t.Skip("TOOLGRAPH_CLIENTS is not set; this needs Node and the npm registry")
	}
	if err := npm.Available(); err != nil {
		t.Skip(err)
	}
}

// The packed packages install side by side, and npx starts the executable with its streams, its
// arguments and its exit code.
func TestReleaseNPM(t *testing.T) {
	dir, version := dist(t)
	clients(t)
	packed, home := t.TempDir(), t.TempDir()
	write(t, filepath.Join(home, "package.json"), "{\"private\": true}")
	write(t, filepath.Join(home, "folder.yaml"), string(firstGraph))
	run := func(name string, args ...string) *exec.Cmd {
		cmd := command(t, name, args...)
		cmd.Dir = home
		cmd.Env = append(os.Environ(), "FOLDER="+home, "TOOLGRAPH_STATE="+t.TempDir())
		return cmd
	}
	for _, p := range packages(t, dir) {
		if p.Version != version {
			t.Errorf("the package %s has version %s, expected %s", p.Name, p.Version, version)
		}
	}
	for _, name := range []string{"main", npmName(here().os) + "-" + npmName(here().arch)} {
		output(t, run("npm", "pack", "--silent", "--pack-destination", packed, filepath.Join(dir, "npm", name)))
	}
	archives, err := filepath.Glob(filepath.Join(packed, "*.tgz"))
	if err != nil || len(archives) != 2 {
		t.Fatalf("npm pack wrote %v, %v", archives, err)
	}
	install := append([]string{"install", "--no-audit", "--no-fund", "--loglevel=error", "--omit=optional"}, archives...)
	output(t, run("npm", install...))
	if out := output(t, run("npx", "--no-install", "toolgraph", "--version")); out != "toolgraph "+version+"\n" {
		t.Errorf("npx toolgraph --version prints %q", out)
	}
	talk(t, run("npx", "--no-install", "toolgraph", "-g", "folder.yaml"), "largest_files", `{"top":1}`)
	write(t, filepath.Join(home, "wrong.yaml"), "server: 1\ntools: 1\n")
	var exit *exec.ExitError
	if err := run("npx", "--no-install", "toolgraph", "check", "wrong.yaml").Run(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("the exit code of a check with errors is %v, expected 3", err)
	}
	platform := here().platformPackage(cmp.Or(published().npm, "toolgraph"))
	if err := os.RemoveAll(filepath.Join(home, "node_modules", platform)); err != nil {
		t.Fatal(err)
	}
	out, err := run("npx", "--no-install", "toolgraph", "--version").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "the package "+platform+"@"+version+" is not installed") {
		t.Errorf("without the package of the platform: %v\n%s", err, out)
	}
}

// The official tool accepts and unpacks a bundle, and its command starts.
func TestReleaseBundles(t *testing.T) {
	dir, version := dist(t)
	clients(t)
	modules, err := npm.Install(t.Context(), "@anthropic-ai/mcpb@2.1.2")
	if err != nil {
		t.Fatal(err)
	}
	mcpb := func(args ...string) string {
		return output(t, command(t, "node", append([]string{filepath.Join(modules, "node_modules", "@anthropic-ai", "mcpb", "dist", "cli", "cli.js")}, args...)...))
	}
	path := filepath.Join(dir, "toolgraph-folder_"+version+"_"+here().arch+".mcpb")
	unpacked := filepath.Join(t.TempDir(), "unpacked here")
	mcpb("info", path)
	mcpb("unpack", path, unpacked)
	if got := read(t, filepath.Join(unpacked, "server", "LICENSES.txt")); got != docs.Notices {
		t.Errorf("the bundle has %d bytes of licences, expected %d", len(got), len(docs.Notices))
	}
	if out := mcpb("validate", filepath.Join(unpacked, "manifest.json")); !strings.Contains(out, "passes") {
		t.Errorf("mcpb validate prints %s", out)
	}
	type start struct {
		Command string
		Args    []string
		Env     map[string]string
	}
	var manifest struct {
		Server struct {
			Config struct {
				start
				Platforms map[string]start `json:"platform_overrides"`
			} `json:"mcp_config"`
		}
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(unpacked, "manifest.json"))), &manifest); err != nil {
		t.Fatal(err)
	}
	entry := manifest.Server.Config.start
	if other, has := manifest.Server.Config.Platforms[npmName(here().os)]; has {
		entry.Command = other.Command
	}
	fill := func(text string) string {
		return strings.NewReplacer("${__dirname}", unpacked, "${user_config.FOLDER}", unpacked).Replace(text)
	}
	cmd := command(t, fill(entry.Command))
	for _, arg := range entry.Args {
		cmd.Args = append(cmd.Args, fill(arg))
	}
	cmd.Dir, cmd.Env = "/", []string{"HOME=" + t.TempDir()}
	for name, value := range entry.Env {
		cmd.Env = append(cmd.Env, name+"="+fill(value))
	}
	talk(t, cmd, "largest_files", `{"top":1}`)
}

// A server.json follows the schema that the registry publishes with its code.
func TestReleaseServerJSON(t *testing.T) {
	dist(t)
	clients(t)
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(output(t, command(t, "go", "mod", "download", "-json", "github.com/modelcontextprotocol/registry@v1.8.9"))), &module); err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(module.Dir, "internal", "validators", "schemas", "2025-12-11.json"))
	if err != nil {
		t.Fatal(err)
	}
	binary, dir := executable(t, here()), t.TempDir()
	write(t, filepath.Join(dir, "folder.yaml"), string(firstGraph))
	cmd := command(t, binary, "bundle", "folder.yaml", "--server-json", "server.json",
		"--registry-name", "io.github.OWNER/folder", "--url", "https://example.com/releases/folder.mcpb")
	cmd.Dir = dir
	output(t, cmd)
	described, err := jsonschema.UnmarshalJSON(strings.NewReader(read(t, filepath.Join(dir, "server.json"))))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(described); err != nil {
		t.Error(err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
