//go:build unix

package tests

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// items is the list that a tool of the fake server tells about its process.
func items(t testing.TB, s *session, tool string) []string {
	t.Helper()
	var told struct{ Items []string }
	if err := json.Unmarshal(s.call(tool, `{}`).Structured, &told); err != nil {
		t.Fatal(err)
	}
	return told.Items
}

// A server gets a few harmless variables of ours and those that its entry lists, and
// nothing else: no secrets of others, none of the variables by which programs are
// made to load code.
func TestP13P14EnvironmentOfAServer(t *testing.T) {
	s := start(
		t, each(`, env: {LISTED: as it is, GIVEN: "${GIVEN}", NODE_OPTIONS: --no-warnings}`, "env"),
		"GIVEN=given value", "PARENT_SECRET=hunter2", "NODE_OPTIONS=--require=/tmp/evil.js", "BASH_ENV=/tmp/evil.sh",
		"PYTHONPATH=/tmp/evil", "DYLD_INSERT_LIBRARIES=", "LC_TIME=C", "TERM=dumb",
	)
	listed := []string{"LISTED=as it is", "GIVEN=[redacted]", "NODE_OPTIONS=--no-warnings"} // [redacted]: on the way back
	base := []string{"PATH", "HOME", "LANG", "TMPDIR", "USER", "SHELL", "TERM"}
	got := items(t, s, "env")
	for _, entry := range got {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case slices.Contains(base, name), strings.HasPrefix(name, "LC_"):
		case slices.Contains(listed, entry):
		default:
			t.Errorf("the server was given %s", entry)
		}
	}
	for _, entry := range append(listed, "LC_TIME=C", "TERM=dumb", "PATH="+os.Getenv("PATH")) {
		if !slices.Contains(got, entry) {
			t.Errorf("the server was not given %s", entry)
		}
	}
}

// A server has its three streams and none of our other files.
func TestP16FilesOfAServer(t *testing.T) {
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
