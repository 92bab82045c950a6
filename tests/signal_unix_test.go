//go:build unix

package tests

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"toolgraph/tests/testbin"
)

// largeFile is a legal graph file of nearly 1 MiB: 60 tools, each with an expression of
// 16 KiB.
func largeFile() string {
	expr := "entry" + strings.Repeat(".a", 8_000)
	var b strings.Builder
	b.WriteString("server: {name: g, version: 1.0.0}\ntools:\n")
	for i := range 60 {
		fmt.Fprintf(&b, `- name: t%d
  description: d
  nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: transform, transform: {expr: %s}, next: exit}
  - {id: exit, type: exit}
`, i, expr)
	}
	return b.String()
}

// A signal ends check while it is at work, with the code that is the signal's. What it
// has said of the files before is said.
func TestV20SignalDuringCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeAll(t, dir, map[string]string{"small.yaml": `server: {name: g, version: 1.0.0}
tools:
- name: t
  nodes:
  - {id: entry, type: entry, next: sum}
  - {id: sum, type: transform, transform: {expr: '"a" + 1'}, next: exit}
  - {id: exit, type: exit}
`, "large.yaml": largeFile()})
	for signal, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130} {
		t.Run(signal.String(), func(t *testing.T) {
			// More than can be checked before the signal comes.
			files := slices.Concat([]string{"check", filepath.Join(dir, "small.yaml")}, slices.Repeat([]string{filepath.Join(dir, "large.yaml")}, 200))
			cmd := exec.Command(testbin.Build(t, "toolgraph"), files...)
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil || !strings.Contains(line, "wrong-operand") {
				t.Errorf("it begins with %q, %v", line, err)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if got := endOf(t, cmd); got != code {
				t.Errorf("the exit code is %d, want %d", got, code)
			}
		})
	}
}
