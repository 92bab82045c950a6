//go:build unix

package tests

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// items is the list that a tool of the fake server returns about its process.
func items(t testing.TB, s *session, tool string) []string {
	t.Helper()
	var result struct{ Items []string }
	if err := json.Unmarshal(s.call(tool, `{}`).Structured, &result); err != nil {
		t.Fatal(err)
	}
	return result.Items
}

// forwardedVariables are those that make TLS, proxies and npm's registry work, and nothing
// else does.
var forwardedVariables = []string{
	"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
	"http_proxy", "https_proxy", "no_proxy", "npm_config_registry", "npm_config_cache",
}

// A server gets a few harmless variables of the program, those that TLS and proxies need, and
// those that its entry lists, and nothing else: no secrets of others, none of the variables
// by which programs are made to load code.
func TestP13P14EnvironmentOfAServer(t *testing.T) {
	s := start(
		t, each(`, env: {LISTED: as it is, GIVEN: "${GIVEN}", NODE_OPTIONS: --no-warnings}`, "env"),
		"GIVEN=given value", "PARENT_SECRET=hunter2", "NODE_OPTIONS=--require=/tmp/evil.js", "BASH_ENV=/tmp/evil.sh",
		"PYTHONPATH=/tmp/evil", "DYLD_INSERT_LIBRARIES=", "LC_TIME=C", "TERM=dumb",
		"ALL_PROXY=x", "FTP_PROXY=x", "NPM_CONFIG_REGISTRY=x", "npm_config_userconfig=x", "NODE_TLS_REJECT_UNAUTHORIZED=0", "SSL_CERT_FILES=x",
		"NODE_EXTRA_CA_CERTS=/ca.pem", "SSL_CERT_FILE=/ca.pem", "SSL_CERT_DIR=/ca", "HTTP_PROXY=http://a.test:1", "HTTPS_PROXY=http://user:proxy-password@b.test:2",
		"NO_PROXY=c.test", "http_proxy=http://d.test:3", "https_proxy=http://e.test:4", "no_proxy=f.test", "npm_config_registry=https://g.test/", "npm_config_cache=/cache",
	)
	forwarded := []string{
		"NODE_EXTRA_CA_CERTS=/ca.pem", "SSL_CERT_FILE=/ca.pem", "SSL_CERT_DIR=/ca", "HTTP_PROXY=http://a.test:1", "HTTPS_PROXY=http://[redacted]@b.test:2",
		"NO_PROXY=c.test", "http_proxy=http://d.test:3", "https_proxy=http://e.test:4", "no_proxy=f.test", "npm_config_registry=https://g.test/", "npm_config_cache=/cache",
	}
	listed := []string{"LISTED=as it is", "GIVEN=[redacted]", "NODE_OPTIONS=--no-warnings"} // [redacted]: on the way back
	base := []string{"PATH", "HOME", "LANG", "TMPDIR", "USER", "SHELL", "TERM"}
	got := items(t, s, "env")
	for _, entry := range got {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case slices.Contains(base, name), slices.Contains(forwardedVariables, name), strings.HasPrefix(name, "LC_"):
		case slices.Contains(listed, entry):
		default:
			t.Errorf("the server was given %s", entry)
		}
	}
	for _, entry := range append(append(listed, forwarded...), "LC_TIME=C", "TERM=dumb", "PATH="+os.Getenv("PATH")) {
		if !slices.Contains(got, entry) {
			t.Errorf("the server was not given %s", entry)
		}
	}
}

// A server has its three streams and none of the program's other files.
func TestP16FilesOfAServer(t *testing.T) {
	t.Parallel()
	s := start(t, each("", "fds", "env"))
	open := items(t, s, "fds")
	for _, file := range open {
		if n, _, _ := strings.Cut(file, " "); n != "0" && n != "1" && n != "2" {
			t.Errorf("the server was given the file %s", file)
		}
	}
	if _, err := os.Stat("/proc/self/fd"); err == nil && len(open) != 3 {
		t.Errorf("the server has the files %q, want three", open)
	}
}
