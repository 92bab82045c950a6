//go:build unix

package config

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"toolgraph/internal/base/cost"
)

func TestY07FilesThatAreNone(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, expected := range map[string]string{
		pipe: "found a named pipe, not a regular file", "/dev/zero": "found a device, not a regular file",
	} {
		cost.Below(t, 64<<10, func() {
			if _, err := Load(name, Options{}); err == nil || !strings.Contains(err.Error(), expected) {
				t.Errorf("%s: %v, expected %s", name, err, expected)
			}
		})
	}
}

func TestF23ImportOfAPipe(t *testing.T) {
	importing(t, map[string]string{"graph.yaml": oneTool("report", "text.count", "\nimports:\n  text: pipe\n")})
	check(t, syscall.Mkfifo("pipe", 0o600))
	_, err := Load("graph.yaml", Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "graph.yaml:4:3") || !strings.HasSuffix(err.Error(), "found a named pipe, not a regular file; name the graph file itself [not-a-regular-file]") {
		t.Error(err)
	}
}
