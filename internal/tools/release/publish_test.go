package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var acme = names{
	module: "github.com/acme/toolgraph", repository: "https://github.com/acme/toolgraph", npm: "@acme/toolgraph",
	image: "ghcr.io/acme/toolgraph", tap: "acme/homebrew-tap", bucket: "acme/scoop-bucket", mcp: "io.github.acme/toolgraph",
}

func TestNamesFollowFromTheModule(t *testing.T) {
	if n, err := namesFor(acme.module, nil); err != nil || n != acme {
		t.Errorf("the names are %+v, %v; expected %+v", n, err, acme)
	}
	want := names{
		module: "git.example.com/acme/toolgraph", repository: "https://git.example.com/acme/toolgraph", npm: "toolgraph-mcp",
		image: "docker.io/acme/tg", tap: "acme/homebrew-tools", bucket: "acme/scoop-bucket", mcp: "com.example.git.acme/toolgraph",
	}
	n, err := namesFor(want.module, []string{"NPM_PACKAGE=toolgraph-mcp", "IMAGE=docker.io/acme/tg", "TAP=acme/homebrew-tools"})
	if err != nil || n != want {
		t.Errorf("the names are %+v, %v; expected %+v", n, err, want)
	}
	if again := parseNames(n.fill(namesFile)); again != n {
		t.Errorf("names.env has %+v, expected %+v", again, n)
	}
	for module, other := range map[string][]string{
		"toolgraph": nil, "acme/toolgraph": nil, "github.com/Acme/toolgraph": nil, "github.com/acme/other": nil,
		"github.com/a/toolgraph": {"TAP=a/tap"}, "github.com/b/toolgraph": {"BUCKET=b"}, "github.com/c/toolgraph": {"IMAG=x"},
	} {
		if n, err := namesFor(module, other); err == nil {
			t.Errorf("%s %v gives %+v, expected an error", module, other, n)
		}
	}
}

func TestPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"npx PACKAGE --version":                                      "npx @acme/toolgraph --version",
		"uses: OWNER/toolgraph@v1":                                   "uses: acme/toolgraph@v1",
		"brew install --cask TAP/toolgraph":                          "brew install --cask acme/tap/toolgraph",
		"scoop bucket add OWNER BUCKET":                              "scoop bucket add acme https://github.com/acme/scoop-bucket",
		"  image: IMAGE\n  command: [x]":                             "  image: ghcr.io/acme/toolgraph\n  command: [x]",
		"COPY --from=IMAGE /a":                                       "COPY --from=ghcr.io/acme/toolgraph /a",
		"url: REPOSITORY/issues":                                     "url: https://github.com/acme/toolgraph/issues",
		"go install MODULE@latest":                                   "go install github.com/acme/toolgraph@latest",
		"IMAGE: ${{ env.IMAGE }} $IMAGE IMAGE_REGISTRY":              "IMAGE: ${{ env.IMAGE }} $IMAGE IMAGE_REGISTRY",
		"a\n<!-- until published -->\nMODULE\n<!-- published -->\nb": "a\nb",
	} {
		if got := acme.inPlaces(text); got != want {
			t.Errorf("%q becomes %q, expected %q", text, got, want)
		}
	}
}

// Imports and packages change with the module, metadata of MCP and paths of files do not.
func TestPackages(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.go", "import \"toolgraph/config\"", "import \"github.com/acme/toolgraph/config\""},
		{"a.go", "-X toolgraph/internal/program.version=1", "-X github.com/acme/toolgraph/internal/program.version=1"},
		{"a.go", "const modulePath = \"toolgraph\"", "const modulePath = \"github.com/acme/toolgraph\""},
		{"a.go", "\"toolgraph/key\" \"/etc/toolgraph/graph.yaml\" \"toolgraph\"", "\"toolgraph/key\" \"/etc/toolgraph/graph.yaml\" \"toolgraph\""},
		{
			"x/go.mod", "module toolgraph/internal/temporal\n\n\ttoolgraph v0.0.0\n\nreplace toolgraph => ../..\n",
			"module github.com/acme/toolgraph/internal/temporal\n\n\tgithub.com/acme/toolgraph v0.0.0\n\nreplace github.com/acme/toolgraph => ../..\n",
		},
		{"a.txtar", "toolgraph/config", "toolgraph/config"},
	} {
		if strings.HasSuffix(c.name, "go.mod") { // its first line is a package of this module
			c.text, c.want = strings.TrimSpace(c.text)+"\n", strings.TrimSpace(c.want)+"\n"
		}
		if got := acme.inPackages(root, c.name, c.text); got != c.want {
			t.Errorf("%s: %q becomes %q, expected %q", c.name, c.text, got, c.want)
		}
	}
}

// from is the absolute path of this repository.
func from(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// publishedClone returns a clone of this repository's last commit, published as acme.
func publishedClone(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("this is no git checkout")
	}
	if published() != (names{}) {
		t.Skip("the module is published already")
	}
	clone := filepath.Join(t.TempDir(), "clone")
	output(t, command(t, "git", "clone", "--quiet", "--no-tags", "file://"+filepath.ToSlash(from(t)), clone))
	for _, setting := range []string{"user.name=Test", "user.email=test@example.com", "commit.gpgsign=false"} {
		name, value, _ := strings.Cut(setting, "=")
		output(t, command(t, "git", "-C", clone, "config", name, value))
	}
	if err := publishAs(t.Context(), clone, acme); err != nil {
		t.Fatal(err)
	}
	return clone
}

// One commit publishes the module: no place waits for a name then, no package has the old path, and all of them are found.
func TestPublishAs(t *testing.T) {
	if os.Getenv("TOOLGRAPH_PUBLISHED") == "" {
		t.Skip("TOOLGRAPH_PUBLISHED is not set; this changes all of a clone: make published")
	}
	clone := publishedClone(t)
	said := func(args ...string) string {
		cmd := command(t, "git", args...)
		cmd.Dir = clone
		out, err := cmd.Output()
		if err != nil && args[0] != "grep" { // which fails when it finds nothing
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	before, after := said("-C", from(t), "rev-parse", "HEAD"), said("log", "--max-count=1", "--format=%P%n%s")
	if after != before+"publish as "+acme.module+"\n" {
		t.Errorf("the last commit is %q, expected one after %s", after, before)
	}
	if state := said("status", "--porcelain"); state != "" {
		t.Errorf("the work tree has changes:\n%s", state)
	}
	if left := said("grep", "-nE", `^module toolgraph|^\s+"toolgraph/(config|internal)|until published`, "--", ":!internal/tools/release"); left != "" {
		t.Errorf("left of the old path:\n%s", left)
	}
	if left := said("grep", "-nE", "(^|[^A-Z_$])(MODULE|REPOSITORY|OWNER|PACKAGE|TAP|BUCKET)([^A-Z_=:]|$)", "--", "*.md", ".github", "action.yml", ":!docs/experiments", ":!docs/adr"); left != "" {
		t.Errorf("places without a name:\n%s", left)
	}
	if text := read(t, filepath.Join(clone, "internal/tools/editors/vscode/package.json")); !strings.Contains(text, `"repository": { "type": "git", "url": "https://github.com/acme/toolgraph.git" }`) {
		t.Error("the extension for VS Code has no repository")
	}
	for _, module := range []string{".", "internal/temporal", "internal/tools/bench"} {
		cmd := command(t, "go", "list", "./...")
		cmd.Dir = filepath.Join(clone, module)
		for path := range strings.Lines(output(t, cmd)) {
			if !strings.HasPrefix(path, acme.module) {
				t.Errorf("a package is %s", path)
			}
		}
	}
	if err := publishAs(t.Context(), clone, acme); err == nil || !strings.Contains(err.Error(), "published already") {
		t.Errorf("the second time gives %v", err)
	}
	write(t, filepath.Join(clone, "LICENSE"), "changed")
	if err := publishAs(t.Context(), clone, acme); err == nil || !strings.Contains(err.Error(), "not committed") {
		t.Errorf("a work tree with changes gives %v", err)
	}
}

// The published module is one that others get: a proxy, which is a directory, serves it; go install builds the program, go get
// fetches a room for another module, and the program of docs/embedding.md runs. Its own tests still pass.
func TestPublished(t *testing.T) {
	if os.Getenv("TOOLGRAPH_PUBLISHED") == "" {
		t.Skip("TOOLGRAPH_PUBLISHED is not set; this compiles everything again: make published")
	}
	clone := publishedClone(t)
	proxy := serve(t, clone, "v0.9.1")
	bin, outside := t.TempDir(), t.TempDir()
	goes := func(dir string, args ...string) string {
		t.Helper()
		cmd := command(t, "go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), proxy...)
		cmd.Env = append(cmd.Env, "GOBIN="+bin)
		return output(t, cmd)
	}
	goes(outside, "install", acme.module+"@v0.9.1")
	program := filepath.Join(bin, here().executable())
	if out := output(t, command(t, program, "--version")); out != "toolgraph 0.9.1\n" {
		t.Errorf("the installed program is %q", out)
	}
	write(t, filepath.Join(outside, "go.mod"), "module outside\n\ngo 1.26.0\n")
	write(t, filepath.Join(outside, "main.go"), `package main

import (
	"context"
	"fmt"

	"`+acme.module+`/expressions/jsonata"
)

func main() {
	e, err := jsonata.Compile(context.Background(), "$.a + 1")
	fmt.Println(e != nil, err)
}
`)
	goes(outside, "get", acme.module+"/expressions/jsonata@v0.9.1")
	if out := goes(outside, "run", "."); out != "true <nil>\n" {
		t.Errorf("a program with expressions/jsonata prints %q", out)
	}
	embedding := filepath.Join(outside, "embedding")
	if err := os.Mkdir(embedding, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(embedding, "main.go"), read(t, filepath.Join(clone, "tests", "embedding", "main.go")))
	goes(outside, "mod", "tidy")
	goes(outside, "install", "./embedding")
	cmd := command(t, filepath.Join(bin, "embedding"), "examples/02-largest-files.yaml", "largest_files", `{"directory": "data", "top": 1}`)
	cmd.Dir, cmd.Env = clone, append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out := output(t, cmd); !strings.HasPrefix(out, `{"files":[{"name":`) {
		t.Errorf("the embedding program prints %s", out)
	}
	goes(clone, "vet", "./...")
	goes(clone, "test", "./internal/interop/bundle", "./internal/tools/release", "./docs")
	goes(clone, "test", "./tests", "-run", "Imports|Layers|Embedding|Examples")
}

// serve puts a version of the module in clone into a directory in the form of a proxy, and returns the variables with which
// the go command uses it, beside the machine's own proxy for the other modules.
func serve(t *testing.T, clone, version string) []string {
	t.Helper()
	output(t, command(t, "git", "-C", clone, "tag", version))
	config, cache := filepath.Join(t.TempDir(), "gitconfig"), t.TempDir()
	write(t, config, "[url \"file://"+filepath.ToSlash(clone)+"\"]\n\tinsteadOf = https://"+acme.module+"\n[safe]\n\tdirectory = *\n")
	fetch := command(t, "go", "mod", "download", acme.module+"@"+version)
	fetch.Dir = t.TempDir()
	fetch.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+config, "GOPROXY=direct", "GOSUMDB=off", "GOMODCACHE="+cache, "GOFLAGS=-modcacherw", "GIT_ALLOW_PROTOCOL=file:https")
	output(t, fetch)
	others := strings.TrimSpace(output(t, command(t, "go", "env", "GOPROXY")))
	return []string{
		"GOPROXY=file://" + filepath.ToSlash(filepath.Join(cache, "cache", "download")) + "," + others, "GONOSUMDB=" + acme.module, "GOMODCACHE=" + t.TempDir(), "GOFLAGS=-modcacherw -trimpath",
		"CGO_ENABLED=0", // with the flags of a release, so that what make release-dry has compiled is not compiled again
	}
}
