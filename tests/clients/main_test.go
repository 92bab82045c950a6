package clients

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"toolgraph/tests/examplefile"
	"toolgraph/tests/npm"
	"toolgraph/tests/testbin"
)

// The versions that the tests are written for.
const (
	sdkPackage        = "@modelcontextprotocol/sdk@1.32.2"
	newerSDKPackage   = "@modelcontextprotocol/client@2.4.0"
	inspectorPackage  = "@modelcontextprotocol/inspector@2.12.0"
	newerNodePackage  = "node@22" // which the Inspector wants
	mcpgraphPackage   = "mcpgraph@0.1.23"
	filesystemPackage = "@modelcontextprotocol/server-filesystem@2026.8.31"
)

func TestMain(m *testing.M) {
	os.Exit(testbin.Run(m))
}

// modules is the node_modules that holds the packages. The test is skipped where it
// may not or cannot have them.
func modules(t *testing.T, packages ...string) string {
	t.Helper()
	if os.Getenv("TOOLGRAPH_CLIENTS") != "1" {
		t.Skip("downloads clients from npm; set TOOLGRAPH_CLIENTS=1")
	}
	if err := npm.Available(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir, err := npm.Install(ctx, current(t, packages)...)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "node_modules")
}

// surroundings are what every case of the examples runs in.
type surroundings struct {
	binary   string   // the program
	examples string   // a copy of the directory of examples
	env      []string // with the program on PATH, as the examples call it by name
}

func newSurroundings(t *testing.T) surroundings {
	t.Helper()
	s := surroundings{binary: testbin.Build(t, "toolgraph"), examples: filepath.Join(t.TempDir(), "examples")}
	if err := os.CopyFS(s.examples, os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Dir(s.binary) + string(filepath.ListSeparator) + os.Getenv("PATH")
	s.env = append(os.Environ(), "PATH="+path)
	return s
}

// each does a test for every case of the examples, ready to be called. A case whose
// programs are missing is skipped.
func (s surroundings) each(t *testing.T, do func(t *testing.T, c examplefile.Case)) {
	t.Helper()
	cases, err := examplefile.Load(s.examples)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(filepath.Base(c.Graph)+"/"+c.Name, func(t *testing.T) {
			if program := c.Missing(); program != "" {
				t.Skipf("%s is not installed", program)
			}
			places := map[string]string{"temp": t.TempDir()}
			if _, err := exec.LookPath("git"); err == nil {
				places["repository"] = t.TempDir()
				if err := examplefile.Repository(t.Context(), places["repository"]); err != nil {
					t.Fatal(err)
				}
			}
			c.Fill(places)
			do(t, c)
		})
	}
}
