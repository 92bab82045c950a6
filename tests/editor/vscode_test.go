package editor

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/npm"
)

const (
	extensionDir = "../../internal/tools/editors/vscode"
	vscePackage  = "@vscode/vsce@3.9.2" // newer versions need a newer Node
)

// shipped are the files of the extension.
var shipped = []string{
	"CHANGELOG.md", "LICENSE.txt", "README.md", "dist/LICENSES.txt", "dist/extension.js", "dist/toolgraph.tmLanguage.json",
	"icon.png", "language-configuration.json", "package.json",
}

// The lock file names packages by version and hash, and no host that they come from. Every setting is described.
func TestExtensionDescribesItself(t *testing.T) {
	lock, manifest, readme := readFile(t, "package-lock.json"), readFile(t, "package.json"), readFile(t, "README.md")
	if bytes.Contains(lock, []byte(`"resolved"`)) {
		t.Error("package-lock.json says where packages were downloaded; install with --omit-lockfile-registry-resolved=true")
	}
	var contributes struct {
		Contributes struct {
			Configuration struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(manifest, &contributes); err != nil {
		t.Fatal(err)
	}
	for name := range contributes.Contributes.Configuration.Properties {
		if !bytes.Contains(readme, []byte("| `"+name+"` |")) {
			t.Errorf("README.md of the extension does not describe the setting %s", name)
		}
	}
}

// The extension passes its own tests, and is packed without a warning and with the expected files.
func TestExtensionForVSCode(t *testing.T) {
	x := newExtension(t)
	found, err := json.Marshal(expressionsOf(t, "examples/*.yaml", "graph/testdata/ok/*.yaml", "graph/testdata/err/*.yaml",
		"graph/flow/testdata/good/*.yaml", "tests/page/testdata/graphs/*.yaml", "internal/*/*.yaml", "internal/*/*/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "expressions.json")
	if err := os.WriteFile(list, found, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("EXPRESSIONS", list)
	tests, err := filepath.Glob(filepath.Join(x.dir, "test", "*.test.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	if out := x.run("node", append([]string{"--test", "--test-reporter=tap"}, tests...)...); !strings.Contains(out, "# skipped 0") || !strings.Contains(out, "# fail 0") {
		t.Errorf("not all tests were run:\n%s", out)
	}
	checkArchive(t, x.pack())
	listed := strings.Fields(x.run(x.vsce, "ls"))
	slices.Sort(listed)
	if !slices.Equal(listed, shipped) {
		t.Errorf("vsce ls has %q, expected %q", listed, shipped)
	}
}

// extension is a copy of the sources with the packages that it is built with.
type extension struct {
	t         *testing.T
	dir, vsce string
}

func newExtension(t *testing.T) *extension {
	t.Helper()
	if os.Getenv("TOOLGRAPH_CLIENTS") != "1" {
		t.Skip("needs packages of npm; set TOOLGRAPH_CLIENTS=1")
	}
	if err := npm.Available(); err != nil {
		t.Skip(err)
	}
	home, err := npm.Install(t.Context(), vscePackage)
	if err != nil {
		t.Fatal(err)
	}
	x := &extension{t: t, dir: filepath.Join(t.TempDir(), "vscode"), vsce: filepath.Join(home, "node_modules", ".bin", "vsce")}
	copyExtension(t, x.dir)
	x.run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
	return x
}

// run runs a program in the sources and returns what it prints.
func (x *extension) run(name string, args ...string) string {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = x.dir, append(os.Environ(), "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		x.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// pack returns the path of the packed extension, of version 1.2.3.
func (x *extension) pack() string {
	x.t.Helper()
	archive := filepath.Join(x.t.TempDir(), "toolgraph.vsix")
	out := x.run(x.vsce, "package", "1.2.3", "--no-git-tag-version", "--no-update-package-json", "--allow-missing-repository", "--out", archive)
	if strings.Contains(out, "WARN") {
		x.t.Errorf("vsce package has warnings:\n%s", out)
	}
	return archive
}

// copyExtension copies the sources without what was built in them.
func copyExtension(t *testing.T, to string) {
	t.Helper()
	entries, err := os.ReadDir(extensionDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		from, to := filepath.Join(extensionDir, entry.Name()), filepath.Join(to, entry.Name())
		switch {
		case entry.Name() == "node_modules" || entry.Name() == "dist":
		case entry.IsDir():
			err = os.CopyFS(to, os.DirFS(from))
		default:
			var src []byte
			if src, err = os.ReadFile(from); err == nil {
				if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
					err = os.WriteFile(to, src, 0o644)
				}
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// checkArchive reads the parts of an archive as an editor does.
func checkArchive(t *testing.T, path string) {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files := map[string][]byte{}
	for _, f := range r.File {
		part, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(part); err != nil {
			t.Fatal(err)
		}
	}
	if want := len(shipped) + 2; len(files) != want {
		t.Errorf("the archive has %d files, expected %d", len(files), want)
	}
	var manifest struct{ Version, Main string }
	if err := json.Unmarshal(files["extension/package.json"], &manifest); err != nil || manifest.Version != "1.2.3" {
		t.Errorf("package.json has the version %q, %v", manifest.Version, err)
	}
	var grammar struct{ ScopeName string }
	if err := json.Unmarshal(files["extension/dist/toolgraph.tmLanguage.json"], &grammar); err != nil || grammar.ScopeName != "source.toolgraph" {
		t.Errorf("the grammar is that of %q, %v", grammar.ScopeName, err)
	}
	script := files["extension/"+strings.TrimPrefix(manifest.Main, "./")]
	if len(script) == 0 || bytes.Contains(script, []byte("sourceMappingURL")) || bytes.Contains(script, []byte(filepath.Dir(path))) {
		t.Errorf("the script has %d bytes, or shows where it was built", len(script))
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(extensionDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return src
}
