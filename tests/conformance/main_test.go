package conformance

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolgraph/tests/npm"
	"toolgraph/tests/testbin"
)

func TestMain(m *testing.M) {
	if program := os.Getenv(clientProgram); program != "" {
		if err := runClient(program, os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(testbin.Run(m))
}

// The versions that the tests are written for.
const (
	publishedSuite = "@modelcontextprotocol/conformance@0.1.16"
	newerSuite     = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
	nodePackage    = "node@22" // which the suite wants
	bridgePackage  = "supergateway@4.0.0"
)

// patience is far more than any step needs.
const patience = 4 * time.Minute

// modules is the node_modules that holds the packages. The test is skipped where it
// may not or cannot have them.
func modules(t *testing.T, packages ...string) string {
	t.Helper()
	if os.Getenv("TOOLGRAPH_CLIENTS") != "1" {
		t.Skip("downloads the suite from npm; set TOOLGRAPH_CLIENTS=1")
	}
	if err := npm.Available(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir, err := npm.Install(ctx, packages...)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "node_modules")
}

// node is a command of that Node, in a folder of its own.
func node(t *testing.T, modules string, script string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	bin := filepath.Join(modules, "node", "bin")
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "node"), append([]string{filepath.Join(modules, script)}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = withPath(t, bin)
	return cmd
}

// withPath is the environment in which the graphs' servers are found, and these folders.
func withPath(t *testing.T, folders ...string) []string {
	t.Helper()
	folders = append(folders, filepath.Dir(testbin.Build(t, "toolgraph/tests/fakeserver")), filepath.Dir(testbin.Build(t, "toolgraph")), os.Getenv("PATH"))
	return append(os.Environ(), "PATH="+strings.Join(folders, string(filepath.ListSeparator)))
}

// suite runs the suite and checks its counts in the page. The list names the scenarios that fail.
func suite(t *testing.T, modules, name, list string, args ...string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", list))
	if err != nil {
		t.Fatal(err)
	}
	args = append(args, "--expected-failures", path)
	said, err := node(t, modules, "@modelcontextprotocol/conformance/dist/index.js", args...).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, said)
		return
	}
	passed := len(passedLine.FindAll(said, -1))
	if passed < 10 {
		t.Errorf("only %d scenarios passed:\n%s", passed, said)
	}
	checkRow(t, name, passed, len(failedLine.FindAll(said, -1)))
}

// Lines of the suite's summary; those of scenarios that are not scored are indented when they are repeated.
var (
	passedLine = regexp.MustCompile(`(?m)^✓ .*: \d+ passed`)
	failedLine = regexp.MustCompile(`(?m)^✗ .*: \d+ passed`)
)

// run starts a server and ends it with the test; what it says goes to the output.
func run(t *testing.T, cmd *exec.Cmd) *testbin.Said {
	t.Helper()
	said := &testbin.Said{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the server said:\n%s", said)
		}
	})
	return said
}

var address = regexp.MustCompile(`http://\S+/mcp`)

// serveHTTP serves a graph file and is its URL.
func serveHTTP(t *testing.T, graphs string) string {
	t.Helper()
	cmd := exec.Command(testbin.Build(t, "toolgraph"), "serve", "-g", graphs, "--http", "127.0.0.1:0",
		"--state", t.TempDir(), "--history-max-value", "20000") // a result that is longer makes a task fail, which the suite wants to see
	cmd.Env = withPath(t)
	said := run(t, cmd)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if url := address.FindString(said.String()); url != "" {
			return strings.Replace(url, "127.0.0.1", "localhost", 1)
		}
	}
	t.Fatalf("the server does not tell its address: %s", said)
	return ""
}

// answers waits until something answers at the URL.
func answers(t *testing.T, url string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get(url)
		if err == nil {
			_ = resp.Body.Close()
			return
		}
	}
	t.Fatalf("nothing answers at %s", url)
}
