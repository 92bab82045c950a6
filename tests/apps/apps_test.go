package apps

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

// The versions that the tests are written for.
var packages = []string{
	"@modelcontextprotocol/ext-apps@2.0.4", "@modelcontextprotocol/client@2.0.0", "@modelcontextprotocol/core@2.0.0", "zod@4.2.0",
	"esbuild@0.28.2", "playwright-core@1.65.1", "axe-core@4.14.1",
}

// noEnd ends a browser that hangs.
const noEnd = 10 * time.Minute

func TestMain(m *testing.M) {
	os.Exit(testbin.Run(m))
}

// TestApps runs each testdata/*.test.mjs. With APPS_SHOTS, views are stored in that directory as images.
func TestApps(t *testing.T) {
	env := surroundings(t)
	files, err := filepath.Glob("testdata/*.test.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test.mjs"), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), noEnd)
			defer cancel()
			cmd := exec.CommandContext(ctx, "node", "--test-reporter=spec", file)
			cmd.Env = append(slices.Clip(env), "STATE="+t.TempDir())
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}

// surroundings returns the environment in which lib.mjs finds the program, graph files, the browser and the npm packages.
func surroundings(t *testing.T) []string {
	t.Helper()
	if os.Getenv("TOOLGRAPH_CLIENTS") != "1" {
		t.Skip("needs packages of npm; set TOOLGRAPH_CLIENTS=1")
	}
	if err := npm.Available(); err != nil {
		t.Skip(err)
	}
	chromium := browser(t)
	ctx, cancel := context.WithTimeout(t.Context(), noEnd)
	defer cancel()
	modules, err := npm.Install(ctx, packages...)
	if err != nil {
		t.Fatal(err)
	}
	binary := testbin.Build(t, "toolgraph")
	graphs := t.TempDir()
	if err := os.CopyFS(graphs, os.DirFS("../page/testdata/graphs")); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "PATH="+filepath.Dir(binary)+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"BINARY="+binary, "CHROMIUM="+chromium, "MODULES="+filepath.Join(modules, "node_modules"), "GRAPHS="+graphs, "SHOTS="+os.Getenv("APPS_SHOTS"))
}

// browser returns the path of a Chromium.
func browser(t *testing.T) string {
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
