//go:build unix

package fleet

import (
	"context"
	"fmt"
	"net"
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
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + filepath.Dir(testbin.Build(t, "toolgraph")) + ":" + os.Getenv("PATH"), "HOME=" + dir, "PORT=" + strconv.Itoa(freePorts(t, 4)),
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

// freePorts returns the first of some ports in a row at which nothing listens.
func freePorts(t *testing.T, count int) (first int) {
	t.Helper()
	for range 100 {
		_, port, err := net.SplitHostPort(freeAddress(t))
		if err != nil {
			t.Fatal(err)
		}
		if first, err = strconv.Atoi(port); err != nil {
			t.Fatal(err)
		}
		free := 0
		for ; free < count; free++ {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+free))
			if err != nil {
				break
			}
			_ = l.Close()
		}
		if free == count {
			return first
		}
	}
	t.Fatal("there are no free ports")
	return 0
}
