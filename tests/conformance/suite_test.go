package conformance

import (
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"toolgraph/tests/testbin"
)

// revisions of the protocol that the suite has requirements for.
var revisions = []string{"2025-11-25", "2026-07-28"}

func TestHTTP(t *testing.T) {
	newer := modules(t, newerSuite, nodePackage)
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			suite(t, newer, "server over HTTP, "+revision, "expected-"+revision+".yaml", "server", "--url", serveHTTP(t), "--requirements", revision)
		})
	}
}

func TestPublishedSuite(t *testing.T) {
	suite(t, modules(t, publishedSuite, nodePackage), "server over HTTP, suite 0.1.16", "expected-0.1.16.yaml", "server", "--url", serveHTTP(t))
}

// The suite speaks HTTP only, so that stdio is reached by a bridge.
func TestStdio(t *testing.T) {
	newer := modules(t, newerSuite, nodePackage, bridgePackage)
	graphs, err := filepath.Abs(filepath.Join("testdata", "graphs.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	run(t, node(t, newer, "supergateway/dist/index.js",
		"--stdio", fmt.Sprintf("%s -g %s", testbin.Build(t, "toolgraph"), graphs),
		"--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none", "--port", fmt.Sprint(port)))
	url := fmt.Sprintf("http://localhost:%d/mcp", port)
	answers(t, url)
	suite(t, newer, "server over stdio and a bridge, 2025-11-25", "expected-bridge.yaml", "server", "--url", url, "--requirements", "2025-11-25")
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
