package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"toolgraph/docs"
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

// GoReleaser builds what the npm packages and bundles are made of: the same systems, and the same names.
func TestGoReleaserBuildsTheTargets(t *testing.T) {
	var file struct {
		Builds   []struct{ GOOS, GOARCH []string }
		Archives []struct {
			Name string `yaml:"name_template"`
			Wrap bool   `yaml:"wrap_in_directory"`
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
	name := strings.NewReplacer("{{ .ProjectName }}", "toolgraph", "{{ .Version }}", "1.2.3", "{{ .Os }}", "linux", "{{ .Arch }}", "arm64").Replace(archive.Name)
	if want := (target{"linux", "arm64"}).base("1.2.3"); name != want || !archive.Wrap {
		t.Errorf("GoReleaser names an archive %s, in a directory %v; expected %s in a directory", name, archive.Wrap, want)
	}
}

// The executable of an archive is found by its name, in both forms.
func TestContents(t *testing.T) {
	dir := t.TempDir()
	zipped, tarred := filepath.Join(dir, "a.zip"), filepath.Join(dir, "a.tar.gz")
	var z, g bytes.Buffer
	zw := zip.NewWriter(&z)
	compressed := gzip.NewWriter(&g)
	tw := tar.NewWriter(compressed)
	for _, name := range []string{"a/LICENSE", "a/toolgraph", "a/man/toolgraph.1"} {
		part, err := zw.Create(name)
		if err == nil {
			_, err = part.Write([]byte("bytes of " + name))
		}
		if err == nil {
			err = tw.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len("bytes of " + name))})
		}
		if err == nil {
			_, err = tw.Write([]byte("bytes of " + name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(zw.Close(), tw.Close(), compressed.Close()); err != nil {
		t.Fatal(err)
	}
	write(t, zipped, z.String())
	write(t, tarred, g.String())
	for _, archive := range []string{zipped, tarred} {
		if data, err := extract(archive); err != nil || string(data) != "bytes of a/toolgraph" {
			t.Errorf("%s has %q, %v", archive, data, err)
		}
		if all, err := contents(archive, func(string) bool { return true }); err != nil || len(all) != 3 {
			t.Errorf("%s has %d files, %v; expected 3", archive, len(all), err)
		}
		if none, err := contents(archive, func(string) bool { return false }); err != nil || len(none) != 0 {
			t.Errorf("%s has %d files that are not wanted, %v", archive, len(none), err)
		}
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
		"etc/ssl/certs/ca-certificates.crt":      fmt.Sprintf("0644 0:0 %d", len(read(t, pem))),
		"usr/share/doc/toolgraph/" + noticesName: fmt.Sprintf("0644 0:0 %d", len(docs.Notices)),
		"graph/":                                 "0755 0:0 0", "state/": "0700 65532:65532 0", "tmp/": "1777 0:0 0",
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
