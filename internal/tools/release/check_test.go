package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// dist is the directory of a release that make release-check has made, and its version.
func dist(t *testing.T) (dir, version string) {
	t.Helper()
	dir = os.Getenv("TOOLGRAPH_RELEASE")
	if dir == "" {
		t.Skip("TOOLGRAPH_RELEASE names no release; make release-check makes one and tests it")
	}
	archives, err := filepath.Glob(filepath.Join(dir, "toolgraph_*_linux_amd64.tar.gz"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("%s has the archives %v for linux/amd64, %v; expected one", dir, archives, err)
	}
	return dir, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(archives[0]), "toolgraph_"), "_linux_amd64.tar.gz")
}

// executable writes the executable of a target into a fresh directory.
func executable(t *testing.T, of target) string {
	t.Helper()
	dir, version := dist(t)
	data, err := extract(filepath.Join(dir, of.archive(version)))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), of.executable())
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// here is the target of this machine.
func here() target { return target{runtime.GOOS, runtime.GOARCH} }

// output runs a command and returns its standard output.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out, errs.String())
	}
	return string(out)
}

func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	return exec.CommandContext(ctx, name, args...)
}

// talk lets a client initialize a server, list its tools and call one.
func talk(t *testing.T, cmd *exec.Cmd, tool, arguments string) {
	t.Helper()
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"check","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}
`)
	out := output(t, cmd)
	for _, want := range []string{`"serverInfo"`, `"name":"` + tool + `"`, `"id":3,"result":`} {
		if !strings.Contains(out, want) {
			t.Errorf("%v answers without %s:\n%s", cmd.Args, want, out)
		}
	}
	if strings.Contains(out, `"isError":true`) {
		t.Errorf("%v fails:\n%s", cmd.Args, out)
	}
}

// made are the targets whose archives are there: all of them, unless TOOLGRAPH_DRY says that it is a dry run for this one.
func made(t *testing.T) []target {
	t.Helper()
	if os.Getenv("TOOLGRAPH_DRY") != "" {
		return []target{here()}
	}
	return targets
}

// licensed checks that each module that is linked into an executable is in its SBOM with a licence, and in the notices.
func licensed(t *testing.T, of target, info *buildinfo.BuildInfo, sbom, notices string) {
	t.Helper()
	var listed struct{ Components []component }
	if err := json.Unmarshal([]byte(sbom), &listed); err != nil {
		t.Fatal(err)
	}
	with := map[string]bool{}
	for _, c := range listed.Components {
		with[c.Name+" "+c.Version] = len(c.Licenses) == 1 && c.Licenses[0].Expression != ""
	}
	known, count := licenses(notices), 1
	if known["stdlib -"] == "" || !with["stdlib "+strings.TrimPrefix(info.GoVersion, "go")] {
		t.Errorf("%v: the notices or the SBOM leave out the standard library", of)
	}
	for _, m := range info.Deps {
		count++
		if known[m.Path+" "+m.Version] == "" || !with[m.Path+" "+m.Version] {
			t.Errorf("%v: %s %s is linked, and in the notices %q, in the SBOM with a licence %v", of, m.Path, m.Version, known[m.Path+" "+m.Version], with[m.Path+" "+m.Version])
		}
	}
	if count != len(listed.Components) {
		t.Errorf("%v: the SBOM has %d modules, expected %d", of, len(listed.Components), count)
	}
	t.Logf("%v: %d modules, each with its licence", of, count)
}

// Every archive has the executable of its target, and its checksum.
func TestReleaseArchives(t *testing.T) {
	dir, version := dist(t)
	sums := read(t, filepath.Join(dir, "checksums.txt"))
	for _, of := range made(t) {
		archive := of.archive(version)
		data := read(t, filepath.Join(dir, archive))
		if want := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(data)), archive); !strings.Contains(sums, want) {
			t.Errorf("checksums.txt has no line %s", want)
		}
		binary, err := extract(filepath.Join(dir, archive))
		if err != nil {
			t.Fatal(err)
		}
		info, err := buildinfo.Read(bytes.NewReader(binary))
		if err != nil {
			t.Fatal(err)
		}
		var got target
		for _, s := range info.Settings {
			switch s.Key {
			case "GOOS":
				got.os = s.Value
			case "GOARCH":
				got.arch = s.Value
			case "CGO_ENABLED":
				if s.Value != "0" {
					t.Errorf("%s is built with cgo", archive)
				}
			}
		}
		if got != of {
			t.Errorf("%s has an executable for %v", archive, got)
		}
		files, err := contents(filepath.Join(dir, archive), func(name string) bool { return !isExecutable(name) })
		if err != nil {
			t.Fatal(err)
		}
		licensed(t, of, info, read(t, filepath.Join(dir, of.base(version)+".sbom.json")), string(files[of.base(version)+"/"+noticesName]))
		for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "man/toolgraph.1", "man/toolgraph-check.1", "completions/toolgraph.bash", "completions/_toolgraph"} {
			if len(files[of.base(version)+"/"+name]) == 0 {
				t.Errorf("%s has no %s", archive, name)
			}
		}
	}
	if out := output(t, command(t, executable(t, here()), "version")); !strings.Contains(out, version) {
		t.Errorf("the executable of %s is %s", version, out)
	}
}

// The executable for arm64 starts under an emulator, and answers.
func TestReleaseOnARM(t *testing.T) {
	binary := executable(t, target{"linux", "arm64"})
	qemu, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		t.Skip("qemu-user is not installed")
	}
	if out := output(t, command(t, qemu, binary, "version")); !strings.Contains(out, "linux/arm64") {
		t.Errorf("the executable is %s", out)
	}
	talk(t, command(t, qemu, binary, "demo-server", "."), "list_directory", `{"path":"."}`)
}

// The file tree of the image is enough: the executable runs in it as its user, without other files.
func TestReleaseImage(t *testing.T) {
	binary := executable(t, here())
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("chroot needs root on Linux")
	}
	tree := t.TempDir()
	archive := filepath.Join(t.TempDir(), "rootfs.tar")
	if err := writeImage(archive, certificate(t)); err != nil {
		t.Fatal(err)
	}
	output(t, command(t, "tar", "-x", "-p", "--same-owner", "-C", tree, "-f", archive))
	for _, dir := range []string{"usr/bin", "dev"} {
		if err := os.MkdirAll(filepath.Join(tree, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, data := range map[string]string{"usr/bin/toolgraph": read(t, binary), "graph/folder.yaml": string(firstGraph), "graph/note.md": "a note"} {
		if err := os.WriteFile(filepath.Join(tree, path), []byte(data), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(tree, 0o755); err != nil {
		t.Fatal(err)
	}
	output(t, command(t, "mknod", "-m", "666", filepath.Join(tree, "dev", "null"), "c", "1", "3")) // which every engine provides
	cmd := command(t, "chroot", "--userspec=65532:65532", tree, "/usr/bin/toolgraph", "serve", "/graph/folder.yaml")
	cmd.Env = []string{"HOME=/state", "TOOLGRAPH_STATE=/state", "PATH=/usr/bin", "FOLDER=/graph"}
	talk(t, cmd, "largest_files", `{"top":1}`)
}

// The unit is one that systemd accepts.
func TestReleaseUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	unit := filepath.Join(t.TempDir(), "toolgraph.service")
	text := strings.ReplaceAll(read(t, "systemd/toolgraph.service"), "/usr/bin/toolgraph", executable(t, here()))
	if err := os.WriteFile(unit, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, analyze, "verify", unit)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}
