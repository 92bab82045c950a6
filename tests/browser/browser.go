// Package browser runs tests that drive a browser: files for node and playwright-core, which find the program, the browser and
// packages of npm by their environment. A test that lacks one of these is skipped with the reason.
package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/npm"
	"toolgraph/tests/testbin"
)

// noEnd ends a browser that hangs.
const noEnd = 10 * time.Minute

// Environment returns the environment of such tests: BINARY is the program, which is also on the PATH, CHROMIUM the browser, MODULES the
// folder of the packages, each of them NAME@VERSION.
func Environment(t *testing.T, packages ...string) []string {
	t.Helper()
	if os.Getenv("TOOLGRAPH_CLIENTS") != "1" {
		t.Skip("needs packages of npm; set TOOLGRAPH_CLIENTS=1")
	}
	if err := npm.Available(); err != nil {
		t.Skip(err)
	}
	chromium := find(t)
	ctx, cancel := context.WithTimeout(t.Context(), noEnd)
	defer cancel()
	modules, err := npm.Install(ctx, packages...)
	if err != nil {
		t.Fatal(err)
	}
	binary := testbin.Build(t, "toolgraph")
	return append(os.Environ(), "PATH="+filepath.Dir(binary)+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"BINARY="+binary, "CHROMIUM="+chromium, "MODULES="+filepath.Join(modules, "node_modules"))
}

// RunAll runs each testdata/*.test.mjs as a test of its own, with a folder for the state of the program in STATE.
func RunAll(t *testing.T, env []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.test.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test.mjs"), func(t *testing.T) { Run(t, file, env) })
	}
}

// Run runs the tests of one file, as RunAll does.
func Run(t *testing.T, file string, env []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), noEnd)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--test-reporter=spec", file)
	cmd.Env = append(slices.Clip(env), "STATE="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// find returns the path of a Chromium.
func find(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("there is no Chromium on this machine (%s); name one with CHROMIUM", runtime.GOOS)
	return ""
}
