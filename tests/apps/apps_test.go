package apps

import (
	"os"
	"testing"

	"toolgraph/tests/browser"
	"toolgraph/tests/testbin"
)

// The versions that the tests are written for.
var packages = []string{
	"@modelcontextprotocol/ext-apps@2.0.4", "@modelcontextprotocol/client@2.0.0", "@modelcontextprotocol/core@2.0.0", "zod@4.2.0",
	"esbuild@0.28.2", "playwright-core@1.65.1", "axe-core@4.14.1",
}

func TestMain(m *testing.M) {
	os.Exit(testbin.Run(m))
}

// TestApps runs each testdata/*.test.mjs. With APPS_SHOTS, views are stored in that directory as images.
func TestApps(t *testing.T) {
	env := browser.Environment(t, packages...)
	graphs := t.TempDir()
	if err := os.CopyFS(graphs, os.DirFS("../page/testdata/graphs")); err != nil {
		t.Fatal(err)
	}
	browser.RunAll(t, append(env, "GRAPHS="+graphs, "SHOTS="+os.Getenv("APPS_SHOTS")))
}
