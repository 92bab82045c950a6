//go:build unix

package fleet

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"toolgraph/tests/testbin"
)

// The script of docs/scaling.md makes a fleet from nothing: the call is answered although its process was killed, and is one run.
func TestFromNothing(t *testing.T) {
	t.Parallel()
	if haproxyProgram() == "" {
		t.Skip("HAProxy is not installed: haproxy is neither in PATH nor in /usr/sbin; install it")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed; install it")
	}
	if servers, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(servers) == 0 {
		if _, err := exec.LookPath("initdb"); err != nil {
			t.Skip("Postgres is not installed: initdb is neither in PATH nor in /usr/lib/postgresql/*/bin; install postgresql")
		}
	}
	script := docBlock(t, "## From nothing to a fleet")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "haproxy.cfg"), []byte(docBlock(t, "HAProxy does all of this:")), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	port, err := testbin.FreePorts(4)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + filepath.Dir(testbin.Build(t, "toolgraph")) + ":" + os.Getenv("PATH"), "HOME=" + dir, "PORT=" + strconv.Itoa(port),
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) } // it ends what it has started
	cmd.WaitDelay = patience
	var said testbin.Said
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, said.String())
	}
	runs, answer, found := strings.Cut(string(out), "{\"jsonrpc\"")
	if !found || !strings.Contains(answer, `"structuredContent"`) && !strings.Contains(answer, `"text"`) || strings.Contains(answer, "isError") {
		t.Errorf("the answer: %s\n%s", out, said.String())
	}
	if strings.Count(runs, "count_slowly") != 1 || !strings.Contains(runs, "finished") {
		t.Errorf("the runs:\n%s", runs)
	}
}
