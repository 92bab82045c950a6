package main

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The deb package installs into an empty root: its executable runs, it has its unit, manual pages, completions and notices, and
// is removed without a trace of them.
func TestReleaseDeb(t *testing.T) {
	dir, version := dist(t)
	dpkg, err := exec.LookPath("dpkg")
	if err != nil || runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("dpkg as root on Linux is needed")
	}
	system := t.TempDir()
	for _, sub := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"} {
		if err := os.MkdirAll(filepath.Join(system, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(system, "var/lib/dpkg/status"), "")
	write(t, filepath.Join(system, "var/lib/dpkg/available"), "")
	output(t, command(t, dpkg, "--root="+system, "--install", filepath.Join(dir, here().base(version)+".deb")))
	program := filepath.Join(system, "usr/bin/toolgraph")
	if out := output(t, command(t, program, "--version")); out != "toolgraph "+version+"\n" {
		t.Errorf("the installed program is %q", out)
	}
	for _, name := range []string{
		"usr/lib/systemd/system/toolgraph.service", "usr/share/man/man1/toolgraph-check.1.gz", "usr/share/bash-completion/completions/toolgraph",
		"usr/share/zsh/vendor-completions/_toolgraph", "usr/share/fish/vendor_completions.d/toolgraph.fish", "usr/share/doc/toolgraph/copyright",
	} {
		if _, err := os.Stat(filepath.Join(system, name)); err != nil {
			t.Error(err)
		}
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	licensed(t, here(), info, read(t, filepath.Join(dir, here().base(version)+".sbom.json")), read(t, filepath.Join(system, "usr/share/doc/toolgraph", noticesName)))
	if man, err := exec.LookPath("man"); err == nil {
		if page := output(t, command(t, man, "-l", filepath.Join(system, "usr/share/man/man1/toolgraph-check.1.gz"))); !strings.Contains(page, "Report all errors in graph files") {
			t.Errorf("the manual page of check is\n%.400s", page)
		}
	}
	output(t, command(t, dpkg, "--root="+system, "--purge", "toolgraph"))
	if _, err := os.Stat(program); !os.IsNotExist(err) {
		t.Errorf("the program is still there: %v", err)
	}
}

// The rpm package has the same files.
func TestReleaseRPM(t *testing.T) {
	dir, version := dist(t)
	rpm, err := exec.LookPath("rpm")
	if err != nil {
		t.Skip("rpm is not installed")
	}
	list := output(t, command(t, rpm, "-q", "--list", "--package", filepath.Join(dir, here().base(version)+".rpm")))
	for _, name := range []string{
		"/usr/bin/toolgraph", "/usr/lib/systemd/system/toolgraph.service", "/usr/share/man/man1/toolgraph.1.gz", "/usr/share/doc/toolgraph/" + noticesName,
		"/usr/share/zsh/site-functions/_toolgraph", "/usr/share/bash-completion/completions/toolgraph",
	} {
		if !strings.Contains(list, name+"\n") {
			t.Errorf("the package has no %s:\n%s", name, list)
		}
	}
	if license := output(t, command(t, rpm, "-q", "--queryformat", "%{LICENSE}", "--package", filepath.Join(dir, here().base(version)+".rpm"))); license != "MIT" {
		t.Errorf("the licence of the package is %q", license)
	}
}
