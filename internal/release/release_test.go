package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

const root = "../.."

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// GoReleaser makes the archives that this command makes: the same systems, flags, names and files.
func TestGoReleaserBuildsTheSame(t *testing.T) {
	var file struct {
		Builds []struct {
			Env, Flags, LDFlags, GOOS, GOARCH []string
		}
		Archives []struct {
			Name            string `yaml:"name_template"`
			Wrap            bool   `yaml:"wrap_in_directory"`
			Files, Formats  []string
			FormatOverrides []struct {
				GOOS    string
				Formats []string
			} `yaml:"format_overrides"`
		}
		Checksum struct {
			Name string `yaml:"name_template"`
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(root, ".goreleaser.yaml"))), &file); err != nil {
		t.Fatal(err)
	}
	build, archive := file.Builds[0], file.Archives[0]
	var theirs []target
	for _, goos := range build.GOOS {
		for _, arch := range build.GOARCH {
			theirs = append(theirs, target{goos, arch})
		}
	}
	if !slices.Equal(theirs, targets) {
		t.Errorf("GoReleaser builds %v, expected %v", theirs, targets)
	}
	if !slices.Equal(build.Flags, buildFlags) || !slices.Equal(build.Env, []string{"CGO_ENABLED=0"}) ||
		!slices.Equal(build.LDFlags, []string{linkFlags + " -X toolgraph/internal/cli.version={{ .Version }}"}) {
		t.Errorf("GoReleaser builds with %v %v %v, expected %v, %s and no cgo", build.Env, build.Flags, build.LDFlags, buildFlags, linkFlags)
	}
	name := strings.NewReplacer("{{ .ProjectName }}", "toolgraph", "{{ .Version }}", "1.2.3", "{{ .Os }}", "linux", "{{ .Arch }}", "arm64").Replace(archive.Name)
	if want := (target{"linux", "arm64"}).base("1.2.3"); name != want || !archive.Wrap {
		t.Errorf("GoReleaser names an archive %s, in a directory %v; expected %s in a directory", name, archive.Wrap, want)
	}
	if !slices.Equal(archive.Files, alongside) || !slices.Equal(archive.Formats, []string{"tar.gz"}) ||
		len(archive.FormatOverrides) != 1 || archive.FormatOverrides[0].GOOS != "windows" || archive.FormatOverrides[0].Formats[0] != "zip" {
		t.Errorf("GoReleaser packs %+v, expected %v as tar.gz, and as zip for windows", archive, alongside)
	}
	if file.Checksum.Name != "checksums.txt" {
		t.Errorf("GoReleaser writes %s, expected checksums.txt", file.Checksum.Name)
	}
	if build := read(t, filepath.Join(root, "Makefile")); !strings.Contains(build, `CGO_ENABLED=0 go build -trimpath -ldflags "-s -w"`) {
		t.Error("make build has other flags than a release")
	}
}

// The executable of an archive can be read again, and is executable in it.
func TestPack(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"toolgraph", "toolgraph.exe", "LICENSE"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("bytes of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	license := packed{filepath.Join(dir, "LICENSE"), 0o644}
	for archive, name := range map[string]string{"a.tar.gz": "toolgraph", "a.zip": "toolgraph.exe"} {
		path := filepath.Join(dir, archive)
		if err := pack(path, "a", []packed{license, {filepath.Join(dir, name), 0o755}}); err != nil {
			t.Fatal(err)
		}
		if data, err := extract(path); err != nil || string(data) != "bytes of "+name {
			t.Errorf("%s has %q, %v", archive, data, err)
		}
	}
	compressed, err := gzip.NewReader(bytes.NewReader([]byte(read(t, filepath.Join(dir, "a.tar.gz")))))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(compressed)
	for _, want := range []struct {
		name string
		mode int64
	}{{"a/LICENSE", 0o644}, {"a/toolgraph", 0o755}} {
		if h, err := r.Next(); err != nil || h.Name != want.name || h.Mode != want.mode {
			t.Errorf("the archive has %+v, %v; expected %+v", h, err, want)
		}
	}
	if err := pack(filepath.Join(dir, "none.zip"), "a", []packed{license}); err != nil {
		t.Fatal(err)
	}
	if _, err := extract(filepath.Join(dir, "none.zip")); err == nil {
		t.Error("an archive without an executable has one")
	}
}

// The image runs as a user without rights, and starts what it copies.
func TestImage(t *testing.T) {
	image := read(t, filepath.Join(root, "Dockerfile"))
	for _, want := range []string{
		`(?m)^FROM scratch$`, `(?m)^USER 65532:65532$`, `(?m)^COPY \$TARGETPLATFORM/toolgraph /usr/bin/toolgraph$`,
		`(?m)^ENTRYPOINT \["/usr/bin/toolgraph"\]$`, `(?m)^ENV .*TOOLGRAPH_STATE=/state`, `ca-certificates.crt`,
	} {
		if !regexp.MustCompile(want).MatchString(image) {
			t.Errorf("the Dockerfile has no line %s", want)
		}
	}
}

// Actions are pinned by commit or by major version, and jobs get only the permissions that they
// name.
func TestWorkflowsArePinned(t *testing.T) {
	uses := regexp.MustCompile(`uses: (\S+)@(\S+)( # v\d+\.\d+\.\d+)?`)
	pinned := regexp.MustCompile(`^[0-9a-f]{40}$`)
	for _, path := range []string{".github/workflows/ci.yml", ".github/workflows/release.yml", "action.yml"} {
		text := read(t, filepath.Join(root, path))
		for _, m := range uses.FindAllStringSubmatch(text, -1) {
			if byCommit := pinned.MatchString(m[2]); byCommit && m[3] == "" || !byCommit && !regexp.MustCompile(`^v\d+$`).MatchString(m[2]) {
				t.Errorf("%s uses %s@%s, expected a commit with its version, or a major version", path, m[1], m[2])
			}
		}
		if path != "action.yml" && !strings.Contains(text, "\npermissions:") {
			t.Errorf("%s does not limit permissions", path)
		}
	}
}
