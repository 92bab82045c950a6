package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// downloading is the step of the action that downloads a release.
func downloading(t *testing.T) string {
	t.Helper()
	var action struct {
		Runs struct {
			Steps []struct{ ID, If, Uses, Name, Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(root, "action.yml"))), &action); err != nil {
		t.Fatal(err)
	}
	script := ""
	for _, step := range action.Runs.Steps {
		switch {
		case step.ID == "download":
			script = step.Run
		case strings.HasPrefix(step.Uses, "actions/setup-go@"), step.Name == "Build toolgraph":
			if step.If != "steps.download.outputs.found != 'true'" {
				t.Errorf("the step %s%s runs if %q", step.Uses, step.Name, step.If)
			}
		}
	}
	if script == "" {
		t.Fatal("the action has no step with the id download")
	}
	return script
}

// The action takes the executable of the release that its tag names, as the checksums have it, and else builds its source.
func TestActionDownloadsARelease(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("bash is not installed")
	}
	script := downloading(t)
	released := t.TempDir()
	var archive bytes.Buffer
	compressed := gzip.NewWriter(&archive)
	w := tar.NewWriter(compressed)
	if err := w.WriteHeader(&tar.Header{Name: "toolgraph_1.2.3_linux_amd64/toolgraph", Mode: 0o755, Size: 4}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("tool")); err != nil {
		t.Fatal(err)
	}
	w.Close()
	compressed.Close()
	write(t, filepath.Join(released, "toolgraph_1.2.3_linux_amd64.tar.gz"), archive.String())
	right := fmt.Sprintf("%x  toolgraph_1.2.3_linux_amd64.tar.gz\n", sha256.Sum256(archive.Bytes()))
	path := t.TempDir()
	// gh finds the release v1.2.3 only.
	write(t, filepath.Join(path, "gh"), "#!/bin/sh\n[ \"$3\" = v1.2.3 ] || exit 1\ncp \"$RELEASED\"/* \"$7\"\n")
	if err := os.Chmod(filepath.Join(path, "gh"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ref, arch, sums string
		said            string
		found, fails    bool
	}{
		{"v1.2.3", "X64", right, "OK", true, false},
		{"v1.2.3", "X64", strings.Repeat("0", 64) + "  toolgraph_1.2.3_linux_amd64.tar.gz\n", "FAILED", false, true},
		{"v1.2.3", "X64", "", "", false, true},
		{"v1.2.4", "X64", right, "acme/toolgraph has no release v1.2.4 with toolgraph_1.2.4_linux_amd64.tar.gz", false, false},
		{"main", "X64", right, "main is no version", false, false},
		{"v1.2.3", "ARM", right, "no release for ARM", false, false},
	} {
		temp := t.TempDir()
		write(t, filepath.Join(released, "checksums.txt"), c.sums)
		cmd := command(t, bash, "-eo", "pipefail", "-c", script) // as GitHub starts it
		cmd.Env = []string{
			"PATH=" + path + ":" + os.Getenv("PATH"), "RELEASED=" + released, "REPOSITORY=acme/toolgraph", "REF=" + c.ref, "RUNNER_OS=Linux",
			"RUNNER_ARCH=" + c.arch, "RUNNER_TEMP=" + temp, "GITHUB_OUTPUT=" + filepath.Join(temp, "output"),
		}
		out, err := cmd.CombinedOutput()
		if (err != nil) != c.fails || !strings.Contains(string(out), c.said) {
			t.Errorf("%s on %s: %v\n%s; expected %q, failing %v", c.ref, c.arch, err, out, c.said, c.fails)
		}
		said, _ := os.ReadFile(filepath.Join(temp, "output"))
		data, _ := os.ReadFile(filepath.Join(temp, "toolgraph"))
		if (string(said) == "found=true\n") != c.found || (string(data) == "tool") != c.found {
			t.Errorf("%s on %s: the output is %q and the program %q; expected found %v", c.ref, c.arch, said, data, c.found)
		}
	}
}
