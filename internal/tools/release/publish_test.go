package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var acme = names{
	module: "git.example.com/acme/toolgraph", repository: "https://git.example.com/acme/toolgraph", npm: "@acme/toolgraph",
	image: "ghcr.io/acme/toolgraph", tap: "acme/homebrew-tap", bucket: "acme/scoop-bucket", mcp: "com.example.git.acme/toolgraph",
}

func TestNamesFollowFromTheModule(t *testing.T) {
	if n, err := namesFor(acme.module, nil); err != nil || n != acme {
		t.Errorf("the names are %+v, %v; expected %+v", n, err, acme)
	}
	want := names{
		module: "github.com/acme/toolgraph", repository: "https://github.com/acme/toolgraph", npm: "toolgraph-mcp",
		image: "docker.io/acme/tg", tap: "acme/homebrew-tools", bucket: "acme/scoop-bucket", mcp: "io.github.acme/toolgraph",
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
		"npx PACKAGE --version":                         "npx @acme/toolgraph --version",
		"uses: OWNER/toolgraph@v1":                      "uses: acme/toolgraph@v1",
		"brew install --cask TAP/toolgraph":             "brew install --cask acme/tap/toolgraph",
		"scoop bucket add OWNER BUCKET":                 "scoop bucket add acme https://git.example.com/acme/scoop-bucket",
		"  image: IMAGE\n  command: [x]":                "  image: ghcr.io/acme/toolgraph\n  command: [x]",
		"COPY --from=IMAGE /a":                          "COPY --from=ghcr.io/acme/toolgraph /a",
		"url: REPOSITORY/issues":                        "url: https://git.example.com/acme/toolgraph/issues",
		"go install MODULE@latest":                      "go install git.example.com/acme/toolgraph@latest",
		"IMAGE: ${{ env.IMAGE }} $IMAGE IMAGE_REGISTRY": "IMAGE: ${{ env.IMAGE }} $IMAGE IMAGE_REGISTRY",
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
		{"a.go", "import \"toolgraph/config\"", "import \"git.example.com/acme/toolgraph/config\""},
		{"a.go", "-X toolgraph/internal/program.version=1", "-X git.example.com/acme/toolgraph/internal/program.version=1"},
		{"a.go", "const modulePath = \"toolgraph\"", "const modulePath = \"git.example.com/acme/toolgraph\""},
		{"a.go", "\"toolgraph/key\" \"/etc/toolgraph/graph.yaml\" \"toolgraph\"", "\"toolgraph/key\" \"/etc/toolgraph/graph.yaml\" \"toolgraph\""},
		{"x/go.mod", "module toolgraph/internal/temporal\n\n\ttoolgraph v0.0.0\n\nreplace toolgraph => ../..\n",
			"module git.example.com/acme/toolgraph/internal/temporal\n\n\tgit.example.com/acme/toolgraph v0.0.0\n\nreplace git.example.com/acme/toolgraph => ../..\n"},
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
	from, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	output(t, command(t, "git", "clone", "--quiet", "--no-tags", from, clone))
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
	clone := publishedClone(t)
	said := func(args ...string) string {
		cmd := command(t, "git", args...)
		cmd.Dir = clone
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); err != nil && args[0] != "grep" {
			t.Fatalf("git %v: %v %v", args, err, exit)
		}
		return string(out)
	}
	if subject := said("log", "--format=%s", "origin/HEAD.."); subject != "publish as "+acme.module+"\n" {
		t.Errorf("the commits are %q, expected one", subject)
	}
	if state := said("status", "--porcelain"); state != "" {
		t.Errorf("the work tree has changes:\n%s", state)
	}
	if left := said("grep", "-nE", `^module toolgraph|^\s+"toolgraph/(config|internal)|until published`); left != "" {
		t.Errorf("left of the old path:\n%s", left)
	}
	if left := said("grep", "-nwE", "MODULE|REPOSITORY|OWNER|PACKAGE|TAP|BUCKET", "--", "*.md", ".github", "action.yml", ":!docs/experiments", ":!docs/adr"); left != "" {
		t.Errorf("places without a name:\n%s", left)
	}
	for _, module := range []string{".", "internal/temporal", "internal/tools/bench"} {
		cmd := command(t, "go", "list", "-mod=mod", "./...")
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
