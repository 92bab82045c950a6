package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// prng is the library with the one function that Go calls, and that Wine has since version 9.
const prng = `#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return SystemFunction036(data, (ULONG)size); }
`

// prefix returns the variables of a Wine in which Go's programs start. WINEPREFIX names one that has what is needed.
func prefix(t *testing.T, wine string) []string {
	t.Helper()
	env := append(os.Environ(), "WINEDEBUG=-all")
	if os.Getenv("WINEPREFIX") != "" {
		return env
	}
	dir := t.TempDir()
	env = append(env, "WINEPREFIX="+filepath.Join(dir, "prefix"), "WINEDLLOVERRIDES=bcryptprimitives=n,b;mscoree=;mshtml=")
	boot := command(t, wine, "wineboot", "-i")
	boot.Env = env
	output(t, boot)
	t.Cleanup(func() {
		if server, err := exec.LookPath("wineserver"); err == nil {
			end := exec.Command(server, "--kill")
			end.Env = env
			_ = end.Run()
		}
	})
	gcc, err := exec.LookPath("x86_64-w64-mingw32-gcc")
	if err != nil {
		return env
	}
	source := filepath.Join(dir, "prng.c")
	write(t, source, prng)
	output(t, command(t, gcc, "-shared", "-o", filepath.Join(dir, "prefix", "drive_c", "windows", "system32", "bcryptprimitives.dll"), source, "-ladvapi32"))
	return env
}

// The executable for Windows runs the commands that are used most under Wine, where that is installed, and serves a graph whose
// server it starts. Wine before version 9 needs mingw-w64 as well, or a prefix in WINEPREFIX that has bcryptprimitives.dll.
func TestReleaseOnWine(t *testing.T) {
	binary := executable(t, target{"windows", "amd64"})
	wine, err := exec.LookPath("wine")
	if err != nil {
		t.Skip("wine is not installed")
	}
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "folder.yaml"), firstGraph, 0o600), os.WriteFile(filepath.Join(dir, "note.md"), []byte("a note"), 0o600)); err != nil {
		t.Fatal(err)
	}
	env := append(prefix(t, wine), "FOLDER=.")
	onWine := func(args ...string) *exec.Cmd {
		cmd := command(t, wine, append([]string{binary}, args...)...)
		cmd.Dir, cmd.Env = dir, env
		return cmd
	}
	write(t, filepath.Join(dir, "graph.test.yaml"), "tests:\n  - name: it\n    tool: find_large_files\n    args: {directory: ., min_bytes: 1}\n")
	for _, c := range []struct{ command, want string }{
		{"version", "windows/amd64"},
		{"init graph.yaml", "wrote graph.yaml"},
		{"check graph.yaml", "no problems found"},
		{"run graph.yaml find_large_files directory=. min_bytes=1", "graph.yaml"},
		{"lock graph.yaml", "graph.lock.yaml: 1 tool"},
		{"test graph.yaml --record --update", "1 passed"},
		{"graph graph.yaml", "-->"},
		{"eval 1+1", "2"},
		{"runs list", "find_large_files"},
		{"runs show last", "entry"},
		{"config cursor graph.yaml --write", "started once: 1 tool"},
		{"doctor graph.yaml", "graph.lock.yaml matches"},
		{"mcp add files -- toolgraph demo-server .", "added files"},
		{"mcp call files.list_directory path=.", "note.md"},
		{"capabilities graph.yaml", "files.list_directory"},
	} {
		out, err := onWine(strings.Fields(c.command)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("toolgraph %s: %v\n%s; expected %q", c.command, err, out, c.want)
		}
	}
	talk(t, onWine("serve", "folder.yaml"), "largest_files", `{"top":1}`)
}
