package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

const root = "../../.."

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
		!slices.Equal(build.LDFlags, []string{linkFlags + " -X toolgraph/internal/program.version={{ .Version }}"}) {
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
		`(?m)^ENTRYPOINT \["/usr/bin/toolgraph"\]$`, `(?m)^ENV .*TOOLGRAPH_STATE=/state`, `(?m)^ADD rootfs.tar /$`,
	} {
		if !regexp.MustCompile(want).MatchString(image) {
			t.Errorf("the Dockerfile has no line %s", want)
		}
	}
}

// The files of the image are certificates, and directories with their owners.
func TestImageFiles(t *testing.T) {
	archive, pem := filepath.Join(t.TempDir(), "rootfs.tar"), certificate(t)
	if err := writeImage(archive, pem); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for r := tar.NewReader(strings.NewReader(read(t, archive))); ; {
		h, err := r.Next()
		if err != nil {
			break
		}
		found[h.Name] = fmt.Sprintf("%04o %d:%d %d", h.Mode, h.Uid, h.Gid, h.Size)
	}
	for name, want := range map[string]string{
		"etc/ssl/certs/ca-certificates.crt": fmt.Sprintf("0644 0:0 %d", len(read(t, pem))),
		"graph/":                            "0755 0:0 0", "state/": "0700 65532:65532 0", "tmp/": "1777 0:0 0",
	} {
		if found[name] != want {
			t.Errorf("%s is %q, expected %q", name, found[name], want)
		}
	}
	if err := writeImage(archive, archive); err == nil || !strings.Contains(err.Error(), "has no certificates") {
		t.Errorf("a file without certificates gives %v", err)
	}
}

// certificate returns the path of a file with a certificate.
func certificate(t *testing.T) string {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	path := filepath.Join(t.TempDir(), "ca.crt")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// X08: actions are pinned by commit, with their version, images by digest, and jobs get only the
// permissions that they name.
func TestX08EverythingIsPinned(t *testing.T) {
	workflows, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*"))
	if err != nil || len(workflows) == 0 {
		t.Fatal("no workflows", err)
	}
	for _, path := range append(workflows, filepath.Join(root, "action.yml"), filepath.Join(root, "Dockerfile")) {
		text := read(t, path)
		for _, bad := range unpinned(text) {
			t.Errorf("%s: %s has no digest", path, bad)
		}
		if slices.Contains(workflows, path) && !strings.Contains(text, "\npermissions:") {
			t.Errorf("%s does not limit permissions", path)
		}
	}
}

var (
	pulled = regexp.MustCompile(`(?m)^\s*(?:-\s+)?["']?(uses|image|container|(?i:FROM|COPY\s.*--from))["']?[:=\s]\s*(.*)$`)
	digest = regexp.MustCompile(`@(?:[0-9a-f]{40} # v\d+\.\d+\.\d+|sha256:[0-9a-f]{64}\b.*)$`)
)

// unpinned returns what a workflow, an action or a Dockerfile takes from elsewhere without a digest.
func unpinned(text string) (found []string) {
	stages := map[string]bool{"scratch": true}
	for _, m := range pulled.FindAllStringSubmatch(text, -1) {
		from := strings.Fields(regexp.MustCompile(`--platform=\S+`).ReplaceAllString(m[2], ""))
		if len(from) > 2 && strings.EqualFold(from[1], "as") {
			stages[from[2]] = true
		}
		switch {
		case len(from) > 0 && (stages[from[0]] || strings.HasPrefix(from[0], "./")):
		case !digest.MatchString(m[2]):
			found = append(found, m[0])
		}
	}
	return found
}

func TestX08Unpinned(t *testing.T) {
	sha, sum := strings.Repeat("a", 40), "sha256:"+strings.Repeat("b", 64)
	for text, want := range map[string]int{
		"- uses: actions/checkout@v4":                          1,
		"- uses: actions/checkout@" + sha:                      1, // which version is it?
		"- uses: actions/checkout@" + sha + " # v4.0.0":        0,
		"  uses: 'a/b@main'":                                   1,
		`  "uses": a/b@main`:                                   1,
		"- uses: ./own":                                        0,
		"- uses: docker://alpine:3":                            1,
		"    image: postgres:18":                               1,
		"    image: postgres:18@" + sum:                        0,
		"    container: node:22":                               1,
		"FROM scratch":                                         0,
		"FROM --platform=$BUILDPLATFORM alpine:3 AS base":      1,
		"FROM alpine:3@" + sum + " AS base\nFROM base\n":       0,
		"FROM scratch AS base\nCOPY --from=base /a /a\n":       0,
		"FROM scratch\nCOPY --from=alpine:3 /a /a\n":           1,
		"FROM scratch\nCOPY --from=alpine@" + sum + " /a /a\n": 0,
		"from alpine":                                          1,
	} {
		if got := unpinned(text); len(got) != want {
			t.Errorf("%q: %q, expected %d", text, got, want)
		}
	}
}
