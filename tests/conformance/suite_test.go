package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// revisions of the protocol that the suite has requirements for.
var revisions = []string{"2025-11-25", "2026-07-28"}

func TestHTTP(t *testing.T) {
	newer := modules(t, newerSuite, nodePackage)
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			suite(t, newer, "server over HTTP, "+revision, "expected-"+revision+".yaml", "server", "--url", serveHTTP(t, graphs), "--requirements", revision)
		})
		t.Run(revision+" with servers behind it", func(t *testing.T) {
			suite(t, newer, "server over HTTP with servers behind it, "+revision, "expected-behind-"+revision+".yaml",
				"server", "--url", serveHTTP(t, withServersBehind(t)), "--requirements", revision)
		})
	}
}

// graphs has the tools and prompts that the suite calls by name; no server behind it asks, or has resources.
const graphs = "testdata/graphs.yaml"

var toolBlock = regexp.MustCompile(`(?m)^  - name: (\S+)\n(?:(?:    .*)?\n)*`)

// withServersBehind writes a file like graphs in which servers ask, have the resources that the suite reads, and
// change their tools: what behind.yaml has replaces the tools of the same names.
func withServersBehind(t *testing.T) string {
	t.Helper()
	own, err := os.ReadFile(graphs)
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile("testdata/behind.yaml")
	if err != nil {
		t.Fatal(err)
	}
	behind := string(src)
	replaced := map[string]bool{}
	for _, m := range toolBlock.FindAllStringSubmatch(behind, -1) {
		replaced[m[1]] = true
	}
	for _, m := range toolBlock.FindAllStringSubmatch(string(own), -1) {
		if !replaced[m[1]] {
			behind += "\n" + m[0]
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "behind.yaml")
	for name, text := range map[string]string{
		path: strings.ReplaceAll(behind, "DIRECTORY", dir),
		filepath.Join(dir, "offers.json"): `{"resources":[{"uri":"test://static-text","name":"a text","mimeType":"text/plain"},{"uri":"test://static-binary","name":"an image","mimeType":"image/png"}],
			"resourceTemplates":[{"uriTemplate":"test://template/{id}/data","name":"data"}]}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestPublishedSuite(t *testing.T) {
	suite(t, modules(t, publishedSuite, nodePackage), "server over HTTP, suite 0.1.16", "expected-0.1.16.yaml", "server", "--url", serveHTTP(t, graphs))
}

// The suite speaks HTTP only, so that stdio is reached by a bridge.
func TestStdio(t *testing.T) {
	newer := modules(t, newerSuite, nodePackage, bridgePackage)
	graphs, err := filepath.Abs(graphs)
	if err != nil {
		t.Fatal(err)
	}
	port, err := testbin.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	run(t, node(t, newer, "supergateway/dist/index.js",
		"--stdio", fmt.Sprintf("%s -g %s", testbin.Build(t, "toolgraph"), graphs),
		"--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none", "--port", fmt.Sprint(port)))
	url := fmt.Sprintf("http://localhost:%d/mcp", port)
	answers(t, url)
	suite(t, newer, "server over stdio and a bridge, 2025-11-25", "expected-bridge.yaml", "server", "--url", url, "--requirements", "2025-11-25")
}
