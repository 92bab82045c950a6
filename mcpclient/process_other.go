//go:build !unix

package mcpclient

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

// signalGroup ends the child and its descendants; there is no polite signal here.
func signalGroup(cmd *exec.Cmd, _ bool) {
	ctx, stop := context.WithTimeout(context.Background(), termGrace)
	defer stop()
	if exec.CommandContext(ctx, "taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() != nil {
		_ = cmd.Process.Kill() // already gone when this fails too
	}
}

func sweepGroup(int) {}

func statusOf(state *os.ProcessState) exitStatus { return exitStatus{code: state.ExitCode()} }

// supervisorCommand returns nil: here the servers only see their input end with this process.
func supervisorCommand() *exec.Cmd { return nil }
